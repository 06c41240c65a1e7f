"""Whether the explorer's server grows: `python benchmarks/soak.py [--requests 1000000]`.

A server of a small invented model is asked every question, about words that are there and words that are not, by eight
clients, so many times; a new client takes the place of one after a thousand requests. There are few words, so that all
answers that the server keeps are there after the first tenth; the figure is how much more it holds at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from pathlib import Path

from explorer import Client, invented_embeddings, questions, server
from harness import record

WORDS, ASKED, CLIENTS, REQUESTS_OF_A_CLIENT, PARTS = 300, 30, 8, 1_000, 10


def held_mb(process: int) -> float:
    """What a process holds in memory."""
    line = next(line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


async def ask(host: str, port: int, number: int, requests: int) -> int:
    """One question after the other; how many answers were a fault of the server."""
    draw, faults, client = random.Random(number), 0, Client(host, port)
    for done in range(requests):
        if done and done % REQUESTS_OF_A_CLIENT == 0:
            client.close()
            client = Client(host, port)
        # One word in eleven is not there.
        word, other = (f"word{WORDS - ASKED + draw.randrange(ASKED * 11 // 10)}" for _ in range(2))
        asked = questions(word, other, "1963", draw.choice(("1960", "1964", "nowhere")))
        status, _, _ = await client.get(draw.choice(list(asked.values())))
        faults += status >= 500
    client.close()
    return faults


async def soak(host: str, port: int, process: int, requests: int) -> None:
    """A row for each tenth, and one for the whole."""
    held, faults, begin = [], 0, time.perf_counter()
    for part in range(PARTS):
        seeds = range(part * CLIENTS, (part + 1) * CLIENTS)
        faults += sum(await asyncio.gather(*(ask(host, port, seed, requests // PARTS // CLIENTS) for seed in seeds)))
        held.append(held_mb(process))
        done = (part + 1) * (requests // PARTS)
        record("explorer, soak", requests=done, held_mb=held[-1], seconds=time.perf_counter() - begin)
    record("explorer, growth", requests=requests, faults=faults, grown_mb=held[-1] - held[0], ratio=held[-1] / held[0])


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=20_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.ct"
        invented_embeddings(WORDS, 6, 16).save(model)
        with server(model) as (host, port, process, _):
            asyncio.run(soak(host, port, process, arguments.requests))


if __name__ == "__main__":
    main()
