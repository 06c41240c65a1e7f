"""Collocates: planted neighbors are found with the right numbers, and those that come and go."""

from __future__ import annotations

import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.analysis.collocates import context_weights
from chronotope.analysis.concordance import Concordance
from chronotope.cooccurrence import symmetric


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
    assert answer.title == "bank: collocates in each condition"
    assert ct.collocates(drifting, "bank", at="1990").title == "bank: collocates in 1990"


def test_collocates_that_rise_and_fall(drifting):
    def changed(direction, *asked):
        return [row["collocate"] for row in ct.collocate_changes(drifting, *asked) if row["direction"] == direction]

    changes = ct.collocate_changes(drifting, "bank", "1990", "1999", top=5)
    assert set(changed("rises", "bank", "1990", "1999")) <= set(worlds.MONEY)
    assert set(changed("falls", "bank", "1990", "1999")) <= set(worlds.RIVER)
    assert changes["per_thousand_after"][0] > changes["per_thousand_before"][0]
    assert changes.title == "bank: collocates that rise and fall from 1990 to 1999"
    assert (changes.facts["from"], changes.facts["to"]) == ("1990", "1999")
    assert list(changes.facts["occurrences"]) == ["1990", "1999"]
    assert changed("falls", "bank", "1999", "1990") == changed("rises", "bank", "1990", "1999")
    steady = ct.collocate_changes(drifting, "river", "1990", "1999")
    assert max(steady["log_likelihood"], default=0) < changes["log_likelihood"].max()


def test_a_word_that_does_not_occur_there_has_no_collocates_and_a_note_says_where_it_does():
    texts = {1990: "rivers run by the bank", 1991: "rivers run past a bank", 1992: "emoji and smile on a phone"}
    records = [{"text": text, "time": year} for year, text in texts.items() for _ in range(30)]
    counts = ct.count(ct.read_corpus(records, time="time"), min_count=5)
    absent = "emoji does not occur {}; it occurs most in 1992 (30 times)."
    assert ct.collocates(counts, "emoji", at="1990").notes == (absent.format("there"),)
    assert ct.collocate_changes(counts, "emoji", "1990", "1992").notes == (absent.format("in 1990"),)
    assert ct.collocate_changes(counts, "emoji", "1992", "1990").notes == (absent.format("in 1990"),)
    assert ct.collocates(counts, "emoji").notes[0] == "Left out, since emoji does not occur there: 1990, 1991."


def test_documents_are_those_in_which_it_stands_beside_the_word():
    """'muddy' is in every document, and beside the bank in one, which says it five times; 'loan' in six."""
    filler = " the sun and the rain came over the hill" * 3
    rows = [{"text": f"a bank loan.{filler} muddy", "year": 1990}] * 6
    rows += [{"text": "muddy bank. " * 5 + filler, "year": 1990}, *[{"text": f"sunny bank{filler}", "year": 1991}] * 9]
    counts = ct.count(ct.read_corpus(rows, time="year"), min_count=1, window=2)
    for question, asked, column in (
        (ct.contexts, {"at": "1990"}, "context"),
        (ct.collocate_changes, {"start": "1991", "end": "1990"}, "collocate"),
        (ct.collocates, {}, "collocate"),
    ):
        found = question(counts, "bank", **asked)
        documents = dict(zip(found[column], found["documents"], strict=True))
        assert (documents["muddy"], documents["loan"]) == (1, 6)
        found = question(counts, "bank", **asked, min_documents=2)
        assert "loan" in found[column].to_list()
        assert "muddy" not in found[column].to_list()
        assert any(note.startswith("Left out: ") and "fewer than 2 documents" in note for note in found.notes)
