"""Invented co-occurrence counts and embeddings of any size, in memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from chronotope.conditions import Conditions
from chronotope.config import ConditionedSettings, CountSettings
from chronotope.cooccurrence import CellArrays, Counts, scale_of_conditions
from chronotope.cooccurrence.association import targets, weights
from chronotope.cooccurrence.vocabulary import Support, Vocabulary
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.methods.cw2v.parameters import Parameters

TOPICS = 40


@dataclass(frozen=True)
class InMemory:
    """Stands where a run has its file of cells."""

    of_conditions: tuple[CellArrays, ...]

    @property
    def sizes(self) -> list[int]:
        return [len(part.word) for part in self.of_conditions]

    def read(self, condition: int) -> CellArrays:
        return self.of_conditions[condition]

    def parts(self, condition: int) -> Iterator[CellArrays]:
        yield self.of_conditions[condition]


class CountsOfNoText(Counts):
    """Counts without a run behind them."""

    @property
    def store(self) -> Any:
        return SimpleNamespace(sources=[])


def invented_counts(words: int, conditions: int, draws: int, seed: int = 1) -> Counts:
    """Return counts of `draws` pairs in each condition: Zipfian words in topics that drift from year to year.

    About two thirds of the pairs are distinct.
    """
    random = np.random.default_rng(seed)
    chance = 1 / (np.arange(words) + 1.0)
    taste, drift = random.standard_normal((2, TOPICS, words))
    parts, present, occurrences = [], [], []
    for condition in range(conditions):
        below = np.cumsum(chance * np.exp(1.5 * taste + 0.5 * drift * condition / conditions), axis=1)
        below /= below[:, -1:]
        drawn = np.empty((2, draws), dtype=np.int64)
        limits = np.linspace(0, draws, TOPICS + 1).astype(int)
        for topic in range(TOPICS):
            here = slice(limits[topic], limits[topic + 1])
            drawn[:, here] = np.searchsorted(below[topic], random.random((2, here.stop - here.start)))
        key, count = np.unique(drawn.min(axis=0) * words + drawn.max(axis=0), return_counts=True)
        after = random.binomial(count, 0.5)
        parts.append(CellArrays((key // words).astype(np.int32), (key % words).astype(np.int32), count, after))
        seen = np.bincount(drawn.ravel(), minlength=words)
        present.append(np.flatnonzero(seen).astype(np.int32))
        occurrences.append(seen[present[-1]])
    start = np.concatenate([[0], np.cumsum([len(here) for here in present])]).astype(np.int64)
    pairs = np.array([part.count.sum() for part in parts])
    return CountsOfNoText(
        folder=Path(),
        conditions=Conditions.of_times([str(1990 + condition) for condition in range(conditions)]),
        vocabulary=Vocabulary(
            tuple(f"word{number}" for number in range(words)),
            Support(start, np.concatenate(present), np.concatenate(occurrences)),
        ),
        settings=CountSettings(),
        pairs=pairs,
        tokens=pairs,
        unit=1,
        checksum="invented",
        _cells=InMemory(tuple(parts)),  # type: ignore[arg-type]
        _held_out=None,
    )


def invented_embeddings(words: int, conditions: int, dimensions: int, seed: int = 1) -> ConditionedEmbeddings:
    """Return words in groups of about thirty that move from year to year, all present in every year."""
    random = np.random.default_rng(seed)
    scale = np.linspace(2, 0.3, dimensions, dtype=np.float32)

    def noise() -> np.ndarray:
        return random.standard_normal((words, dimensions), dtype=np.float32) * scale

    groups = noise()[: words // 30]
    common, way = groups[random.integers(0, len(groups), words)] + np.float32(0.7) * noise(), noise()
    vectors = np.empty((conditions * words, dimensions), np.float32)
    for number in range(conditions):
        here = slice(number * words, (number + 1) * words)
        vectors[here] = common + np.float32(0.6 * number / conditions) * way + np.float32(0.2) * noise()
    count = np.tile(200_000 // (np.arange(words) + 1) + 5, conditions)
    support = Support(np.arange(conditions + 1) * words, np.tile(np.arange(words), conditions), count)
    years = Conditions.of_times([str(1960 + number) for number in range(conditions)])
    return ConditionedEmbeddings([f"word{number}" for number in range(words)], years, support, vectors)


@dataclass(frozen=True)
class HeldOutCells:
    """Cells that training does not see, both directions."""

    word_pair: Any
    context_pair: Any
    target: Any
    weight: Any

    def error(self, parameters: Parameters, support: Support) -> float:
        """Return the weighted mean squared error of the predictions."""
        v, u, q, d, d_, b, b_ = parameters
        word, condition = support.word, support.condition
        squared = 0.0
        for first in range(0, len(self.target), 20_000):
            part = slice(first, first + 20_000)
            i, j = self.word_pair[part], self.context_pair[part]
            own, other = v[word[i]] * q[condition[i]] + d[i], u[word[j]] * q[condition[j]] + d_[j]
            apart = np.einsum("nd,nd->n", own, other) + b[i] + b_[j] - self.target[part]
            squared += float(self.weight[part] @ (apart.astype(np.float64) ** 2))
        return squared / float(self.weight.sum(dtype=np.float64))


def hold_out(counts: Counts, settings: ConditionedSettings, share: float = 0.02) -> tuple[Counts, HeldOutCells]:
    """Return the counts without a share of their cells, and these cells."""
    random = np.random.default_rng(0)
    support, scale = counts.vocabulary.support, scale_of_conditions(counts, settings.scaling)
    kept, found = [], []
    for condition in range(len(counts.conditions)):
        cells = counts.cells(condition)
        out = random.random(len(cells.word)) < share
        kept.append(CellArrays(*(column[~out] for column in cells)))
        scaled = cells.count[out] * scale[condition]
        a, b = (
            support.start[condition] + np.searchsorted(support.words_in(condition), side[out])
            for side in (cells.word, cells.context)
        )
        other = a != b
        goal = targets(scaled, settings.target)
        weight = weights(scaled, settings.weight_cap, settings.weight_power)
        found.append(
            [np.append(first, second[other]) for first, second in ((a, b), (b, a), (goal, goal), (weight, weight))]
        )
    arrays = [np.concatenate(column) for column in zip(*found, strict=True)]
    return dataclasses.replace(counts, _cells=InMemory(tuple(kept))), HeldOutCells(*arrays)
