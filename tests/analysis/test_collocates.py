"""Collocates: planted neighbors are found with the right numbers, and those that come and go."""

from __future__ import annotations

import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.errors import UnknownConditionError


def test_a_planted_collocate_has_the_right_numbers():
    text = ("red bank loan " + "one two three four five six seven " * 3) * 10
    counts = ct.count(ct.read_corpus([{"text": text, "year": 1990}] * 2, time="year"), min_count=1, window=1)
    answer = ct.collocates(counts, "Bank", top=3)
    assert answer.occurrences == (20,)
    red = next(row for row in answer.rows if row.word == "red")
    assert (red.count, red.documents) == (20, 2)
    # 40 of the 460 running words that are not 'bank' itself stand beside it, and 20 are 'red'.
    assert red.expected == pytest.approx(20 * 40 / 460)
    assert red.pmi == pytest.approx(np.log2(20 / red.expected))
    table = np.array([[20, 0], [20, 420]])
    expected = table.sum(1, keepdims=True) * table.sum(0) / table.sum()
    likelihood = 2 * sum(o * np.log(o / e) for o, e in zip(table.ravel(), expected.ravel(), strict=True) if o)
    assert red.log_likelihood == pytest.approx(likelihood)
    assert {row.word for row in answer.rows} == {"red", "loan"}


def test_windows_stay_within_documents():
    rows = [{"text": "left bank", "year": 1990}, {"text": "right way", "year": 1990}] * 6
    counts = ct.count(ct.read_corpus(rows, time="year"), min_count=1)
    assert [row.word for row in ct.collocates(counts, "bank").rows] == ["left"]


def test_company_agrees_with_the_cells_of_the_run(drifting):
    """What is read around the occurrences of a word is its row of the counts."""
    from chronotope.analysis.concordance import open_concordance
    from chronotope.analysis.windows import company_of
    from chronotope.cooccurrence import symmetric

    concordance = open_concordance(drifting)
    for word in ("bank", "the"):
        term = concordance.term(word)
        for condition in (0, 7):
            row = symmetric(drifting.cells(condition), len(drifting.vocabulary))[[term.numbers[0]], :].toarray()[0]
            documents = concordance.occurrences(term, np.array([condition])).document
            assert company_of(concordance, term, documents).tolist() == row.tolist()


def test_each_condition_has_its_own(drifting):
    answer = ct.collocates(drifting, "bank", top=4)
    for label, company in (("1990", worlds.RIVER), ("1999", worlds.MONEY)):
        words = [row.word for row in answer.rows if row.condition == label]
        assert words
        assert set(words) <= set(company)


def test_what_rises_and_falls(drifting):
    changes = ct.collocate_changes(drifting, "bank", "1990", "1999", top=5)
    assert {row.word for row in changes.rising} <= set(worlds.MONEY)
    assert {row.word for row in changes.falling} <= set(worlds.RIVER)
    assert changes.rising[0].per_thousand_after > changes.rising[0].per_thousand_before
    back = ct.collocate_changes(drifting, "bank", "1999", "1990", top=5)
    assert [row.word for row in back.falling] == [row.word for row in changes.rising]
    steady = ct.collocate_changes(drifting, "river", "1990", "1999", top=5)
    assert max((row.log_likelihood for row in steady.rising), default=0) < changes.rising[0].log_likelihood
    with pytest.raises(UnknownConditionError):
        ct.collocate_changes(drifting, "bank", "1990", "1890")
