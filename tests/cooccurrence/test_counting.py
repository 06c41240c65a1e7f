"""Counts equal their quadratic definition; how a count is cut and how much memory it may hold changes no byte."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import worlds
from chronotope.config import CountSettings
from chronotope.cooccurrence import count
from chronotope.cooccurrence.cells_file import write_cells
from chronotope.cooccurrence.counting import count_cells, distance_weights, units
from chronotope.cooccurrence.merging import Limits, count_conditions
from chronotope.corpus.source import read_corpus
from chronotope.runtime.resources import Resources
from worlds import tokenize

DOCUMENTS = st.lists(st.lists(st.integers(0, 12) | st.integers(0, 299), max_size=40), max_size=6)
SETTINGS = st.builds(CountSettings, window=st.integers(1, 31), weighting=st.sampled_from(["harmonic", "flat"]))


def quadratic(documents, words, weights):
    """Follow the definition in the docstring of `count_cells`."""
    count, after = Counter(), Counter()
    for document in documents:
        known = [word for word in document if word < words]
        for i, a in enumerate(known):
            for j, b in enumerate(known):
                if i != j and abs(i - j) < len(weights) and a <= b:
                    count[a, b] += int(weights[abs(i - j)])
                    after[a, b] += int(weights[abs(i - j)]) * (i < j)
    return [(*pair, count[pair], after[pair]) for pair in sorted(count)]


def counted(documents, words, weights):
    tokens = np.array([word for document in documents for word in document], dtype=np.int32)
    ends = np.cumsum([len(document) for document in documents], dtype=np.int64)
    return count_cells(tokens, ends, words, weights)


def rows(*blocks):
    return [row for cells in blocks for row in zip(*(column.tolist() for column in cells), strict=True)]


@given(documents=DOCUMENTS, words=st.sampled_from([1, 5, 12, 300]), asked=SETTINGS)
def test_counting_equals_the_quadratic_definition(documents, words, asked):
    weights = distance_weights(asked)
    assert rows(counted(documents, words, weights)) == quadratic(documents, words, weights)


@pytest.mark.parametrize("window", range(1, 11))
def test_harmonic_weights_are_whole_numbers_up_to_ten(window):
    weights = distance_weights(CountSettings(window=window))
    assert {int(weights[d]) * d for d in range(1, window + 1)} == {units(CountSettings(window=window))}
    assert np.gcd.reduce(weights) == 1


def test_a_large_vocabulary():
    order = np.random.default_rng(1).permutation(70_000)
    cells = counted([order.tolist()], 70_000, distance_weights(CountSettings(window=1, weighting="flat")))
    assert rows(cells) == sorted((min(a, b), max(a, b), 1, int(a < b)) for a, b in pairwise(order.tolist()))


LIMITS = {
    "one chunk": Limits(tokens=10**9),
    "small chunks": Limits(tokens=50, held=10**9, rows=7),
    "files": Limits(tokens=50, held=1, rows=7),
    "files of files": Limits(tokens=50, held=0, rows=7, fan_in=3),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    corpus = read_corpus(worlds.planted_drift(documents=120).records, time="time", holdout=0.2)
    return tokenize(corpus, tmp_path_factory.mktemp("store"))


@pytest.mark.parametrize("held_out", [False, True])
def test_the_limits_do_not_change_a_byte(store, tmp_path, held_out):
    written = set()
    for name, limits in LIMITS.items():
        folder = tmp_path / name
        folder.mkdir()
        cells = count_conditions(
            store, 50, CountSettings(), Resources(threads=2), str(folder), held_out=held_out, limits=limits
        )
        write_cells(tmp_path / f"{name}.parquet", cells)
        written.add((tmp_path / f"{name}.parquet").read_bytes())
        assert any(folder.iterdir()) == name.startswith("files")
    assert len(written) == 1


PROGRAM = """
import sys
import numpy as np, polars as pl
import chronotope as ct

random = np.random.default_rng(1)
drawn = random.integers(0, 30_000, (2000, 1000))
texts = [" ".join(f"w{number}" for number in row) for row in drawn.tolist()]
corpus = ct.read_corpus(pl.DataFrame({"text": texts, "year": ["2000"] * 2000}), time="year", keep_text=False)
memory = int(sys.argv[2]) or None
counts = ct.count(corpus, sys.argv[1], min_count=1, window=10, threads=1, memory=memory)
# Not getrusage: that begins with the memory of the parent.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(counts.checksum, int(peak.split()[1]) * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is told in other units elsewhere")
def test_a_limit_on_memory_is_obeyed_and_does_not_show(tmp_path):
    limit = 850_000_000

    def run(name, memory):
        command = [sys.executable, "-c", PROGRAM, str(tmp_path / name), str(memory)]
        checksum, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        return checksum, int(peak)

    (free, most), (limited, peak) = run("free", 0), run("limited", limit)
    assert limited == free
    assert peak < 1.1 * limit
    assert peak < most, "without the limit more was held"


def test_counts_that_spill_at_the_same_time_do_not_collide(tmp_path):
    """A window of 31 cuts 300,000 words into three chunks, and with a limit on memory each goes to a file."""
    files = []
    together = threading.Barrier(2, action=lambda: files.append(len(list(tmp_path.rglob("cells-*.parquet")))))

    def meet(stage, *_):
        if stage == "counting":
            together.wait(timeout=300)

    def run(seed, name, **options):
        drawn = np.random.default_rng(seed).integers(0, 100, (300, 1000)).tolist()
        records = [{"text": " ".join(f"w{number}" for number in row), "time": "2000"} for row in drawn]
        return count(read_corpus(records, time="time"), tmp_path / name, window=31, threads=1, **options).checksum

    with ThreadPoolExecutor() as pool:
        spilled = [pool.submit(run, seed, f"spilled-{seed}", memory="100GB", progress=meet) for seed in (1, 2)]
        assert [future.result() for future in spilled] == [run(seed, f"alone-{seed}") for seed in (1, 2)]
    assert files[-1] == 2 * 3, "all chunks of both were on disk at the same time"
