"""Which documents a resample holds: labels exchanged between conditions, or half of the documents of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.cooccurrence import Counts
from chronotope.corpus.tokens import FIELDS
from chronotope.errors import InputError

PERMUTATION, BOOTSTRAP = 0, 1
# A draw holds this share of the documents, each once. Half of them differ from all as much as all differ from the text
# that there could be. Drawing as many as there are, with replacement, would leave a third out and count others twice:
# a context that is seen once would be seen twice or never, and mutual information takes that for meaning.
DRAWN = 0.5


class Resample(NamedTuple):
    """Documents and the conditions that they are put in.

    Attributes
    ----------
    document
        (M,) their numbers in the run, the documents of one stratum together.
    condition
        (M,) the condition that each is put in, by its place among those that take part.
    own
        (M,) the condition that it comes from.
    stratum
        (M,) its stratum.
    exchanged
        Whether labels were exchanged: then the documents of a stratum stand in random order.
    """

    document: NDArray[np.int64]
    condition: NDArray[np.int32]
    own: NDArray[np.int32]
    stratum: NDArray[np.int64]
    exchanged: bool


class Documents(NamedTuple):
    """The documents that take part.

    Attributes
    ----------
    number
        (N,) their numbers in the run, ascending.
    condition
        (N,) the condition of each.
    stratum
        (N,) labels are exchanged only between documents of one stratum.
    """

    number: NDArray[np.int64]
    condition: NDArray[np.int64]
    stratum: NDArray[np.int64]

    @property
    def conditions(self) -> NDArray[np.int64]:
        """The conditions that take part, ascending."""
        return np.unique(self.condition)

    def all(self) -> Resample:
        """All documents as they are."""
        return self._taken(np.arange(len(self.number)))

    def resample(self, kind: int, seed: int, turn: int) -> Resample:
        """The documents in one resample; each turn has its own randomness."""
        random = np.random.Generator(np.random.PCG64([seed, kind, turn]))
        if kind == PERMUTATION:
            return self._exchanged(random)
        chosen = [np.flatnonzero(self.condition == condition) for condition in self.conditions]
        drawn = [random.choice(own, max(1, round(DRAWN * len(own))), replace=False) for own in chosen]
        return self._taken(np.sort(np.concatenate(drawn)))

    def _taken(self, places: NDArray[np.int64]) -> Resample:
        own = np.searchsorted(self.conditions, self.condition[places]).astype(np.int32)
        return Resample(self.number[places], own, own, self.stratum[places], exchanged=False)

    def _exchanged(self, random: np.random.Generator) -> Resample:
        """The documents of each stratum in random order, which get its labels in ascending order."""
        given = np.lexsort((self.condition, self.stratum))
        drawn = np.lexsort((random.random(len(self.number)), self.stratum))
        label, own = (np.searchsorted(self.conditions, self.condition[at]).astype(np.int32) for at in (given, drawn))
        return Resample(self.number[drawn], label, own, self.stratum[drawn], exchanged=True)


def take_part(counts: Counts, conditions: Sequence[int], within: str | None) -> Documents:
    """The documents of some conditions, those that are set aside left out.

    Parameters
    ----------
    within
        The field whose values are the strata; None: there is one.
    """
    store = counts.store
    number = np.flatnonzero(np.isin(store.document_condition, conditions) & ~store.held_out)
    condition = store.document_condition[number].astype(np.int64)
    stratum = np.zeros(len(number), dtype=np.int64)
    if within is not None:
        stratum = _values(counts, within)[number]
        together = np.unique(np.stack([stratum, condition]), axis=1)[0]
        if len(np.unique(together)) == len(together):
            raise InputError(f"no two documents of different conditions have the same '{within}': nothing to exchange")
    return Documents(number, condition, stratum)


def _values(counts: Counts, field: str) -> NDArray[np.int64]:
    """(N,) a number for the value that each document of the run has in a field."""
    store, conditions = counts.store, counts.conditions
    path = store.folder / FIELDS
    kept = pl.read_parquet_schema(path).keys() if path.exists() else ()
    if field in kept:
        values = pl.read_parquet(path, columns=[field], glob=False)[field]
        return values.fill_null("").rank("dense").to_numpy().astype(np.int64)
    if field == "place" and conditions.places:
        return np.array(conditions.place_of, dtype=np.int64)[store.document_condition]
    known = ", ".join([*kept, *(["place"] if conditions.places else [])]) or "no field"
    raise InputError(
        f"{counts.folder} keeps {known} for its documents, and not '{field}'; prepare it again with --keep {field}"
    )
