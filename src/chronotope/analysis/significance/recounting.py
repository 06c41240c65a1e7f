"""The counts of any documents of a run, any of them several times."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from chronotope.cooccurrence import CellArrays
from chronotope.cooccurrence.counting import add_cells, count_cells
from chronotope.corpus import TokenStore

# Small enough that the text of a chunk and the places of its words stay in the caches.
TOKENS_IN_A_CHUNK = 1_000_000


class Recount(NamedTuple):
    """What a condition holds in a resample.

    Attributes
    ----------
    cells
        Its co-occurrence counts.
    word, count
        (P,) the words that occur, ascending, and how often.
    """

    cells: CellArrays
    word: NDArray[np.int32]
    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here


def recount(store: TokenStore, documents: NDArray[np.int64], words: int, weights: NDArray[np.int64]) -> Recount:
    """Count some documents.

    Parameters
    ----------
    store
        The tokens of the run.
    documents
        The numbers of the documents; one that stands here twice counts twice.
    words
        The size of the vocabulary.
    weights
        What a context at each distance counts, from `distance_weights`.
    """
    ids = np.asarray(store.ids)
    ends = np.cumsum(np.diff(store.starts)[documents])
    total = np.zeros(words + 1, dtype=np.int64)
    parts: list[CellArrays] = []
    first = 0
    while first < len(documents):
        before = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, before + TOKENS_IN_A_CHUNK, side="right")), first + 1)
        tokens = np.empty(int(ends[last - 1]) - before, dtype=np.int32)
        _gather(ids, store.starts, documents[first:last], words, tokens, total)
        parts.append(count_cells(tokens, ends[first:last] - before, words, weights))
        first = last
    present = np.flatnonzero(total[:words]).astype(np.int32)
    return Recount(_summed(parts), present, total[present])


def _summed(parts: list[CellArrays]) -> CellArrays:
    """The sum of all parts, neighbors first, so that none is gone through more than a few times."""
    while len(parts) > 1:
        joined = [add_cells(*parts[at : at + 2]) for at in range(0, len(parts) - 1, 2)]
        parts = joined + parts[2 * len(joined) :]
    return parts[0] if parts else CellArrays.empty(0)


@numba.njit(nogil=True, cache=True)
def _gather(ids, starts, documents, words, tokens, total):  # type: ignore[no-untyped-def]
    """Copy the tokens of the documents one after the other, and add up how often each word occurs."""
    at = 0
    for document in documents:
        for token in range(starts[document], starts[document + 1]):
            word = ids[token]
            tokens[at] = word
            total[min(word, words)] += 1
            at += 1
