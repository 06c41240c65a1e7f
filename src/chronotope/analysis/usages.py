"""Single usages of a word as vectors: stored by a contextual model, or made from the words around each usage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.params import Param, trained_on
from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.nearest import unit_rows
from chronotope.methods.contextual.model import usage_folder
from chronotope.methods.contextual.usages import open_usages, sample_usages

REACH = 8  # words on either side
COMMON = 1e-3  # a context word with this share of the text gets half its weight (Arora et al. 2017)
FACTOR = 2.0  # an informative context is this many times as frequent as by chance, less one standard error

Usages = Annotated[
    int, Param("Usages to draw in each condition (contextual models have their own).", least=10, most=1000)
]


class WordUsages(NamedTuple):
    """The usages of a word, sorted by condition and position, and their vectors of length one or zero."""

    condition: NDArray[np.int32]  # (N,)
    position: NDArray[np.int64]  # in the file of tokens
    document: NDArray[np.int64]
    vectors: NDArray[np.float32]  # (N, D)
    sides: NDArray[np.float32] | None  # (2, N, D) of the words before and after it; None if an encoder read both

    def informative(self, conditions: Sequence[int]) -> WordUsages:
        """Return the usages in some conditions that have a vector."""
        kept = np.isin(self.condition, conditions) & self.vectors.any(axis=1)
        every = (self.condition[kept], self.position[kept], self.document[kept], self.vectors[kept])
        return WordUsages(*every, None if self.sides is None else self.sides[:, kept])


class Windows(NamedTuple):
    """The words around each usage, and the weight of each word of the vocabulary as a context."""

    word: NDArray[np.int64]  # (N, 2 · REACH) ids of the run; −1 for none
    weight: NDArray[np.float64]  # (W,) mutual information with the word beyond log FACTOR, × inverse frequency


class UsageVectors:
    """The usages of some words of a model, drawn with a seed.

    The vector of a usage is the mean of the overall vectors of the words around it, weighted by their mutual
    information with the word and their inverse frequency; a usage without an informative context has no vector. A
    contextual model has vectors of its own.
    """

    def __init__(self, model: ConditionedEmbeddings, words: list[str], usages: int, seed: int) -> None:
        self.counts, self.stored = trained_on(model), None
        if "usages" in model.provenance:
            self._drawn, self.stored = open_usages(usage_folder(model))
            return
        numbers = np.array([self.counts.vocabulary.index(word) for word in words], dtype=np.int64)
        self._drawn = sample_usages(self.counts, numbers, usages, seed)
        matrix = model.matrix(None, 1)
        self._unit = np.zeros((len(self.counts.vocabulary), model.dimensions), np.float32)
        self._unit[[self.counts.vocabulary.index(model.words[word]) for word in matrix.word]] = matrix.unit

    def of(self, word: str) -> WordUsages:
        """Return the usages of a word; a vector is zero if no context is informative."""
        number, store = self.counts.vocabulary.index(word), self.counts.store
        rows = self._drawn.rows(number)
        position = self._drawn.position[rows]
        if self.stored is not None:
            vectors, sides = self.stored[rows].astype(np.float32), None
        else:
            around, weight = windows(self.counts, number, position)
            sides = np.zeros((2, len(position), self._unit.shape[1]), np.float32)
            for at, column in enumerate(around.T):
                known = np.where(column >= 0, weight[column], 0)[:, None].astype(np.float32)
                sides[at // REACH] += known * self._unit[column]
            vectors = sides.sum(axis=0)
            sides = unit_rows(sides.reshape(-1, sides.shape[2])).reshape(sides.shape)
        document = np.searchsorted(store.starts, position, side="right") - 1
        return WordUsages(self._drawn.condition[rows], position, document, unit_rows(vectors), sides)


def windows(counts: Counts, word: int, position: NDArray[np.int64]) -> Windows:
    """Return the words of the vocabulary around usages of a word, in the same document, and their weights."""
    store, size = counts.store, len(counts.vocabulary)
    document = np.searchsorted(store.starts, position, side="right") - 1
    at = position[:, None] + np.concatenate([np.arange(-REACH, 0), np.arange(1, REACH + 1)])
    inside = (at >= store.starts[document][:, None]) & (at < store.starts[document + 1][:, None])
    around = store.ids[np.where(inside, at, 0)].astype(np.int64)
    around[~inside | (around >= size) | (around == word)] = -1
    here = np.bincount(around[around >= 0], minlength=size)
    share = counts.vocabulary.counts / counts.vocabulary.counts.sum()
    with np.errstate(divide="ignore"):
        information = np.log(np.maximum(here - np.sqrt(here), 0) / (FACTOR * here.sum() * share))
    return Windows(around, np.maximum(information, 0) * COMMON / (COMMON + share))
