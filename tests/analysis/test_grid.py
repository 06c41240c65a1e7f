import polars as pl

import chronotope as ct
from chronotope.datasets.invented import TOPICS, Change, invented_world


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


def test_a_place_where_the_word_is_rare_has_no_value(over_both):
    answer = ct.grid(over_both, "gas", min_count=20)
    assert any(change["after"] is None for change in answer.facts["changes"])
    assert all((row["value"] is None) == (row["count"] < 20) for row in answer)
