"""A model gets new conditions; nothing that it said before changes."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.errors import InputError, SettingsError
from chronotope.methods import ConditionedModel, GraphModel
from chronotope.methods.extend import extend

LAST = "1997"  # the last year of the old text; 'bank' moves from rivers to money in 1995


def of_years(records, low, high):
    return ct.read_corpus([record for record in records if low <= record["time"] <= high], time="time")


@pytest.fixture(scope="module")
def records():
    return worlds.planted_drift().records


@pytest.fixture(scope="module")
def old(records):
    return GraphModel(dimensions=20).fit(ct.count(of_years(records, "1990", LAST), min_count=5))


@pytest.fixture(scope="module")
def larger(records, old):
    return extend(old, ct.count(of_years(records, "1998", "1999"), min_count=1))


def test_the_old_vectors_and_answers_stay_as_they_are(old, larger):
    assert larger.conditions.times == (*old.conditions.times, "1998", "1999")
    assert np.array_equal(larger.vectors[: len(old.vectors)], old.vectors)
    for word in old.words[::5]:
        assert larger.neighbors(word, at="1993") == old.neighbors(word, at="1993")
        assert larger.equivalents(word, at="1990", to="1997") == old.equivalents(word, at="1990", to="1997")
    named = [partial(ct.series, word="bank", against=against) for against in ("first", "previous", "1994")]
    for ask in (*named, lambda model: ct.drift(model, "1991", "1996", over="steps", min_count=5)):
        # What is said of documents needs the run, which `larger` was not given.
        was, now = (
            ask(model).to_polars().drop("documents", "largest_share", strict=False).rows() for model in (old, larger)
        )
        assert now[: len(was)] == was
    assert set(map(str, ct.matrix(old, "bank"))) < set(map(str, ct.matrix(larger, "bank")))


def test_new_vectors_are_near_those_of_training_on_everything(records, old, larger):
    whole = GraphModel(dimensions=20).fit(ct.count(of_years(records, "1990", "1999"), min_count=5))
    same = [word for word in old.words if word in whole and whole.count(word, "1999") >= 20]
    overlap = [
        len({match.word for match in larger.neighbors(word, at="1999", top=5)} &
            {match.word for match in whole.neighbors(word, at="1999", top=5)})
        for word in same
    ]  # fmt: skip
    assert np.mean(overlap) > 3.5
    assert {match.word for match in larger.neighbors("bank", at="1999", top=5)} <= set(worlds.MONEY)


def test_bins_one_by_one_come_to_the_same_as_all_at_once(records, old, larger):
    stepwise = old
    for year in ("1998", "1999"):
        stepwise = extend(stepwise, ct.count(of_years(records, year, year), min_count=1))
    assert np.array_equal(stepwise.vectors, larger.vectors)
    assert np.array_equal(stepwise.center, larger.center)


def test_a_new_place_joins_old_ones():
    world = worlds.places()
    parts = [[record for record in world.records if (record["place"] == "arlen") == new] for new in (False, True)]
    first, second = (ct.count(ct.read_corpus(part, place="place"), min_count=3) for part in parts)
    larger = extend(GraphModel(dimensions=20).fit(first), second)
    assert larger.conditions.places[-1] == "arlen"
    assert larger.equivalents("river", at="borva", to="arlen", top=1)[0].word in worlds.RIVER


def test_what_cannot_be_extended_is_refused(records, old):
    again = ct.count(of_years(records, "1997", "1998"), min_count=1)
    with pytest.raises(InputError, match="has 1997 already"):
        extend(old, again)
    with pytest.raises(InputError, match=r"takes the counts of the new text \(chronotope.count\), not list"):
        extend(old, records)
    early = [dict(record, time="1985") for record in records[:50]]
    with pytest.raises(InputError, match="1985 lies before 1997"):
        extend(old, ct.count(ct.read_corpus(early, time="time"), min_count=1))
    with pytest.raises(InputError, match="by time, the new text by place"):
        extend(old, ct.count(ct.read_corpus(early, place="time"), min_count=1))
    with pytest.raises(SettingsError, match="a window of 5, not 3"):
        extend(old, ct.count(of_years(records, "1998", "1998"), min_count=1, window=3))
    other = ConditionedModel(dimensions=8, epochs=2).fit(ct.count(of_years(records, "1990", "1992"), min_count=5))
    with pytest.raises(SettingsError, match="cw2v has no common contexts"):
        extend(other, again)
    settings = {"settings": {"half_trust": 10.0}}
    parts = {"contexts": old.contexts, "provenance": old.provenance | settings}
    with pytest.raises(SettingsError, match="unknown setting 'half_trust'"):
        extend(ct.ConditionedEmbeddings(old.words, old.conditions, old.observed, old.vectors, **parts), again)
    strangers = [{"text": "zzz yyy xxx", "time": "1999"}] * 5
    with pytest.raises(InputError, match="no word of the new text is known"):
        extend(old, ct.count(ct.read_corpus(strangers, time="time"), min_count=1))


def test_the_command_reads_new_text_as_the_old_was_read(records, chronotope, tmp_path):
    files = {}
    for name, low, high in (("old", "1990", LAST), ("new", "1998", "1999")):
        files[name] = tmp_path / f"{name}.jsonl"
        rows = [dict(record, said=record["text"]) for record in records if low <= record["time"] <= high]
        files[name].write_text("\n".join(json.dumps(row) for row in rows))
    run = tmp_path / "run"
    chronotope("prepare", files["old"], "-o", run, "--text", "said", "--time", "time", "--min-count", 5)
    chronotope("train", run, "--dimensions", 20)
    told = chronotope("extend", run, files["new"]).stderr
    larger = ct.load(run / "model-extended.ct")
    assert larger.conditions.times[-1] == "1999"
    assert "extended" in larger.signature
    assert larger.neighbors("bank", at="1999", top=1)[0].word in worlds.MONEY
    assert "change into a new bin is overestimated" in told
    assert f"name this file: chronotope neighbors {run / 'model-extended.ct'} WORD" in told
    error = chronotope("neighbors", run, "bank", "--at", 1999, code=2).stderr
    assert f"{run / 'model-extended.ct'}, made by `extend`, has it" in error
    assert "extend" not in chronotope("neighbors", run, "bank", "--at", 1899, code=2).stderr
    told = chronotope("frequency", run / "model-extended.ct", "bank").stderr
    assert "the run has no text of 1998, 1999, which came with `extend`" in told
    assert "came with" not in chronotope("frequency", run, "bank").stderr
