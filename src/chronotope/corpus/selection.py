"""Select the rows that become documents: check their text, time and place, and apply the user's filter."""

import json
import re
from itertools import product, repeat
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import SEPARATOR
from chronotope.config import CorpusSettings
from chronotope.corpus.binning import Bins, date_range, named_bins, regular_bins
from chronotope.corpus.dates import dates_from_numbers, read_dates
from chronotope.corpus.problems import NUMBER, BadRow, is_remark
from chronotope.corpus.readers.pieces import Batch, Fields
from chronotope.errors import SettingsError, first_line

_MOST_FIELDS_IN_FILTER = 8
# A comparison with a date or an unquoted word in the user's SQL; quoted text is matched to leave it unchanged.
_COMPARISON = re.compile(
    r"""(?P<field>"[^"]+"|[^\W\d]\w*|\))\s*(?P<sign><=|>=|<>|!=|==?|<|>)\s*"""
    r"""(?:(?P<date>(?P<quote>'?)\d{4}-\d{2}(?:-\d{2})?(?P=quote))(?![\w'-])|(?P<word>[^\W\d]\w*+)(?!\s*[(.'])"""
    r"""(?P<more>\s+(?!(?i:and|or)\b)[^\W\d]\w*+)?)"""
    r"""|'(?:[^']|'')*'|"[^"]*\""""
)
_BARE_DATE = re.compile(r"(?<![\w'-])\d{4}-\d{2}(?:-\d{2})?(?![\w'-])")
_SQL_VALUES = {"true", "false", "null"}
_NUMBER_OF_TIME = r"^\s*(?:[0-9]{5}|-?[0-9]{9,14})(?:\.[0-9]*)?\s*$"
# Nodes of polars' JSON that need several rows: max(year), … OVER (…), count(*), quantiles.
_SEVERAL_ROWS = {"Agg", "Over", "Window", "Rolling", "Len", "Quantile"}


class BatchCounts(NamedTuple):
    """Counts of a batch."""

    read: int = 0  # rows
    left_out: int = 0  # rows that the filter excludes
    outside: int = 0  # rows outside the named bins
    unspaced_tokens: int = 0  # in scripts without blanks between words
    unspaced_characters: int = 0  # of these tokens
    characters: int = 0  # of all tokens


class RowFilter(NamedTuple):
    """The user's condition on rows, in SQL.

    Fields that the condition compares with a number are read as numbers, or as the year of a date; 'date|month' and
    'date|day' are numbers such as 186005 and 18600531; all others are text. A row without the number is excluded.
    """

    where: str
    expression: pl.Expr
    fields: tuple[str, ...]
    numbers: tuple[str, ...]

    def keep(self, frame: pl.DataFrame) -> NDArray[np.bool_]:
        """Return (N,) whether each row meets the condition."""
        numbers = [_numbers(frame[_base(name)], name) for name in self.numbers]
        try:
            kept = frame.with_columns(numbers).select(self.expression.fill_null(False).alias("keep"))["keep"]
        except pl.exceptions.PolarsError as error:
            raise SettingsError(
                f'where="{self.where}" cannot be used: {first_line(error)}; a field is text, or a number where it is '
                "compared with one, so write for instance flag = 'true'"
            ) from None
        return np.full(frame.height, kept.to_numpy())


def _base(name: str) -> str:
    """Return the field that a number comes from."""
    return name.removesuffix("|month").removesuffix("|day")


def _numbers(values: pl.Series, name: str) -> pl.Series:
    """Return a field as numbers, or its dates as years (1860), months (186005) or days (18600531)."""
    if name == _base(name):
        number = values.str.strip_chars().cast(pl.Float64, strict=False)
        rest = (number.is_null() & values.is_not_null()).arg_true()
        dates = read_dates(values[rest])
        return number.scatter(rest, pl.Series(np.where(dates.readable, dates.year, np.nan)).fill_nan(None)).alias(name)
    dates = read_dates(values)
    value, known = dates.year * 100 + dates.month, dates.month > 0
    if name.endswith("|day"):
        value, known = value * 100 + dates.day, dates.day > 0
    return pl.Series(name, np.where(dates.readable & known, value, np.nan)).fill_nan(None)


def _to_sql(where: str) -> str:
    """Convert a condition to SQL: the user may write dates and single words without quotes.

    >>> _to_sql("date >= 1860-05 and country == canada")
    '"date|month" >= 186005 and country = \\'canada\\''
    """

    def replacement(match: re.Match[str]) -> str:
        field, sign, date, word = (match[name] for name in ("field", "sign", "date", "word"))
        sign = "=" if sign == "==" else sign
        if match["more"]:
            several = f"write several words in quotes: '{word}{match['more']}'"
            raise SettingsError(f'where="{where}" cannot be used: {several}')
        if date and field != ")" and not (match["quote"] and sign in ("=", "<>", "!=")):
            digits = date.strip("'").replace("-", "")
            field = field.strip('"')
            return f'"{field}|{"day" if len(digits) == 8 else "month"}" {sign} {digits}'
        return f"{field} {sign} '{word}'" if word and word.lower() not in _SQL_VALUES else match[0]

    typed = _COMPARISON.sub(replacement, where)
    if bare := _BARE_DATE.search(re.sub(r"'(?:[^']|'')*'", "''", typed)):
        raise SettingsError(f'where="{where}" cannot be used: compare dates as in date >= {bare[0]}')
    return typed


def row_filter(where: str) -> RowFilter:
    """Parse an SQL condition.

    >>> keep = row_filter("year >= 1990 AND lang = en")
    >>> keep.fields, keep.numbers
    (('year', 'lang'), ('year',))
    >>> keep.keep(pl.DataFrame({"year": ["1989", "1990-05", "n.d."], "lang": ["en", "en", "en"]})).tolist()
    [False, True, False]
    """
    typed = _to_sql(where)
    try:
        expression = pl.sql_expr(typed)
        fields = tuple(dict.fromkeys(expression.meta.root_names()))
    except Exception as error:
        raise SettingsError(f'cannot read where="{where}" as an SQL condition: {first_line(error)}') from None
    if _needs_several_rows(json.loads(expression.meta.serialize(format="json"))):
        # Rows come in batches: a maximum would be that of a batch.
        raise SettingsError(f'where="{where}" cannot be used: a condition sees one row at a time, so no max, count, …')
    reason = "it names no field" if not fields else "it names too many fields"
    if 0 < len(fields) <= _MOST_FIELDS_IN_FILTER:
        reason = "it is neither true nor false for a row"
        for kinds in product((pl.String, pl.Float64), repeat=len(fields)):
            sample = pl.DataFrame(schema=dict(zip(fields, kinds, strict=True))).clear(1)
            try:
                if sample.select(expression).dtypes == [pl.Boolean]:
                    numbers = tuple(name for name, kind in zip(fields, kinds, strict=True) if kind == pl.Float64)
                    return RowFilter(where, expression, tuple(dict.fromkeys(map(_base, fields))), numbers)
            except pl.exceptions.PolarsError as error:
                reason = first_line(error)
    raise SettingsError(f'where="{where}" cannot be used: {reason}')


def _needs_several_rows(part: Any) -> bool:
    """Return whether a part of an expression, in polars' JSON, needs more than one row."""
    if isinstance(part, dict):
        inner = (value for key, value in part.items() if key not in ("Literal", "Column"))
        return not _SEVERAL_ROWS.isdisjoint(part) or any(map(_needs_several_rows, inner))
    if isinstance(part, list):
        return any(map(_needs_several_rows, part))
    return part in _SEVERAL_ROWS


class Selection:
    """Select the documents of a batch and assign their time bins."""

    def __init__(self, settings: CorpusSettings) -> None:
        self._settings = settings
        self._filter = row_filter(settings.where) if settings.where else None
        self._range = date_range(settings.since, settings.until) if settings.since or settings.until else None
        self.bins: Bins | None = None
        if settings.time:
            self.bins = named_bins(settings.bins) if settings.bins else regular_bins(settings.every or "1y")
        filtered = self._filter.fields if self._filter else ()
        self._places = settings.place.split(SEPARATOR) if settings.place else []
        self.nested = len(self._places) > 1  # whether a place consists of several fields, from the widest
        names = (settings.text, settings.time, *self._places, *settings.keep, *filtered)
        self.fields = Fields(settings.text, tuple(dict.fromkeys(name for name in names if name)))

    def documents(self, batch: Batch) -> tuple[pl.DataFrame, BatchCounts, list[BadRow]]:
        """Return the documents of a batch, its counts, and the bad rows, each with its first problem only.

        Columns: text, source, line; with the axes bin (its number), time (as written) and place; `fields`, a
        struct of the fields to keep, if there are any.
        """
        settings, frame = self._settings, batch.frame
        good = self._filter.keep(frame) if self._filter else np.ones(frame.height, dtype=bool)
        left_out = int(frame.height - good.sum())
        bad = list(batch.bad)

        def reject(kind: str, faulty: NDArray[np.bool_], values: pl.Series | None = None) -> None:
            rows = np.flatnonzero(good & faulty)
            good[rows] = False
            shown = repeat("") if values is None else values.gather(rows).str.slice(0, 40)
            bad.extend(map(BadRow, repeat(kind), batch.source[rows].tolist(), batch.line[rows].tolist(), shown))

        columns: dict[str, Any] = {"text": frame[settings.text], "source": batch.source, "line": batch.line}
        outside = np.zeros(frame.height, dtype=bool)
        reject("no text", _blank(frame[settings.text]))
        if settings.time and self.bins:
            date = frame[settings.time]
            reject(batch.undated, _blank(date))
            if settings.time_unit:
                date = dates_from_numbers(date, settings.time_unit)
            dates = read_dates(date)
            reject(NUMBER, ~dates.readable & date.str.contains(_NUMBER_OF_TIME).fill_null(False).to_numpy(), date)
            reject("unreadable time", ~dates.readable, date)
            if self._range:
                _, too_coarse, beyond = self._range.assign(dates)
                reject("time too coarse for since and until", too_coarse, date)
                left_out += int((good & beyond).sum())
                good &= ~beyond
            time, too_coarse, outside = self.bins.assign(dates)
            bins = self.bins.name if settings.bins else f"bins of {self.bins.name}"
            reject(f"time too coarse for {bins}", too_coarse, date)
            columns |= {"bin": time, "time": date}
        if settings.place:
            for place in self._places:
                reject("no place", _blank(frame[place]))
            parts = [
                pl.col(place).str.normalize("NFC").str.replace_all(r"[\s\u200b\ufeff]+", " ").str.strip_chars()
                for place in self._places
            ]
            if self.nested:
                parts = [part.str.replace_all(SEPARATOR, "-", literal=True) for part in parts]
            columns["place"] = frame.select(pl.concat_str(parts, separator=SEPARATOR).alias("place"))["place"]
        unread = sum(not is_remark(row.kind) for row in batch.bad)
        counts = BatchCounts(frame.height + unread, left_out, int((good & outside).sum()))
        if settings.keep:
            columns["fields"] = frame.select(settings.keep).to_struct()
        return pl.DataFrame(columns).filter(pl.Series(good & ~outside)), counts, bad


def _blank(values: pl.Series) -> NDArray[np.bool_]:
    """Return (N,) whether each value is missing or consists of blanks."""
    return (~values.str.contains(r"[^\s\x1f]").fill_null(False)).to_numpy()
