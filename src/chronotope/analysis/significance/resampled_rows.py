"""The rows of mutual information of resampled documents, straight from their tokens.

Labels are exchanged word by word: of the documents that hold a word, as many of its occurrences stay in each condition
as there were, whichever documents they are. A word that became frequent, or rare, so keeps the noise of a frequent, or
rare, word on either side. Exchanging the labels of all documents at once would give it the same number of occurrences
on both, and its true noise, that of the rarer side, would pass for a change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.analysis.significance.shuffling import Resample
from chronotope.cooccurrence import PairMatrix
from chronotope.cooccurrence.association import Association
from chronotope.corpus import TokenStore
from chronotope.runtime.kernels import kernel


class ResampledRows(NamedTuple):
    """A row for each word in each condition in which it occurs, words ascending.

    Attributes
    ----------
    word, condition, count
        (P,) of each row: the word, the place of its condition among those that were asked for, how often it occurs.
    matrix
        The rows themselves.
    """

    word: NDArray[np.int32]
    condition: NDArray[np.int32]
    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    matrix: PairMatrix


class Text(NamedTuple):
    """Documents one after the other, with a window of blanks around each.

    Attributes
    ----------
    token
        The words; the size of the vocabulary for a blank. Rare words are left out, as when the run was counted.
    document
        The number of each token's document among those asked for; −1 for a blank.
    at
        The places that are no blanks.
    """

    token: NDArray[np.int32]
    document: NDArray[np.int32]
    at: NDArray[np.int64]

    @classmethod
    def of(cls, store: TokenStore, documents: NDArray[np.int64], words: int, window: int) -> Text:
        """Return some documents of a run."""
        ids, first = store.checked_ids, store.starts[documents]
        lengths = store.starts[documents + 1] - first
        own = np.repeat(np.arange(len(documents), dtype=np.int32), lengths)
        found = ids[np.arange(len(own)) + (first - np.cumsum(lengths) + lengths)[own]]
        own, found = own[found < words], found[found < words]
        at = np.arange(len(found)) + window * (own + 1)
        size = len(found) + window * (len(documents) + 1)
        token, document = np.full(size, words, dtype=np.int32), np.full(size, -1, dtype=np.int32)
        token[at], document[at] = found, own
        return cls(token, document, at)

    def context_weights(
        self, weights: NDArray[np.int64], directional: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return contexts, one or two for each token, and how often each occurs there: Σ weights of its neighbors."""
        before, after = (
            sum(weights[d] * (self.document[self.at + sign * d] >= 0) for d in range(1, len(weights)))
            for sign in (-1, 1)
        )
        context = self.token[self.at].astype(np.int64)
        if not directional:
            return context, np.asarray(before + after)
        return np.stack([2 * context, 2 * context + 1]).ravel(), np.stack([before, after]).ravel()


def resampled_rows(
    store: TokenStore,
    resample: Resample,
    conditions: int,
    words: int,
    weights: NDArray[np.int64],
    association: Association,
    expected: NDArray[np.float64] | None = None,
) -> ResampledRows:
    """Return the rows of all words in some documents.

    Parameters
    ----------
    store
        The tokens of the run.
    resample
        The documents and their conditions.
    conditions
        The number of conditions.
    words
        The size of the vocabulary.
    weights
        The weight of a context at each distance, from `distance_weights`.
    association
        How counts become mutual information.
    expected
        How often each context occurs, if not as often as in the documents of each condition.
    """
    window, directional = len(weights) - 1, association.directional_contexts
    contexts = words * (1 + directional)
    text = Text.of(store, resample.document, words, window)
    # The places of each word, in the order of the documents: SciPy sorts by counting.
    token = text.token[text.at]
    by_word = sparse.coo_array((text.at, (token, np.arange(len(token)))), shape=(words, len(token))).tocsr()
    start, place = by_word.indptr.astype(np.int64), by_word.data
    document = text.document[place]
    dealt = resample.condition[document]
    if resample.exchanged:
        dealt = np.empty(len(place), dtype=np.int32)
        _deal(start, document, resample.own, resample.stratum, conditions, dealt)
    if expected is None:
        context, often = text.context_weights(weights, directional)
        label = np.tile(resample.condition[text.document[text.at]], 1 + directional).astype(np.int64)
        totals = np.bincount(label * contexts + context, often.astype(np.float64), conditions * contexts)
        expected = np.asarray(totals.reshape(conditions, contexts), dtype=np.float64)
    share = np.broadcast_to(expected, (conditions, contexts)) ** association.context_power
    whole = np.maximum(share.sum(axis=1), 1)
    with np.errstate(divide="ignore"):
        log_share = np.log(share) - np.log(whole)[:, None]
    many = np.diff(start)
    rows = int(np.minimum(many, conditions).sum())
    room = int(np.minimum(2 * window * many, conditions * contexts).sum())
    matrix = PairMatrix(np.zeros(rows + 1, np.int64), np.empty(room, np.int32), np.empty(room, np.float32), contexts)
    by_condition = np.lexsort((dealt, np.repeat(np.arange(words), many)))
    row_word, row_condition = np.repeat(np.arange(words), many), dealt[by_condition]
    first = np.flatnonzero(np.diff(row_word * conditions + row_condition, prepend=-1))
    count = np.diff(np.append(first, len(place)))
    found = ResampledRows(row_word[first].astype(np.int32), row_condition[first], count, matrix)
    _fill(text.token, place[by_condition], found, weights, association, log_share, np.log(whole))
    end = matrix.start[len(first)]
    matrix = PairMatrix(matrix.start[: len(first) + 1], matrix.context[:end], matrix.value[:end], contexts)
    return found._replace(matrix=matrix)


def document_counts(store: TokenStore, resample: Resample, conditions: int, words: int) -> NDArray[np.int64]:
    """(conditions, W) the document frequency of each word in each condition."""
    found = np.zeros((conditions, words), dtype=np.int64)
    ids, starts = store.checked_ids, store.starts
    for document, condition in zip(resample.document, resample.condition, strict=True):
        own = np.unique(ids[starts[document] : starts[document + 1]])
        found[condition, own[own < words]] += 1
    return found


@kernel()
def _deal(start, documents, own, stratum, conditions, dealt):  # type: ignore[no-untyped-def]
    """Deal the documents of each word out to the conditions, stratum by stratum, until each has what it had."""
    quota = np.zeros(conditions, dtype=np.int64)
    for word in range(len(start) - 1):
        first = start[word]
        while first < start[word + 1]:
            # The occurrences in one stratum, and how many of them each condition had.
            last = first
            here = stratum[documents[first]]
            quota[:] = 0
            while last < start[word + 1] and stratum[documents[last]] == here:
                quota[own[documents[last]]] += 1
                last += 1
            condition = 0
            while first < last:
                document, end = documents[first], first
                while end < last and documents[end] == document:
                    end += 1
                # A document goes where at least half of it still has room.
                while condition < conditions - 1 and 2 * quota[condition] < end - first:
                    condition += 1
                dealt[first:end] = condition
                quota[condition] -= end - first
                first = end


@kernel()
def _fill(token, place, rows, weights, association, log_share, log_whole):  # type: ignore[no-untyped-def]
    """Fill in the cells of all rows: add up the windows of a row's occurrences, and compare with `log_share`."""
    step, columns = 2 if association.directional_contexts else 1, log_share.shape[1]
    matrix = rows.matrix
    total = np.zeros(columns + 2, dtype=np.int64)  # blanks have columns of their own at the end
    met = np.empty(columns + 2, dtype=np.int32)
    first = entries = 0
    for row in range(len(rows.word)):
        many = 0
        for at in place[first : first + rows.count[row]]:
            for distance in range(1, len(weights)):
                for column in (token[at + distance] * step, token[at - distance] * step + step - 1):
                    if total[column] == 0:
                        met[many] = column
                        many += 1
                    total[column] += weights[distance]
        first += rows.count[row]
        total[columns:] = 0
        row_total = total[met[:many]].sum()
        log_total = np.log(row_total) if row_total > 0 else 0.0
        for column in met[:many]:
            if total[column] > 0:
                own, expected = np.log(total[column]), log_share[rows.condition[row], column]
                if expected == -np.inf:
                    # Dealt out word by word, a context may be where its own documents are not: here it is then as
                    # frequent as beside this word.
                    expected = association.context_power * own - log_whole[rows.condition[row]]
                information = own - log_total - expected
                if information > 0:
                    matrix.context[entries], matrix.value[entries] = column, information**association.pmi_power
                    entries += 1
            total[column] = 0
        matrix.start[row + 1] = entries
