import pytest

from chronotope.analysis import grid
from chronotope.errors import SettingsError


def test_the_place_that_changes_comes_first_with_its_year(over_both):
    """'gas' changes in arlen alone, in 1993; 'bank' everywhere in that year."""
    answer = grid(over_both, "gas")
    assert (answer.changes[0].place, answer.changes[0].first) == ("arlen", "1993")
    assert [change.accepted for change in answer.changes] == [True, False, False]
    arlen = [row[answer.places.index("arlen")] for row in answer.values]
    borva = [row[answer.places.index("borva")] for row in answer.values]
    assert max(arlen[3:]) < 0.65 < 0.8 < min(borva)
    assert {change.first for change in grid(over_both, "bank").changes if change.accepted} == {"1993"}


def test_along_an_axis_the_new_use_is_at_the_other_end(over_both):
    answer = grid(over_both, "gas", "(car + road + driver) - (energy + coal + power)")
    assert answer.measure == "(car + road + driver) - (energy + coal + power)"
    at = answer.places.index("arlen")
    assert answer.values[0][at] < 0 < answer.values[5][at]
    assert answer.values[5][answer.places.index("borva")] < 0


def test_leaders_come_before_followers(counts_of):
    """A word that changes in 1992 in one place and in 1995 in another."""
    from chronotope.datasets.invented import TOPICS, Change, invented_world
    from chronotope.methods import GraphModel

    company = {"before": TOPICS["river"], "after": TOPICS["money"], "share": 0.02}
    years = range(1990, 1999)
    early = invented_world(
        years=years, places=("arlen",), documents=1200, changes=(Change("bank", time="1993", **company),)
    )
    late = invented_world(
        years=years, places=("borva",), documents=1200, seed=2, changes=(Change("bank", time="1996", **company),)
    )
    both = type(early)(early.records + late.records, (), ())
    embeddings = GraphModel(dimensions=50).fit(counts_of(both, time="time", place="place"))
    found = [(change.place, change.first) for change in grid(embeddings, "bank").changes if change.accepted]
    assert found == [("arlen", "1993"), ("borva", "1996")]


def test_a_word_that_is_too_rare_in_a_place_is_an_answer_too(over_both):
    answer = grid(over_both, "gas", min_count=20)
    assert min(min(row) for row in answer.support) < 20
    assert any(change.first is None for change in answer.changes)


def test_a_grid_needs_both_axes(over_time):
    with pytest.raises(SettingsError, match="time alone"):
        grid(over_time, "bank")
