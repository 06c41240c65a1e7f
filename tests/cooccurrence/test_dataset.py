from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import worlds
from chronotope.cooccurrence import count, scale_of_conditions, symmetric
from chronotope.corpus.source import read_corpus
from chronotope.errors import InputError, SettingsError
from worlds import contents


def prepared(folder, **settings):
    corpus = read_corpus(worlds.planted_drift(documents=120).records, time="time")
    return count(corpus, folder / "run", **{"min_count": 3, **settings})


def test_other_settings_do_not_overwrite_a_run_unless_forced(tmp_path):
    (tmp_path / "run").mkdir()  # an empty folder is filled
    prepared(tmp_path)
    (tmp_path / "run" / "model.ct").write_text("a model")
    before = contents(tmp_path / "run")
    with pytest.raises(InputError, match=r"other input or settings; choose another folder"):
        prepared(tmp_path, min_count=10)
    assert contents(tmp_path / "run") == before
    again = prepared(tmp_path, min_count=10, force=True)
    assert again.vocabulary.min_count == 10
    assert (tmp_path / "run" / "model.ct").read_text() == "a model"
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name or "old" in path.name] == []


@pytest.mark.parametrize("moment", ["on_report", "progress"])
def test_an_interrupted_count_leaves_nothing(tmp_path, moment):
    world = worlds.planted_drift(documents=120)

    def interrupt(stage, *_):
        if moment == "on_report" or stage == "counting":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count(read_corpus(world.records, time="time"), tmp_path / "run", **{moment: interrupt})
    assert list(tmp_path.iterdir()) == []


def test_the_support_is_what_the_text_holds(small):
    text = " ".join(record["text"] for record in worlds.planted_drift(documents=60).records if record["time"] == "1995")
    year = small.conditions.index("1995")
    for word in ("the", "bank", "river"):
        expected = text.lower().replace(".", " ").split().count(word)
        assert small.vocabulary.support.of(small.vocabulary.index(word), year) == expected


def test_any_parquet_reader_can_use_the_cells(tmp_path):
    counts = prepared(tmp_path)
    table = pl.read_parquet(tmp_path / "run" / "cells.parquet")
    assert table.columns == ["condition", "word", "context", "count", "after"]
    assert table.select("condition", "word", "context").rows() == sorted(
        table.select("condition", "word", "context").rows()
    )
    assert len(table) == counts.size
    for condition in range(len(counts.conditions)):
        assert (
            table.filter(pl.col("condition") == condition)["count"].to_list() == counts.cells(condition).count.tolist()
        )


def test_scaled_conditions_have_the_same_mass(drifting):
    scale = scale_of_conditions(drifting)
    words = len(drifting.vocabulary)
    mass = [symmetric(drifting.cells(c), words).sum() * scale[c] for c in range(len(drifting.conditions))]
    assert np.allclose(mass, np.mean(drifting.pairs) / drifting.unit)


def test_held_out_documents_are_counted_apart():
    records = [{"text": "one two", "time": "1990"}] * 100
    apart = count(read_corpus(records, time="time", holdout=0.3), min_count=1)
    whole = count(read_corpus(records, time="time"), min_count=1)
    held_out = apart.held_out(0).count
    assert 10 * apart.unit < held_out[0] < 50 * apart.unit
    assert (apart.cells(0).count + held_out).tolist() == whole.cells(0).count.tolist()
    assert apart.vocabulary.counts[0] == 100 - held_out[0] // apart.unit
    with pytest.raises(SettingsError, match="no documents were held out"):
        whole.held_out(0)


def test_at_most_so_many_words(tmp_path):
    counts = prepared(tmp_path, max_words=20)
    assert len(counts.vocabulary) == 20
    assert counts.vocabulary.dropped_words > 0
    assert counts.vocabulary.counts.min() >= 3


def test_another_frame_is_not_taken_for_the_run_that_is_there(tmp_path):
    apple = pl.DataFrame({"text": ["apple pie", "apple pie"], "time": ["1990", "1991"]})
    zebra = pl.DataFrame({"text": ["zebra grass", "zebra grass"], "time": ["1990", "1991"]})
    count(read_corpus(apple, time="time"), tmp_path / "run", min_count=1)
    assert "apple" in count(read_corpus(apple, time="time"), tmp_path / "run", min_count=1).vocabulary.words
    with pytest.raises(InputError, match="--force"):
        count(read_corpus(zebra, time="time"), tmp_path / "run", min_count=1)
    with pytest.raises(InputError, match="--force"):
        count(read_corpus(apple, time="time", tokenizer=str.split), tmp_path / "run", min_count=1)
