"""Which words stand beside a word more often than chance would have it, in a condition or between two.

Every running word of a condition is either within the window of an occurrence of the word or not; the table of
(this word or another) × (inside or outside) gives the log-likelihood ratio, which says how sure the attraction is, and
the mutual information, which says how strong it is. A running word near two occurrences counts once. As everywhere,
words too rare for the vocabulary are left out before windows are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.concordance import Concordance, Term, choose_conditions, open_concordance
from chronotope.analysis.windows import read_windows, support_in
from chronotope.config import at_least
from chronotope.cooccurrence import Counts

THOUSAND = 1000
# The log-likelihood ratio that chance alone exceeds once in twenty words: what is below is no collocate.
CHANCE = 3.84


@dataclass(frozen=True, slots=True)
class Collocate(Answer):
    """A word that stands beside another.

    Attributes
    ----------
    condition, word
        Where, and which.
    count
        How many of its occurrences lie within the window.
    documents
        In how many documents.
    expected
        How many would by chance.
    pmi
        log2 of count / expected: how strong the attraction is.
    log_likelihood
        How sure it is: beyond 10.8 such a value is seen by chance once in a thousand words.
    """

    condition: str
    word: str
    count: int
    documents: int
    expected: float
    pmi: float
    log_likelihood: float


@dataclass(frozen=True)
class Collocates(Answer):
    """The collocates of a word in some conditions, the surest first.

    Attributes
    ----------
    word
        The word.
    conditions, occurrences
        The conditions, and how often it occurs in each.
    window
        How many words on either side are beside it.
    rows
        The collocates, condition by condition.
    """

    word: str
    conditions: tuple[str, ...]
    occurrences: tuple[int, ...]
    window: int
    min_count: int
    rows: tuple[Collocate, ...]


@dataclass(frozen=True, slots=True)
class CollocateChange(Answer):
    """A word that stands beside another more often, or less, than before.

    Attributes
    ----------
    word
        Which.
    before, after
        How many of its occurrences lie within the window in the two conditions.
    per_thousand_before, per_thousand_after
        Of a thousand running words within the window, how many are this word.
    log_ratio
        log2 of the second over the first, half an occurrence being added to both counts.
    log_likelihood
        How sure the change is.
    """

    word: str
    before: int
    after: int
    per_thousand_before: float
    per_thousand_after: float
    log_ratio: float
    log_likelihood: float


@dataclass(frozen=True)
class CollocateChanges(Answer):
    """The collocates of a word that rise and those that fall between two conditions, the surest first.

    Attributes
    ----------
    word, start, end
        The word and the two conditions.
    occurrences
        How often it occurs in the one and in the other.
    rising, falling
        The words. A word that rises is a collocate in `end`, one that falls is one in `start`.
    """

    word: str
    start: str
    end: str
    occurrences: tuple[int, int]
    window: int
    min_count: int
    rising: tuple[CollocateChange, ...]
    falling: tuple[CollocateChange, ...]


def collocates(
    run: Counts | str | Path,
    word: str,
    *,
    at: str | None = None,
    top: int = 20,
    min_count: int = 5,
    window: int | None = None,
) -> Collocates:
    """The words that stand beside a word more often than chance would have it, in each condition.

    Parameters
    ----------
    run
        A run, its folder, or a model that lies in or beside its run.
    word
        The word, a phrase, or several words in a row.
    at
        One condition; None: each of them.
    top
        How many in each condition.
    min_count
        How often a word must stand beside the other.
    window
        How many words on either side are beside it; None: as the run was counted.

    Examples
    --------
    >>> from chronotope.cooccurrence import count
    >>> from chronotope.corpus import read_corpus
    >>> speeches = [{"text": "the muddy bank and the sun " * 9 + "the sun and the rain " * 99, "year": 1990}]
    >>> counts = count(read_corpus(speeches, time="year"), min_count=1, window=1)
    >>> [(row.word, row.count) for row in collocates(counts, "bank").rows]
    [('muddy', 9), ('and', 9)]
    """
    at_least("top", top, 1)
    at_least("min_count", min_count, 1)
    concordance, term, window = _asked(run, word, window)
    rows: list[Collocate] = []
    chosen = choose_conditions(concordance.conditions, at)
    occurrences = []
    for condition in chosen.tolist():
        label = concordance.conditions.labels[condition]
        beside = _beside(concordance, term, np.array([condition]), window)
        occurrences.append(beside.occurrences)
        rows += [
            Collocate(
                label,
                concordance.counts.vocabulary.words[number],
                int(beside.count[number]),
                int(beside.documents[number]),
                float(beside.expected[number]),
                float(beside.pmi[number]),
                float(beside.log_likelihood[number]),
            )
            for number in _surest(beside.log_likelihood, _sure(beside, min_count), top)
        ]
    labels = tuple(concordance.conditions.labels[number] for number in chosen.tolist())
    return Collocates(term.text, labels, tuple(occurrences), window, min_count, tuple(rows))


def collocate_changes(
    run: Counts | str | Path,
    word: str,
    start: str,
    end: str,
    *,
    top: int = 20,
    min_count: int = 5,
    window: int | None = None,
) -> CollocateChanges:
    """The words that stand beside a word more often in one condition than in another, and those less often.

    Parameters
    ----------
    start, end
        The two conditions; of time × place also time bins or places alone.
    run, word, top, min_count, window
        As for `collocates`; `min_count` holds in the condition where a word is the more frequent.
    """
    at_least("top", top, 1)
    at_least("min_count", min_count, 1)
    concordance, term, window = _asked(run, word, window)
    before, after = (
        _beside(concordance, term, choose_conditions(concordance.conditions, label), window) for label in (start, end)
    )
    sizes = max(before.size, 1), max(after.size, 1)
    likelihood = _log_likelihood(before.count, after.count, sizes[0] - before.count, sizes[1] - after.count)
    ratio = np.log2((after.count + 0.5) / sizes[1]) - np.log2((before.count + 0.5) / sizes[0])

    def rows(changed: NDArray[np.bool_]) -> tuple[CollocateChange, ...]:
        return tuple(
            CollocateChange(
                concordance.counts.vocabulary.words[number],
                int(before.count[number]),
                int(after.count[number]),
                float(before.count[number] / sizes[0] * THOUSAND),
                float(after.count[number] / sizes[1] * THOUSAND),
                float(ratio[number]),
                float(likelihood[number]),
            )
            for number in _surest(likelihood, changed, top)
        )

    return CollocateChanges(
        term.text,
        start,
        end,
        (before.occurrences, after.occurrences),
        window,
        min_count,
        rising=rows((ratio > 0) & (likelihood >= CHANCE) & _sure(after, min_count)),
        falling=rows((ratio < 0) & (likelihood >= CHANCE) & _sure(before, min_count)),
    )


class _Beside(NamedTuple):
    """What stands beside a term in some conditions: (W,) arrays, the number of such running words, and of its own."""

    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    documents: NDArray[np.int64]
    expected: NDArray[np.float64]
    pmi: NDArray[np.float64]
    log_likelihood: NDArray[np.float64]
    size: int
    occurrences: int


def _asked(run: Counts | str | Path, word: str, window: int | None) -> tuple[Concordance, Term, int]:
    concordance = open_concordance(run)
    window = concordance.counts.settings.window if window is None else window
    at_least("window", window, 1)
    return concordance, concordance.term(word), window


def _beside(concordance: Concordance, term: Term, conditions: NDArray[np.int64], window: int) -> _Beside:
    words = len(concordance.counts.vocabulary)
    documents = concordance.occurrences(term, conditions).document
    count, in_documents = np.zeros(words, np.int64), np.zeros(words, np.int64)
    hits = 0
    for first, last in concordance.chunks(documents):
        windows = read_windows(concordance, term, documents[first:last])
        inside = np.zeros(len(windows.word), bool)
        for distance in range(1, window + 1):
            inside[windows.beside(distance)] = True
        for step in range(windows.size):
            inside[windows.hit + step] = False
        inside &= windows.word < words
        word = windows.word[inside].astype(np.int64)
        count += np.bincount(word, minlength=words)
        pairs = np.unique(windows.document[inside] * words + word)
        in_documents += np.bincount(pairs % words, minlength=words)
        hits += len(windows.hit)
    support = support_in(concordance, conditions)
    for number in term.numbers:
        if number < words:
            support[number] = max(support[number] - hits, count[number])
    size, total = int(count.sum()), max(int(support.sum()), 1)
    expected = support.astype(np.float64) * (size / total)
    pmi = np.log2(np.divide(count, expected, out=np.ones(words), where=(count > 0) & (expected > 0)))
    likelihood = _log_likelihood(count, support - count, size - count, total - size - support + count)
    return _Beside(count, in_documents, expected, pmi, likelihood, size, hits)


def _log_likelihood(
    a: NDArray[np.int64], b: NDArray[np.int64], c: NDArray[np.int64], d: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The log-likelihood ratio (G²) of 2 × 2 tables with rows (a, b) and (c, d).

    Examples
    --------
    >>> tables = [np.array([value]) for value in (10, 10, 100, 100)]
    >>> abs(_log_likelihood(*tables).round(9)).tolist()
    [0.0]
    """
    from scipy.special import xlogy

    cells = xlogy(a, a) + xlogy(b, b) + xlogy(c, c) + xlogy(d, d)
    edges = xlogy(a + b, a + b) + xlogy(c + d, c + d) + xlogy(a + c, a + c) + xlogy(b + d, b + d)
    total = a + b + c + d
    likelihood: NDArray[np.float64] = np.maximum(2 * (cells - edges + xlogy(total, total)), 0)
    return likelihood


def _sure(beside: _Beside, min_count: int) -> NDArray[np.bool_]:
    """(W,) whether a word stands beside the term often enough, and more often than by chance."""
    return (beside.pmi > 0) & (beside.count >= min_count) & (beside.log_likelihood >= CHANCE)


def _surest(likelihood: NDArray[np.float64], eligible: NDArray[np.bool_], top: int) -> list[int]:
    """The numbers of the eligible words with the highest values, the more frequent first among equals."""
    order = np.argsort(-likelihood, kind="stable")
    return [int(number) for number in order[eligible[order]][:top]]
