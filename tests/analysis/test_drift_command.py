"""chronotope drift on the command line, with resamples."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import worlds
from chronotope.cli.app import app
from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.errors import InputError, SettingsError
from chronotope.methods import GraphModel


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Ten years in which 'bank' moves from rivers to money, with a model."""
    folder = tmp_path_factory.mktemp("drift") / "run"
    counts = count(read_corpus(worlds.planted_drift().records, time="time", keep="place"), folder, min_count=5)
    GraphModel(dimensions=50).fit(counts).save(folder / "model.ct")
    return folder


def asked(*arguments):
    done = CliRunner().invoke(app, ["drift", *map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout


RESAMPLED = ("--min-count", 8, "--from", "1992", "--to", "1997", "--permutations", 40, "--bootstrap", 20)


def test_the_columns_and_that_the_resamples_are_kept(run):
    told = json.loads(asked(run, *RESAMPLED, "--within", "place", "--json"))
    row = told["rows"][0]
    assert row["word"] == "bank"
    assert row["p"] < 0.05
    assert {"score", "corrected", "low", "high", "p", "q", "z", "own", "stability", "before", "after"} <= row.keys()
    assert (told["permutations"], told["bootstrap"], told["within"], told["seed"]) == (40, 20, "place", 1)
    assert "permutations 40|bootstrap 20|within place|seed 1" in told["signature"]
    assert len(list(run.glob("drift-*.resamples"))) == 1
    assert json.loads(asked(run / "model.ct", *RESAMPLED, "--within", "place", "--json")) == told


def test_tables_say_what_was_left_out_and_found(run):
    table = asked(run, *RESAMPLED)
    assert "left out:" in table
    assert "words with fewer than 8 occurrences" in table
    assert "words with q of at most 0.05" in table
    columns = "word,change,corrected,noise,low,high,p,q,stability,z,own,count before"
    assert asked(run, *RESAMPLED, "--csv").startswith(columns)
    assert asked(run, "--min-count", 8, "--over", "steps", "--markdown").startswith("| word | change | z | own |")


@pytest.mark.parametrize(
    ("over", "title"),
    [
        ("series", "The words that changed most over all conditions"),
        ("steps", "The words that changed most from one bin to the next"),
        ("unusual", "The words that one condition uses most unlike the others"),
    ],
)
def test_a_change_over_a_part_of_time_says_which(run, over, title):
    """'bank' moves in 1995: before that nothing changes, and the answer must say that it looked there alone."""
    every, part = (("--min-count", 8, "--over", over, *more) for more in ((), ("--from", "1991", "--to", "1993")))
    told = json.loads(asked(run, *part, "--json"))
    assert (told["from"], told["to"]) == ("1991", "1993")
    assert told["rows"][0]["score"] < json.loads(asked(run, *every, "--json"))["rows"][0]["score"] / 2
    assert f"{title} from 1991 to 1993\n" in asked(run, *part)
    assert f"{title} from 1996 to 1999\n" in asked(run, "--min-count", 8, "--over", over, "--from", "1996")
    told = json.loads(asked(run, *every, "--json"))
    assert (told["from"], told["to"]) == (None, None)
    assert f"{title}\n" in asked(run, *every)


@pytest.mark.parametrize("more", [(), ("--bootstrap", 5)])
def test_within_needs_something_to_exchange(run, more):
    with pytest.raises(SettingsError, match="add --permutations"):
        asked(run, "--within", "place", *more)


def test_too_few_permutations_are_told(run):
    table = asked(run, "--min-count", 8, "--from", "1992", "--to", "1997", "--permutations", 3)
    assert "p and q need 10 permutations at least" in table
    assert "words with q of at most" not in table


def test_a_field_that_the_run_does_not_keep(run):
    with pytest.raises(InputError, match="keeps place for its documents, and not 'source'"):
        asked(run, *RESAMPLED, "--within", "source")


def test_other_seeds_have_columns_of_their_own(run):
    seeds = (run, "--min-count", 8, "--from", "1992", "--to", "1997", "--seeds", 1)
    told = json.loads(asked(*seeds, "--json"))
    assert told["seeds"] == 1
    assert told["rows"][0]["word"] == "bank"
    assert told["rows"][0]["seed_stability"] == 1.0
    assert told["signature"].endswith("|other seeds 1")
    assert asked(*seeds, "--csv").startswith("word,change,seed stability,seed spread,z,own")
    assert "seed stability: the share of 2 models of different seeds" in asked(*seeds)
