"""The chart of frequencies: every word and condition in it, bands around the points."""

from __future__ import annotations

import pytest

import chronotope as ct
import worlds
from chronotope.errors import InputError
from chronotope.views import frequency_chart


def points(chart):
    described = chart.to_dict()
    named = described.get("datasets", {})
    layers = [layer["data"] for layer in described["layer"] if "data" in layer]
    return max(
        (named.get(data.get("name"), data.get("values", [])) for data in [*layers, described.get("data", {})]), key=len
    )


def test_lines_over_time_have_bands(drifting):
    answer = ct.frequency(drifting, ["bank", "river"])
    chart = frequency_chart.frequency(answer, subtitle="Invented")
    rows = points(chart)
    assert len(rows) == 20
    assert all(row["low"] <= row["y"] <= row["high"] for row in rows)
    assert "Invented" in chart.to_dict()["title"]["subtitle"]
    assert any(layer["mark"]["type"] == "area" for layer in chart.to_dict()["layer"])


def test_places_are_rows_the_most_frequent_first(counts_of):
    counts = counts_of(worlds.places(documents=300), place="place")
    answer = ct.frequency(counts, ["river", "the"])
    chart = frequency_chart.frequency(answer).to_dict()
    order = chart["layer"][0]["encoding"]["y"]["sort"]
    rates = {row.condition: row.per_million for row in answer.of("river")}
    assert order == sorted(rates, key=lambda place: -rates[place])


def test_times_and_places_are_rows_in_their_order(counts_of):
    counts = counts_of(worlds.time_and_place(documents=300), time="time", place="place")
    answer = ct.frequency(counts, "river")
    chart = frequency_chart.frequency(answer).to_dict()
    assert chart["layer"][0]["encoding"]["y"]["sort"] == list(answer.conditions)


def test_nothing_to_draw_is_told():
    rows = [{"text": "a hapax here", "year": 1990}, {"text": "none there", "year": 1991}] * 2
    counts = ct.count(ct.read_corpus(rows, time="year"), min_count=1)
    with pytest.raises(InputError, match="nothing to draw"):
        frequency_chart.frequency(ct.frequency(counts, "hapax", at="1991"))
