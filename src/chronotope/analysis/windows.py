"""The words around the occurrences of a term, as they are counted: rare words left out before windows are drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.concordance import Concordance, Term
from chronotope.cooccurrence.counting import distance_weights


class Windows(NamedTuple):
    """Running words of some documents, and where a term stands among them.

    Attributes
    ----------
    word
        (T,) the words of the vocabulary, and those of the term, document after document.
    document
        (T,) the document of each.
    hit
        (N,) the places in `word` where the term begins.
    size
        The number of words of the term.
    """

    word: NDArray[np.int32]
    document: NDArray[np.int64]
    hit: NDArray[np.int64]
    size: int

    def beside(self, distance: int) -> NDArray[np.int64]:
        """The places at a distance from the term, on both sides, that lie in the same document."""
        found = []
        for end, step in ((self.hit, -distance), (self.hit + self.size - 1, distance)):
            place = end + step
            inside = (place >= 0) & (place < len(self.word))
            place, end = place[inside], end[inside]
            found.append(place[self.document[place] == self.document[end]])
        return np.concatenate(found)


def read_windows(concordance: Concordance, term: Term, documents: NDArray[np.int64]) -> Windows:
    """The words of some documents, and where the term stands among them."""
    places = concordance.places(documents)
    ids = np.asarray(concordance.counts.store.ids[places])
    kept = ids < len(concordance.counts.vocabulary)
    for number in term.numbers:
        kept |= ids == number
    word = ids[kept]
    document = np.repeat(documents, concordance.lengths[documents])[kept]
    # A term is found before rare words go, so that words which only seem to follow each other are not taken for it.
    begins = np.zeros(len(ids), bool)
    begins[np.searchsorted(places, concordance.beginnings(term, places, ids))] = True
    return Windows(word, document, np.flatnonzero(begins[kept]), len(term.numbers))


def company_of(concordance: Concordance, term: Term, documents: NDArray[np.int64]) -> NDArray[np.float64]:
    """(W,) how much each word of the vocabulary stands beside the term in some documents, in units of the run."""
    words = len(concordance.counts.vocabulary)
    weights = distance_weights(concordance.counts.settings, concordance.counts.unit)
    total = np.zeros(words)
    for first, last in concordance.chunks(documents):
        windows = read_windows(concordance, term, documents[first:last])
        for distance in range(1, len(weights)):
            near = windows.word[windows.beside(distance)]
            total += np.bincount(near[near < words], minlength=words) * float(weights[distance])
    return total


def support_in(concordance: Concordance, conditions: NDArray[np.int64]) -> NDArray[np.int64]:
    """(W,) how often each word of the vocabulary occurs in some conditions together."""
    support = concordance.counts.vocabulary.support
    total = np.zeros(len(concordance.counts.vocabulary), np.int64)
    for condition in conditions.tolist():
        total[support.words_in(condition)] += support.counts_in(condition)
    return total
