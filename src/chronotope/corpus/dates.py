"""Dates as whole numbers: the proleptic Gregorian calendar without the limits of `datetime`, for arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

Integers = NDArray[np.int64]

# A year: four digits, three (476), five, or any number up to nine with a sign; 98 and 199803 are not readable.
_YEAR = r"^(?P<year>[+-]\d{1,9}|\d{3,5})(?:\.0*)?$"
_MONTH = r"^(?P<year>[+-]\d{4,9}|\d{4,5})-(?P<month>\d{2})$"
_DAY = r"^(?P<year>[+-]\d{4,9}|\d{4,5})-(?P<month>\d{2})-(?P<day>\d{2})(?:[T ]\s*\d{1,2}(?::\d|\d{2}).*)?$"
_COMPACT = r"^(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?:\.0*|T\d{2,}.*)?$"


class Dates(NamedTuple):
    """Dates as they were written.

    Attributes
    ----------
    year, month, day
        (N,) whole numbers; month or day is 0 where it was not written.
    readable
        (N,) whether the text was a date at all.
    """

    year: Integers
    month: Integers
    day: Integers
    readable: NDArray[np.bool_]

    @property
    def first_day(self) -> Integers:
        """(N,) the number of the first day of what was written."""
        return days_from_date(self.year, np.maximum(self.month, 1), np.maximum(self.day, 1))

    @property
    def last_day(self) -> Integers:
        """(N,) the number of the last day of what was written."""
        month = np.where(self.month == 0, 12, self.month)
        day = np.where(self.day == 0, days_in_month(self.year, month), self.day)
        return days_from_date(self.year, month, day)


def read_dates(texts: pl.Series) -> Dates:
    """The dates in a column of text; the written local date counts, whatever the zone.

    Readable are a year, a year and month, an ISO date or timestamp, and the compact form 19980312.

    Examples
    --------
    >>> dates = read_dates(pl.Series(["1998-03-12T23:30:00-05:00", "1998.0", "12/03/1998", "1999-02-29"]))
    >>> dates.year.tolist(), dates.month.tolist(), dates.readable.tolist()
    ([1998, 1998, 0, 1999], [3, 0, 0, 2], [True, True, False, False])
    """
    text = pl.col("text").str.strip_chars()

    def part(name: str, *patterns: str) -> pl.Expr:
        found = [text.str.extract(pattern, _group(pattern, name)) for pattern in patterns]
        return pl.coalesce(found).str.strip_prefix("+").cast(pl.Int64, strict=False).fill_null(-(2**40)).alias(name)

    parts = pl.DataFrame({"text": texts.cast(pl.String)}).select(
        part("year", _DAY, _YEAR, _MONTH, _COMPACT),
        part("month", _DAY, _MONTH, _COMPACT),
        part("day", _DAY, _COMPACT),
    )
    year, month, day = (parts[name].to_numpy().copy() for name in ("year", "month", "day"))
    missing = -(2**40)
    readable = year != missing
    readable &= (month == missing) | ((month >= 1) & (month <= 12))
    safe_year, safe_month = np.where(readable, year, 2000), np.where(readable & (month > 0), month, 1)
    readable &= (day == missing) | ((day >= 1) & (day <= days_in_month(safe_year, safe_month)))
    for values in (year, month, day):
        values[values == missing] = 0
    return Dates(year, month, day, readable)


def _group(pattern: str, name: str) -> int:
    return ["year", "month", "day"].index(name) + 1 if f"(?P<{name}>" in pattern else 0


def days_from_date(year: Integers, month: Integers, day: Integers) -> Integers:
    """The number of days from 1970-01-01 to a date.

    Years are counted from March, so that the leap day is the last of its year (Hinnant, "chrono-compatible low-level
    date algorithms").

    Examples
    --------
    >>> days_from_date(np.array([1970, 2000]), np.array([1, 3]), np.array([2, 1])).tolist()
    [1, 11017]
    """
    year = year - (month <= 2)
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return np.asarray(era * 146_097 + day_of_era - 719_468, dtype=np.int64)


def date_from_days(days: int) -> tuple[int, int, int]:
    """The (year, month, day) that is so many days after 1970-01-01.

    Examples
    --------
    >>> date_from_days(11017)
    (2000, 3, 1)
    """
    days += 719_468
    era, day_of_era = divmod(days, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year_of_era + era * 400 + (month <= 2), month, day


def days_in_month(year: Integers, month: Integers) -> Integers:
    """How many days a month has.

    Examples
    --------
    >>> days_in_month(np.array([1900, 2000, 1999]), np.array([2, 2, 12])).tolist()
    [28, 29, 31]
    """
    lengths = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    return np.asarray(lengths[month] + ((month == 2) & leap), dtype=np.int64)
