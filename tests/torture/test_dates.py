"""Dates of any kind: time zones, years before our era, leap days, the ends of the calendar, and no dates at all."""

from __future__ import annotations

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.corpus.binning import regular_bins
from chronotope.corpus.dates import date_from_days, read_dates

EVERY = ("1y", "10y", "7y", "100y", "1q", "1mo", "6mo", "1w", "1d")
DAYS = st.integers(-4_000_000, 4_000_000)  # about the years -9000 to 12900


def written(year: int, month: int, day: int) -> str:
    """In ISO form: years beyond four digits and before our era have a sign."""
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def binned(texts: list[str], every: str) -> tuple[list[int], list[str]]:
    bins, dates = regular_bins(every), read_dates(pl.Series(texts))
    assert dates.readable.all(), texts
    keys = [int(key) for key in bins.assign(dates).key]
    return keys, [bins.label(key) for key in keys]


@settings(max_examples=100)
@given(DAYS, DAYS, st.sampled_from(EVERY))
def test_bins_keep_the_order_of_days_and_have_a_name_each(one, other, every):
    days = sorted([one, other])
    keys, labels = binned([written(*date_from_days(day)) for day in days], every)
    assert keys[0] <= keys[1]
    assert (labels[0] == labels[1]) == (keys[0] == keys[1])


def test_the_ends_of_the_calendar():
    texts = ["-9999-01-01", "-0044-03-15", "-0001-12-31", "0000-01-01", "0000-02-29", "9999-12-31", "+10000-01-01"]
    for every in EVERY:
        keys, labels = binned(texts, every)
        assert keys == sorted(keys)
        assert len(set(labels)) == len(set(keys))
    assert binned(texts, "1y")[1] == ["-9999", "-44", "-1", "0", "0", "9999", "10000"]


@settings(max_examples=200)
@given(st.lists(st.one_of(st.text(max_size=30), st.from_regex(r"[-+]?\d{0,12}([-/.T: ]\d{0,4}){0,6}")), max_size=20))
def test_what_is_no_date_is_unreadable_and_never_a_fault(texts):
    dates = read_dates(pl.Series(texts, dtype=pl.String))
    for every in ("1y", "1mo", "1w", "1d"):
        bins = regular_bins(every)
        for key in bins.assign(dates).key[dates.readable].tolist():
            assert bins.label(int(key))
