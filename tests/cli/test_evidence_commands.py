"""evidence, frequency and collocates on the command line: data on stdout, talk on stderr, one line for a mistake."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import NamedTuple

import pytest

import worlds
from chronotope.cli import main


class Done(NamedTuple):
    stdout: str
    stderr: str


@pytest.fixture
def run(folder, capsys, monkeypatch):
    """A command, run in the folder of the runs."""

    def command(*arguments, code=0):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["chronotope", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        done = Done(*capsys.readouterr())
        assert left.value.code == code, done.stderr
        return done

    return command


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("evidence")
    with open(path / "speeches.jsonl", "w", encoding="utf-8") as file:
        for record in worlds.planted_drift(documents=400).records:
            file.write(json.dumps(record) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        for name, more in (("run", ()), ("bare", ("--no-text",))):
            fields = ("--time", "time", "--min-count", "5", *more)
            patch.setattr(sys, "argv", ["chronotope", "prepare", "speeches.jsonl", "-o", name, *fields])
            with pytest.raises(SystemExit) as left:
                main()
            assert not left.value.code
    return path


def test_evidence_in_every_form(run):
    answer = json.loads(run("evidence", "run", "Bank", "--at", "1992", "--top", 5, "--json").stdout)
    assert len(answer["examples"]) == 5
    for example in answer["examples"]:
        assert example["text"][example["start"] : example["end"]].lower() == "bank"
        assert example["date"] == example["condition"] == "1992"
        assert example["document"].startswith("speeches.jsonl:")
    assert {pull["word"] for pull in answer["pulls"]} & set(worlds.RIVER)
    rows = list(csv.DictReader(io.StringIO(run("evidence", "run", "bank", "--at", "1992", "--csv").stdout)))
    assert rows[0]["word"].lower() == "bank"
    assert "the contexts that pull it most" in run("evidence", "run", "bank", "--from", "1996").stdout
    assert run("evidence", "run", "bank", "--markdown").stdout.startswith("| condition | date |")


def test_frequency_and_collocates_in_every_form(run):
    answer = json.loads(run("frequency", "bare", "bank", "money", "--json").stdout)
    assert [row["condition"] for row in answer["rows"]] == [str(year) for year in worlds.YEARS] * 2
    assert "per million" in run("frequency", "run", "bank", "--csv").stdout
    found = json.loads(run("collocates", "bare", "bank", "--at", "1999", "--json").stdout)
    assert found["rows"][0]["word"] in worlds.MONEY
    assert "rises" in run("collocates", "run", "bank", "--from", "1990", "--to", "1999", "--markdown").stdout


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_frequency_is_drawn(run, folder, kind):
    run("plot", "frequency", "run", "bank", "money", "-o", f"f.{kind}")
    assert {"png": b"\x89PNG", "svg": b"<svg"}[kind] in (folder / f"f.{kind}").read_bytes()[:200]


def test_a_word_that_is_absent_there_is_told_where_it_is(run):
    done = run("evidence", "run", "bank", "--near", "bank", "--at", "1990", "--within", 1, "--json")
    assert json.loads(done.stdout)["examples"] == []
    assert "never has bank within 1 words" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evidence", "run", "bnak"), "words of this run; did you mean"),
        (("evidence", "run", "bank", "--at", "1890"), "'1890' is not among the 10 conditions"),
        (("evidence", "run", "bank", "--from", "1999", "--to", "1990"), "comes after"),
        (("evidence", "bare", "bank", "--at", "1990"), "prepared without its text (--no-text)"),
        (("evidence", "nowhere", "bank"), "is not a run"),
        (("frequency", "run", "bank", "--level", "95"), "level lies between 0 and 1"),
        (("collocates", "run", "bank", "--from", "1990"), "two to compare"),
        (("evidence", "run", "bank", "--json", "--csv"), "choose one of"),
        (("evidence", "run", "bank", "--within", "3"), "name that word with --near"),
        (("plot", "frequency", "run", "bank", "--place", "x", "-o", "a.svg"), "'x' is not among the 10 conditions"),
        (("plot", "frequency", "run", "bank", "--place", "x", "--at", "1990", "-o", "a.svg"), "either --at or --place"),
        (
            ("plot", "collocates", "run", "bank", "--at", "1990", "--from", "1990", "--to", "1999", "-o", "a.svg"),
            "needs one condition (--at), or two",
        ),
    ],
)
def test_a_mistake_gets_one_clear_line(run, arguments, message):
    done = run(*arguments, code=2)
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_no_collocates_for_a_reason(run, folder):
    """'emoji' comes up in 1992; 'bank' has company in every year, but nobody stands beside it ten thousand times."""
    texts = {1990: "rivers run by the bank", 1991: "rivers run past a bank", 1992: "emoji and smile on a phone"}
    records = [{"text": text, "time": year} for year, text in texts.items() for _ in range(30)]
    (folder / "emoji.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    run("prepare", "emoji.jsonl", "-o", "emoji", "--time", "time", "--min-count", 5)
    absent = "emoji does not occur {}; it occurs most in 1992 (30 times)\n"
    assert run("collocates", "emoji", "emoji", "--at", "1990").stderr == absent.format("there")
    assert run("collocates", "emoji", "emoji", "--from", "1990", "--to", "1992").stderr == absent.format("in 1990")
    assert absent.format("there") in run("plot", "collocates", "emoji", "emoji", "--at", "1990", "-o", "e.svg").stderr
    done = run("collocates", "run", "bank", "--min-count", 10_000, "--json")
    assert "no word stands beside bank 10,000 times or more" in done.stderr
    assert json.loads(done.stdout)["rows"] == []
    done = run("collocates", "run", "bank", "--from", "1990", "--to", "1999", "--min-count", 10_000)
    assert "no word with 10,000 occurrences or more beside bank rises or falls" in done.stderr
    assert run("collocates", "run", "bank", "--at", "1999").stderr == ""


def test_collocates_are_drawn(run, folder):
    for name, asked in (("one", ("--at", "1992")), ("two", ("--from", "1990", "--to", "1999"))):
        run("plot", "collocates", "run", "bank", *asked, "-o", f"{name}.svg")
        assert "“bank”" in (folder / f"{name}.svg").read_text(encoding="utf-8")
    done = run("plot", "collocates", "run", "bank", "-o", "a.svg", code=2)
    assert "needs one condition (--at), or two" in done.stderr


def test_near_says_how_much_was_searched(run):
    note = run("evidence", "run", "bank", "--at", "1999", "--near", "money").stdout
    assert "times within 5 words of money (" in note
    assert "documents have both)" in note
