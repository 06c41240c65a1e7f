"""How fast the explorer answers, and how many it can bear: `python benchmarks/explorer.py`.

A server of its own process looks at an invented model of 20,000 words in 55 conditions. Measured are what a first visit
loads, every question about a word that was not asked before and once it is known, each as a ratio to a bare request
(the icon) in the same run; what a new word's page asks for, all at once as a browser does; then a hundred clients for a
minute, each asking one question after the other. A last row tells the size of a folder and how often its ten nearest
words are those of the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

import numpy as np
from harness import record, timed

from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.views.explorer.explored import Explored
from chronotope.views.explorer.export import export
from chronotope.views.explorer.server import PAGE

ROOT = Path(__file__).parents[1]
BARE = "icon.svg"
# What the page asks for when a word is opened: what it shows first, then, at once, all the rest.
WORD_FIRST, WORD_REST = ("neighbors_at", "series"), ("neighbors_all", "matrix", "changepoints", "trajectory")


def invented_embeddings(words: int, conditions: int, dimensions: int, seed: int = 1) -> ConditionedEmbeddings:
    """Words in groups of about thirty that wander from year to year, all present in every year."""
    rng = np.random.default_rng(seed)
    scale = np.linspace(2, 0.3, dimensions, dtype=np.float32)

    def noise() -> np.ndarray:
        return rng.standard_normal((words, dimensions), dtype=np.float32) * scale

    centers = noise()[: words // 30]
    common, way = centers[rng.integers(0, len(centers), words)] + np.float32(0.7) * noise(), noise()
    vectors = np.empty((conditions * words, dimensions), np.float32)
    for number in range(conditions):
        here = slice(number * words, (number + 1) * words)
        vectors[here] = common + np.float32(0.6 * number / conditions) * way + np.float32(0.2) * noise()
    count = np.tile(200_000 // (np.arange(words) + 1) + 5, conditions)
    support = Support(np.arange(conditions + 1) * words, np.tile(np.arange(words), conditions), count)
    years = Conditions.of_times([str(1960 + number) for number in range(conditions)])
    return ConditionedEmbeddings([f"word{number}" for number in range(words)], years, support, vectors)


@contextmanager
def server(model: Path) -> Iterator[tuple[str, int, int, float]]:
    """A server of a model in a process of its own: host, port, process, and the seconds that it took to be there."""
    command = [Path(sys.executable).parent / "chronotope", "explore", model, "--port", "0", "--no-open"]
    with timed() as timing:
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        line = process.stderr.readline() if process.stderr else ""
    try:
        found = re.search(r"http://([^:/]+):(\d+)/", line)
        if not found:
            raise SystemExit(f"the server did not start: {line}")
        yield found[1], int(found[2]), process.pid, timing.seconds
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


class Client:
    """One connection that is kept open, as a browser's is."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> tuple[int, bytes, float]:
        """The status, the body, and the seconds."""
        begin = time.perf_counter()
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self._streams
        writer.write(f"GET /{path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n\r\n".encode())
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(re.search(r"content-length: (\d+)", head, re.IGNORECASE)[1])  # type: ignore[index]
        body = await reader.readexactly(length)
        return int(head.split()[1]), body, time.perf_counter() - begin

    def close(self) -> None:
        """Leave."""
        if self._streams:
            self._streams[1].close()


def questions(word: str, other: str, at: str, to: str) -> dict[str, str]:
    """The questions about a word, by name."""
    asked: dict[str, list[tuple[str, str]]] = {
        "words": [("query", word)],
        "neighbors_at": [("word", word), ("at", at)],
        "neighbors": [("word", word)],
        "neighbors_all": [("word", word), ("at", "all")],
        "series": [("word", word)],
        "matrix": [("word", word)],
        "similarity": [("word", word), ("word", other)],
        "changepoints": [("word", word)],
        "trajectory": [("word", word)],
        "equivalents_at": [("word", word), ("at", at), ("to", to)],
        "equivalents": [("word", word), ("at", at)],
        "axis": [("word", word), ("formula", "word5 - word6")],
    }
    return {name: f"api/{name.split('_')[0]}?{urlencode(params)}" for name, params in asked.items()}


def cpu_seconds(process: int) -> float:
    """The time that the cores have worked for a process: on a busy machine it tells more than a clock."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def first_visit(client: Client) -> float:
    """The seconds for all that is loaded before anything can be seen."""
    files = [path.relative_to(PAGE).as_posix() for path in sorted(PAGE.rglob("*")) if path.is_file()]
    begin = time.perf_counter()
    for path in ["", *files, "api/about"]:
        status, _, _ = await client.get(path)
        assert status == 200, path
    return time.perf_counter() - begin


async def measure(host: str, port: int, process: int, about: dict[str, object], words: int) -> None:
    """Rows for the first visit and for every question."""
    client, draw = Client(host, port), random.Random(1)
    bare = median([(await client.get(BARE))[2] for _ in range(50)])
    seconds = await first_visit(client)
    record("explorer, first visit", **about, seconds=seconds, bare_seconds=bare, ratio=seconds / bare)
    status, _, seconds = await client.get("api/drift")
    record("explorer, words to start from", **about, seconds=seconds, status=status)
    while True:  # until the server has nothing more to prepare
        before = cpu_seconds(process)
        await asyncio.sleep(2)
        if cpu_seconds(process) - before < 0.1:
            break
    client = Client(host, port)
    await client.get("api/trajectory?word=word1")
    bare = median([(await client.get(BARE))[2] for _ in range(50)])
    for name in questions("", "", "", ""):
        cold, warm = [], []
        worked = cpu_seconds(process)
        for _ in range(5):
            word, other = (f"word{draw.randrange(words)}" for _ in range(2))
            path = questions(word, other, "1963", "1970")[name]
            cold.append((await client.get(path))[2])
            warm.append((await client.get(path))[2])
        worked = (cpu_seconds(process) - worked) / 5
        figures = {"slowest": max(cold), "cold": median(cold), "cpu": worked, "warm": median(warm), "bare": bare}
        seconds = {f"{key}_seconds": value for key, value in figures.items()}
        record(f"explorer, {name}", **about, **seconds, ratio=median(cold) / bare)
    first, whole = [], []
    for _ in range(10):
        word = f"word{draw.randrange(words)}"
        asked = questions(word, word, "1963", "1970")
        begin = time.perf_counter()
        for name in WORD_FIRST:
            await client.get(asked[name])
        first.append(time.perf_counter() - begin)
        await asyncio.gather(*(Client(host, port).get(asked[name]) for name in WORD_REST))
        whole.append(time.perf_counter() - begin)
    figures = {"seconds": median(first), "ratio": median(first) / bare, "with_all_charts_seconds": median(whole)}
    record("explorer, a new word", **about, first=" ".join(WORD_FIRST), rest=" ".join(WORD_REST), **figures)


async def load(host: str, port: int, about: dict[str, object], clients: int, seconds: float, words: int) -> None:
    """A row for many clients at once: every one asks, waits for the answer, and asks again."""
    end = time.perf_counter() + seconds
    taken: list[float] = []
    errors = 0

    async def one(number: int) -> None:
        nonlocal errors
        client, draw = Client(host, port), random.Random(number)
        while time.perf_counter() < end:
            # People look at the same few words, and now and then at one that nobody has looked at.
            word = f"word{int(words * draw.random() ** 6)}"
            name = draw.choice(("words", "neighbors_at", "series", "matrix", "neighbors_all", "similarity"))
            other = f"word{words - 1}" if word == "word7" else "word7"
            status, body, spent = await client.get(questions(word, other, "1963", "1970")[name])
            errors += status != 200 or not json.loads(body)
            taken.append(spent)

    await asyncio.gather(*(one(number) for number in range(clients)))
    taken.sort()
    record(
        "explorer, load",
        **about,
        clients=clients,
        seconds=seconds,
        requests=len(taken),
        errors=errors,
        per_second=len(taken) / seconds,
        p50_seconds=taken[len(taken) // 2],
        p99_seconds=taken[int(0.99 * len(taken))],
        longest_seconds=taken[-1],
    )


def folder_of(embeddings: ConditionedEmbeddings, about: dict[str, object], where: Path, asked: int = 100) -> None:
    """A row for the static folder: its size, and how often its ten nearest words are those of the server."""
    missing = dict.fromkeys(("counts", "text", "coordinates"), "it is not there")
    with timed() as timing:
        written = export(Explored(embeddings, "Invented", missing=missing), where)
    labels, draw = embeddings.conditions.labels, random.Random(1)
    cases = [(embeddings.words[draw.randrange(len(embeddings))], *draw.sample(labels[:6], 2)) for _ in range(asked)]
    questions_asked = [("neighbors", {"word": word, "at": at}) for word, at, _ in cases]
    questions_asked += [("equivalents", {"word": word, "at": at, "to": to}) for word, at, to in cases]
    ask = ROOT / "tests" / "views" / "ask_engine.js"
    done = subprocess.run(
        ["node", ask, where], input=json.dumps(questions_asked), capture_output=True, text=True, check=True
    )
    answers = [one["rows"] for one in json.loads(done.stdout)]
    near = [{row["neighbor"] for row in rows} for rows in answers[:asked]]
    parts = [{row["equivalent"] for row in rows} for rows in answers[asked:]]
    same = sum(
        len(one & {m.word for m in embeddings.neighbors(w, at, fallback=True)})
        for one, (w, at, _) in zip(near, cases, strict=True)
    )
    alike = sum(
        len(one & {m.word for m in embeddings.equivalents(w, at, to, fallback=True)})
        for one, (w, at, to) in zip(parts, cases, strict=True)
    )
    record(
        "explorer, folder",
        **about,
        seconds=timing.seconds,
        megabytes=written.size / 1e6,
        neighbors_agreement=same / (10 * asked),
        equivalents_agreement=alike / (10 * asked),
    )


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--conditions", type=int, default=55)
    parser.add_argument("--dimensions", type=int, default=200)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", choices=("server", "folder"), help="Measure one of the two.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chronotope-") as folder:
        if given.only != "folder":
            about: dict[str, object] = {
                "words": given.words,
                "conditions": given.conditions,
                "dimensions": given.dimensions,
            }
            model = Path(folder) / "invented.ct"
            invented_embeddings(given.words, given.conditions, given.dimensions).save(model)
            with server(model) as (host, port, process, seconds):
                record("explorer, start", **about, seconds=seconds)
                asyncio.run(measure(host, port, process, about, given.words))
                asyncio.run(load(host, port, about, given.clients, given.seconds, given.words))
        if given.only != "server" and shutil.which("node"):
            for dimensions in (50, 200):
                conditions = 30 if dimensions == 50 else 8
                embeddings = invented_embeddings(given.words, conditions, dimensions)
                about = {"words": given.words, "conditions": conditions, "dimensions": dimensions}
                folder_of(embeddings, about, Path(folder) / f"folder-{dimensions}")


if __name__ == "__main__":
    main()
