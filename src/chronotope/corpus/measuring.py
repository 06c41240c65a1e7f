"""How often each word occurs in each condition: one pass over the tokens in their final order."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.corpus.spool import CHUNK_TOKENS
from chronotope.corpus.tokens import forget
from chronotope.runtime.kernels import kernel

# A condition with fewer tokens than this part of the lexicon is sorted: to look at all words takes longer.
PART_OF_LEXICON = 16


class Measured(NamedTuple):
    """Which words of the lexicon occur in which condition.

    Attributes
    ----------
    start
        (C + 1,) the words of condition c are those from start[c] to start[c + 1].
    word, count
        (P,) the words of each condition, ascending, and how often each occurs in the documents that are not held out.
    distinct, rare
        (C,) how many words occur in any document of each condition, and how many of its tokens are rare words.
    """

    start: NDArray[np.int64]
    word: NDArray[np.int32]
    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    distinct: NDArray[np.int64]
    rare: NDArray[np.int64]

    def words_of(self, condition: int, words: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Those of the most frequent words that occur in a condition, ascending, and how often each does there."""
        here = slice(self.start[condition], self.start[condition + 1])
        kept = int(np.searchsorted(self.word[here], words))
        return self.word[here][:kept], self.count[here][:kept]


def measure(
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    condition: NDArray[np.int32],
    held_out: NDArray[np.bool_],
    conditions: int,
    is_rare: NDArray[np.bool_],
    threads: int = 1,
    words: int | None = None,
) -> Measured:
    """Count the words of each condition.

    Parameters
    ----------
    ids, starts
        (T,) the word numbers of all documents, and (N + 1,) where each document begins.
    condition, held_out
        (N,) the condition of each document, ascending, and whether it is set aside.
    conditions
        How many there are.
    is_rare
        (W,) whether each word of the lexicon is rare.
    threads
        How many conditions are counted at the same time.
    words
        Only of so many of the most frequent words it is kept how often they occur.

    Examples
    --------
    >>> ids, starts = np.array([0, 1, 0, 2], np.int32), np.array([0, 2, 3, 4])
    >>> found = measure(ids, starts, np.array([0, 0, 1]), np.array([False, True, False]), 2, np.array([0, 0, 1], bool))
    >>> found.start.tolist(), found.word.tolist(), found.count.tolist(), found.distinct.tolist(), found.rare.tolist()
    ([0, 2, 3], [0, 1, 2], [1, 1, 1], [2, 1], [0, 1])
    """
    first = np.searchsorted(condition, np.arange(conditions + 1))
    own = threading.local()

    def counted(documents: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The words of some documents that follow each other or not, and how often each occurs."""
        if int((starts[documents + 1] - starts[documents]).sum()) < len(is_rare) // PART_OF_LEXICON:
            some = [ids[starts[document] : starts[document + 1]] for document in documents.tolist()]
            word, count = np.unique(np.concatenate(some) if some else ids[:0], return_counts=True)
            return word.astype(np.int32), count.astype(np.int64)
        if not hasattr(own, "total"):
            own.total = np.zeros(len(is_rare), np.int64)
        done = 0
        while done < len(documents):
            # Compiled code cannot be interrupted.
            reached = starts[documents[done:] + 1] - starts[documents[done]]
            after = done + max(int(np.searchsorted(reached, CHUNK_TOKENS, side="right")), 1)
            _add_counts(ids, starts, documents[done:after], own.total)
            forget(ids, int(starts[documents[done]]), int(starts[documents[after - 1] + 1]))
            done = after
        word = np.flatnonzero(own.total).astype(np.int32)
        count = own.total[word]
        own.total[word] = 0
        return word, count

    def measured(number: int) -> tuple[NDArray[np.int32], NDArray[np.int64], int, int]:
        documents = np.arange(first[number], first[number + 1])
        set_aside = held_out[documents]
        word, count = counted(documents[~set_aside])
        others, other_count = counted(documents[set_aside])
        distinct = len(word) if not len(others) else len(np.union1d(word, others))
        rare = int(count[is_rare[word]].sum() + other_count[is_rare[others]].sum())
        kept = len(word) if words is None else int(np.searchsorted(word, words))
        return word[:kept].copy(), count[:kept].copy(), distinct, rare

    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(measured, range(conditions)))
    word, count, distinct, rare = zip(*found, strict=True)
    start = np.concatenate([[0], np.cumsum([len(some) for some in word])]).astype(np.int64)
    return Measured(start, np.concatenate(word), np.concatenate(count), np.array(distinct), np.array(rare))


@kernel()
def _add_counts(ids, starts, documents, total):  # type: ignore[no-untyped-def]
    """Add how often each word occurs in some documents."""
    for document in documents:
        for token in range(starts[document], starts[document + 1]):
            total[ids[token]] += 1
