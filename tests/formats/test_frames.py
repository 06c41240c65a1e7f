"""Every answer is a frame: the columns have names and types that stay, also where nothing was found."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import polars as pl
import pytest

import chronotope as ct
import worlds
from chronotope import analysis
from chronotope.analysis.answer import Answer
from chronotope.embeddings import Matches
from chronotope.evaluation.evaluate import evaluate
from chronotope.frames import Framed

COLUMNS = {
    "Matches": "word score cosine support",
    "Drift": "word score z own corrected noise low high p q stability before after support_before support_after",
    "Stability": "word stability conditions count",
    "Company": "word companion condition similarity near support",
    "Series": "word condition support per_million value low high corrected",
    "SelfSimilarity": "word condition other similarity",
    "ChangePoints": "word last first shift p p_words accepted joined left",
    "Trajectory": "word part x y conditions support",
    "Everywhere": "of at condition word score cosine support near_enough needed",
    "Ranks": "word neighbor condition rank",
    "Frequency": "word condition count per_million low high documents tokens of_documents",
    "Collocates": "of condition word count documents expected pmi log_likelihood",
    "CollocateChanges": "of word before after per_thousand_before per_thousand_after log_ratio log_likelihood way",
    "Analogy": "word score cosine support",
    "Positions": "word condition support value low high seeds corrected",
    "Evidence": "word condition document date place text cut_before cut_after start end near distance",
    "Relation": "condition pairs agreement by_chance",
    "PlaceDistances": "place other distance words group",
    "WordMap": "word place support value low high lat lon",
    "Grid": "word time place value support",
    "Scores": "part pairs answerable mrr mrr_low mrr_high mp@1 mp@3 mp@5 mp@10 mrr_answerable",
}


@pytest.fixture(scope="module")
def answers(counts_of, drifting, tmp_path_factory) -> dict[str, Framed]:
    years = ct.GraphModel(dimensions=20, epochs=3).fit(drifting, threads=1)
    grid = ct.GraphModel(dimensions=20, epochs=3).fit(
        counts_of(worlds.time_and_place(), time="time", place="place"), threads=1
    )
    places = ct.GraphModel(dimensions=20, epochs=3).fit(counts_of(worlds.places(), place="place"), threads=1)
    pairs = tmp_path_factory.mktemp("pairs") / "pairs.csv"
    pairs.write_text("bank-1990,bank-1999\nriver-1990,river-1991\n")
    word = "bank"
    found = [
        years.neighbors(word, "1990"),
        ct.drift(years),
        ct.stable(years),
        ct.company(years, word),
        analysis.series(years, word),
        analysis.self_similarity(years, word),
        analysis.change_points(years, word),
        analysis.trajectory(years, word),
        analysis.equivalents_everywhere(years, word, "1990"),
        analysis.ranks(years, word),
        ct.frequency(drifting, word),
        ct.collocates(drifting, word),
        ct.collocate_changes(drifting, word, "1990", "1999"),
        analysis.analogy(years, "river", "water", "money", at="1990"),
        analysis.positions(years, word, "river - money"),
        ct.evidence(drifting, word, at="1990"),
        analysis.relation(years, [("river", "water"), ("money", "loan")]),
        analysis.place_distances(places),
        analysis.word_map(places, "river"),
        analysis.grid(grid, "river"),
        evaluate(years, pairs),
    ]
    return {type(answer).__name__: answer for answer in found}


@pytest.mark.parametrize("name", COLUMNS)
def test_the_columns_stay(answers, name):
    frame = answers[name].to_polars()
    missing = [column for column in COLUMNS[name].split() if column not in frame.columns]
    assert not missing, "a column that was once there stays"
    assert frame.height
    assert not [column for column, kind in frame.schema.items() if kind in (pl.Null, pl.Object)]


@pytest.mark.parametrize("name", COLUMNS)
def test_pandas_has_the_same(answers, name):
    pytest.importorskip("pandas")
    ours, theirs = answers[name].to_polars(), answers[name].to_pandas()
    assert list(theirs.columns) == ours.columns
    assert len(theirs) == ours.height


@pytest.mark.parametrize("name", COLUMNS)
def test_a_notebook_shows_a_table(answers, name):
    shown = answers[name]._repr_html_()
    assert name in shown
    assert shown.count("<tr>") == 1 + min(20, answers[name]._shown().height)
    assert "<script" not in shown


def test_a_frame_says_what_the_answer_says(answers):
    drift = answers["Drift"]
    frame = drift.to_polars()
    assert frame.height == len(drift)
    first = drift.top(1)[0]
    row = frame.row(0, named=True)
    assert (row["word"], row["score"], row["before"], row["support_after"]) == (
        first.word,
        first.score,
        first.before.condition,
        first.after.support,
    )
    assert row["own"] == pytest.approx(first.own)
    assert row["p"] is None
    series = answers["Series"]
    assert series.to_polars()["value"].to_list() == list(series.values)
    company = answers["Company"].to_polars()
    assert company.filter(pl.col("near"))["similarity"].null_count() == 0


def test_where_nothing_was_found_the_columns_are_there():
    empty = Matches()
    assert empty.to_polars().schema == {
        "word": pl.String,
        "score": pl.Float64,
        "cosine": pl.Float64,
        "support": pl.Int64,
    }
    nothing = ct.analysis.ChangePoints("bank", None, None, (), (), 0.05, 99, 5, "made here")
    assert nothing.to_polars().columns == COLUMNS["ChangePoints"].split()


def test_every_answer_can_be_had_as_a_frame():
    """Whoever adds an answer gets a frame with it."""
    for name in analysis.__all__:
        kind = getattr(analysis, name)
        if isinstance(kind, type) and dataclasses.is_dataclass(kind) and hasattr(kind, "to_dict"):
            rows_of_others = {"DriftRow", "StableWord", "Companion"}
            assert issubclass(kind, Answer) or name in rows_of_others, name


def test_without_pandas_the_line_that_installs_it_is_told():
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from chronotope.embeddings import Matches\n"
        "from chronotope.errors import MissingExtraError\n"
        "try:\n    Matches().to_pandas()\n"
        "except MissingExtraError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'chronotope[pandas]'" in done.stdout


def test_frames_in():
    records = [{"text": "a river bank", "when": "1990"}, {"text": "a money bank", "when": "2000"}] * 5
    frame = pl.DataFrame(records)
    expected = None
    given = [records, frame, frame.lazy()]
    pandas = pytest.importorskip("pandas")
    given.append(pandas.DataFrame(records))
    for source in given:
        counts = ct.count(ct.read_corpus(source, time="when"), min_count=1)
        seen = (counts.conditions.labels, counts.vocabulary.words, counts.tokens.tolist())
        expected = expected or seen
        assert seen == expected
