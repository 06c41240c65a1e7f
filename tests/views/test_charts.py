import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.analysis import company
from chronotope.conditions import Conditions
from chronotope.errors import SettingsError
from chronotope.views import charts
from chronotope.views.labels import spread
from embeddings.invented import random_embeddings


@pytest.fixture(scope="module")
def lines():
    return charts.company(company(random_embeddings(), "w3"), subtitle="an invented corpus")


def texts(path):
    return [element.text for element in ElementTree.parse(path).iter() if element.text]


def test_the_picture_names_the_word_its_company_and_the_corpus(lines, tmp_path):
    charts.save(lines, tmp_path / "a.svg")
    shown = texts(tmp_path / "a.svg")
    answer = company(random_embeddings(), "w3")
    for wanted in ("The company that “w3” keeps", "an invented corpus", *(c.word for c in answer.companions)):
        assert shown.count(wanted) == 1
    assert {f"nearest in {label}" for label in answer.looked_at} & set(shown)
    assert set(answer.looked_at) <= set(shown)


def test_places_become_tiles_and_absent_words_dots(tmp_path):
    embeddings = random_embeddings(conditions=Conditions.of_places(["canada", "ghana", "india"]), seed=3)
    answer = company(embeddings, "w3")
    charts.save(charts.company(answer), tmp_path / "a.svg")
    values = [value for companion in answer.companions for value in companion.similarity]
    shown = texts(tmp_path / "a.svg")
    assert shown.count("·") == values.count(None) > 0
    for value in values:
        assert value is None or f"{value:.2f}".replace("-", "−") in [text.replace("-", "−") for text in shown]


@pytest.mark.parametrize(
    ("name", "begins"), [("a.png", b"\x89PNG"), ("a.PDF", b"%PDF"), ("a.svg", b"<svg"), ("a.html", b"<!DOCTYPE html>")]
)
def test_the_suffix_says_the_format(lines, tmp_path, name, begins):
    charts.save(lines, tmp_path / name)
    assert (tmp_path / name).read_bytes().lstrip().startswith(begins)


def test_a_page_loads_nothing(lines, tmp_path):
    charts.save(lines, tmp_path / "a.html")
    assert not re.search(r"<(script|link)[^>]+(src|href)=", (tmp_path / "a.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["a.bmp", "a"])
def test_another_suffix_is_an_error_that_names_the_right_ones(lines, tmp_path, name):
    with pytest.raises(SettingsError, match=r"cannot draw a.*\.png, \.svg, \.pdf or \.html"):
        charts.save(lines, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_word_in_one_condition_can_be_drawn(tmp_path):
    embeddings = random_embeddings(conditions=Conditions.of_times(["1990"]))
    word = next(word for word in embeddings.words if embeddings.count(word, "1990") >= 5)
    charts.save(charts.company(company(embeddings, word)), tmp_path / "a.svg")
    assert f"The company that “{word}” keeps" in texts(tmp_path / "a.svg")


@given(st.lists(st.floats(0, 1), max_size=10), st.floats(0.01, 0.1))
def test_labels_are_apart_in_order_and_inside(places, gap):
    found = spread(places, gap, 0, 1)
    order = sorted(range(len(places)), key=lambda i: places[i])
    for a, b in pairwise(order):
        assert found[b] - found[a] >= gap - 1e-6
    assert all(-1e-6 <= place <= 1 + 1e-6 for place in found)


def test_labels_with_room_stay_where_they_are():
    assert spread([0.9, 0.1, 0.5], 0.2, 0, 1) == [0.9, 0.1, 0.5]
    assert spread([], 0.2, 0, 1) == []
