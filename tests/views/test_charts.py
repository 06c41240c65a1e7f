"""The four families of charts, through `Answer.plot` and `Answer.save`: what a reader finds in the picture."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ElementTree
from itertools import combinations, pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.analysis.answer import Answer
from chronotope.analysis.charts import Lines, Plane, Ranked, Tiles
from chronotope.views.charts.placing import place_labels, spread


def replace(answer, rows=None, **more):
    """The answer with other rows, facts or chart."""
    return dataclasses.replace(answer, rows=answer.frame if rows is None else rows, **more)


YEARS = [str(year) for year in range(1990, 2000)]
SERIES = Lines(y="similarity", band=("low", "high"))


def series(words=("bank", "prime_minister"), conditions=YEARS, axis="time", **more):
    rows = [
        {"word": word, "condition": label, "count": 9, "similarity": 0.9 - at / 20, "corrected": None}
        | {"low": None, "high": None}
        for word in words
        for at, label in enumerate(conditions)
    ]
    return Answer(rows, title="bank: similarity", facts={"axis": axis}, signature="v1|graph", chart=SERIES, **more)


def changed(answer, **columns):
    """The answer with other values in the rows of some conditions: changed(answer, count={'1995': 3})."""
    frame = answer.frame
    for name, values in columns.items():
        known = pl.col("condition").replace_strict(values, default=pl.col(name), return_dtype=frame[name].dtype)
        frame = frame.with_columns(known.alias(name))
    return replace(answer, rows=frame)


@pytest.fixture
def texts(tmp_path):
    """All texts of the picture of an answer, in the order of drawing."""

    def read(answer):
        answer.save(tmp_path / "chart.svg")
        return [element.text for element in ElementTree.parse(tmp_path / "chart.svg").iter() if element.text]

    return read


def rows(answer, column):
    """All rows of a chart's data that have a column."""
    return [row for data in answer.plot().to_dict()["datasets"].values() for row in data if column in row]


def marks(answer):
    """The kinds of marks of a chart."""
    found = []

    def walk(part):
        if isinstance(part, dict):
            found.extend([part["mark"]["type"]] if "mark" in part else [])
            part = list(part.values())
        if isinstance(part, list):
            for value in part:
                walk(value)

    walk(answer.plot().to_dict())
    return set(found)


def test_title_labels_caption_and_footnote_are_in_the_picture(texts):
    assert any("graph" in text for text in texts(series())), "a footnote without a caption"
    answer = series(notes=["Left out: prime_minister in 2000."])
    shown = texts(answer)
    for text in ("bank: similarity", "bank", "prime minister", "Left out: prime minister in 2000.", "1990", "1999"):
        assert text in shown
    assert "cosine of the two vectors" in shown
    assert "v1 · graph" in shown


@pytest.mark.parametrize(
    ("name", "begins"), [("a.png", b"\x89PNG"), ("a.PDF", b"%PDF"), ("a.svg", b"<svg"), ("a.html", b"<!DOCTYPE html>")]
)
def test_the_ending_names_the_format(tmp_path, name, begins):
    series().save(tmp_path / name)
    content = (tmp_path / name).read_bytes()
    assert content.lstrip().startswith(begins)
    assert b"cdn.jsdelivr" not in content, "nothing is loaded from the network"


def test_the_same_answer_gives_the_same_picture(tmp_path):
    for name in ("a.svg", "b.svg"):
        series().save(tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_an_answer_without_rows_is_an_empty_picture(texts):
    assert any("Nothing to draw" in text for text in texts(replace(series(), rows=series().frame.clear())))


def test_a_missing_time_keeps_its_place_and_breaks_the_line():
    answer = series(["bank"])
    gap = replace(answer, rows=answer.frame.filter(pl.col("condition") != "1994"))
    known = replace(gap, facts={"axis": "time", "conditions": YEARS})
    assert [row["y"] is None for row in rows(known, "dash")] == [label == "1994" for label in YEARS]
    assert [row["x"] for row in rows(known, "dash")] == YEARS


def test_lines_that_start_at_different_times_share_one_order():
    frame = series(["late", "early"]).frame
    late, early = pl.col("word") == "late", pl.col("condition") < "1995"
    answer = replace(series(), rows=frame.filter((late & ~early) | (~late & early)))
    assert [row["x"] for row in rows(answer, "dash")] == YEARS * 2


def test_few_occurrences_are_faint_and_the_caption_says_so(texts):
    assert not any("fewer than 5" in text for text in texts(series()))
    answer = changed(series(["bank"]), count={"1995": 3})
    assert any("fewer than 5" in text for text in texts(answer))
    assert [row["x"] for row in rows(answer, "stroke") if row["fill"] == "white"] == ["1995"]


def test_the_corrected_value_is_drawn_and_far_intervals_are_cut(texts):
    answer = series(["bank"])
    better = [value - 0.1 for value in answer["similarity"]]
    columns = {"corrected": better, "low": [value - 0.01 for value in better], "high": [value + 5 for value in better]}
    answer = replace(answer, rows=answer.frame.with_columns(pl.Series(*column) for column in columns.items()))
    assert [row["y"] for row in rows(answer, "dash")] == pytest.approx(better)
    shown = texts(answer)
    assert "cosine of the two vectors, corrected for noise" in shown
    assert "Intervals that reach far beyond the points are cut." in shown
    assert "area" in marks(answer)


def test_of_many_lines_some_are_drawn_and_the_others_named(texts):
    words = [f"word{number}" for number in range(15)]
    shown = texts(series(words))
    assert {"word0", "word11"} <= set(shown)
    assert "Drawn: 12 of 15 lines, without word12, word13, word14." in shown


def test_pairs_of_words_have_a_line_each(texts):
    pairs = [
        {"word": a, "other": b, "condition": label, "count": 9, "similarity": 0.5}
        for a, b in combinations(["oil", "gas", "war"], 2)
        for label in YEARS
    ]
    answer = Answer(pairs, title="pairs", facts={"axis": "time"}, chart=Lines(y="similarity", color="other"))
    assert {"oil – gas", "oil – war", "gas – war"} <= set(texts(answer))


def test_places_and_single_conditions_are_bars_in_the_order_of_their_values():
    answer = changed(series(["bank"], ["ghana", "india", "kenya"], "place"), similarity={"india": 0.99})
    assert "bar" in marks(answer)
    assert [row["label"] for row in rows(answer, "zero")] == ["india", "ghana", "kenya"]
    assert [row["label"] for row in rows(series(conditions=["1990"]), "zero")] == ["bank", "prime minister"]


def test_of_many_places_every_sense_has_a_panel(texts):
    """With a bar for each place, only its commonest sense would have a value."""
    shares = [
        {"sense": sense, "condition": f"place {at}", "share": at / 10 if sense == "money" else 1 - at / 10}
        for at in range(8)
        for sense in ("money", "river")
    ]
    chart = Lines(y="share", color="sense", faint=None)
    answer = Answer(shares, title="bank: 2 senses", facts={"axis": "place"}, chart=chart)
    shown = texts(answer)
    assert (shown.count("money"), shown.count("river"), shown.count("place 3")) == (1, 1, 2)
    assert len(rows(answer, "zero")) == 16


def test_time_and_place_have_a_line_for_each_place_and_a_panel_for_each_word(texts):
    both = [f"{year}/{place}" for year in YEARS for place in ("arlen", "borva")]
    assert {"arlen", "borva"} <= set(texts(series(["bank"], both, "time × place")))
    shown = texts(series(["bank", "river"], both, "time × place"))
    assert (shown.count("arlen"), shown.count("river")) == (2, 1)
    assert {"1990", "Place: arlen."} <= set(texts(series(["bank"], [f"{year}/arlen" for year in YEARS], "time")))


def test_ranked_rows_have_values_intervals_and_details(texts):
    drift = [
        {"word": "prime_minister", "change": 0.8, "low": 0.7, "high": 0.9}
        | {"neighbors_before": ["king", "crown"], "neighbors_after": ["head_of_state"]},
        {
            "word": "bank",
            "change": -0.25,
            "low": -0.5,
            "high": None,
            "neighbors_before": [],
            "neighbors_after": ["money"],
        },
    ]
    detail = ("neighbors_before", "neighbors_after")
    chart = Ranked(label="word", value="change", band=("low", "high"), detail=detail, faint=None)
    shown = texts(Answer(drift, title="Words that changed", chart=chart))
    assert {"prime minister", "king, crown → head of state", "– → money", "0.800", "−0.250"} <= set(shown)
    assert "Without an interval: bank." in shown


@pytest.mark.parametrize("conditions", [YEARS[:4], YEARS])
def test_what_has_no_counterpart_is_hollow_and_said(texts, conditions):
    found = [
        {"condition": label, "equivalent": f"{name}{label}", "similarity": 0.5, "count": 9, "needed": 0.3}
        | {"match": label != "1991"}
        for label in conditions
        for name in (["obama", "bush"] if label != "1991" else ["nobody"])
    ]
    chart = Ranked(label="equivalent", value="similarity", group="condition")
    answer = Answer(found, title="clinton: equivalents", chart=chart)
    shown = texts(answer)
    assert set(conditions) <= set(shown)
    assert sum("no counterpart" in text for text in shown) == 1
    assert any("obama1990" in text for text in shown)
    assert [row["fill"] for row in rows(answer, "needed") if row.get("hollow")] == ["white"]


def tiles(labels, value=lambda a, b: 0.5 + (a + b) / 1000, **columns):
    cells = [
        {"condition": a, "against": b, "count": 9, "similarity": value(x, y), "changed": False}
        for x, a in enumerate(labels)
        for y, b in enumerate(labels)
    ]
    chart = Tiles(x="condition", y="against", value="similarity", mark="changed")
    return changed(Answer(cells, title="similarity", facts={"axis": "time"}, chart=chart), **columns)


def test_tiles_hold_numbers_marks_hatches_and_gaps(texts):
    answer = tiles(YEARS[:3], changed={"1991": True}, count={"1992": 2}, similarity={"1990": None})
    shown = texts(answer)
    assert ".5010" in shown
    assert {"Orange frame: a significant change begins here.", "Hatched: fewer than 5 occurrences."} <= set(shown)
    assert "Empty: no value." in shown
    assert len(rows(answer, "mark")) == 6


def test_places_have_the_tree_in_which_they_join(texts):
    names = ["arlen", "borva", "celdon"]
    cells = [
        {"place": a, "other": b, "distance": 0.1 * abs(x - y), "group": 1 + (x > 1), "other_group": 1 + (y > 1)}
        for x, a in enumerate(names)
        for y, b in enumerate(names)
    ]
    facts = {"axis": "place", "merges": [[0, 1, 0.1], [2, 3, 0.15]]}
    answer = Answer(cells, title="Distances", facts=facts, chart=Tiles("place", "other", "distance", faint=None))
    assert {"distance at which they join", "group 1", "group 2", "arlen"} <= set(texts(answer))


@pytest.mark.parametrize("years", [YEARS, [*YEARS[:4], *YEARS[5:]]], ids=["whole", "gap"])
def test_a_path_names_every_step_and_neighbor_and_is_dotted_over_a_time_that_is_left_out(texts, years):
    path = [{"kind": "path", "label": label, "x": at, "y": at % 3, "count": 9} for at, label in enumerate(years)]
    near = [{"kind": "neighbor", "label": f"n{at}", "x": at, "y": 2 - at % 2, "count": None} for at in range(8)]
    facts = {"axis": "time", "conditions": YEARS}
    answer = Answer(path + near, title="bank", facts=facts, chart=Plane("x", "y", "label", kind="kind"))
    shown = texts(answer)
    assert all(shown.count(text) == 2 for text in [*years, *(f"n{at}" for at in range(8))])  # with their outlines
    gaps = len(YEARS) - len(years)
    assert [row["far"] for row in rows(answer, "far")].count(True) == gaps
    assert ("Dotted: time bins in between are left out." in shown) == bool(gaps)


def test_of_many_lines_no_intervals_are_drawn_and_the_caption_says_so(texts):
    low = dict.fromkeys(YEARS, 0.1)
    few, many = (changed(series(words), low=low, high=low) for words in (["a", "b"], "abcdefg"))
    assert "area" in marks(few)
    assert "area" not in marks(many)
    assert "Intervals are not drawn: there are too many lines." in texts(many)


PLACES = {
    "France": (46.6, 2.4),
    "Italy": (42.8, 12.5),
    "Fiji": (-17.7, 178.0),
    "Samoa": (-13.8, -172.1),
    "Avalon": None,
}


def places(names=PLACES, **facts):
    found = [
        {"place": name, "count": 9, "value": None if name == "Italy" else at / 10, "low": None, "high": None}
        | dict(zip(("lat", "lon"), PLACES[name] or (None, None), strict=True))
        for at, name in enumerate(names)
    ]
    chart = Plane(x="lon", y="lat", label="place", value="value")
    return Answer(found, title="bank by place", facts={"axis": "place", **facts}, chart=chart)


def test_a_map_has_borders_every_place_and_says_what_is_missing(texts):
    shown = texts(places())
    assert {"France 0.00", "Italy", "Fiji 0.20", "White: no value."} <= set(shown)
    assert "Without coordinates, so not on the map: Avalon." in shown
    assert "geoshape" in marks(places())


def test_a_map_is_cut_where_there_are_no_places():
    """Fiji and Samoa lie on either side of the date line, and side by side on the map."""
    fiji, samoa = (row["x"] for row in rows(places(["Fiji", "Samoa"]), "value") if "opacity" in row)
    assert 0 < fiji < samoa < 680


def test_polygons_are_colored_in_either_direction():
    square = [[0, 40], [10, 40], [10, 50], [0, 50], [0, 40]]
    for ring in (square, square[::-1]):
        feature = {
            "type": "Feature",
            "properties": {"NAME": "FRANCE"},
            "geometry": {"type": "Polygon", "coordinates": [ring]},
        }
        answer = places(["France", "Italy"], polygons={"type": "FeatureCollection", "features": [feature]})
        (shape,) = (row for row in rows(answer, "geometry") if row.get("text") == "France")
        assert shape["geometry"]["coordinates"][0][0][1] == [0, 50], "clockwise, as the renderer wants it"


def test_a_map_without_coordinates_is_bars():
    assert [row["label"] for row in rows(places(["Avalon"]), "zero")] == ["Avalon"]


FRAME = (600.0, 400.0)


@given(st.lists(st.tuples(st.floats(60, 540), st.floats(40, 360)), min_size=1, max_size=12))
def test_no_label_lies_over_another_or_outside(points):
    boxes = place_labels(points, [(50, 14)] * len(points), FRAME)
    for a, b in combinations(boxes, 2):
        assert abs(a.x - b.x) >= 50 - 1e-6 or abs(a.y - b.y) >= 14 - 1e-6
    assert all(25 <= box.x <= FRAME[0] - 25 and 7 <= box.y <= FRAME[1] - 7 for box in boxes)


@given(st.lists(st.floats(0, 1), max_size=10), st.floats(0.01, 0.1))
def test_labels_of_lines_are_apart_in_order_and_inside(places, gap):
    found = spread(places, gap, 0, 1)
    order = sorted(range(len(places)), key=lambda at: places[at])
    assert all(found[b] - found[a] >= gap - 1e-6 for a, b in pairwise(order))
    assert all(-1e-6 <= place <= 1 + 1e-6 for place in found)
