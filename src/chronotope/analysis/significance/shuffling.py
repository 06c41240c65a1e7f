"""Which documents a resample holds: labels exchanged between conditions, or documents drawn again within each."""

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

    def resample(self, kind: int, seed: int, turn: int) -> dict[int, NDArray[np.int64]]:
        """The documents of each condition in one resample, ascending; each turn has its own randomness."""
        random = np.random.Generator(np.random.PCG64([seed, kind, turn]))
        conditions = np.unique(self.condition).tolist()
        if kind == PERMUTATION:
            labels = self.permuted(random)
            return {condition: self.number[labels == condition] for condition in conditions}
        own = {condition: self.number[self.condition == condition] for condition in conditions}
        return {c: np.sort(random.choice(numbers, len(numbers))) for c, numbers in own.items()}

    def permuted(self, random: np.random.Generator) -> NDArray[np.int64]:
        """(N,) the conditions exchanged at random within each stratum."""
        place = np.lexsort((np.arange(len(self.number)), self.stratum))
        drawn = np.lexsort((random.random(len(self.number)), self.stratum))
        labels = np.empty_like(self.condition)
        labels[place] = self.condition[drawn]
        return labels


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
