"""The rows of mutual information of resampled documents, straight from their tokens.

Labels may be exchanged word by word: of the documents that hold a word as many of its occurrences stay in each
condition as there were, whichever documents they are. A word that became frequent, or rare, so keeps the noise of a
frequent, or rare, word on either side; exchanging the labels of all documents at once would give it the same number of
occurrences on both, and its true noise, that of the rarer side, would pass for a change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


class _Text(NamedTuple):
    """Documents one after the other, with a window of blanks around each, and where each word stands."""

    token: NDArray[np.int32]  # with `words` for a blank
    document: NDArray[np.int32]  # of each token; −1 for a blank
    start: NDArray[np.int64]  # (W + 1,)
    place: NDArray[np.int64]  # the places of each word, in the order of the documents


def resampled_rows(
    store: TokenStore,
    resample: Resample,
    conditions: int,
    words: int,
    weights: NDArray[np.int64],
    association: Association,
    expected: NDArray[np.float64] | None = None,
) -> ResampledRows:
    """The rows of all words in some documents.

    Parameters
    ----------
    store
        The tokens of the run.
    resample
        The documents and their conditions.
    conditions
        How many conditions there are.
    words
        The size of the vocabulary.
    weights
        What a context at each distance counts, from `distance_weights`.
    association
        How counts become mutual information.
    expected
        How often each context occurs, if not as often as in the documents of each condition.
    """
    window, contexts = len(weights) - 1, words * (1 + association.sides)
    text = _arranged(store, resample, words, window)
    dealt = resample.condition[text.document[text.place]]
    if resample.exchanged:
        dealt = np.empty(len(text.place), dtype=np.int32)
        _deal(text, resample.own, resample.stratum, conditions, dealt)
    totals = np.zeros((conditions, contexts + 2))
    _add_totals(text, resample.condition, weights, association.sides, totals)
    if expected is None:
        expected = totals[:, :contexts]
    share = np.broadcast_to(expected, (conditions, contexts)) ** association.context_power
    whole = np.maximum(share.sum(axis=1), 1)
    with np.errstate(divide="ignore"):
        log_share = np.log(share) - np.log(whole)[:, None]
    many = np.diff(text.start)
    rows = int(np.minimum(many, conditions).sum())
    room = int(np.minimum(2 * window * many, conditions * contexts).sum())
    word, condition = np.empty(rows, np.int32), np.empty(rows, np.int32)
    count, start = np.empty(rows, np.int64), np.zeros(rows + 1, np.int64)
    context, value = np.empty(room, np.int32), np.empty(room, np.float32)
    found = _fill(
        text, dealt, weights, association, log_share, np.log(whole),
        word, condition, count, start, context, value,
    )  # fmt: skip
    end = start[found]
    matrix = PairMatrix(start[: found + 1], context[:end], value[:end], contexts)
    return ResampledRows(word[:found], condition[:found], count[:found], matrix)


def document_counts(store: TokenStore, resample: Resample, conditions: int, words: int) -> NDArray[np.int64]:
    """(conditions, W) in how many documents of each condition each word occurs."""
    found = np.zeros((conditions, words), dtype=np.int64)
    _count_documents(store.checked_ids, store.starts, resample.document, resample.condition, found)
    return found


def _arranged(store: TokenStore, resample: Resample, words: int, window: int) -> _Text:
    ids, documents = store.checked_ids, resample.document
    size = int((store.starts[documents + 1] - store.starts[documents]).sum())
    token = np.full(size + window * (len(documents) + 1), words, dtype=np.int32)
    document = np.full(len(token), -1, dtype=np.int32)
    start = np.zeros(words + 1, dtype=np.int64)
    _copy(ids, store.starts, documents, words, window, token, document, start)
    start = np.cumsum(start)
    place = np.empty(start[-1], dtype=np.int64)
    _sort(token, start[:-1].copy(), place)
    return _Text(token, document, start, place)


@kernel()
def _count_documents(ids, starts, documents, condition, found):  # type: ignore[no-untyped-def]
    """Add one for each word of each document."""
    seen = np.full(found.shape[1], -1, dtype=np.int64)
    for number in range(len(documents)):
        for at in range(starts[documents[number]], starts[documents[number] + 1]):
            if ids[at] < len(seen) and seen[ids[at]] != number:
                seen[ids[at]] = number
                found[condition[number], ids[at]] += 1


@kernel()
def _copy(ids, starts, documents, words, window, token, document, many):  # type: ignore[no-untyped-def]
    """Copy the known words of the documents, and count each word one place on."""
    at = window
    for number in range(len(documents)):
        for place in range(starts[documents[number]], starts[documents[number] + 1]):
            if ids[place] < words:
                token[at], document[at] = ids[place], number
                many[ids[place] + 1] += 1
                at += 1
        at += window


@kernel()
def _sort(token, cursor, place):  # type: ignore[no-untyped-def]
    """Put the places of each word together, in order."""
    for at in range(len(token)):
        word = token[at]
        if word < len(cursor):
            place[cursor[word]] = at
            cursor[word] += 1


@kernel()
def _deal(text, own, stratum, conditions, dealt):  # type: ignore[no-untyped-def]
    """Deal the documents of each word out to the conditions, stratum by stratum, until each has what it had."""
    quota = np.zeros(conditions, dtype=np.int64)
    for word in range(len(text.start) - 1):
        first = text.start[word]
        while first < text.start[word + 1]:
            # The occurrences in one stratum, and how many of them each condition had.
            last = first
            here = stratum[text.document[text.place[first]]]
            quota[:] = 0
            while last < text.start[word + 1] and stratum[text.document[text.place[last]]] == here:
                quota[own[text.document[text.place[last]]]] += 1
                last += 1
            condition = 0
            while first < last:
                document, end = text.document[text.place[first]], first
                while end < last and text.document[text.place[end]] == document:
                    end += 1
                # A document goes where at least half of it still has room.
                while condition < conditions - 1 and 2 * quota[condition] < end - first:
                    condition += 1
                dealt[first:end] = condition
                quota[condition] -= end - first
                first = end


@kernel()
def _add_totals(text, condition, weights, sides, totals):  # type: ignore[no-untyped-def]
    """Add up how often each context occurs in each condition; blanks have columns of their own at the end."""
    window, step = len(weights) - 1, 2 if sides else 1
    for at in range(len(text.token)):
        if text.document[at] < 0:
            continue
        here = totals[condition[text.document[at]]]
        before, after = 0, 0
        for distance in range(1, window + 1):
            before += weights[distance] if text.document[at - distance] >= 0 else 0
            after += weights[distance] if text.document[at + distance] >= 0 else 0
        here[text.token[at] * step] += before
        here[text.token[at] * step + step - 1] += after


@kernel()
def _fill(text, dealt, weights, association, log_share, log_whole, words, conditions, counts, start, contexts, values):  # type: ignore[no-untyped-def]
    """Fill in the rows, word after word, each from its windows; return how many there are."""
    window, step = len(weights) - 1, 2 if association.sides else 1
    power, emphasis = association.context_power, association.emphasis
    columns = log_share.shape[1]
    total = np.zeros(columns + 2, dtype=np.int64)
    met = np.empty(columns + 2, dtype=np.int32)
    ordered = np.empty(np.diff(text.start).max(), dtype=np.int64)
    rows = entries = 0
    for word in range(len(text.start) - 1):
        first, last = text.start[word], text.start[word + 1]
        # The places of the word, those of each condition together.
        ends = np.zeros(len(log_share) + 1, dtype=np.int64)
        for occurrence in range(first, last):
            ends[dealt[occurrence] + 1] += 1
        ends = np.cumsum(ends)
        for occurrence in range(first, last):
            ordered[ends[dealt[occurrence]]] = text.place[occurrence]
            ends[dealt[occurrence]] += 1
        begin = 0
        for condition in range(len(log_share)):
            count = ends[condition] - begin
            many = 0
            if 2 * window * count > columns:
                # A frequent word: all its sums are filled, and looked through from end to end.
                for at in ordered[begin : ends[condition]]:
                    for distance in range(1, window + 1):
                        weight = weights[distance]
                        total[text.token[at + distance] * step] += weight
                        total[text.token[at - distance] * step + step - 1] += weight
                for column in range(columns):
                    met[many] = column
                    many += total[column] > 0
            else:
                # A rare one: the contexts that it meets are noted, without a branch, which would be guessed wrong.
                for at in ordered[begin : ends[condition]]:
                    for distance in range(1, window + 1):
                        weight = weights[distance]
                        after, before = text.token[at + distance] * step, text.token[at - distance] * step + step - 1
                        met[many] = after
                        many += (total[after] == 0) & (after < columns)
                        total[after] += weight
                        met[many] = before
                        many += (total[before] == 0) & (before < columns)
                        total[before] += weight
            begin = ends[condition]
            if count == 0:
                continue
            row_total = total[met[:many]].sum()
            log_total = np.log(row_total) if row_total > 0 else 0.0
            for number in range(many):
                column = met[number]
                own, expected = np.log(total[column]), log_share[condition, column]
                if expected == -np.inf:
                    # Dealt out word by word, a context may be where its own documents are not: here it is then as
                    # frequent as beside this word.
                    expected = power * own - log_whole[condition]
                information = own - log_total - expected
                if information > 0:
                    contexts[entries] = column
                    values[entries] = information if emphasis == 1 else information**emphasis
                    entries += 1
                total[column] = 0
            words[rows], conditions[rows], counts[rows] = word, condition, count
            rows += 1
            start[rows] = entries
    return rows
