"""Contexts that do not know which document is in which condition.

The contexts of a model were fitted to its conditions as they are, noise included: with them the observed division of
the documents would look a little more different than any random one. So a test fits them anew, with the conditions
that are compared joined into one; then the observed division is one among all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from chronotope.conditions import Conditions
from chronotope.cooccurrence import CellArrays, Counts
from chronotope.cooccurrence.cells import sum_of
from chronotope.cooccurrence.cells_file import CellsFile
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings.nearest import Floats
from chronotope.methods import GraphModel


class JoinedCells(CellsFile):
    """The cells of some conditions of a file, those that are joined as one."""

    def __init__(self, file: CellsFile, groups: Sequence[Sequence[int]]) -> None:
        super().__init__(file.path, [sum(file.sizes[number] for number in group) for group in groups], file.words)
        self._file, self._groups = file, groups

    def read(self, condition: int) -> CellArrays:
        """The cells of a condition, or the sum of those that are joined."""
        found = [self._file.read(number) for number in self._groups[condition]]
        if len(found) == 1:
            return found[0]
        # What is read may not be written to; the sums may, and the compiler wants both alike.
        return sum_of([CellArrays._make([column.copy() for column in cells]) for cells in found])

    def parts(self, condition: int) -> Iterator[CellArrays]:
        """The same, all at once."""
        yield self.read(condition)


def join_conditions(counts: Counts, together: Sequence[int]) -> Counts:
    """The counts with some conditions as one, which stands in the place of the first of them."""
    alone = [[number] for number in range(len(counts.conditions)) if number not in together]
    groups = sorted([sorted(together), *alone])
    words, support = len(counts.vocabulary), counts.vocabulary.support
    found, count = [], []
    for group in groups:
        total = np.zeros(words, dtype=np.int64)
        for number in group:
            total[support.words_in(number)] += support.counts_in(number)
        found.append(np.flatnonzero(total).astype(np.int32))
        count.append(total[found[-1]])
    start = np.concatenate([[0], np.cumsum([len(part) for part in found])]).astype(np.int64)
    given, first = counts.conditions, [group[0] for group in groups]
    return replace(
        counts,
        conditions=Conditions(
            given.times,
            given.places,
            tuple(given.time_of[number] for number in first) if given.times else (),
            tuple(given.place_of[number] for number in first) if given.places else (),
        ),
        vocabulary=replace(counts.vocabulary, support=Support(start, np.concatenate(found), np.concatenate(count))),
        pairs=np.array([counts.pairs[group].sum() for group in groups]),
        tokens=np.array([counts.tokens[group].sum() for group in groups]),
        _cells=JoinedCells(counts._cells, groups),
        _held_out=None,
    )


def label_free_contexts(
    counts: Counts, together: Sequence[int], settings: GraphModel, place_edges: Any, threads: int
) -> Floats:
    """(K, D) contexts fitted by the model's own settings with the conditions `together` as one."""
    joined = join_conditions(counts, together)
    return settings.fit(joined, threads=threads, device="cpu", place_edges=place_edges).contexts
