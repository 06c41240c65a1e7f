"""Time bins: the bin of a date, and the label of a bin.

A bin is an integer, so bins sort by time whatever their labels. Bins start at multiples of their length (1990–1999, not
1991–2000). A date that is coarser than the bins, such as a year in monthly bins, belongs to no bin.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.config import NamedBin
from chronotope.corpus.dates import Dates, date_from_days, days_from_date, read_dates
from chronotope.errors import SettingsError

_FOREVER_DAYS = 1 << 40
LENGTHS = "1y, 5y, 10y, 1q, 1mo, 6mo, 1w, 1d"


class BinAssignment(NamedTuple):
    """(N,) the bin of each date, whether the date is too coarse for the bins, and whether it is in no bin."""

    key: NDArray[np.int64]
    too_coarse: NDArray[np.bool_]
    outside: NDArray[np.bool_]


@dataclass(frozen=True)
class RegularBins:
    """Bins of equal length: `number` times a unit ('y', 'mo', 'w' or 'd'); a quarter is three months.

    >>> bins = regular_bins("10y")
    >>> assigned = bins.assign(read_dates(pl.Series(["1998-03-12", "2001"])))
    >>> [bins.label(key) for key in assigned.key.tolist()]
    ['1990s', '2000s']
    """

    name: str
    number: int
    unit: str

    def assign(self, dates: Dates) -> BinAssignment:
        """Return the bin of each date; no date is outside."""
        year, month, day = dates.year, dates.month, dates.day
        none = np.zeros(len(year), dtype=bool)
        if self.unit == "y":
            return BinAssignment(year // self.number, none, none)
        if self.unit == "mo":
            return BinAssignment((year * 12 + month - 1) // self.number, month == 0, none)
        days = days_from_date(year, np.maximum(month, 1), np.maximum(day, 1))
        # 1970-01-01 was a Thursday; weeks start on Monday and are named after their Thursday's year.
        return BinAssignment((days + 3) // 7 if self.unit == "w" else days, day == 0, none)

    def label(self, key: int) -> str:
        """Return the label of a bin: 1998, 1990s, 1995-1999, 1998-Q1, 1998-03, 1998-01..1998-06, 1998-W05."""
        first, last = key * self.number, (key + 1) * self.number - 1
        if self.unit == "y":
            if self.number == 1:
                return str(first)
            if self.number == 10:
                return f"{first}s"
            return f"{first}-{last}" if first >= 0 else f"{first}..{last}"
        if self.unit == "mo":
            if self.name == "1q":
                return f"{_year(first // 12)}-Q{first % 12 // 3 + 1}"
            return _month(first) if self.number == 1 else f"{_month(first)}..{_month(last)}"
        if self.unit == "w":
            year, month, day = date_from_days(key * 7)
            return f"{_year(year)}-W{(key * 7 - int(days_from_date(year, 1, 1))) // 7 + 1:02d}"
        year, month, day = date_from_days(key)
        return f"{_year(year)}-{month:02d}-{day:02d}"

    def days(self, key: int) -> tuple[int, int]:
        """Return the numbers of the first and last day of a bin."""
        first, after = key * self.number, (key + 1) * self.number
        if self.unit == "w":
            first, after = first * 7 - 3, after * 7 - 3
        elif self.unit != "d":
            months = 12 if self.unit == "y" else 1
            first, after = (int(days_from_date(0, edge * months + 1, 1)) for edge in (first, after))
        return first, after - 1


@dataclass(frozen=True)
class NamedBins:
    """Bins with names, in order of time, and (B,) the numbers of their first and last days."""

    names: tuple[str, ...]
    first_day: NDArray[np.int64]
    last_day: NDArray[np.int64]
    name: str = "the named bins"

    def assign(self, dates: Dates) -> BinAssignment:
        """Return the bin that contains each date; a date that overlaps a bin in part is too coarse."""
        first, last = dates.first_day, dates.last_day
        after = np.searchsorted(self.last_day, first)  # the first bin that does not end before the date
        key = np.minimum(after, len(self.names) - 1)
        outside = (after == len(self.names)) | (self.first_day[key] > last)
        inside = (self.first_day[key] <= first) & (last <= self.last_day[key]) & ~outside
        return BinAssignment(key.astype(np.int64), ~inside & ~outside, outside)

    def label(self, key: int) -> str:
        """Return the name of a bin."""
        return self.names[key]

    def days(self, key: int) -> tuple[int, int]:
        """Return the numbers of the first and last day of a bin."""
        return int(self.first_day[key]), int(self.last_day[key])


Bins = RegularBins | NamedBins


def regular_bins(every: str) -> RegularBins:
    """Make bins of a length such as 1y, 10y, 1q, 6mo, 1w or 1d."""
    match = re.fullmatch(r"\s*([1-9]\d{0,4})\s*(y|q|mo|w|d)\s*", every)
    number, unit = (int(match[1]), match[2]) if match else (0, "")
    months_fit = unit == "mo" and number > 0 and 12 % number == 0
    if not (unit == "y" or months_fit or (unit in ("q", "w", "d") and number == 1)):
        raise SettingsError(f"cannot read '{every}' as the length of a time bin; try one of {LENGTHS}")
    name = f"{number}{unit}"
    return RegularBins(name, 3, "mo") if unit == "q" else RegularBins(name, number, unit)


def named_bins(bins: Sequence[NamedBin]) -> NamedBins:
    """Sort named bins by time; bins that overlap or end before they start raise SettingsError."""
    starts, ends = (read_dates(pl.Series([str(getattr(item, edge)) for item in bins])) for edge in ("start", "end"))
    for edge, dates in (("start", starts), ("end", ends)):
        for item, readable in zip(bins, dates.readable, strict=True):
            if not readable:
                raise SettingsError(f"cannot read '{getattr(item, edge)}', the {edge} of bin '{item.name}', as a date")
    order = np.argsort(starts.first_day, kind="stable")
    first, last = starts.first_day[order], ends.last_day[order]
    names = tuple(str(bins[i].name).strip() for i in order)
    for i, name in enumerate(names):
        if first[i] > last[i]:
            raise SettingsError(f"bin '{name}' ends before it starts")
        if i and last[i - 1] >= first[i]:
            raise SettingsError(f"bins '{names[i - 1]}' and '{name}' overlap")
    if len({name.casefold() for name in names}) < len(names):
        raise SettingsError("two bins have the same name")
    return NamedBins(names, first, last)


def date_range(since: str | None, until: str | None) -> NamedBins:
    """Return a single bin from one date to another, both included; None: no limit."""
    edges = {"since": since, "until": until}
    dates = {name: read_dates(pl.Series([value], dtype=pl.String)) for name, value in edges.items()}
    for name, value in edges.items():
        if value is not None and not dates[name].readable[0]:
            raise SettingsError(f"cannot read {name}='{value}' as a date; write 1860, 1860-05 or 1860-05-31")
    first = dates["since"].first_day if since is not None else np.array([-_FOREVER_DAYS])
    last = dates["until"].last_day if until is not None else np.array([_FOREVER_DAYS])
    if first[0] > last[0]:
        raise SettingsError(f"since='{since}' is after until='{until}'")
    return NamedBins(("range",), first, last)


def days_of(label: str) -> tuple[int, int] | None:
    """Return the numbers of the first and last day of the bin with this label, or None if the label is a name.

    >>> days_of("1970-Q1"), days_of("cold war")
    ((0, 89), None)
    """
    if match := re.fullmatch(r"(-?\d{4,})-Q([1-4])", label):
        last = 3 * int(match[2])
        return _span(f"{match[1]}-{last - 2:02d}", f"{match[1]}-{last:02d}")
    if match := re.fullmatch(r"(-?\d{4,})-W(\d{2})", label):
        fourth = int(days_from_date(int(match[1]), 1, 4))  # 4 January is always in week 1
        first = fourth - (fourth + 3) % 7 + 7 * (int(match[2]) - 1)
        return first, first + 6
    if match := re.fullmatch(r"(-?\d+)s", label):
        return _span(match[1], str(int(match[1]) + 9))
    # A month has a year of four digits.
    if match := re.fullmatch(r"(.+)\.\.(.+)|(\d+)-(\d{3,})|(\d{1,3})-(\d+)", label):
        first, last = filter(None, match.groups())
        return _span(first, last)
    return _span(label, label)


def _span(first: str, last: str) -> tuple[int, int] | None:
    dates = read_dates(pl.Series([_with_sign(first), _with_sign(last)]))
    return (int(dates.first_day[0]), int(dates.last_day[1])) if dates.readable.all() else None


def _with_sign(text: str) -> str:
    """Write a year as `read_dates` expects it, with a sign if it is short or negative; leave other dates alone."""
    year = int(text) if re.fullmatch(r"-?\d+", text) else None
    return text if year is None else str(year) if 100 <= year <= 9_999 else f"{year:+d}"


def _year(year: int) -> str:
    """Write a year with at least four digits, as in an ISO date."""
    return f"{'-' if year < 0 else ''}{abs(year):04d}"


def _month(number: int) -> str:
    """Write a month that is given as the number of months since the year 0."""
    return f"{_year(number // 12)}-{number % 12 + 1:02d}"
