"""Nothing gets its final name before its bytes are on the disk, and the name is forced to the disk, too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from chronotope.cooccurrence import count
from chronotope.corpus.source import read_corpus
from chronotope.methods import ConditionedModel


def test_results_are_on_the_disk_before_they_have_a_name(home, tmp_path, monkeypatch):
    """Every rename to a name that does not begin with a dot is watched."""
    fsync, replace = os.fsync, os.replace
    sizes: dict[tuple[int, int], int] = {}  # of what is on the disk
    renamed, faults, only_in_memory = [], [], set()

    def synced(handle):
        fsync(handle)
        found = os.fstat(handle)
        sizes[found.st_dev, found.st_ino] = found.st_size
        only_in_memory.difference_update(
            [folder for folder in only_in_memory if os.path.samestat(os.stat(folder), found)]
        )

    def replaced(source, target, **named):
        source, target = Path(source), Path(target)
        final = target.is_relative_to(tmp_path) and not target.name.startswith(".")
        final = final and not any(part.endswith(".partial") for part in target.parts)
        for path in [source, *source.rglob("*")] if final else []:
            found = path.stat()
            # A folder may be changed by what is renamed into it: that is forced to the disk in its own turn.
            if sizes.get((found.st_dev, found.st_ino)) != found.st_size:
                faults.append(f"{path.name} was not on the disk when it became {target}")
        replace(source, target, **named)
        if final:
            renamed.append(target.name)
            only_in_memory.add(target.parent.resolve())

    monkeypatch.setattr("chronotope.methods.checkpoint.SECONDS_BETWEEN", -1.0)
    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    corpus = read_corpus(home / "speeches.jsonl", time="time")
    counts = count(corpus, tmp_path / "run", min_count=3)
    model = ConditionedModel(dimensions=4, epochs=1).fit(counts, checkpoint=tmp_path / "state")
    model.save(tmp_path / "model.ct")
    count(corpus, tmp_path / "run", min_count=4, force=True)
    assert {"run", "state", "model.ct"} <= set(renamed)
    assert (faults, only_in_memory) == ([], set())


def test_kernels_run_where_nothing_can_be_kept():
    program = "from chronotope.runtime.kernels import kernel\nprint(kernel()(lambda x: x + 1)(41))"
    environment = {**os.environ, "XDG_CACHE_HOME": "/proc/self/nowhere", "HOME": "/proc/self/nowhere"}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout == "42\n", done.stderr
