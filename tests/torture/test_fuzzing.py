"""A few hundred files with mistakes in them; `make torture` reads hundreds of thousands."""

from __future__ import annotations

from torture import fuzzing


def test_strange_files_are_read_or_refused_with_one_line(tmp_path):
    tally = fuzzing.fuzz(models=300, corpora=150, runs=60, seed=7, kept=tmp_path / "kept", folder=tmp_path)
    assert tally.faults == []
    assert tally.ends["read"] > 50
    assert tally.ends["refused"] > 50
