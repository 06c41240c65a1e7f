"""The invented world is what it says: counted in its text, not read from the generator."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import worlds
from chronotope.datasets.invented import DETERMINERS, LINKERS, Change, World, invented_world
from chronotope.errors import SettingsError


def words_of(records: list[dict[str, str]]) -> Counter[str]:
    return Counter(word for record in records for sentence in worlds.sentences(record) for word in sentence)


def share_among(company: Counter[str], words: tuple[str, ...]) -> float:
    """The share of the content words in a word's company that belong to a list."""
    content = sum(count for word, count in company.items() if word not in {*LINKERS, *DETERMINERS})
    return sum(company[word] for word in words) / content


@pytest.fixture(scope="module")
def whole() -> World:
    return invented_world()


def test_the_same_seed_gives_the_same_records() -> None:
    assert invented_world(documents=100, seed=7).records == invented_world(documents=100, seed=7).records
    assert invented_world(documents=100, seed=7).records != invented_world(documents=100, seed=8).records


def test_every_planted_word_has_the_planted_company(whole: World) -> None:
    for change in whole.changes:

        def is_new(record: dict[str, str], change: Change = change) -> bool:
            return (change.time is None or record["time"] >= change.time) and change.place in (None, record["place"])

        new = worlds.company([record for record in whole.records if is_new(record)], change.word)
        old = worlds.company([record for record in whole.records if not is_new(record)], change.word)
        assert share_among(new, change.after) > 0.75, change
        assert share_among(old, change.before) > 0.75, change
        assert share_among(new, change.before) < 0.05, change
        assert share_among(old, change.after) < 0.05, change


def test_a_change_of_company_is_no_change_of_frequency(whole: World) -> None:
    for change in whole.changes:
        if change.place is None:
            by_time = words_of([record for record in whole.records if record["time"] >= str(change.time)])
            others = words_of([record for record in whole.records if record["time"] < str(change.time)])
            after, before = by_time[change.word] / by_time.total(), others[change.word] / others.total()
            # Poisson: within four standard errors
            error = np.sqrt(after / by_time.total() + before / others.total())
            assert abs(after - before) < 4 * error


@pytest.mark.parametrize("axis", ["time", "place", "time × place"])
def test_a_name_occurs_in_its_conditions_only(whole: World, axis: str) -> None:
    shape = ("time" in axis, "place" in axis)
    equivalents = [pair for pair in whole.equivalents if tuple(part is not None for part in pair.at) == shape]
    terms: dict[str, set[tuple[str | None, str | None]]] = {}
    for pair in equivalents:
        terms.setdefault(pair.word, set()).add(pair.at)
    found: dict[str, Counter[tuple[str | None, str | None]]] = {name: Counter() for name in terms}
    for record in whole.records:
        condition = (record["time"] if shape[0] else None, record["place"] if shape[1] else None)
        for name in set().union(*worlds.sentences(record)) & set(terms):
            found[name][condition] += 1
    assert terms
    for name, conditions in terms.items():
        assert set(found[name]) == conditions
        assert min(found[name].values()) >= 5


def test_what_is_written_can_be_read_back(tmp_path) -> None:
    world = worlds.places()
    world.write_pairs(tmp_path / "pairs.csv", "place")
    assert (tmp_path / "pairs.csv").read_text(encoding="utf-8").splitlines() == world.pairs("place")
    world.write_records(tmp_path / "world.jsonl")
    lines = (tmp_path / "world.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == world.records
    with pytest.raises(SettingsError, match="not 'region'"):
        world.pairs("region")


def p_value_of_the_same_company(some: list[dict[str, str]], others: list[dict[str, str]], word: str) -> float:
    a, b = worlds.company(some, word), worlds.company(others, word)
    common = [other for other in a | b if a[other] + b[other] >= 10]
    return float(chi2_contingency([[a[other] for other in common], [b[other] for other in common]]).pvalue)


def test_an_unchanged_world_has_the_same_company_everywhere() -> None:
    """The p-values of the words that elsewhere change, and of names, are those of chance."""
    world = worlds.unchanged()
    assert world.changes == ()
    assert world.equivalents == ()
    planted = invented_world(years=worlds.YEARS, places=("arlen", "borva"), documents=1)
    words = [change.word for change in planted.changes] + ["river", "president", "the", "of"]
    half = {
        "time": lambda record: record["time"] < "1995",
        "place": lambda record: record["place"] == "arlen",
    }
    for first in half.values():
        a = [record for record in world.records if first(record)]
        b = [record for record in world.records if not first(record)]
        values = [p_value_of_the_same_company(a, b, word) for word in words]
        assert min(values) > 0.05 / (20 * len(words))
        assert np.median(values) > 0.1
        frequencies = words_of(a), words_of(b)
        common = [word for word in frequencies[0] | frequencies[1] if sum(f[word] for f in frequencies) >= 10]
        assert chi2_contingency([[f[word] for word in common] for f in frequencies]).pvalue > 1e-3


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
