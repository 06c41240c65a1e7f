"""How often words are used in each condition, with intervals that know that documents cluster.

A word that a document has once it often has again, so that counts vary more than if every running word were drawn by
itself. The interval takes whole documents as what was drawn: the rate is a ratio of two sums over documents, its
variance that of the ratio estimator, D / (D − 1) · Σ (count − rate · length)² / (Σ length)², and never less than that
of independent words (count / (Σ length)²). It is taken on the logarithm of the rate, with Student's t of D − 1 degrees
of freedom. One document tells nothing of how documents differ: there only the variance of independent words is known.
Where a word is absent, the interval ends at the exact bound for independent words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.concordance import Concordance, Term, choose_conditions, open_concordance
from chronotope.cooccurrence import Counts
from chronotope.errors import SettingsError

MILLION = 1_000_000
INTERVAL = "ratio estimator over documents, on the log scale"


@dataclass(frozen=True, slots=True)
class FrequencyRow(Answer):
    """How often a word is used in a condition.

    Attributes
    ----------
    word, condition
        The word and the condition.
    count
        How often it occurs.
    per_million
        How often in a million running words; None where the condition has no text that was counted.
    low, high
        The ends of the interval of `per_million`.
    documents
        How many documents have it.
    tokens, of_documents
        How many running words, and documents, the condition has.
    """

    word: str
    condition: str
    count: int
    per_million: float | None
    low: float | None
    high: float | None
    documents: int
    tokens: int
    of_documents: int


@dataclass(frozen=True)
class Frequency(Answer):
    """How often words are used in each condition.

    Attributes
    ----------
    words
        The words.
    axis
        What distinguishes the conditions.
    conditions
        Their labels.
    rows
        A row for each word and condition: all conditions of the first word, then of the next.
    level
        The share of intervals that hold the true rate.
    interval
        How the intervals were made.
    """

    words: tuple[str, ...]
    axis: str
    conditions: tuple[str, ...]
    rows: tuple[FrequencyRow, ...]
    level: float
    interval: str = INTERVAL

    def of(self, word: str) -> tuple[FrequencyRow, ...]:
        """The rows of one word."""
        return tuple(row for row in self.rows if row.word == word)


def frequency(
    run: Counts | str | Path,
    words: str | Sequence[str],
    *,
    at: str | None = None,
    start: str | None = None,
    end: str | None = None,
    level: float = 0.95,
) -> Frequency:
    """How often words are used in each condition, per million running words.

    All words of the text can be asked for, also those too rare for the vocabulary; documents that are set aside do not
    count.

    Parameters
    ----------
    run
        A run, its folder, or a model that lies in or beside its run.
    words
        A word, a phrase, several words in a row; or a list of such.
    at, start, end
        One condition, or a range of time bins; by default all conditions.
    level
        The level of the intervals.

    Examples
    --------
    >>> from chronotope.cooccurrence import count
    >>> from chronotope.corpus import read_corpus
    >>> speeches = [{"text": "the bank of the river", "year": 1990}, {"text": "a bank fails", "year": 1991}]
    >>> answer = frequency(count(read_corpus(speeches, time="year"), min_count=1), ["the", "bank"])
    >>> [(row.word, row.condition, row.count, row.per_million) for row in answer.rows[:2]]
    [('the', '1990', 2, 400000.0), ('the', '1991', 0, 0.0)]
    """
    if not 0 < level < 1:
        raise SettingsError(f"level lies between 0 and 1, not {level}")
    concordance = open_concordance(run)
    chosen = choose_conditions(concordance.conditions, at, start, end)
    terms = [concordance.term(word) for word in ([words] if isinstance(words, str) else words)]
    terms = list({term.numbers: term for term in terms}.values())
    text = _Text.of(concordance)
    rows = tuple(row for term in terms for row in _rows(concordance, text, term, chosen, level))
    return Frequency(
        tuple(term.text for term in terms),
        concordance.conditions.axis,
        tuple(concordance.conditions.labels[number] for number in chosen.tolist()),
        rows,
        level,
    )


@dataclass(frozen=True)
class _Text:
    """(C,) what each condition holds: documents, running words, and the sum of the squared lengths."""

    documents: NDArray[np.int64]
    tokens: NDArray[np.float64]
    squares: NDArray[np.float64]

    @classmethod
    def of(cls, concordance: Concordance) -> _Text:
        counted = concordance.counted_documents
        condition = concordance.counts.store.document_condition[counted]
        length = concordance.lengths[counted].astype(np.float64)
        size = len(concordance.conditions)
        return cls(
            np.bincount(condition, minlength=size),
            _sums(condition, length, size),
            _sums(condition, length**2, size),
        )


def _rows(
    concordance: Concordance, text: _Text, term: Term, chosen: NDArray[np.int64], level: float
) -> list[FrequencyRow]:
    found = concordance.occurrences(term, chosen)
    condition = concordance.counts.store.document_condition[found.document]
    size = len(concordance.conditions)
    length = concordance.lengths[found.document].astype(np.float64)
    count = _sums(condition, found.count.astype(np.float64), size)
    documents = np.bincount(condition, minlength=size)
    rate = np.divide(count, text.tokens, out=np.zeros(size), where=text.tokens > 0)
    # Documents without the word enter by their lengths alone.
    squares = _sums(condition, (found.count - rate[condition] * length) ** 2, size)
    squares += rate**2 * (text.squares - _sums(condition, length**2, size))
    low, high = intervals(count, text.tokens, text.documents, squares, level)
    return [
        FrequencyRow(
            word=term.text,
            condition=concordance.conditions.labels[number],
            count=int(count[number]),
            per_million=float(rate[number] * MILLION) if text.tokens[number] else None,
            low=float(low[number] * MILLION) if text.tokens[number] else None,
            high=float(high[number] * MILLION) if text.tokens[number] else None,
            documents=int(documents[number]),
            tokens=int(text.tokens[number]),
            of_documents=int(text.documents[number]),
        )
        for number in chosen.tolist()
    ]


def _sums(condition: NDArray[np.int32], values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """(C,) the sum of values in each condition."""
    return np.bincount(condition, values, size).astype(np.float64)


def intervals(
    count: NDArray[np.float64],
    tokens: NDArray[np.float64],
    documents: NDArray[np.int64],
    squares: NDArray[np.float64],
    level: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of the intervals of rates; see the top of this file.

    Parameters
    ----------
    count, tokens, documents
        How often the word occurs, in how many running words and documents.
    squares
        The sum over documents of (count − rate · length)².
    level
        The level of the intervals.
    """
    tail = (1 - level) / 2
    tokens = np.maximum(tokens, 1)
    between = np.where(documents > 1, documents / np.maximum(documents - 1, 1) * squares, 0)
    error = np.sqrt(np.maximum(between, count)) / np.maximum(count, 1)
    from scipy.special import ndtri, stdtrit

    quantile = np.where(documents > 1, stdtrit(np.maximum(documents - 1, 1), 1 - tail), ndtri(1 - tail))
    rate = count / tokens
    # More than a factor of e^50 either way says only that nothing is known.
    factor = np.exp(np.minimum(quantile * error, 50))
    high = np.where(count > 0, rate * factor, -np.log(tail) / tokens)
    return rate / factor, np.minimum(high, 1)
