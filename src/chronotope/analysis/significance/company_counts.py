"""What stands beside a few words, and how often every context occurs, document by document.

One pass over the tokens of a run finds both: no index and no counts are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.cooccurrence import Counts
from chronotope.cooccurrence.counting import distance_weights
from chronotope.runtime.kernels import kernel


class CompanyCounts(NamedTuple):
    """The company of K words in N documents of C conditions.

    Attributes
    ----------
    start
        (S + 1,) the entries of sum s are start[s] … start[s + 1]. The sums are sorted by word, condition and context.
    row, context
        (S,) of which word in which condition a sum is (k · C + c), and beside which context.
    document, weight
        (E,) the entries: in which document (its place among the N), and how much.
    hits
        (N, K) how often each word occurs in each document.
    text_start, text_context, text_weight
        (N + 1,), (T,), (T,) how often each context occurs in each document: those of document n are
        text_start[n] … text_start[n + 1].
    contexts
        How many contexts there are.
    """

    start: NDArray[np.int64]
    row: NDArray[np.int32]
    context: NDArray[np.int32]
    document: NDArray[np.int32]
    weight: NDArray[np.int32]
    hits: NDArray[np.int32]
    text_start: NDArray[np.int64]
    text_context: NDArray[np.int32]
    text_weight: NDArray[np.int32]
    contexts: int


def company_counts(
    counts: Counts, words: Sequence[int], documents: NDArray[np.int64], condition: NDArray[np.int64], sides: bool
) -> CompanyCounts:
    """What stands beside some words in some documents.

    Parameters
    ----------
    counts
        The run.
    words
        The numbers of the words.
    documents, condition
        (N,) the documents that are read, and the condition of each.
    sides
        Whether a word before and the same word after are two contexts (see `Association`).
    """
    vocabulary, conditions = len(counts.vocabulary), len(counts.conditions)
    weights = distance_weights(counts.settings, counts.unit)
    asked = np.full(vocabulary, -1, dtype=np.int32)
    asked[list(words)] = np.arange(len(words), dtype=np.int32)
    ids, starts = counts.store.checked_ids, counts.store.starts
    hits = np.zeros((len(documents), len(words)), dtype=np.int32)
    _find(ids, starts, documents, asked, hits)
    most = 2 * (len(weights) - 1) * int(hits.sum())
    place, document, weight = np.empty(most, np.int64), np.empty(most, np.int32), np.empty(most, np.int32)
    contexts = vocabulary * (1 + sides)
    # Most of this room is never touched: a word that stands in a document ten times takes it once.
    room = int((starts[documents + 1] - starts[documents]).sum()) * (1 + sides)
    text_start = np.zeros(len(documents) + 1, dtype=np.int64)
    text_context, text_weight = np.empty(room, np.int32), np.empty(room, np.int32)
    _texts(ids, starts, documents, weights, sides, contexts, text_start, text_context, text_weight)
    found = _company(ids, starts, documents, condition, asked, weights, sides, conditions, place, document, weight)
    order = np.argsort(place[:found], kind="stable")
    place = place[order]
    first = np.flatnonzero(np.diff(place, prepend=-1))
    row, context = np.divmod(place[first], contexts)
    return CompanyCounts(
        np.append(first, found),
        row.astype(np.int32),
        context.astype(np.int32),
        document[order],
        weight[order],
        hits,
        text_start,
        text_context[: text_start[-1]].copy(),
        text_weight[: text_start[-1]].copy(),
        contexts,
    )


@kernel()
def _find(ids, starts, documents, asked, hits):  # type: ignore[no-untyped-def]
    """Count the words in each document."""
    for number in range(len(documents)):
        for at in range(starts[documents[number]], starts[documents[number] + 1]):
            if ids[at] < len(asked) and asked[ids[at]] >= 0:
                hits[number, asked[ids[at]]] += 1


@kernel()
def _known(ids, starts, document, words):  # type: ignore[no-untyped-def]
    """The words of a document; rare ones are left out before windows are drawn, as when the run was counted."""
    text = ids[starts[document] : starts[document + 1]]
    return text[text < words]


@kernel()
def _texts(ids, starts, documents, weights, sides, contexts, text_start, text_context, text_weight):  # type: ignore[no-untyped-def]
    """Fill in how often each context occurs in each document: as often as another word stands within its window."""
    window, step = len(weights) - 1, 2 if sides else 1
    reach = np.cumsum(weights)
    total = np.zeros(contexts, dtype=np.int64)
    found = 0
    for number in range(len(documents)):
        text = _known(ids, starts, documents[number], contexts // step)
        for at in range(len(text)):
            total[text[at] * step] += reach[min(at, window)]
            total[text[at] * step + step - 1] += reach[min(len(text) - 1 - at, window)]
        for at in range(len(text)):
            for context in range(text[at] * step, text[at] * step + step):
                if total[context] > 0:
                    text_context[found], text_weight[found] = context, total[context]
                    total[context] = 0
                    found += 1
        text_start[number + 1] = found


@kernel()
def _company(ids, starts, documents, condition, asked, weights, sides, conditions, place, document, weight):  # type: ignore[no-untyped-def]
    """Fill in an entry for each word beside each hit; return how many there are."""
    window, step = len(weights) - 1, 2 if sides else 1
    found = 0
    for number in range(len(documents)):
        text = _known(ids, starts, documents[number], len(asked))
        for at in range(len(text)):
            word = asked[text[at]]
            if word < 0:
                continue
            row = (np.int64(word) * conditions + condition[number]) * len(asked) * step
            for distance in range(1, window + 1):
                if at + distance < len(text):
                    place[found] = row + text[at + distance] * step
                    document[found], weight[found] = number, weights[distance]
                    found += 1
                if at >= distance:
                    place[found] = row + text[at - distance] * step + step - 1
                    document[found], weight[found] = number, weights[distance]
                    found += 1
    return found
