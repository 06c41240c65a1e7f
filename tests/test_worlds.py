"""The invented world: what the tests that look for planted answers would not notice."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import worlds
from chronotope.datasets.invented import Change, invented_world
from chronotope.errors import SettingsError


def test_the_same_seed_gives_the_same_records() -> None:
    assert invented_world(documents=100, seed=7).records == invented_world(documents=100, seed=7).records
    assert invented_world(documents=100, seed=7).records != invented_world(documents=100, seed=8).records


def test_a_change_of_company_is_no_change_of_frequency() -> None:
    world = invented_world()
    for change in world.changes:
        if change.place is None:
            words: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
            for record in world.records:
                for sentence in worlds.sentences(record):
                    words[record["time"] >= str(change.time)].update(sentence)
            before, after = (count[change.word] / count.total() for count in words.values())
            # Poisson: within four standard errors
            error = np.sqrt(before / words[False].total() + after / words[True].total())
            assert abs(after - before) < 4 * error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"documents": 0}, "at least one"),
        ({"places": ()}, "at least one"),
        ({"changes": [Change("judge", worlds.RIVER, worlds.MONEY)]}, "judge is not"),
        ({"changes": [Change("bank", worlds.RIVER, ("gold",))]}, "one of TOPICS"),
        ({"changes": [Change("bank", worlds.RIVER, worlds.MONEY, share=0.2)]}, "at most that of a topic"),
    ],
)
def test_impossible_worlds_are_refused(arguments, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        invented_world(**arguments)


def test_pairs_are_of_time_place_or_both() -> None:
    with pytest.raises(SettingsError, match="not 'region'"):
        worlds.places().pairs("region")
