from __future__ import annotations

import pytest

from chronotope.conditions import Conditions
from chronotope.errors import SettingsError, UnknownConditionError

TIME_AND_PLACE = Conditions(
    times=("1990", "1991", "1992"),
    places=("canada", "india"),
    time_of=(0, 0, 1, 2, 2),
    place_of=(0, 1, 0, 0, 1),
)


def test_time_bins_form_a_chain_up_to_the_last():
    edges = Conditions.of_times(["1990", "1991", "1992", "1993"]).graph().edges
    assert edges.tolist() == [[0, 1], [1, 2], [2, 3]]


def test_places_form_a_complete_graph():
    assert Conditions.of_places(["a", "b", "c"]).graph().edges.tolist() == [[0, 1], [0, 2], [1, 2]]


def test_time_and_place_are_joined_along_both_axes_and_over_gaps():
    # 1990/india and 1992/india are neighbors: India has no text in between.
    assert TIME_AND_PLACE.labels == ("1990/canada", "1990/india", "1991/canada", "1992/canada", "1992/india")
    assert TIME_AND_PLACE.graph().edges.tolist() == [[0, 1], [0, 2], [1, 4], [2, 3], [3, 4]]


def test_given_edges_between_places_replace_all_pairs():
    places = Conditions.of_places(["canada", "india", "usa"])
    assert places.graph([("usa", "Canada"), ("canada", "usa")]).edges.tolist() == [[0, 2]]
    assert TIME_AND_PLACE.graph([]).edges.tolist() == [[0, 2], [1, 4], [2, 3]]


def test_edges_need_places_that_exist():
    with pytest.raises(UnknownConditionError, match="did you mean india"):
        Conditions.of_places(["canada", "india"]).graph([("canada", "indai")])
    with pytest.raises(SettingsError, match="no places"):
        Conditions.of_times(["1990"]).graph([("a", "b")])


def test_labels_are_found_in_any_case():
    assert TIME_AND_PLACE.index(" 1992/INDIA ") == 4
    with pytest.raises(UnknownConditionError, match="'1993' is not among the 5 conditions"):
        TIME_AND_PLACE.index("1993")


@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("India/1992", "1992/india; did you mean 1992/india\\?"),
        ("India", "'India' is not among the 5 conditions; those of India: 1990/india, 1992/india$"),
        ("1990", "'1990' is not among the 5 conditions; those of 1990: 1990/canada, 1990/india$"),
    ],
)
def test_half_a_label_or_its_halves_exchanged_lead_to_the_conditions_that_are_meant(label, answer):
    with pytest.raises(UnknownConditionError, match=answer):
        TIME_AND_PLACE.index(label)


@pytest.mark.parametrize(("year", "bin_name"), [("1950", "1940-1959"), ("1994", "1990s")])
def test_a_year_leads_to_the_bin_that_contains_it(year, bin_name):
    with pytest.raises(UnknownConditionError, match=f"; {year} is in {bin_name}$"):
        Conditions.of_times(["1920-1939", "1940-1959", "1990s"]).index(year)


def test_too_many_places_to_be_neighbors_are_refused_before_memory_is_taken():
    places = Conditions.of_places([f"place {number}" for number in range(100_000)])
    with pytest.raises(SettingsError, match=r"100,000 places.*4,999,950,000 edges.*--edges.*smoothness"):
        places.graph()
    assert places.graph([("place 1", "place 99999")]).edges.tolist() == [[1, 99_999]]
