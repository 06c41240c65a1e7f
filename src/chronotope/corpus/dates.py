"""Arrays of dates in the proleptic Gregorian calendar, without the limits of `datetime`."""

import re
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

Integers = NDArray[np.int64]

# A year: four digits, three (476), or any number up to nine with a sign; 98, 36526 and 199803 are not readable.
_YEAR = r"^(?P<year>[+-][0-9]{1,9}|[0-9]{3,4})(?:\.0*)?$"
_MONTH = r"^(?P<year>[+-][0-9]{4,9}|[0-9]{4,5})-(?P<month>[0-9]{2})$"
_DAY = (
    r"^(?P<year>[+-][0-9]{4,9}|[0-9]{4,5})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?:[T ]\s*[0-9]{1,2}(?::[0-9]|[0-9]{2}).*)?$"
)
_COMPACT = r"^(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})(?:\.0*|T[0-9]{2,}.*)?$"
_PLAIN = (_DAY, _YEAR, _MONTH, _COMPACT)

# Other unambiguous forms: 12 March 1998, Thu, 12 Mar 1998 10:00 +0100, March 12th, 1998,
# Mar 1998, 1998/3/12, 12.3.1998, Thu Mar 12 10:00:00 +0000 1998. Not 12/03/1998, nor a year of two digits.
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NAME = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?|september|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?i)^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"
_WRITTEN_DAY = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_WRITTEN_YEAR = r"(?P<year>[0-9]{4})"
_CLOCK = r"(?:,?\s+[0-9]{1,2}:[0-9]{2}.*)?$"
_WRITTEN = (
    rf"{_WEEKDAY}{_WRITTEN_DAY}\.?[\s-]+(?:of\s+)?{_NAME},?[\s-]+{_WRITTEN_YEAR}{_CLOCK}",
    rf"{_WEEKDAY}{_NAME}\s+{_WRITTEN_DAY},?\s+{_WRITTEN_YEAR}{_CLOCK}",
    rf"{_WEEKDAY}{_NAME}\s+{_WRITTEN_DAY}\s+[0-9]{{1,2}}:[0-9]{{2}}\S*"
    rf"(?:\s+[+-][0-9]{{4}}|\s+[a-z]{{1,5}})?\s+{_WRITTEN_YEAR}$",
    rf"(?i)^{_NAME},?[\s-]+{_WRITTEN_YEAR}$",
    rf"^{_WRITTEN_YEAR}[/.-](?P<month>[0-9]{{1,2}})[/.-](?P<day>[0-9]{{1,2}}){_CLOCK}",
    rf"^(?P<day>[0-9]{{1,2}})\.\s*(?P<month>[0-9]{{1,2}})\.\s*{_WRITTEN_YEAR}{_CLOCK}",
)
_MISSING = -(2**40)
_DAYS_OF_ISO = (-719_162, 2_932_896)  # the years 1 to 9999


class Dates(NamedTuple):
    """(N,) years, months and days, 0 if missing, and whether each text is a readable date; days count from 1970."""

    year: Integers
    month: Integers
    day: Integers
    readable: NDArray[np.bool_]

    @property
    def first_day(self) -> Integers:
        """(N,) the first day that each date can mean."""
        return days_from_date(self.year, np.maximum(self.month, 1), np.maximum(self.day, 1))

    @property
    def last_day(self) -> Integers:
        """(N,) the last day that each date can mean."""
        month = np.where(self.month == 0, 12, self.month)
        day = np.where(self.day == 0, days_in_month(self.year, month), self.day)
        return days_from_date(self.year, month, day)


def read_dates(texts: pl.Series) -> Dates:
    """Read a column of dates; time zones are ignored.

    The forms are a year, a year and month, an ISO date or timestamp, 19980312, and other unambiguous dates: with the
    English name of a month, with the year first, or with points between day, month and year.

    >>> texts = ["1998-03-12T23:30:00-05:00", "1998.0", "12/03/1998", "1999-02-29", "Mar 12, 1998"]
    >>> dates = read_dates(pl.Series(texts))
    >>> dates.year.tolist(), dates.month.tolist(), dates.readable.tolist()
    ([1998, 1998, 0, 1999, 1998], [3, 0, 0, 2, 3], [True, True, False, False, True])
    """
    texts = texts.cast(pl.String)
    dates = _read(texts, _PLAIN)
    left = np.flatnonzero(~dates.readable)
    if len(left):
        for column, written in zip(dates, _read(texts[left], _WRITTEN), strict=True):
            column[left] = np.where(written != 0, written, column[left])
    return dates


def dates_from_numbers(texts: pl.Series, unit: str) -> pl.Series:
    """Convert numbers of days or seconds to ISO dates; leave other texts unchanged.

    >>> dates_from_numbers(pl.Series(["36526", "1.5", "May 1990"]), "excel").to_list()
    ['2000-01-01', '1900-01-01', 'May 1990']
    >>> dates_from_numbers(pl.Series(["-86400"]), "seconds").to_list()
    ['1969-12-31']
    """
    text = pl.col("text")
    number = text.str.strip_chars().cast(pl.Float64, strict=False)
    days = {
        # Excel has a 29th of February in 1900.
        "excel": number - 25_569 + (number < 60).cast(pl.Int8),
        "days": number,
        "seconds": number / 86_400,
        "milliseconds": number / 86_400_000,
    }[unit].floor()
    days = pl.when(days.is_between(*_DAYS_OF_ISO)).then(days).cast(pl.Int32)
    return pl.DataFrame({"text": texts}).select(pl.coalesce(days.cast(pl.Date).dt.strftime("%Y-%m-%d"), text))["text"]


def _read(texts: pl.Series, patterns: tuple[str, ...]) -> Dates:
    """Read the dates that one of the patterns matches."""
    text = pl.col("text").str.strip_chars()

    def part(name: str) -> pl.Expr:
        groups = [(pattern, re.compile(pattern).groupindex.get(name)) for pattern in patterns]
        found = pl.coalesce([text.str.extract(pattern, group) for pattern, group in groups if group])
        if name == "month":
            short = found.str.to_lowercase().str.slice(0, 3)
            found = short.replace(_MONTHS, [str(number) for number in range(1, 13)])
        return found.str.strip_prefix("+").cast(pl.Int64, strict=False).fill_null(_MISSING).alias(name)

    parts = pl.DataFrame({"text": texts}).select(part("year"), part("month"), part("day"))
    year, month, day = (parts[name].to_numpy().copy() for name in parts.columns)
    readable = (year != _MISSING) & ((month == _MISSING) | ((month >= 1) & (month <= 12)))
    safe_year, safe_month = np.where(readable, year, 2000), np.where(readable & (month > 0), month, 1)
    readable &= (day == _MISSING) | ((day >= 1) & (day <= days_in_month(safe_year, safe_month)))
    for values in (year, month, day):
        values[values == _MISSING] = 0
    return Dates(year, month, day, readable)


def days_from_date(year: Integers | int, month: Integers | int, day: Integers | int) -> Integers:
    """Return the number of days from 1970-01-01 to each date; month 13 is January of the next year."""
    months = np.asarray((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    return np.asarray(months.astype("datetime64[D]").astype(np.int64) + day - 1)


def date_from_days(days: int) -> tuple[int, int, int]:
    """Return the (year, month, day) that is `days` after 1970-01-01."""
    month = np.datetime64(days, "D").astype("datetime64[M]")
    years, months = divmod(int(month.astype(np.int64)), 12)
    return 1970 + years, months + 1, days - int(month.astype("datetime64[D]").astype(np.int64)) + 1


def days_in_month(year: Integers, month: Integers) -> Integers:
    """Return the number of days of each month."""
    return days_from_date(year, month + 1, 1) - days_from_date(year, month, 1)
