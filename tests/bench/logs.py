"""A log to be scanned: what servers write, and errors of records among it."""

import random
from collections.abc import Sequence

from tests.bench.corpus import Known, filled, traceback


def log(known: Sequence[Known], size: int, rate: float) -> tuple[bytes, int]:
    """A log of about that size, and how many errors are in it; `rate` is their share of its entries."""
    chance = random.Random(3)  # noqa: S311 - measurements, not secrets
    usual = chance.sample(list(known), 200)
    lines: list[bytes] = []
    length = errors = 0
    while length < size:
        second, thousandth = chance.randrange(60), chance.randrange(1000)
        stamp = (
            f"2024-05-{chance.randrange(1, 29):02} 12:{chance.randrange(60):02}:{second:02},{thousandth:03}"
        )
        if chance.random() < rate:
            errors += 1
            text = _error(chance.choice(usual if chance.random() < 0.9 else known), known, stamp, chance)
        else:
            text = _usual(stamp, chance)
        lines.append(text.encode())
        length += len(lines[-1])
    return b"".join(lines), errors


def _error(one: Known, known: Sequence[Known], stamp: str, chance: random.Random) -> str:
    """Every other with a traceback."""
    said = filled(one, chance)
    if chance.random() < 0.5:
        return f"{traceback(one, known, chance)}{one.entry.error_class}: {said}\n"
    return f"{stamp} ERROR app.web: {said}\n"


def _usual(stamp: str, chance: random.Random) -> str:
    """A line of a server's log, of a service's, or of JSON."""
    kind = chance.random()
    if kind < 0.5:
        agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0"
        asked = f"GET /api/users/{chance.randrange(10**6)} HTTP/1.1"
        host = f"10.0.{chance.randrange(256)}.7"
        return f'{host} - - [{stamp}] "{asked}" 200 {chance.randrange(10**5)} "-" "{agent}"\n'
    if kind < 0.6:
        key = f"{chance.getrandbits(128):032x}"
        return f'{{"ts":"{stamp}","level":"info","msg":"job done","request_id":"{key}"}}\n'
    said = chance.choice(
        (
            f"started worker {chance.randrange(99)} for the default queue",
            f"cache miss for key user:{chance.randrange(10**5)}, loading from the database",
            f"connection pool size is now {chance.randrange(99)}",
            f"retrying to connect to the server, attempt {chance.randrange(9)}",
            f"index of {chance.randrange(10**4)} documents was written to disk",
        )
    )
    return f"{stamp} INFO  app.{chance.choice(('db', 'web', 'jobs'))}: {said}\n"
