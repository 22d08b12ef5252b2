"""What all tests share."""

import os

import pytest

# In CI commands say on standard error how far they are; where that is meant, a test sets it.
os.environ.pop("CI", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--rewrite`, for tests whose expected output stands in a file of its own."""
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write what was really rendered into the files that hold what is expected; read the diff",
    )


@pytest.fixture(scope="session")
def is_rewriting(request: pytest.FixtureRequest) -> bool:
    """Whether expected output is to be replaced instead of compared."""
    return bool(request.config.getoption("--rewrite"))
