"""The equations of the rows of all words for a few conditions, the other conditions eliminated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.significance.measures import Words
from chronotope.embeddings.nearest import Floats
from chronotope.methods.graph.equations import Equations
from chronotope.methods.graph.matrix import even_blocks
from chronotope.methods.graph.objective import GraphProblem

PAIRS_AT_ONCE = 10_000


class Part(NamedTuple):
    """What one condition brings to the equations.

    Attributes
    ----------
    word, count
        (P,) the words that occur, ascending, and how often, for the weight of their rows.
    product
        (P, D) their mutual information times the contexts.
    """

    word: NDArray[np.int32]
    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here
    product: Floats


class Reduced:
    """The equations of all words for a few free conditions, the fixed ones eliminated (Schur complements).

    A word that is absent from a free condition has a row there without weight: along a chain it changes nothing.

    Parameters
    ----------
    problem
        The equations, with a row for each word in each free condition.
    product
        (P, D) M B of the fixed rows.
    place
        (P,) the number of a row's free condition; −1 for fixed rows.
    free
        The number of free conditions.
    shrinkage
        The count with which a row has weight ½.
    """

    def __init__(
        self, problem: GraphProblem, product: Floats, place: NDArray[np.int64], free: int, shrinkage: float
    ) -> None:
        order, words, size = problem.order, problem.words, product.shape[1]
        self._penalty, self._shrinkage = problem.deviation_penalty, shrinkage
        place = place[order]
        word = np.repeat(np.arange(words), np.diff(problem.word_start))
        link_word = np.repeat(np.arange(words), np.diff(problem.link_start))
        tau = problem.link_weight.astype(np.float64)
        ends = np.stack([problem.link_a, problem.link_b]) + problem.word_start[link_word]
        fixed = place < 0
        weight, pairs = problem.weight[order[fixed]], order[fixed]
        number = np.cumsum(fixed) - 1  # of each fixed row
        inner = fixed[ends].all(axis=0)
        # The Laplacian among free rows, and the links of fixed rows to free ones.
        laplacian = np.zeros((words, free, free))
        border = np.zeros((int(fixed.sum()), free), dtype=np.float32)
        pull = np.zeros(len(border))
        for a, b in (ends, ends[::-1]):
            to_free = ~fixed[a]
            np.add.at(laplacian, (link_word[to_free], place[a][to_free], place[a][to_free]), tau[to_free])
            both = to_free & ~fixed[b]
            np.add.at(laplacian, (link_word[both], place[a][both], place[b][both]), -tau[both])
            across = fixed[a] & ~fixed[b]
            np.add.at(border, (number[a[across]], place[b][across]), -tau[across])
            np.add.at(pull, number[a[across]], tau[across])
        start = np.searchsorted(word[fixed], np.arange(words + 1))
        remaining = problem._replace(
            weight=(weight + pull).astype(np.float32),
            order=np.arange(len(border)),
            word_start=start,
            link_start=np.searchsorted(link_word[inner], np.arange(words + 1)),
            link_a=(number[ends[0][inner]] - start[link_word[inner]]).astype(np.int32),
            link_b=(number[ends[1][inner]] - start[link_word[inner]]).astype(np.int32),
            link_weight=problem.link_weight[inner],
        )
        self._size = np.diff(start)
        self._system = laplacian
        self._border = np.zeros((words, free))  # 1ᵀ T⁻¹ border
        self._inner = np.zeros(words)  # 1ᵀ T⁻¹ 1
        self._total = np.zeros((words, size), dtype=np.float32)  # 1ᵀ T⁻¹ right
        self._right = np.zeros((words, free, size), dtype=np.float32)  # borderᵀ T⁻¹ right
        for first, last in word_blocks(remaining):
            own, at = slice(start[first], start[last]), slice(first, last)
            if own.start == own.stop:
                continue
            block = Equations(remaining, first, last)
            edge, right = border[own], weight[own, None] * product[pairs[own]]
            found = block.invert(np.hstack([right, edge, np.ones((len(edge), 1), np.float32)]))
            solved, coupled, ones = found[:, :size], found[:, size:-1], found[:, -1]
            self._total[at], self._border[at], self._inner[at] = (
                block.adding @ part for part in (solved, coupled, ones)
            )
            for number_free in range(free):
                touching = edge[:, number_free, None]
                self._right[at, number_free] = block.adding @ (touching * solved)
                self._system[at, number_free] -= block.adding @ (touching * coupled)

    def solve(self, parts: list[Part]) -> list[tuple[Words, Floats]]:
        """Return the words of each part and their vectors."""
        shape = self._right.shape
        present, weight, right = np.zeros(shape[:2]), np.zeros(shape[:2]), -self._right
        for place, part in enumerate(parts):
            share = part.count / (part.count + self._shrinkage)
            present[part.word, place], weight[part.word, place] = 1, share
            right[part.word, place] += share[:, None].astype(np.float32) * part.product
        system, diagonal = self._system.copy(), np.arange(shape[1])
        # Without any link an absent row has no equation: a small number stands for it.
        system[:, diagonal, diagonal] += weight + self._penalty * present + 1e-9 * (1 - present)
        inverse = np.linalg.inv(system)
        rows = inverse.astype(np.float32) @ right
        members = present - self._border
        ones = np.einsum("wij,wj->wi", inverse, members)
        total = self._total + np.einsum("wi,wid->wd", members.astype(np.float32), rows)
        norm = self._inner + (members * ones).sum(axis=1)
        share = self._penalty / np.maximum(self._size + present.sum(axis=1), 1)
        scale = share / (1 - share * norm)
        rows += (scale[:, None] * ones).astype(np.float32)[:, :, None] * total[:, None, :]
        return [(part.word.astype(np.int64), rows[part.word, place]) for place, part in enumerate(parts)]


def word_blocks(problem: GraphProblem) -> list[tuple[int, int]]:
    """Return blocks of words whose rows fit the cache."""
    size = int(problem.word_start[-1])
    return even_blocks(problem.word_start, min(max(1, size // PAIRS_AT_ONCE), max(1, problem.words)))
