"""chronotope drift on the command line, with resamples."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import worlds
from chronotope.cli.app import app
from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.errors import InputError
from chronotope.model import GraphModel


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


RESAMPLED = ("--min-support", 8, "--from", "1992", "--to", "1997", "--permutations", 40, "--bootstrap", 20)


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
    assert asked(run, "--min-support", 8, "--over", "steps", "--markdown").startswith("| word | change | z | own |")


def test_too_few_permutations_are_told(run):
    table = asked(run, "--min-support", 8, "--from", "1992", "--to", "1997", "--permutations", 3)
    assert "p and q need 10 permutations at least" in table
    assert "words with q of at most" not in table


def test_a_field_that_the_run_does_not_keep(run):
    with pytest.raises(InputError, match="keeps place for its documents, and not 'source'"):
        asked(run, *RESAMPLED, "--within", "source")


def test_other_seeds_have_columns_of_their_own(run):
    seeds = (run, "--min-support", 8, "--from", "1992", "--to", "1997", "--seeds", 1)
    told = json.loads(asked(*seeds, "--json"))
    assert told["seeds"] == 1
    assert told["rows"][0]["word"] == "bank"
    assert told["rows"][0]["seed_stability"] == 1.0
    assert told["signature"].endswith("|other seeds 1")
    assert asked(*seeds, "--csv").startswith("word,change,seed stability,seed spread,z,own")
    assert "seed stability: the share of 2 models of different seeds" in asked(*seeds)
