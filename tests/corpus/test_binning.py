"""Bins agree with the calendar of the standard library, and go on beyond it; what is no date is never a fault."""

from __future__ import annotations

import datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.config import NamedBin
from chronotope.corpus.binning import regular_bins
from chronotope.corpus.dates import date_from_days, read_dates
from chronotope.corpus.source import read_corpus
from worlds import tokenize

EVERY = ("1y", "10y", "7y", "100y", "1q", "1mo", "6mo", "1w", "1d")
DAYS = st.integers(-4_000_000, 4_000_000)  # about the years -9000 to 12900


def binned(texts: list[str], every: str) -> tuple[list[int], list[str]]:
    """The keys of the bins of readable dates, and their labels."""
    bins, dates = regular_bins(every), read_dates(pl.Series(texts, dtype=pl.String))
    keys = bins.assign(dates).key[dates.readable].tolist()
    return keys, [bins.label(key) for key in keys]


@given(st.dates())
def test_days_and_weeks_agree_with_the_standard_library(date):
    year, week, _ = date.isocalendar()
    assert binned([date.isoformat()], "1w")[1] == [f"{year:04d}-W{week:02d}"]
    assert binned([date.isoformat()], "1d")[1] == [date.isoformat()]


def written(year: int, month: int, day: int) -> str:
    """In ISO form: years beyond four digits and before our era have a sign."""
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


@settings(max_examples=100)
@given(DAYS, DAYS, st.sampled_from(EVERY))
def test_bins_keep_the_order_of_days_and_have_a_name_each(one, other, every):
    keys, labels = binned([written(*date_from_days(day)) for day in sorted([one, other])], every)
    assert keys[0] <= keys[1]
    assert (labels[0] == labels[1]) == (keys[0] == keys[1])


@settings(max_examples=200)
@given(st.lists(st.one_of(st.text(max_size=30), st.from_regex(r"[-+]?\d{0,12}([-/.T: ]\d{0,4}){0,6}")), max_size=20))
def test_what_is_no_date_is_unreadable_and_never_a_fault(texts):
    for every in ("1y", "1mo", "1w", "1d"):
        assert all(binned(texts, every)[1])


@pytest.mark.parametrize(
    ("text", "every", "expected"),
    [
        ("1998-03-12", "1y", "1998"),
        ("1998-03-12", "10y", "1990s"),
        ("1998", "5y", "1995-1999"),
        ("1998-03-12", "1q", "1998-Q1"),
        ("1998-03", "1mo", "1998-03"),
        ("1998-06-30", "6mo", "1998-01..1998-06"),
        ("1998-02-01", "1w", "1998-W05"),
        ("2021-01-03", "1w", "2020-W53"),
        ("1998-03-12", "1d", "1998-03-12"),
        ("0000-02-29", "1y", "0"),
        ("-44-03", "1y", None),
        ("-0044-03-15", "1y", "-44"),
        ("-0044-03-15", "1d", "-0044-03-15"),
        ("-5", "10y", "-10s"),
        ("+12024", "1y", "12024"),
        ("36526", "1y", None),
        ("+0476-09-04", "1mo", "0476-09"),
    ],
)
def test_labels(text, every, expected):
    assert binned([text], every)[1] == ([expected] if expected else [])


READ = {
    (1998, 0, 0): ["1998", " 1998.0 "],
    (1998, 3, 0): ["1998-03", "March 1998"],
    (1998, 3, 12): [
        *("19980312", "19980312.0", "19980312T101500Z", "1998-03-12T23:59:59-11:00", "1998-03-12 10:15"),
        *("1998-03-12T10:15:00.123456Z", "12 March 1998", "12th of March, 1998", "March 12th, 1998", "12-Mar-1998"),
        *("Thu, 12 Mar 1998 23:30:00 -0500", "1998/3/12"),
    ],
    (2000, 2, 29): ["2000-02-29"],
    (1900, 9, 5): ["SEPT. 5 1900"],
    (2018, 10, 10): ["Wed Oct 10 20:19:24 +0000 2018"],
    (1987, 11, 26): ["26.11.1987"],
}
UNREADABLE = [
    *("98", "7", "", "no date", "12/03/1998", "1998-3", "1998-13", "1998-00", "1998-02-30", "1900-02-29", "199803"),
    *("19981332", "1998.5", "c. 1998", "1998-99", "1998-03-12x", "5 May 98", "May 5", "Marx 5 1998", "May"),
    *("31 February 1998", "29 Feb 1900", "1998/13/01", "1998-03-\uff11\uff12"),
]


@pytest.mark.parametrize(("expected", "text"), [(date, text) for date, texts in READ.items() for text in texts])
def test_dates_that_can_be_read_in_one_way_only_are_read(text, expected):
    dates = read_dates(pl.Series(["no date", text, "1998-03-12"]))
    assert dates.readable.tolist() == [False, True, True]
    assert (dates.year[1], dates.month[1], dates.day[1]) == expected
    assert read_dates(pl.Series([text])).readable.all()


@pytest.mark.parametrize("text", UNREADABLE)
def test_other_dates_are_not(text):
    assert not read_dates(pl.Series([text])).readable.any()


def test_bins_are_ordered_by_time_and_places_by_letter(tmp_path):
    given = [("+12024", "b"), (2024, "Ç"), (-5, "a/b"), (2024, "B"), (2024, "É"), (2024, "a/b"), (2024, "A/B")]
    rows = [{"text": "a", "year": year, "place": place} for year, place in given]
    store = tokenize(read_corpus(rows, time="year", place="place"), tmp_path / "s")
    assert store.conditions.labels == ("-5/a/b", "2024/a/b", "2024/b", "2024/Ç", "2024/É", "12024/b")
    assert store.conditions.index("2024/A/B") == 1
    assert store.document_condition.tolist() == [0, 1, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("kind", ["mapping", "tuple", "list", "bin"])
@pytest.mark.parametrize(
    ("start", "end"), [(1990, 1999), ("1990", "1999"), (datetime.date(1990, 1, 1), datetime.date(1999, 12, 31))]
)
def test_named_bins_may_be_plain_data(kind, start, end, tmp_path):
    item = {
        "mapping": {"name": "nineties", "start": start, "end": end},
        "tuple": ("nineties", start, end),
        "list": ["nineties", start, end],
        "bin": NamedBin("nineties", start, end),
    }[kind]
    corpus = read_corpus([{"text": "a", "year": 1998}, {"text": "b", "year": 2001}], time="year", bins=[item])
    assert all(isinstance(edge, str) for edge in (corpus.settings.bins[0].start, corpus.settings.bins[0].end))
    assert tokenize(corpus, tmp_path / "s").conditions.labels == ("nineties",)
