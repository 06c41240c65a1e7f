"""Whether the explorer's server grows: `python benchmarks/soak.py [--requests 1000000]`.

Eight clients ask a server of a small invented model every question, about known and unknown words; after a thousand
requests a client opens a new connection. There are few words, so the server has cached all answers after the first
tenth; the figure is how much more memory it holds at the end.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

from harness import record, resident_mb, timed
from invented import invented_embeddings

WORDS, ASKED, CLIENTS, REQUESTS_OF_A_CLIENT, PARTS = 300, 30, 8, 1_000, 10


@contextmanager
def server(model: Path) -> Iterator[tuple[str, int, int]]:
    """Serve a model in its own process: host, port, and number of the process."""
    command = [Path(sys.executable).parent / "chronotope", "explore", model, "--port", "0", "--no-open"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline() if process.stderr else ""
    try:
        found = re.search(r"http://([^:/]+):(\d+)/", line)
        if not found:
            raise SystemExit(f"the server did not start: {line}")
        yield found[1], int(found[2]), process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


def questions(word: str, other: str, at: str, to: str) -> list[str]:
    """Return the addresses of all questions about a word."""
    asked: list[tuple[str, list[tuple[str, str]]]] = [
        ("words", [("query", word)]),
        ("neighbors", [("word", word), ("at", at)]),
        ("neighbors", [("word", word)]),
        ("neighbors", [("word", word), ("at", "all")]),
        ("series", [("word", word)]),
        ("matrix", [("word", word)]),
        ("similarity", [("word", word), ("word", other)]),
        ("changepoints", [("word", word)]),
        ("trajectory", [("word", word)]),
        ("equivalents", [("word", word), ("at", at), ("to", to)]),
        ("equivalents", [("word", word), ("at", at)]),
        ("axis", [("word", word), ("formula", "word5 - word6")]),
    ]
    return [f"/api/{name}?{urlencode(parameters)}" for name, parameters in asked]


def ask(host: str, port: int, seed: int, requests: int) -> int:
    """Ask one question after the other; return the number of answers with an error of the server."""
    draw, errors, connection = random.Random(seed), 0, HTTPConnection(host, port)
    for done in range(requests):
        if done and done % REQUESTS_OF_A_CLIENT == 0:
            connection.close()
        # One word in eleven is unknown.
        word, other = (f"word{WORDS - ASKED + draw.randrange(ASKED * 11 // 10)}" for _ in range(2))
        connection.request("GET", draw.choice(questions(word, other, "1963", draw.choice(("1960", "1964", "nowhere")))))
        response = connection.getresponse()
        response.read()
        errors += response.status >= 500
    connection.close()
    return errors


def soak(host: str, port: int, process: int, requests: int) -> None:
    """Record the memory after each tenth of the requests, and its growth."""
    held, errors = [], 0
    with ThreadPoolExecutor(CLIENTS) as clients:
        for part in range(PARTS):
            seeds = range(part * CLIENTS, (part + 1) * CLIENTS)
            with timed() as timing:
                errors += sum(clients.map(lambda seed: ask(host, port, seed, requests // PARTS // CLIENTS), seeds))
            held.append(resident_mb(process))
            done = (part + 1) * (requests // PARTS)
            record("explorer, soak", requests=done, held_mb=held[-1], seconds=timing.seconds)
    record("explorer, growth", requests=requests, errors=errors, grown_mb=held[-1] - held[0], ratio=held[-1] / held[0])


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=20_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.ct"
        invented_embeddings(WORDS, 6, 16).save(model)
        with server(model) as (host, port, process):
            soak(host, port, process, arguments.requests)


if __name__ == "__main__":
    main()
