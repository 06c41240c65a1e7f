"""Resamples of documents, and their rows of mutual information, counted from the tokens.

A permutation exchanges the labels of documents within strata; a draw takes half of the documents of each condition,
evenly from the strata.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from chronotope.analysis.filters import values_of
from chronotope.cooccurrence import Counts, PairMatrix
from chronotope.cooccurrence.association import Association
from chronotope.corpus.tokens import FIELDS, TokenStore
from chronotope.errors import InputError
from chronotope.runtime.kernels import kernel

Integers = NDArray[np.int64]
PERMUTATION, BOOTSTRAP, DIVISION = 0, 1, 2
# A bootstrap draw is half of the documents: it differs from all of them as much as these from the population. Drawing
# with replacement would count documents twice, and give weight to contexts that occur once.
DOCUMENTS_AT_ONCE = 500


class Resample(NamedTuple):
    """Documents and the conditions that they are assigned to, as positions among the compared conditions."""

    document: NDArray[np.int64]  # (M,) numbers in the run, the documents of one stratum together
    condition: NDArray[np.int32]  # (M,) in this resample
    own: NDArray[np.int32]  # (M,) in the run
    stratum: NDArray[np.int64]
    permuted: bool  # whether labels were permuted: if so, the documents of a stratum are in random order


class Documents(NamedTuple):
    """The documents to resample: number in the run (ascending), condition and stratum of each."""

    number: NDArray[np.int64]
    condition: NDArray[np.int64]
    stratum: NDArray[np.int64]

    @classmethod
    def of(cls, counts: Counts, conditions: Sequence[int], within: str | None = None) -> Documents:
        """Return the documents of some conditions, without held-out ones; strata are the values of a field."""
        store = counts.store
        number = np.flatnonzero(np.isin(store.document_condition, conditions) & ~store.held_out)
        condition = store.document_condition[number].astype(np.int64)
        if within is None:
            return cls(number, condition, np.zeros(len(number), dtype=np.int64))
        stratum = _values(counts, within)[number]
        shared = np.unique(np.stack([stratum, condition]), axis=1)[0]
        if len(np.unique(shared)) == len(shared):
            raise InputError(f"no two documents of different conditions have the same '{within}': nothing to exchange")
        return cls(number, condition, stratum)

    def all(self) -> Resample:
        """Return all documents in their own conditions."""
        return self._take(np.arange(len(self.number)))

    def resample(self, kind: int, seed: int, turn: int) -> Resample:
        """Return one resample; each turn has its own random numbers."""
        random = np.random.Generator(np.random.PCG64([seed, kind, turn]))
        if kind == BOOTSTRAP:
            # Every second document of a condition, with strata and the documents of each in random order.
            turn_of_stratum = random.permutation(int(self.stratum.max()) + 1)[self.stratum]
            order = np.lexsort((random.random(len(self.number)), turn_of_stratum, self.condition))
            place = np.arange(len(order)) - np.searchsorted(self.condition[order], self.condition[order])
            return self._take(np.sort(order[place % 2 == 0]))
        # The documents of a stratum, in random order, get its labels in ascending order.
        label = self._take(np.lexsort((self.condition, self.stratum))).own
        order = np.lexsort((random.random(len(self.number)), self.stratum))
        return self._take(order)._replace(condition=label, permuted=True)

    def _take(self, places: NDArray[np.int64]) -> Resample:
        own = np.searchsorted(np.unique(self.condition), self.condition[places]).astype(np.int32)
        return Resample(self.number[places], own, own, self.stratum[places], permuted=False)


def _values(counts: Counts, field: str) -> NDArray[np.int64]:
    if (values := values_of(counts, field)) is not None:
        return values
    path, places = counts.folder / FIELDS, counts.conditions.place_of
    if field == "place" and places:
        return np.array(places, dtype=np.int64)[counts.store.document_condition]
    kept = pl.read_parquet_schema(path).keys() if path.exists() else ()
    known = ", ".join([*kept, *(["place"] if places else [])]) or "no field"
    keeps = f"{counts.folder} keeps {known} for its documents"
    raise InputError(f"{keeps}, and not '{field}'; prepare it again with --keep {field}")


class Text(NamedTuple):
    """Documents one after the other, with a window of blanks around each, and without rare words."""

    token: NDArray[np.int32]  # the words; the size of the vocabulary for a blank
    document: NDArray[np.int32]  # of each token, as a place among those asked for; −1 for a blank
    at: NDArray[np.int64]  # the places of the tokens that are not blanks

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

    def context_weights(self, weights: Integers, directional: bool) -> tuple[Integers, Integers]:
        """Return contexts, one or two for each token, and how often each occurs there: Σ weights of its neighbors."""
        before, after = (
            sum(weights[d] * (self.document[self.at + sign * d] >= 0) for d in range(1, len(weights)))
            for sign in (-1, 1)
        )
        context = self.token[self.at].astype(np.int64)
        if not directional:
            return context, np.asarray(before + after)
        return np.stack([2 * context, 2 * context + 1]).ravel(), np.stack([before, after]).ravel()


class ResampledRows(NamedTuple):
    """A row for each word in each condition in which it occurs, words ascending."""

    word: NDArray[np.int32]  # (P,)
    condition: NDArray[np.int32]  # (P,) as a place among the conditions that take part
    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    matrix: PairMatrix  # of mutual information


def resampled_rows(
    store: TokenStore,
    resample: Resample,
    conditions: int,
    words: int,
    weights: NDArray[np.int64],
    association: Association,
    expected: NDArray[np.float64] | None = None,
) -> ResampledRows:
    """Return the rows of all words in a resample.

    Labels are permuted word by word: each condition keeps its count of a word, so that a word that became rare keeps
    the noise of a rare word. `conditions` and `words` say how many there are; `weights` come from `distance_weights`;
    `expected` is the count of each context (default: in the documents of each condition).
    """
    window, directional = len(weights) - 1, association.directional_contexts
    contexts = words * (1 + directional)
    text = Text.of(store, resample.document, words, window)
    # The places of each word, in the order of the documents: SciPy sorts by counting.
    token = text.token[text.at]
    by_word = sparse.coo_array((text.at, (token, np.arange(len(token)))), shape=(words, len(token))).tocsr()
    start, place = by_word.indptr.astype(np.int64), by_word.data
    document = text.document[place]
    label = resample.condition[document]
    if resample.permuted:
        label = np.empty(len(place), dtype=np.int32)
        _deal(start, document, resample.own, resample.stratum, conditions, label)
    if expected is None:
        context, often = text.context_weights(weights, directional)
        own = np.tile(resample.condition[text.document[text.at]], 1 + directional).astype(np.int64)
        totals = np.bincount(own * contexts + context, often.astype(np.float64), conditions * contexts)
        expected = np.asarray(totals.reshape(conditions, contexts), dtype=np.float64)
    share = np.broadcast_to(expected, (conditions, contexts)) ** association.context_power
    whole = np.maximum(share.sum(axis=1), 1)
    with np.errstate(divide="ignore"):
        log_share = np.log(share) - np.log(whole)[:, None]
    many = np.diff(start)
    word = np.repeat(np.arange(words), many)
    order = np.lexsort((label, word))
    label = label[order]
    first = np.flatnonzero(np.diff(word * conditions + label, prepend=-1))
    count = np.diff(np.append(first, len(place)))
    room = int(np.minimum(2 * window * many, conditions * contexts).sum())
    cells = np.empty(room, np.int32), np.empty(room, np.float32)
    matrix = PairMatrix(np.zeros(len(first) + 1, np.int64), *cells, contexts)
    found = ResampledRows(word[first].astype(np.int32), label[first], count, matrix)
    _fill(text.token, place[order], found, weights, association, log_share, np.log(whole))
    end = matrix.start[-1]
    return found._replace(matrix=PairMatrix(matrix.start, matrix.context[:end], matrix.value[:end], contexts))


@kernel()
def _deal(start, documents, own, stratum, conditions, label):  # type: ignore[no-untyped-def]
    """Assign the documents of each word to conditions, stratum by stratum, until each condition has its old count."""
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
                # A document goes to the first condition that still has room for half of it.
                while condition < conditions - 1 and 2 * quota[condition] < end - first:
                    condition += 1
                label[first:end] = condition
                quota[condition] -= end - first
                first = end


@kernel()
def _fill(token, place, rows, weights, association, log_share, log_whole):  # type: ignore[no-untyped-def]
    """Fill the cells of all rows with the mutual information of the windows of a row's occurrences."""
    step, columns = 2 if association.directional_contexts else 1, log_share.shape[1]
    matrix = rows.matrix
    total = np.zeros(columns + 2, dtype=np.int64)  # blanks have columns of their own at the end
    seen = np.empty(columns + 2, dtype=np.int32)
    first = entries = 0
    for row in range(len(rows.word)):
        many = 0
        for at in place[first : first + rows.count[row]]:
            for distance in range(1, len(weights)):
                for column in (token[at + distance] * step, token[at - distance] * step + step - 1):
                    if total[column] == 0:
                        seen[many] = column
                        many += 1
                    total[column] += weights[distance]
        first += rows.count[row]
        total[columns:] = 0
        row_total = total[seen[:many]].sum()
        log_total = np.log(row_total) if row_total > 0 else 0.0
        for column in seen[:many]:
            if total[column] > 0:
                own, expected = np.log(total[column]), log_share[rows.condition[row], column]
                if expected == -np.inf:
                    # Assigned word by word, a context may occur where none of its own documents are: expect it as
                    # often as beside this word.
                    expected = association.context_power * own - log_whole[rows.condition[row]]
                information = own - log_total - expected
                if information > 0:
                    matrix.context[entries], matrix.value[entries] = column, information**association.pmi_power
                    entries += 1
            total[column] = 0
        matrix.start[row + 1] = entries
