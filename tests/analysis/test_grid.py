import polars as pl
import pytest

import chronotope as ct
from chronotope.datasets.invented import TOPICS, Change, invented_world
from chronotope.errors import SettingsError


def values(answer, place):
    return answer.to_polars().filter(pl.col("place") == place)["value"].to_list()


def test_the_place_that_changes_is_marked_in_its_year(over_both):
    """'gas' changes in arlen alone, in 1993; 'bank' everywhere in that year."""
    answer = ct.grid(over_both, "gas")
    assert [row["condition"] for row in answer if row["changed"]] == ["1993/arlen"]
    assert [change["accepted"] for change in answer.facts["changes"]] == [True, False, False]
    # The p of three places is three times that of one, but finer: all words of all places are compared with.
    assert answer.facts["changes"][0]["p"] <= 3 * ct.changepoints(over_both, "gas", place="arlen")["p"][0]
    assert max(values(answer, "arlen")[3:]) < 0.65 < 0.8 < min(values(answer, "borva"))
    assert {row["time"] for row in ct.grid(over_both, "bank") if row["changed"]} == {"1993"}


def test_along_an_axis_the_new_use_is_at_the_other_end(over_both):
    answer = ct.grid(over_both, "gas", formula="(car + road + driver) - (energy + coal + power)")
    assert values(answer, "arlen")[0] < 0 < values(answer, "arlen")[5]
    assert values(answer, "borva")[5] < 0


def test_leaders_come_before_followers(counts_of):
    """A word that changes in 1993 in one place and in 1996 in another."""
    records = []
    for seed, (place, year) in enumerate((("borva", "1996"), ("arlen", "1993")), 1):
        change = Change("bank", TOPICS["river"], TOPICS["money"], time=year, share=0.02)
        world = invented_world(years=range(1990, 1999), places=(place,), documents=1200, seed=seed, changes=(change,))
        records += world.records
    model = ct.GraphModel(dimensions=50).fit(counts_of(type(world)(records, (), ()), time="time", place="place"))
    changes = ct.grid(model, "bank").facts["changes"]
    assert [change["after"] for change in changes if change["accepted"]] == ["1993/arlen", "1996/borva"]


def test_what_is_accepted_has_a_small_p_in_every_answer(over_both):
    """One rule: a change is accepted if its p is at most alpha."""
    for word in over_both.words[20:200:6]:
        answer = ct.grid(over_both, word, alpha=0.2)
        for change in answer.facts["changes"]:
            assert change["accepted"] == (change["p"] is not None and change["p"] <= 0.2)
        assert [row["condition"] for row in answer if row["changed"]] == sorted(
            change["after"] for change in answer.facts["changes"] if change["accepted"]
        )


def test_a_place_where_the_word_is_rare_has_no_value(over_both):
    answer = ct.grid(over_both, "gas", min_count=20)
    assert any(change["after"] is None for change in answer.facts["changes"])
    assert all((row["value"] is None) == (row["count"] < 20) for row in answer)


def test_a_grid_needs_both_axes(over_time):
    with pytest.raises(SettingsError, match="time alone"):
        ct.grid(over_time, "bank")
