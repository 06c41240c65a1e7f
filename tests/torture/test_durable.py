"""Nothing gets its final name before its bytes are on the disk, and the name is forced to the disk, too."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.methods import ConditionedModel
from torture.watching import Disk


def test_results_are_on_the_disk_before_they_have_a_name(home, tmp_path, monkeypatch):
    monkeypatch.setattr("chronotope.methods.checkpoint.SECONDS_BETWEEN", -1.0)
    disk = Disk(tmp_path)
    with disk.watched():
        corpus = read_corpus(home / "speeches.jsonl", time="time")
        counts = count(corpus, tmp_path / "run", min_count=3)
        model = ConditionedModel(dimensions=4, epochs=1).fit(counts, checkpoint=tmp_path / "state")
        model.save(tmp_path / "model.ct")
        count(corpus, tmp_path / "run", min_count=4, force=True)
    assert disk.renamed, "something was renamed"
    assert disk.faults == []
    assert disk.only_in_memory == set()


@pytest.mark.parametrize("home_folder", ["/proc/self/nowhere"])
def test_kernels_run_where_nothing_can_be_kept(home_folder):
    program = "from chronotope.runtime.kernels import kernel\nprint(kernel()(lambda x: x + 1)(41))"
    environment = {**os.environ, "XDG_CACHE_HOME": home_folder, "HOME": home_folder}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout == "42\n", done.stderr
