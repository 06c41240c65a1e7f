"""Which rows become documents, and in which condition: the checks on text, time and place, and the user's filter."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.config import CorpusSettings
from chronotope.corpus.binning import Bins, named_bins, regular_bins
from chronotope.corpus.dates import read_dates
from chronotope.corpus.problems import SHOWN, BadRow
from chronotope.corpus.readers import Batch, Fields
from chronotope.errors import SettingsError

NO_TEXT = "no text"
NO_TIME = "no time"
UNREADABLE_TIME = "unreadable time"
NO_PLACE = "no place"
_MOST_FIELDS_IN_FILTER = 8
# What polars calls the parts of an expression that need more than one row: max(year), … OVER (…), count(*), quantiles.
_OF_MANY_ROWS = {"Agg", "Over", "Window", "Rolling", "Len", "Quantile"}


class Documents(NamedTuple):
    """The rows of a batch that are documents.

    Attributes
    ----------
    text
        (N,) their texts.
    tokenized
        Whether the texts came as lists of tokens.
    time
        (N,) the number of the time bin; empty without a time axis.
    place
        (N,) the label of the place; empty without places.
    date
        (N,) the time as it is written; empty without a time axis.
    kept
        The fields that are to be kept, a row a document.
    source, line
        (N,) where they stand.
    bad
        The first few bad rows of each kind, in order.
    more_bad
        How many more bad rows of each kind there are.
    left_out, outside
        How many rows the user's filter left out, and how many are outside the named bins.
    """

    text: pl.Series
    tokenized: bool
    time: NDArray[np.int64]
    place: pl.Series
    date: pl.Series
    kept: pl.DataFrame
    source: NDArray[np.int32]
    line: NDArray[np.int64]
    bad: list[BadRow]
    more_bad: dict[str, int]
    left_out: int
    outside: int


@dataclass(frozen=True)
class RowFilter:
    """The user's own condition on rows, in SQL.

    A field that the condition compares with a number is read as a number (what is not one makes the row drop out);
    every other field is text, as it stands in the input.
    """

    where: str
    expression: pl.Expr
    numbers: tuple[str, ...]

    def keep(self, frame: pl.DataFrame) -> NDArray[np.bool_]:
        """(N,) whether a row fulfills the condition."""
        numbers = [pl.col(name).str.strip_chars().cast(pl.Float64, strict=False) for name in self.numbers]
        try:
            kept = frame.with_columns(numbers).select(self.expression.fill_null(False).alias("keep"))["keep"]
        except pl.exceptions.PolarsError as error:
            raise SettingsError(
                f'where="{self.where}" cannot be used: {_reason(error)}; a field is text, or a number where it is '
                "compared with one, so write for instance flag = 'true'"
            ) from None
        return np.broadcast_to(kept.to_numpy(), (frame.height,))


def row_filter(where: str) -> tuple[RowFilter, tuple[str, ...]]:
    """The filter that an SQL condition stands for, and the fields that it names.

    Examples
    --------
    >>> keeps, fields = row_filter("year >= 1990 AND lang = 'en'")
    >>> fields
    ('year', 'lang')
    >>> keeps.keep(pl.DataFrame({"year": ["1989", "1990", "n.d."], "lang": ["en", "en", "en"]})).tolist()
    [False, True, False]
    """
    try:
        expression = pl.sql_expr(where)
        fields = tuple(dict.fromkeys(expression.meta.root_names()))
    except Exception as error:
        raise SettingsError(f'cannot read where="{where}" as an SQL condition: {_reason(error)}') from None
    if _looks_beyond_its_row(json.loads(expression.meta.serialize(format="json"))):
        # Rows come in batches: a maximum would be that of a batch.
        raise SettingsError(
            f'where="{where}" cannot be used: it must be about one row at a time, without max, count, …'
        )
    reason = "it names no field" if not fields else "it names too many fields"
    if 0 < len(fields) <= _MOST_FIELDS_IN_FILTER:
        reason = "it is no yes-or-no question"
        for kinds in product((pl.String, pl.Float64), repeat=len(fields)):
            sample = pl.DataFrame(schema=dict(zip(fields, kinds, strict=True))).clear(1)
            try:
                if sample.select(expression).dtypes == [pl.Boolean]:
                    numbers = tuple(name for name, kind in zip(fields, kinds, strict=True) if kind == pl.Float64)
                    return RowFilter(where, expression, numbers), fields
            except pl.exceptions.PolarsError as error:
                reason = _reason(error)
    raise SettingsError(f'where="{where}" cannot be used: {reason}')


def _looks_beyond_its_row(part: Any) -> bool:
    """Whether a part of an expression, as polars writes it in JSON, needs more than one row."""
    if isinstance(part, dict):
        inner = (value for key, value in part.items() if key not in ("Literal", "Column"))
        return not _OF_MANY_ROWS.isdisjoint(part) or any(map(_looks_beyond_its_row, inner))
    if isinstance(part, list):
        return any(map(_looks_beyond_its_row, part))
    return part in _OF_MANY_ROWS


class Selection:
    """The rules of a corpus: from a batch of rows to its documents."""

    def __init__(self, settings: CorpusSettings) -> None:
        self._settings = settings
        self._filter: RowFilter | None = None
        filtered: tuple[str, ...] = ()
        if settings.where:
            self._filter, filtered = row_filter(settings.where)
        self.bins: Bins | None = None
        if settings.time:
            self.bins = named_bins(settings.bins) if settings.bins else regular_bins(settings.every or "1y")
        named = (settings.text, settings.time, settings.place, *settings.keep, *filtered)
        self.fields = Fields(settings.text, tuple(dict.fromkeys(name for name in named if name)))

    def documents(self, batch: Batch) -> Documents:
        """The documents of a batch."""
        frame = batch.frame
        kept = self._filter.keep(frame) if self._filter else np.ones(frame.height, dtype=bool)
        left_out = int(frame.height - kept.sum())
        findings = _Findings(batch, kept)
        findings.reject(NO_TEXT, _blank(frame[self._settings.text]))
        key = np.empty(0, np.int64)
        outside = 0
        if self._settings.time and self.bins:
            times = frame[self._settings.time]
            findings.reject(NO_TIME, _blank(times))
            dates = read_dates(times)
            findings.reject(UNREADABLE_TIME, ~dates.readable, times)
            key, too_coarse, beyond = self.bins.assign(dates)
            findings.reject(f"time too coarse for {self._bins_in_words()}", too_coarse, times)
        place = date = pl.Series([], dtype=pl.String)
        if self._settings.place:
            place = frame[self._settings.place].str.strip_chars()
            findings.reject(NO_PLACE, _blank(place))
        if self._settings.time:
            outside = int((findings.good & beyond).sum())
            findings.good &= ~beyond
        good = findings.good
        bad, more_bad = findings.bad_rows()
        mask = pl.Series(good)
        return Documents(
            text=frame[self._settings.text].filter(mask),
            tokenized=batch.tokenized,
            time=key[good] if len(key) else key,
            place=place.filter(mask) if self._settings.place else place,
            date=frame[self._settings.time].filter(mask) if self._settings.time else date,
            kept=frame.select(self._settings.keep).filter(mask) if self._settings.keep else pl.DataFrame(),
            source=batch.source[good],
            line=batch.line[good],
            bad=bad,
            more_bad=more_bad,
            left_out=left_out,
            outside=outside,
        )

    def _bins_in_words(self) -> str:
        name = self.bins.name if self.bins else ""
        return name if self._settings.bins else f"bins of {name}"


class _Findings:
    """What is found wrong with the rows of a batch; a row counts for the first fault only."""

    def __init__(self, batch: Batch, kept: NDArray[np.bool_]) -> None:
        self.good = kept.copy()
        self._batch = batch
        self._bad = list(batch.bad)
        self._more: dict[str, int] = {}
        for kind in {row.kind for row in batch.bad}:
            self._trim(kind)

    def reject(self, kind: str, faulty: NDArray[np.bool_], values: pl.Series | None = None) -> None:
        """Count the good rows that are faulty as bad ones."""
        rows = np.flatnonzero(self.good & faulty)
        self.good &= ~faulty
        for row in rows[:SHOWN].tolist():
            value = "" if values is None else str(values[row])[:40]
            self._bad.append(BadRow(kind, int(self._batch.source[row]), int(self._batch.line[row]), value))
        if len(rows) > SHOWN:
            self._more[kind] = self._more.get(kind, 0) + len(rows) - SHOWN

    def _trim(self, kind: str) -> None:
        rows = [row for row in self._bad if row.kind == kind]
        if len(rows) > SHOWN:
            dropped = set(rows[SHOWN:])
            self._bad = [row for row in self._bad if row not in dropped]
            self._more[kind] = len(rows) - SHOWN

    def bad_rows(self) -> tuple[list[BadRow], dict[str, int]]:
        """The first few bad rows of each kind in the order of the input, and how many more there are."""
        return sorted(self._bad, key=lambda row: (row.source, row.line)), self._more


def _blank(values: pl.Series) -> NDArray[np.bool_]:
    """(N,) whether a value is missing or holds nothing but blanks."""
    frame = values.to_frame("value")
    return frame.select(~pl.col("value").str.contains(r"[^\s\x1f]").fill_null(False))["value"].to_numpy()


def _reason(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
