"""What each choice does: on an invented world by year, with and without its chain."""

from __future__ import annotations

import pytest

from chronotope.config import CorpusSettings, CountSettings
from chronotope.cooccurrence import Counts
from chronotope.datasets.invented import invented_world
from chronotope.errors import SettingsError
from chronotope.evaluation.evaluate import evaluate
from chronotope.evaluation.renaming import renamed
from chronotope.evaluation.reproduce_ablation import CHOICES, Choice, ablation, choose
from chronotope.evaluation.reproduce_tables import PairFile, Table
from chronotope.methods import default_settings, method_class
from chronotope.views import score_tables

BY_YEAR = Table(
    name="years",
    title="An invented world by year",
    file="world.jsonl",
    corpus=CorpusSettings(time="time"),
    counting=CountSettings(min_count=5),
    pairs=(PairFile("pairs.csv"),),
)
SMALL = {"dimensions": 8}
TRIED = (
    Choice("graph", {}),
    Choice("graph", {"dimensions": 8}),
    Choice("graph", {"dimensions": 10**6}),
    Choice("graph", {}, flat=True),
    Choice("graph", {"half_trust": 0.0}, axis="place"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    world = invented_world(places=("arlen",), documents=480)
    world.write_records(folder / "world.jsonl")
    world.write_pairs(folder / "pairs.csv", "time")
    said = []
    answer = ablation(folder / "out", TRIED, tables=[BY_YEAR], data=folder, threads=1, say=said.append)
    return answer, folder, said


def test_every_choice_has_both_scores_and_its_distance_to_the_model_as_it_is(made):
    plain, small, huge, flat, elsewhere = made[0].rows
    assert (huge.figures, elsewhere.figures) == ({}, {}), "what failed, and what makes no difference here"
    figures = {name: row.figures["years"] for name, row in (("plain", plain), ("small", small), ("flat", flat))}
    assert figures["plain"].difference is None
    for name in ("small", "flat"):
        assert figures[name].difference.difference == pytest.approx(figures[name].mrr - figures["plain"].mrr)
    assert figures["plain"].held_out > figures["small"].held_out, "eight dimensions are too few"
    assert figures["flat"].held_out is None, "its held-out contexts are weighed otherwise"
    assert all(one.seconds > 0 and one.peak_bytes > 2**25 and one.seeds == (1,) for one in figures.values())
    assert made[0].skipped.keys() == {"graph dimensions=1e+06, years"}


def test_graph_is_asked_for_renamed_words_with_every_choice(made):
    plain, small, _, flat, _ = made[0].rows
    for row in (small, flat):
        figures = row.figures["years"]
        apart = figures.renamings - plain.figures["years"].renamings
        assert figures.renamings_difference.difference == pytest.approx(apart)
    assert plain.figures["years"].renamings_difference is None
    assert sorted(path.name for path in (made[1] / "out").glob("*.run")) == [
        "ablation-years-flat.run",
        "ablation-years.run",
    ], "renamed words need no counts of their own"
    settings = default_settings("graph")
    counts = renamed(Counts.open(made[1] / "out" / "ablation-years.run"))
    again = evaluate(method_class("graph")(**settings).fit(counts.counts), counts.pairs)
    assert plain.figures["years"].renamings == pytest.approx(again.mrr)


def test_what_is_done_is_not_done_again_although_the_models_are_gone(made, monkeypatch):
    answer, folder, said = made
    assert list((folder / "out").glob("*.ct")) == []
    monkeypatch.setattr("chronotope.evaluation.reproduce.fit_apart", None)
    tried = [choice for choice in TRIED if choice.changed.get("dimensions") != 10**6]
    again = ablation(folder / "out", tried, tables=[BY_YEAR], data=folder)
    before = {row.choice.name: row.figures for row in answer.rows}
    assert all(row.figures == before[row.choice.name] for row in again.rows)
    assert sum("training" in line for line in said) == 4 + 3, "what failed is not tried again under other names"


def test_the_table_says_what_cannot_be_compared(made):
    text = score_tables.ablation(made[0])
    lines = {line.split("|")[1].strip(): line for line in text.splitlines() if line.startswith("|")}
    assert "| – |" in lines["graph flat counts"]
    assert lines["graph"].split("|")[3].strip() == f"{made[0].rows[0].figures['years'].renamings:.3f}"
    assert set(lines["graph half_trust=0"].split("|")[2:]) == {"  ", ""}
    assert "graph dimensions=1e+06, years was skipped: " in text


def test_every_choice_can_be_made_and_changes_something():
    assert len({choice.name for choice in CHOICES}) == len(CHOICES)
    for choice in CHOICES:
        defaults = default_settings(choice.method)
        assert all(defaults[name] != value for name, value in choice.changed.items())
        method_class(choice.method)(**(defaults | dict(choice.changed)))


def test_choices_by_name():
    assert {choice.method for choice in choose(["cw2v"])} == {"cw2v"}
    assert len(choose(["cw2v"])) == sum(choice.method == "cw2v" for choice in CHOICES)
    assert [choice.name for choice in choose(["graph flat counts"])] == ["graph", "graph flat counts"]
    assert choose() == list(CHOICES)
    with pytest.raises(SettingsError, match="did you mean graph half_trust=0"):
        choose(["graph half_trust=1"])
