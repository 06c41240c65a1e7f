"""Collocates: planted neighbors are found with the right numbers, and those that come and go."""

from __future__ import annotations

import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.analysis.collocates import context_weights
from chronotope.analysis.concordance import Concordance
from chronotope.cooccurrence import symmetric
from chronotope.errors import UnknownConditionError


def test_a_planted_collocate_has_the_right_numbers():
    text = ("red bank loan " + "one two three four five six seven " * 3) * 10
    counts = ct.count(ct.read_corpus([{"text": text, "year": 1990}] * 2, time="year"), min_count=1, window=1)
    answer = ct.collocates(counts, "Bank", top=3)
    assert answer.facts["occurrences"] == {"1990": 20}
    assert set(answer["collocate"]) == {"red", "loan"}
    red = next(row for row in answer if row["collocate"] == "red")
    assert (red["count"], red["documents"]) == (20, 2)
    # 40 of the 460 tokens other than 'bank' stand beside it, and 20 are 'red'.
    assert red["expected"] == pytest.approx(20 * 40 / 460)
    assert red["pmi"] == pytest.approx(np.log2(20 / red["expected"]))
    table = np.array([[20, 0], [20, 420]])
    expected = table.sum(1, keepdims=True) * table.sum(0) / table.sum()
    likelihood = 2 * sum(o * np.log(o / e) for o, e in zip(table.ravel(), expected.ravel(), strict=True) if o)
    assert red["log_likelihood"] == pytest.approx(likelihood)


def test_windows_stay_within_documents():
    rows = [{"text": "left bank", "year": 1990}, {"text": "right way", "year": 1990}] * 6
    counts = ct.count(ct.read_corpus(rows, time="year"), min_count=1)
    assert ct.collocates(counts, "bank")["collocate"].to_list() == ["left"]


def test_context_weights_agree_with_the_cells_of_the_run(drifting):
    index = Concordance(drifting)
    for word in ("bank", "the"):
        term = index.term(word)
        for condition in (0, 7):
            row = symmetric(drifting.cells(condition), len(drifting.vocabulary))[[term.numbers[0]], :].toarray()[0]
            found = index.positions(term, index.documents(np.array([condition])))
            assert context_weights(index, term, found).tolist() == row.tolist()


def test_each_condition_has_its_own(drifting):
    answer = ct.collocates(drifting, "bank", top=4)
    for label, company in (("1990", worlds.RIVER), ("1999", worlds.MONEY)):
        words = [row["collocate"] for row in answer if row["condition"] == label]
        assert words
        assert set(words) <= set(company)


def test_collocates_that_rise_and_fall(drifting):
    def changed(direction, *asked):
        return [row["collocate"] for row in ct.collocate_changes(drifting, *asked) if row["direction"] == direction]

    changes = ct.collocate_changes(drifting, "bank", "1990", "1999", top=5)
    assert set(changed("rises", "bank", "1990", "1999")) <= set(worlds.MONEY)
    assert set(changed("falls", "bank", "1990", "1999")) <= set(worlds.RIVER)
    assert changes["per_thousand_after"][0] > changes["per_thousand_before"][0]
    assert changed("falls", "bank", "1999", "1990") == changed("rises", "bank", "1990", "1999")
    steady = ct.collocate_changes(drifting, "river", "1990", "1999")
    assert max(steady["log_likelihood"], default=0) < changes["log_likelihood"].max()
    with pytest.raises(UnknownConditionError):
        ct.collocate_changes(drifting, "bank", "1990", "1890")


def test_an_empty_answer_says_why(drifting):
    texts = {1990: "rivers run by the bank", 1991: "rivers run past a bank", 1992: "emoji and smile on a phone"}
    records = [{"text": text, "time": year} for year, text in texts.items() for _ in range(30)]
    counts = ct.count(ct.read_corpus(records, time="time"), min_count=5)
    absent = "emoji does not occur {}; it occurs most in 1992 (30 times)."
    assert ct.collocates(counts, "emoji", at="1990").notes == (absent.format("there"),)
    assert ct.collocate_changes(counts, "emoji", "1990", "1992").notes == (absent.format("in 1990"),)
    assert ct.collocates(counts, "emoji").notes[0] == "Left out, since emoji does not occur there: 1990, 1991."
    none = ct.collocates(drifting, "bank", min_count=10_000)
    assert len(none) == 0
    assert "No word occurs near bank 10,000 times or more" in none.notes[0]
    none = ct.collocate_changes(drifting, "bank", "1990", "1999", min_count=10_000)
    assert none.notes == ("No word with 10,000 occurrences or more beside bank rises or falls significantly.",)
    assert ct.collocates(drifting, "bank", at="1999").notes == ()


def test_documents_are_those_in_which_it_stands_beside_the_word():
    """'muddy' is in every document, and beside the bank in one, which says it five times; 'loan' in six."""
    filler = " the sun and the rain came over the hill" * 3
    rows = [{"text": f"a bank loan.{filler} muddy", "year": 1990}] * 6
    rows += [{"text": "muddy bank. " * 5 + filler, "year": 1990}, *[{"text": f"sunny bank{filler}", "year": 1991}] * 9]
    counts = ct.count(ct.read_corpus(rows, time="year"), min_count=1, window=2)
    for ask, column, times in (
        (lambda **how: ct.contexts(counts, "bank", at="1990", **how), "context", {"muddy": 1, "loan": 6}),
        (
            lambda **how: ct.collocate_changes(counts, "bank", "1991", "1990", **how),
            "collocate",
            {"muddy": 1, "loan": 6},
        ),
        (lambda **how: ct.collocates(counts, "bank", **how), "collocate", {"muddy": 1, "loan": 6}),
    ):
        found = ask()
        assert times.items() <= dict(zip(found[column], found["documents"], strict=True)).items()
        found = ask(min_documents=2)
        assert "loan" in found[column].to_list()
        assert "muddy" not in found[column].to_list()
        assert any(note.startswith("Left out: ") and "fewer than 2 documents" in note for note in found.notes)


def test_collocates_contexts_and_frequency_tell_of_one_document():
    rows = [{"text": "the bank of the river. " * 9, "year": 1990}] + [
        {"text": "a river, a bank, a sea", "year": 1991}
    ] * 6
    counts = ct.count(ct.read_corpus(rows, time="year"), min_count=1)
    told = "One document holds more than half of the occurrences of bank in 1990 (100%)."
    for answer in (ct.contexts(counts, "bank", at="1990"), ct.collocates(counts, "bank"), ct.frequency(counts, "bank")):
        assert told in answer.notes
    assert not any("One document" in note for note in ct.frequency(counts, "bank", at="1991").notes)
