"""Cells that do not fit into memory: runs on disk, and their sum."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import worlds
from chronotope.cooccurrence import count, local, spilling
from chronotope.cooccurrence.cells import CellArrays
from chronotope.cooccurrence.spilling import merged, read_run, write_runs
from chronotope.corpus import read_corpus

CELLS = st.dictionaries(
    st.tuples(st.integers(0, 5), st.integers(0, 5)), st.tuples(st.integers(1, 2**40), st.integers(0, 9)), max_size=30
)


def as_cells(counts):
    pairs = sorted(counts)
    return CellArrays.of(
        [word for word, _ in pairs],
        [context for _, context in pairs],
        [counts[pair][0] for pair in pairs],
        [counts[pair][1] for pair in pairs],
    )


def in_blocks(cells, size):
    for first in range(0, len(cells.word), size):
        yield CellArrays(*(column[first : first + size] for column in cells))


@settings(deadline=None)
@given(st.lists(CELLS, max_size=5), st.integers(1, 4))
def test_merged_streams_are_the_sum(streams, size):
    count, after = Counter(), Counter()
    for cells in streams:
        count.update({pair: values[0] for pair, values in cells.items()})
        after.update({pair: values[1] for pair, values in cells.items()})
    found = list(merged([in_blocks(as_cells(cells), size) for cells in streams]))
    rows = [row for block in found for row in zip(*(column.tolist() for column in block), strict=True)]
    assert rows == [(*pair, count[pair], after[pair]) for pair in sorted(count)]


@pytest.mark.parametrize("folder", ["{}", "file://{}", "memory://runs"])
def test_runs_come_back(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(spilling, "ROWS_IN_A_GROUP", 3)
    one, none, two = (as_cells({(n, n): (n + 1, 1) for n in range(size)}) for size in (8, 0, 2))
    runs = write_runs(folder.format(tmp_path) + "/runs.parquet", [in_blocks(one, 5), [none], [two]])
    for run, cells in zip(runs, (one, none, two), strict=True):
        found = [block.count for block in read_run(run)]
        assert np.concatenate([[], *found]).tolist() == cells.count.tolist()
        assert run.cells == len(cells.word)


@pytest.mark.parametrize("most", [1, 700, 5_000])
def test_what_goes_to_disk_does_not_show(tmp_path, monkeypatch, most):
    monkeypatch.setattr(local, "MOST_AT_ONCE", 3)
    for name, plan in (("a", local.Plan(10**9, 10**9, 10**9)), ("b", local.Plan(50, 50, most))):
        monkeypatch.setattr(local, "plan_for", lambda *_, plan=plan: plan)
        corpus = read_corpus(worlds.planted_drift(documents=120).records, time="time", holdout=0.2)
        count(corpus, tmp_path / name, threads=2, min_count=3)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


PROGRAM = """
import sys
import numpy as np, polars as pl
import chronotope as ct
from chronotope.cooccurrence import count

random = np.random.default_rng(1)
drawn = random.integers(0, 30_000, (2000, 1000))
texts = [" ".join(f"w{number}" for number in row) for row in drawn.tolist()]
corpus = ct.read_corpus(pl.DataFrame({"text": texts, "year": ["2000"] * 2000}), time="year", keep_text=False)
memory = int(sys.argv[2]) or None
counts = count(corpus, sys.argv[1], min_count=1, window=10, threads=1, memory=memory)
# Not getrusage: that begins with the memory of the parent.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(counts.checksum, int(peak.split()[1]) * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is told in other units elsewhere")
def test_a_limit_on_memory_is_obeyed_and_does_not_show(tmp_path):
    limit = 800_000_000

    def run(name, memory):
        command = [sys.executable, "-c", PROGRAM, str(tmp_path / name), str(memory)]
        checksum, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        return checksum, int(peak)

    (free, most), (limited, peak) = run("free", 0), run("limited", limit)
    assert limited == free
    assert peak < 1.2 * limit
    assert peak < most - 50_000_000, "without the limit more was held"
