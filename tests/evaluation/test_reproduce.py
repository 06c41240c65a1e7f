"""A table from the ground up on an invented world, and the parts that it is made of."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import worlds
from chronotope.config import CorpusSettings, CountSettings
from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.datasets.invented import invented_world
from chronotope.errors import DamagedFile, InputError, SettingsError
from chronotope.evaluation.pairs import TestPair, TestPairs
from chronotope.evaluation.reproduce import reproduce
from chronotope.evaluation.reproduce_contenders import Contender, contenders
from chronotope.evaluation.reproduce_data import data_folder, sample_documents
from chronotope.evaluation.reproduce_examples import failures, neighbors_over_conditions
from chronotope.evaluation.reproduce_fit import FitFailed, Job, fit_apart
from chronotope.evaluation.reproduce_paper import paper_figures
from chronotope.evaluation.reproduce_results import WAYS, Answers, Fit, Results, checksum_of_pairs
from chronotope.evaluation.reproduce_summary import summarize_fits
from chronotope.evaluation.reproduce_tables import TABLES, PairFile, Table
from chronotope.methods import GraphModel

TINY = Table(
    name="tiny",
    title="An invented world by year, the first seven of ten years",
    file="world.jsonl",
    corpus=CorpusSettings(time="time", where="time <= 1996"),
    counting=CountSettings(min_count=5),
    pairs=(PairFile("tests/pairs.csv", within=True), PairFile("tests/more.csv", paper="temporal 1")),
)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A data folder: 480 documents, pairs about all ten years, and two pairs of which one is unanswerable."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "tests").mkdir()
    world = invented_world(places=("arlen",), documents=480)
    world.write_records(folder / "world.jsonl")
    world.write_pairs(folder / "tests" / "pairs.csv", "time")
    (folder / "tests" / "more.csv").write_text("river-1990,river-1991\nnosuchword-1990,river-1991\n")
    return folder


@pytest.fixture(scope="module")
def made(data, tmp_path_factory):
    said: list[str] = []
    folder = tmp_path_factory.mktemp("results")
    who = contenders("time", 8, ["graph-8", "dynamic-8"])
    return reproduce(TINY, folder, who, data=data, seeds=(1, 2), threads=1, say=said.append), folder, who, said


def test_every_method_is_trained_with_every_seed_and_asked_everything(made):
    answer, folder, _, _ = made
    assert [(fit.contender, fit.seed) for fit in answer.fits] == [
        ("graph-8", 1), ("dynamic-8", 1), ("graph-8", 2), ("dynamic-8", 2),
    ]  # fmt: skip
    assert all((folder / fit.model).exists() for fit in answer.fits)
    rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    assert len(rows) == 4
    assert all(len(row["answers"]) == len(WAYS) * 2 for row in rows)
    assert all(row["seconds"] > 0 and row["peak_bytes"] > 2**25 for row in rows)
    assert answer.conditions == tuple(str(year) for year in range(1990, 1997))


def test_pairs_about_other_years_are_left_out_and_unknown_words_are_wrong(made, data):
    answer, *_ = made
    asked, more = answer.sections
    lines = (data / "tests" / "pairs.csv").read_text().splitlines()
    assert asked.size == sum(all(f"-{year}," not in f"{line}," for year in (1997, 1998, 1999)) for line in lines)
    assert (more.size, more.same_word, more.lines[0].kinds[0].answerable) == (2, 1, 1)
    assert more.lines[0].kinds[0].same_word > 0
    assert more.lines[0].kinds[0].different_words == 0.0, "its word is not known"
    assert more.lines[0].mean["mrr"] == pytest.approx(more.lines[0].kinds[0].same_word / 2)
    assert more.paper["DW2V"]["mrr"] == 0.42
    assert asked.paper == {}


def test_whoever_copies_the_query_word_gets_the_pairs_that_ask_for_it(made):
    answer, *_ = made
    asked, more = answer.sections
    for section in (asked, more):
        assert section.lines[-1].contender == "copy the query word"
        for kind in section.lines[-1].kinds:
            assert kind.different_words in (None, 0.0)
        assert section.lines[-1].kinds[0].answerable == section.lines[0].kinds[0].answerable
    (copy,) = [line for line in more.lines if line.method == "copy"]
    assert (copy.mean["mrr"], copy.kinds[0].same_word) == (0.5, 1.0)
    assert (copy.spread["mrr"], copy.seconds, copy.peak_bytes) == (0.0, 0.0, None)
    assert all(fit.method != "copy" for fit in answer.fits), "it is no fit: nothing is trained or kept"


def test_what_is_done_is_not_done_again(made, data, monkeypatch):
    answer, folder, who, _ = made
    monkeypatch.setattr("chronotope.evaluation.reproduce.fit_apart", None)
    said: list[str] = []
    again = reproduce(TINY, folder, who, data=data, seeds=(1, 2), say=said.append)
    assert [section.to_dict() for section in again.sections] == [section.to_dict() for section in answer.sections]
    assert all("done before" in line for line in said)
    assert len(said) == 4


def test_a_fit_that_was_not_asked_yet_is_asked_but_not_made_again(made, data, monkeypatch):
    answer, folder, who, _ = made
    results = Results(folder / "results.jsonl")
    whole = answer.fits[0]
    monkeypatch.setattr("chronotope.evaluation.reproduce.fit_apart", None)
    before = results.path.read_bytes()
    results.put(Fit(**(vars(whole) | {"answers": ()})))
    reproduce(TINY, folder, who, data=data, seeds=(1, 2))
    assert results.read()[whole.key] == whole
    assert results.path.read_bytes() == before


def test_a_method_that_cannot_be_trained_is_named_and_the_others_go_on(made, data):
    _, folder, who, _ = made
    broken = Contender("graph-huge", "graph", {"dimensions": 10**6})
    said: list[str] = []
    answer = reproduce(TINY, folder, [broken, who[0]], data=data, seeds=(1, 2), say=said.append)
    assert answer.skipped.keys() == {"graph-huge"}
    assert "more than the" in answer.skipped["graph-huge"]
    assert [fit.contender for fit in answer.fits] == ["graph-8", "graph-8"]
    assert sum("skipped" in line for line in said) == 1, "the second seed is not tried"


def test_the_defaults_take_part_beside_the_common_dimensions():
    names = [contender.name for contender in contenders("place", 50)]
    assert {"graph-50", "graph", "cw2v", "cw2v-paper", "cw2v-authors", "static", "linear", "aligned"} <= set(names)
    assert {"compass", "dynamic", "shared-context-50", "shared-context", "covariate", "additive"} <= set(names)
    assert len(set(names)) == len(names)
    for contender in contenders("place", 50):
        if contender.name not in ("graph", "shared-context", "cw2v-200"):
            assert contender.settings.get("dimensions", 50) == 50
        assert "seed" not in contender.settings
    assert [one.name for one in contenders("place", 200, ["cw2v"])].count("cw2v-200") == 1
    paper = {axis: contenders(axis, 50, ["cw2v-paper"])[0].settings["smoothness"] for axis in ("time", "place")}
    assert paper == {"time": 1.5, "place": 1.0}
    with pytest.raises(SettingsError, match="did you mean graph"):
        contenders("time", 50, ["grpah"])


def test_a_sample_keeps_whole_documents_within_the_cap():
    rng = np.random.default_rng(3)
    texts = [" ".join(["word"] * size) for size in rng.integers(1, 60, 300).tolist()]
    frame = pl.DataFrame({"text": texts, "place": ["a"] * 200 + ["b"] * 99 + ["c"]})
    kept = sample_documents(frame, "place", "text", 500)
    sizes = kept.group_by("place").agg(pl.col("text").str.count_matches("word").sum())
    tokens = dict(sizes.iter_rows())
    assert all(tokens[place] <= 500 for place in "abc")
    assert all(tokens[place] > 440 for place in "ab"), "no document that would fit is left out"
    assert tokens["c"] == frame["text"][-1].count("word"), "a small place is kept whole"
    assert kept.equals(sample_documents(frame, "place", "text", 500)), "the same seed draws the same"
    assert not kept.equals(sample_documents(frame, "place", "text", 500, seed=2))


def test_data_are_looked_for_where_they_were_said_to_be(tmp_path, monkeypatch, data):
    monkeypatch.setenv("CHRONOTOPE_DATA", str(data))
    assert data_folder(None, TINY) == data
    with pytest.raises(
        InputError, match=r"needs ice9_open.jsonl.zst, tests/ice_equivalents.csv; looked in .*CHRONOTOPE"
    ):
        data_folder(None, TABLES["places"])
    with pytest.raises(InputError, match=r"--data"):
        data_folder(tmp_path, TINY)


def test_a_fit_apart_reports_its_steps_and_what_it_took(drifting, tmp_path):
    steps: list[tuple[int, int]] = []
    settings = {"dimensions": 8, "epochs": 3, "seed": 4}
    job = Job(str(drifting.folder), "graph", settings, str(tmp_path / "m.ct"), threads=1)
    cost = fit_apart(job, lambda done, total: steps.append((done, total)))
    assert steps[-1] == (3, 3)
    assert cost.seconds > 0
    assert cost.peak_bytes > 2**25
    GraphModel(**settings).fit(drifting).save(tmp_path / "here.ct")
    assert (tmp_path / "m.ct").read_bytes() == (tmp_path / "here.ct").read_bytes()


def test_a_fit_that_is_refused_says_why(drifting, tmp_path):
    job = Job(str(drifting.folder), "graph", {"dimensions": 10**6}, str(tmp_path / "m.ct"))
    with pytest.raises(FitFailed, match="more than the"):
        fit_apart(job)
    assert list(tmp_path.iterdir()) == []


def fit(contender: str, seed: int, ranks: list[int]) -> Fit:
    answers = tuple(Answers("p", checksum_of_pairs(PAIRS), way, 3, tuple(ranks), "") for way in WAYS)
    return Fit(
        f"{contender}{seed}", "t", contender, contender, {}, seed, "run", "m.ct", 2.0 * seed, 2**30, answers=answers
    )


PAIRS = TestPairs("p", (TestPair("a", "1", "a", "2"), TestPair("a", "1", "b", "2"), TestPair("c", "1", "d", "2")))


def test_means_and_spread_over_seeds_by_hand():
    lines = summarize_fits(
        [fit("static", 1, [1, 0, 0]), fit("graph", 1, [1, 2, 1]), fit("static", 2, [1, 2, 4])], PAIRS
    )
    static, graph = lines
    assert static.seeds == (1, 2)
    assert static.mean["mrr"] == pytest.approx((1 + 1.75) / 6)
    assert static.spread["mrr"] == pytest.approx(0.75 / 6)
    assert static.mean["mp@1"] == pytest.approx(1 / 3)
    assert static.seconds == 3
    assert (static.paper_name, graph.paper_name) == ("BW2V", None)
    assert graph.behind is None
    assert static.behind.difference == pytest.approx(static.mean["mrr"] - 2.5 / 3)
    assert static.kinds[0].same_word == 1
    assert static.kinds[0].different_words == pytest.approx(0.75 / 4)
    assert graph.intervals["mrr"].low <= graph.mean["mrr"] <= graph.intervals["mrr"].high


def test_a_damaged_results_file_names_its_line(tmp_path):
    (tmp_path / "results.jsonl").write_text('{"key": "x"}\n')
    with pytest.raises(DamagedFile, match=r"results.jsonl:1"):
        Results(tmp_path / "results.jsonl").read()


def test_the_figures_of_the_paper_are_complete():
    for test_set in ("spatial", "temporal 1", "temporal 2"):
        assert paper_figures(test_set).keys() == {"BW2V", "TW2V", "AW2V", "DW2V", "CW2V"}
        for figures in paper_figures(test_set).values():
            assert sorted(list(figures.values())[1:]) == list(figures.values())[1:], "MP@k grows with k"


def test_the_company_of_a_changed_word_and_words_nobody_knows(counts_of):
    counts = counts_of(worlds.planted_drift(), time="time")
    embeddings = GraphModel(dimensions=20).fit(counts)
    found = neighbors_over_conditions(embeddings, "bank", top=5)
    assert (found[0].at, found[-1].at) == ("1990", "1999")
    assert len(found) == 9
    assert set(found[0].found) <= set(worlds.RIVER)
    assert set(found[-1].found) <= set(worlds.MONEY)
    assert neighbors_over_conditions(embeddings, "nosuchword") == []
    assert failures(embeddings) == [], "the years of the paper's failures are not there"


def test_the_papers_failures_are_asked_where_the_years_exist():
    texts = {"1990": "address of a page on the screen", "2014": "website of a page on the screen"}
    records = [{"text": texts.get(str(year), "a page on the screen"), "time": year} for year in range(1990, 2017)] * 6
    counts = count(read_corpus(records, time="time"), min_count=1)
    website, bitcoin = failures(GraphModel(dimensions=3).fit(counts))
    assert (website.word, website.at, website.to, website.support) == ("website", "2014", "1990", 6)
    assert "address" in website.found
    assert (bitcoin.found, bitcoin.support, bitcoin.expected) == ((), 0, "investment")
