"""The answers about a word, its places and its axes, as a user of the command line meets them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
from typing import NamedTuple
from unittest import mock

import pytest

import worlds
from chronotope.cli import main
from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.datasets.invented import TOPICS
from chronotope.methods import GraphModel


class Done(NamedTuple):
    stdout: str
    stderr: str


def run(*arguments, code=0, cwd="."):
    """The command line in this process: a new one for each of a hundred commands would take minutes."""
    out, talk, exited = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["chronotope", *map(str, arguments)]),
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(talk),
    ):
        try:
            main()
        except SystemExit as stopped:
            exited = stopped.code or 0
    assert exited == code, talk.getvalue()
    return Done(out.getvalue(), talk.getvalue())


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model over time, one over places, and one over both."""
    folder = tmp_path_factory.mktemp("answers")
    made = {
        "TIME": (worlds.planted_drift(), {"time": "time"}),
        "PLACES": (worlds.places(documents=3000), {"place": "place"}),
        "BOTH": (worlds.time_and_place(documents=3600), {"time": "time", "place": "place"}),
    }
    for name, (world, fields) in made.items():
        counts = count(read_corpus(world.records, **fields), min_count=5)
        GraphModel(dimensions=50).fit(counts).save(folder / f"{name}.ct")
    (folder / "where.csv").write_text(
        "place,lat,lon\narlen,50,0\nborva,51,2\nceldon,49,5\ndorria,47,3\neskar,45,-1\nfenmark,48,0\n"
    )
    texts = {
        "EDGES": "arlen,borva\nborva,celdon\nCeldon,dorria\ndorria,eskar\neskar,fenmark\n",
        "PARIS": "arlen,Paris\n",
        "EMPTY": "",
        "ELSEWHERE": "place,lat,lon\nParis,48,2\n",
        "SOME": "place,lat,lon\narlen,50,0\nborva,51,2\nParis,48,2\nceldon,49,5\ndorria,47,3\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text)
    files = {name: folder / f"{name}.csv" for name in texts} | {"WHERE": folder / "where.csv"}
    return {name: folder / f"{name}.ct" for name in made} | files


ASKED = {
    "series": ("series", "TIME", "bank"),
    "each": ("series", "PLACES", "chips", "--each"),
    "changepoints": ("changepoints", "TIME", "bank"),
    "trajectory": ("trajectory", "TIME", "bank"),
    "equivalents": ("equivalents", "TIME", "bank", "--at", "1990"),
    "one": ("equivalents", "TIME", "bank", "--at", "1990", "--to", "1999"),
    "analogy": ("analogy", "TIME", "river", "water", "money", "--at", "1990"),
    "axis": ("axis", "TIME", "bank", "(money + loan + credit) - (river + water + shore)"),
    "places": ("places", "PLACES"),
    "map": ("places", "PLACES", "chips", "--coordinates", "WHERE"),
    "grid": ("grid", "BOTH", "gas"),
    "neighbors": ("neighbors", "TIME", "bank", "--at", "1990"),
    "drift": ("drift", "TIME", "--top", 5),
    "stable": ("stable", "TIME", "--top", 5),
}


@pytest.mark.parametrize("name", list(ASKED))
def test_every_answer_is_a_table_json_csv_and_markdown(models, name):
    arguments = [models.get(argument, argument) for argument in ASKED[name]]
    answer = json.loads(run(*arguments, "--json").stdout)
    assert answer
    assert_that_fields_have_names(answer)
    rows = list(csv.reader(io.StringIO(run(*arguments, "--csv").stdout)))
    assert len(rows) > 1
    assert len({len(row) for row in rows}) == 1
    markdown = run(*arguments, "--markdown").stdout.splitlines()
    assert len(markdown) == len(rows) + 1
    assert markdown[0].strip("| ").split(" | ") == rows[0]
    assert all(column in run(*arguments).stdout for column in rows[0])


def assert_that_fields_have_names(data):
    """In JSON: the items of a list are of one kind, so that none is a row whose fields have lost their names."""
    if isinstance(data, list):
        kinds = {float if isinstance(item, int) else type(item) for item in data if item is not None}
        assert len(kinds) <= 1, data
    for item in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        assert_that_fields_have_names(item)


def test_the_answers_are_the_planted_ones(models):
    def asked(*arguments):
        return json.loads(run(*(models.get(argument, argument) for argument in arguments), "--json").stdout)

    assert [point["first"] for point in asked("changepoints", "TIME", "bank")["points"]] == ["1995"]
    assert asked("grid", "BOTH", "gas")["changes"][0]["place"] == "arlen"
    values = {row["place"]: row["value"] for row in asked("places", "PLACES", "chips")["rows"]}
    assert min(values, key=values.get) == "borva"
    about = asked("stable", "TIME")
    assert about["consistency"]["similarity"][0] > about["consistency"]["similarity"][-1]
    assert about["own_deviation"]["largest"][0]["word"] == "bank"
    row = asked("axis", "TIME", "bank", "money - river")["rows"][0]
    assert row["value"] < 0
    assert row["low"] is None
    part = asked("equivalents", "PLACES", "chips", "--at", "borva")["parts"][0]
    assert {part["matches"][0]["word"], part["nearest"]["word"]} <= {*TOPICS["technology"]}


@pytest.mark.parametrize(
    "arguments",
    [
        ("company", "TIME", "bank"),
        ("ranks", "TIME", "bank"),
        ("series", "TIME", "bank", "river", "money", "--against", "previous"),
        ("changepoints", "TIME", "bank", "river"),
        ("use", "TIME", "bank"),
        ("heatmap", "PLACES", "chips"),
        ("trajectory", "TIME", "bank", "--method", "pca"),
        ("equivalents", "PLACES", "chips", "--at", "borva"),
        ("analogy", "TIME", "river", "water", "money", "--at", "1990"),
        ("axis", "TIME", "bank", "river", "--formula", "money - water"),
        ("drift", "TIME", "--from", "1990", "--to", "1999"),
        ("drift", "TIME", "--over", "steps"),
        ("stable", "TIME", "--least"),
        ("places", "PLACES"),
        ("map", "PLACES", "chips"),
        ("map", "PLACES", "chips", "--coordinates", "WHERE"),
        ("grid", "BOTH", "gas", "--formula", "car - coal"),
        ("series", "BOTH", "gas", "--place", "arlen"),
        ("axis", "BOTH", "gas", "--formula", "car - coal", "--place", "arlen"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_kind_is_drawn(models, tmp_path, arguments):
    asked = [models.get(argument, argument) for argument in arguments]
    done = run("plot", *asked, "-o", tmp_path / "a.svg", "--subtitle", "an invented world")
    assert done.stdout == ""
    assert ">an invented world<" in (tmp_path / "a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plot", "compnay", "TIME", "bank", "-o", "a.png"), "KIND must be one of company, ranks"),
        (("plot", "compnay", "TIME", "bank", "-o", "a.png"), "did you mean company?"),
        (("plot", "axis", "TIME", "bank", "-o", "a.png"), "plot axis needs --formula"),
        (("plot", "drift", "TIME", "bank", "-o", "a.png"), "plot drift takes no word, not 1"),
        (("neighbors", "TIME", "bank"), "in which condition? add --at with one of the 10: 1990, 1991"),
        (("equivalents", "PLACES", "chips"), "add --at with one of the 6: arlen, borva"),
        (("analogy", "TIME", "river", "water", "money"), "add --at with one of the 10"),
        (("plot", "equivalents", "TIME", "bank", "-o", "a.png"), "add --at with one of the 10"),
        (("plot", "map", "PLACES", "chips", "--permutations", "9", "-o", "a.png"), "plot drift and plot stable do"),
        (("plot", "grid", "BOTH", "-o", "a.png"), "plot grid takes one word, not 0"),
        (("drift", "TIME", "--csv", "--json"), "choose one of --json, --csv and --markdown"),
        (("changepoints", "BOTH", "gas"), "name the place whose time line is meant (--place): arlen"),
        (("plot", "series", "BOTH", "gas", "-o", "a.png"), "name the place whose time line is meant (--place): arlen"),
        (("plot", "use", "BOTH", "gas", "-o", "a.png"), "name the place whose time line is meant"),
        (("plot", "axis", "BOTH", "gas", "--formula", "car - coal", "-o", "a.png"), "name the place"),
        (("axis", "BOTH", "gas", "car - coal", "--place", "arlen", "--bootstrap", "9"), "leave out --bootstrap"),
        (("changepoints", "BOTH", "gas", "--place", "arlne"), "places: arlen"),
        (("neighbors", "BOTH", "gas", "--at", "arlen/1990"), "did you mean 1990/arlen?"),
        (("neighbors", "BOTH", "gas", "--at", "arlen"), "conditions; those of arlen: 1990/arlen, 1991/arlen"),
        (("changepoints", "PLACES", "chips"), "no order in time"),
        (("axis", "TIME", "bank", "money-river"), "write 'money - river'"),
        (("axis", "TIME", "bank", "(money"), "not closed"),
        (("places", "TIME"), "not places"),
        (("places", "PLACES", "--formula", "a - b"), "are about one word"),
        (("places", "PLACES", "chips", "--coordinates", "nowhere.csv"), "nowhere.csv"),
        (("grid", "TIME", "bank"), "a grid needs time bins in places"),
        (("series", "TIME", "bank", "--against", "1890"), "'1890' is not among"),
        (("trajectory", "TIME", "bank", "--method", "umap"), "method must be lle or pca"),
        (
            ("plot", "map", "BOTH", "gas", "--place", "arlen", "-o", "a.png"),
            "--place has no meaning for plot map",
        ),
        (("plot", "series", "TIME", "bank", "--at", "1990", "-o", "a.png"), "--at has no meaning for plot series"),
        (("plot", "drift", "TIME", "--formula", "a - b", "-o", "a.png"), "what it takes: --from, --to, --over, --top"),
        (("plot", "heatmap", "TIME", "bank", "--top", "3", "-o", "a.png"), "what it takes: --place, --min-count"),
        (("plot", "stable", "TIME", "--within", "place", "-o", "a.png"), "add --permutations"),
        (("stable", "TIME", "--within", "place"), "add --permutations"),
        (("series", "TIME", "bank", "--each", "--against", "previous"), "leave out --against"),
        (("axis", "TIME", "bank", "money - "), "ends with a sign"),
        (("places", "PLACES", "chips", "--edges", "PARIS"), "'Paris' is not among the 6 places: arlen"),
        (
            ("plot", "map", "PLACES", "chips", "--edges", "PARIS", "-o", "a.png"),
            "'Paris' is not among the 6 places",
        ),
        (("places", "PLACES", "chips", "--edges", "EMPTY"), "the edges name no two places"),
        (("places", "PLACES", "chips", "--coordinates", "EMPTY"), "has no column"),
        (("places", "PLACES", "chips", "--coordinates", "ELSEWHERE"), "are of 0 of the 6 places, and a map needs two"),
        (("plot", "map", "PLACES", "chips", "--coordinates", "ELSEWHERE", "-o", "a.png"), "a map needs two"),
        (("places", "TIME", "bank", "--coordinates", "WHERE"), "not places"),
        (("places", "PLACES", "chips", "--groups", "2"), "leave out WORD, or --groups"),
    ],
)
def test_a_mistake_gets_one_clear_line(models, tmp_path, arguments, message):
    done = run(*(models.get(argument, argument) for argument in arguments), code=2, cwd=tmp_path)
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_the_ranks_of_one_place_can_be_drawn(models, tmp_path):
    for name, asked in (("all", ()), ("one", ("--place", "arlen"))):
        run("plot", "ranks", models["BOTH"], "gas", *asked, "-o", tmp_path / f"{name}.svg")
    every, one = ((tmp_path / f"{name}.svg").read_text(encoding="utf-8") for name in ("all", "one"))
    assert "borva" in every
    assert "borva" not in one


@pytest.mark.parametrize("arguments", [("company",), ("trajectory",), ("equivalents", "--at", "1991/arlen")])
def test_one_place_can_be_drawn_alone(models, tmp_path, arguments):
    kind, *asked = arguments
    run("plot", kind, models["BOTH"], "gas", *asked, "--place", "Arlen", "-o", tmp_path / "one.svg")
    drawn = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert "Arlen alone · graph · " in drawn
    assert "1991" in drawn
    assert "borva" not in drawn
    told = run("plot", kind, models["TIME"], "bank", "--place", "arlen", "-o", tmp_path / "none.svg", code=2).stderr
    assert "there is no place 'arlen'" in told


def test_a_word_that_hardly_occurs_there_is_called_a_guess(tmp_path):
    texts = {1990: "king rules man works woman", 1991: "man king woman works rules"}
    records = [{"text": text, "time": year} for year, text in texts.items() for _ in range(20)]
    records += [{"text": "queen rules man", "time": year} for year in (1990,) * 9 + (1991,) * 2]
    GraphModel(dimensions=2).fit(count(read_corpus(records, time="time"), min_count=5)).save(tmp_path / "a.ct")
    told = "queen occurs only 2 times in 1991; the answer is a guess\n"
    assert run("neighbors", tmp_path / "a.ct", "queen", "--at", "1991").stderr == told
    assert run("equivalents", tmp_path / "a.ct", "queen", "--at", "1991", "--to", "1990").stderr == told
    assert run("neighbors", tmp_path / "a.ct", "queen", "--at", "1990").stderr == ""


def test_a_phrase_is_not_taken_for_a_misspelt_word(models):
    told = run("neighbors", models["TIME"], "river bank", "--at", "1990", code=2).stderr
    assert "--find-phrases" in told
    assert "did you mean" not in told


def test_what_the_map_says_is_not_lost_without_a_note(models):
    asked = ("places", models["PLACES"], "chips", "--edges", models["EDGES"])
    for form in ("--csv", "--markdown"):
        done = run(*asked, form)
        assert done.stderr.startswith("Moran's I ")
        assert "over 5 links of 6 places" in done.stderr
        assert "Moran" not in done.stdout
    assert run(*asked).stderr == run(*asked, "--json").stderr == ""


def test_places_without_coordinates_are_named(models):
    done = run("places", models["PLACES"], "chips", "--coordinates", models["SOME"])
    assert "has no coordinates of eskar, fenmark" in done.stderr
    assert "Moran's I" in done.stdout


def test_that_there_is_no_morans_i_is_said(models, tmp_path):
    (tmp_path / "model.csv").write_text("arlen,borva\n")
    asked = ("places", models["BOTH"], "gas", "--edges", tmp_path / "model.csv")
    assert "no Moran's I: it takes four places" in run(*asked).stderr


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (("neighbors", "TIME", "bank", "--at", "1990"), "1990"),
        (("equivalents", "TIME", "bank", "--at", "1990", "--to", "1999"), "1999"),
        (("equivalents", "TIME", "bank", "--at", "1990"), "any condition"),
        (("analogy", "TIME", "river", "water", "money", "--at", "1990", "--to", "1992"), "1992"),
    ],
)
def test_an_empty_answer_says_why(models, arguments, where):
    asked = [models.get(argument, argument) for argument in arguments]
    told = f"no other word occurs 99,999 times or more in {where}; lower --min-count"
    assert told in run(*asked, "--min-count", 99_999).stderr
    assert run(*asked).stderr == ""


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (("drift", "TIME"), "in both 1990 and 1999; lower min_count (--min-count), or take longer time bins"),
        (("drift", "TIME", "--over", "steps"), "in the conditions compared; lower"),
        (("drift", "PLACES"), "in the conditions compared; lower min_count (--min-count)\n"),
        (("plot", "drift", "TIME", "-o", "OUTPUT"), "in both 1990 and 1999; lower"),
    ],
)
def test_that_no_word_could_be_compared_is_said(models, tmp_path, arguments, where):
    names = {**models, "OUTPUT": tmp_path / "a.svg"}
    asked = [names.get(argument, argument) for argument in arguments]
    assert f"no word occurs 99,999 times or more {where}" in run(*asked, "--min-count", 99_999).stderr
    assert "no word" not in run(*asked).stderr


def test_an_analogy_says_which_of_its_words_do_not_occur_there(tmp_path):
    """'queen' is not heard before 1992."""
    texts = {1990: "king rules man works woman", 1991: "man king woman works rules", 1992: "queen rules woman king man"}
    records = [{"text": text, "time": year} for year, text in texts.items() for _ in range(20)]
    GraphModel(dimensions=2).fit(count(read_corpus(records, time="time"), min_count=5)).save(tmp_path / "a.ct")
    asked = ("analogy", tmp_path / "a.ct", "man", "king", "queen", "--at")
    absent = "queen does not occur in 1991; the answer rests on its other conditions alone\n"
    assert run(*asked, "1991").stderr == run(*asked, "1990", "--to", "1991").stderr == absent
    assert run(*asked, "1991", "--to", "1992").stderr == ""
    assert absent in run("plot", *asked, "1991", "-o", tmp_path / "a.svg").stderr
    drawn = run("plot", "equivalents", tmp_path / "a.ct", "queen", "--at", "1991", "-o", tmp_path / "a.svg")
    assert absent in drawn.stderr


def test_the_help_of_stable_promises_what_it_gives():
    assert "p and q" not in run("stable", "--help").stdout
    assert "p and q" in run("drift", "--help").stdout


def test_a_trajectory_can_be_drawn_where_it_is_asked(models, tmp_path):
    done = run("trajectory", models["TIME"], "bank", "-o", tmp_path / "a.png", "--json")
    assert json.loads(done.stdout)["word"] == "bank"
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_a_place_of_its_own_has_its_time_bins_only(models):
    whole = json.loads(run("axis", models["BOTH"], "gas", "car - coal", "--json").stdout)["rows"]
    alone = json.loads(run("axis", models["BOTH"], "gas", "car - coal", "--place", "arlen", "--json").stdout)["rows"]
    there = {row["condition"]: row["value"] for row in whole if row["condition"].endswith("/arlen")}
    assert {f"{row['condition']}/arlen": row["value"] for row in alone} == pytest.approx(there)
    path = json.loads(run("trajectory", models["BOTH"], "gas", "--place", "arlen", "--json").stdout)
    assert [point["condition"] for point in path["path"]] == [row["condition"] for row in alone]
