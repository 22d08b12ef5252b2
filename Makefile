# Set-up is part of every target: a `.venv`, what it needs, and a stamp, so that a second call starts at once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NODE_MODULES := tests/browser/node_modules
# Given to the command behind a target: `make check ARGS="--format concise"`.
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help site test test-upstream test-browser browser check lint clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

site: $(VENV)/.wheels ## prove the records and build the site into site/
	@$(BIN)/pagefault build $(ARGS)

check: $(VENV)/.wheels ## prove the records, and say what does not hold
	@$(BIN)/pagefault check $(ARGS)

test: $(VENV)/.test $(VENV)/.wheels ## run the tests
	@$(BIN)/python -m pytest $(ARGS)

test-upstream: $(VENV)/.test ## run the comparisons with released wheels, large ones too
	@PAGEFAULT_UPSTREAM_LARGE=1 $(BIN)/python -m pytest -m upstream $(ARGS)

test-browser: browser $(VENV)/.wheels ## set up and run what Chromium and other programs say of the site
	@PAGEFAULT_BROWSER=1 $(BIN)/python -m pytest -m browser tests/browser $(ARGS)

browser: $(VENV)/.browser $(NODE_MODULES)/.package-lock.json

lint: $(VENV)/.lint ## check form and types of the code
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

clean: ## remove the environment, the caches and the built site
	rm -rf $(VENV) $(NODE_MODULES) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
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

$(VENV)/.test: $(VENV)/.site pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[torch,subjects,test]'
	@touch $@

$(VENV)/.browser: $(VENV)/.test pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[torch,subjects,test,browser]'
	@touch $@

# The types of what the browser tests use are in what they use.
$(VENV)/.lint: $(VENV)/.test pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[torch,subjects,test,browser,lint]'
	@touch $@

# Chromium and Java are the system's: without them these tests are skipped.
$(NODE_MODULES)/.package-lock.json: tests/browser/package.json tests/browser/package-lock.json
	@command -v npm >/dev/null || { echo "the browser tests need npm, which comes with Node.js"; exit 1; }
	cd tests/browser && npm ci --silent
	@touch $@

# Without a registry at hand the site links to what it would quote; the next call tries again.
$(VENV)/.wheels: $(VENV)/.site $(wildcard records/*/*/repo.yaml)
	@$(BIN)/pagefault fetch && touch $@ || echo "the site is built without these excerpts"
