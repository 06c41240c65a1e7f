"""The command line as a user meets it: what it prints and how it exits, in a process of its own where that matters."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import polars as pl
import pytest

import worlds

MAIN = "from chronotope.cli import main; main()"
# A training is interrupted when it reports its fifth epoch.
INTERRUPT = """
import signal
import chronotope.cli.train as command
talk = command.talk
def interrupt(text, *values):
    talk(text, *values)
    if values and str(values[0]).startswith("epoch 5/"):
        signal.raise_signal(signal.SIGINT)
command.talk = interrupt
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments, code=0, before=""):
    """A command in a process of its own, after some lines of Python."""
    command = [sys.executable, "-c", before + MAIN, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def speeches(tmp_path_factory):
    """A CSV file of invented speeches by year and place."""
    path = tmp_path_factory.mktemp("cli") / "speeches.csv"
    pl.DataFrame(worlds.planted_drift(documents=1200).records).write_csv(path)
    return path


@pytest.fixture(scope="module")
def model(speeches):
    """A run with a trained model, made by the two commands of the README."""
    folder = speeches.parent / "run"
    run("prepare", speeches, "-o", folder, "--text", "text", "--time", "time", "--min-count", 5, "--holdout", "0.1")
    run("train", folder)
    return folder


def test_preparing_reports_on_the_corpus_and_keeps_stdout_for_data(chronotope, speeches, tmp_path):
    done = chronotope("prepare", speeches, "-o", tmp_path / "run", "--time", "time", "--min-count", 5)
    assert done.stdout == ""
    for words in ("1990", "documents", "vocabulary:", "next: chronotope train"):
        assert words in done.stderr


def test_training_reports_the_loss_and_the_held_out_likelihood(chronotope, model):
    again = chronotope("train", model, "--dimensions", 50, "--epochs", 3, "-o", model / "other.ct")
    assert "epoch 2/3: loss" in again.stderr
    assert "held-out log-likelihood" in again.stderr


def test_inspecting_a_run_and_a_model(chronotope, model):
    about = json.loads(chronotope("inspect", model / "model.ct", "--json").stdout)
    assert about["method"] == "graph"
    assert "model.ct" in json.loads(chronotope("inspect", model, "--verify", "--json").stdout)["models"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("series", "MODEL", "river bank"), "--find-phrases"),
        (("series", "MODEL", "bank", "--against", "1890"), "'1890' is not among the 10 conditions"),
        (("series", "MODEL", "bank", "--csv", "--json"), "choose one of --json, --csv and --markdown"),
        (("train", "nowhere", "-o", "else/where/model.ct"), "nowhere"),
        (("explore", "nowhere", "--export", "page"), "nowhere"),
        (("extend", "nowhere", "more.jsonl", "-o", "deep/model.ct"), "nowhere"),
        (("evidence", "nowhere", "bank"), "nowhere"),
        (("prepare", "nowhere.jsonl", "-o", "deep/run", "--time", "time"), "nowhere"),
        (("series", "MODEL", "bank", "-o", "bank.docx"), "the name must end in .png, .svg"),
        (("inspect", "MODEL", "bank"), "unexpected argument 'bank'"),
        (("train", "MODEL"), "exists; --force overwrites it"),
        (("train", "MODEL", "-o", "x.ct", "--method", "cw2w"), "did you mean cw2v"),
        (("train", "MODEL", "-o", "x.ct", "--preset", "paper"), "add --method cw2v"),
        (("train", "."), "is not a run"),
        (("train", "SPEECHES"), "make one with: chronotope prepare INPUT -o RUN"),
        (("series", ".", "bank"), ". is neither a model nor a run"),
        (("train", "MODEL", "-o", "x.ct", "--edges", "nowhere.csv"), "nowhere.csv: No such file"),
        (("train", "MODEL", "-o", "x.ct", "--rate", "0.1"), "graph has no setting 'rate'"),
        (("prepare", "SPEECHES", "-o", "out", "--time", "date"), "has no column 'date'; its columns are: text, time"),
        (("prepare", "SPEECHES", "-o", "out"), "name the field that holds the time"),
        (("prepare", "SPEECHES", "-o", "out", "--time", "time", "--every", "1 fortnight"), "1 fortnight"),
        (("evaluate", "MODEL", "--pairs", "nowhere.csv"), "nowhere.csv"),
        (("evaluate", "MODEL"), "choose one of --pairs"),
        (("evaluate", "MODEL", "--pairs", "SPEECHES", "--method", "cw2v"), "belong to --renamings"),
        (("evaluate", "MODEL", "--pairs", "SPEECHES", "-o", "x.docx"), "must end in"),
        (("evaluate", "MODEL", "--renamings", "--share", 2), "share must lie between 0 and 1"),
        (("evaluate", "MODEL", "--renamings", "--method", "grap"), "did you mean graph"),
        (("evaluate", "MODEL", "--renamings", "--preset", "paper"), "add --method cw2v"),
        (("evaluate", "MODEL", "--renamings", "--method", "contextual", "--epochs", 1), "has no setting 'epochs'"),
        (("evaluate", "nowhere", "--renamings"), "nowhere"),
        (("report", "MODEL", "-o", "report.pdf"), "must end in .html"),
        (("report", "MODEL", "-o", "report.html", "--top", 0), "top must be a number of at least 1"),
        (("report", "MODEL", "-o", "report.html", "--sentences", 0), "'--sentences'"),
        (("report", "MODEL", "-o", "report.html", "--from", 1066), "'1066' is not among"),
        (("report", "MODEL", "-o", "report.html", "--words", "bnak"), "did you mean beak, bank"),
        (("plot", "company", "MODEL", "bank", "-o", "a.png"), "chronotope series RUN WORD -o FILE.png"),
        (("compare", "MODEL", "MODEL", "--pairs", "a.csv"), "chronotope evaluate MODEL MODEL"),
        (("renamings", "MODEL"), "chronotope evaluate RUN --renamings"),
        (("reproduce", "time"), "make reproduce"),
        (("series", "MODEL", "bank", "--each"), "chronotope matrix RUN WORD"),
        (("series", "MODEL", "bank", "--min-support=3"), "use --min-count"),
        (("changepoints", "MODEL", "bank", "--level", "0.1"), "use --alpha"),
        (("frequency", "MODEL", "bank", "--level", "0.1"), "use --confidence"),
        (("evidence", "MODEL", "bank", "--within", "3"), "use --distance"),
        (("places", "MODEL", "bank"), "chronotope map RUN WORD"),
        (("drift", "MODEL", "--words", "nowhere.txt"), "cannot read nowhere.txt: No such file"),
        (("series", "MODEL", "bank,river"), "one by one, not joined by a comma"),
        (("series", "MODEL"), "error: Missing argument 'WORD'; see"),
        (("neighbors", "MODEL", "bank", "--top", "x"), "error: Invalid value for '--top'"),
        (("neighbors", "MODEL", "bank", "--topn", "3"), "error: No such option: --topn"),
        (("neighbours", "MODEL", "bank"), "error: No such command 'neighbours'"),
        (("train", "MODEL", "--device"), "error: Option '--device' requires an argument"),
    ],
)
def test_a_mistake_gets_one_clear_line(chronotope, model, speeches, tmp_path, arguments, message):
    names = {"MODEL": model, "SPEECHES": speeches}
    done = chronotope(*(names.get(argument, argument) for argument in arguments), code=2)
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == [], "nothing was written"


def test_help_offers_a_chart_only_where_there_is_one(chronotope):
    assert ".svg" in chronotope("neighbors", "--help").stdout
    assert ".svg" not in chronotope("evidence", "--help").stdout


def test_a_killed_training_goes_on_to_the_same_bytes(chronotope, model, tmp_path):
    arguments = ["train", model, "--method", "cw2v", "--epochs", 8, "--dimensions", 8]
    chronotope(*arguments, "-o", "whole.ct")
    stopped = run(*arguments, "-o", "cut.ct", code=130, before=INTERRUPT)
    assert "--resume" in stopped.stderr
    assert "epoch 6/" not in stopped.stderr
    assert not (tmp_path / "cut.ct").exists()
    chronotope(*arguments, "-o", "cut.ct", "--resume")
    assert (tmp_path / "cut.ct").read_bytes() == (tmp_path / "whole.ct").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.ct", "whole.ct"]


def test_brackets_are_text_and_never_markup(chronotope, tmp_path):
    lines = [{"text": "[/b] [bold] river :smile: water", "time": "1990", "place": "[/x]"}] * 30
    (tmp_path / "odd.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    fields = ("--time", "time", "--place", "place", "--tokenizer", "whitespace", "--min-count", 1)
    chronotope("prepare", "odd.jsonl", "-o", "run", *fields)
    chronotope("train", "run")
    shown = chronotope("similarity", "run", "[/b]", ":smile:").stdout
    assert "[/b]" in shown
    assert ":smile:" in shown
    assert "1990/[/x]" in shown
    assert "1990/[/x]" in chronotope("inspect", "run").stdout


def test_a_model_of_an_earlier_run_says_so(chronotope, model, speeches, tmp_path):
    shutil.copytree(model, tmp_path / "run")
    chronotope("prepare", speeches, "-o", tmp_path / "run", "--time", "time", "--min-count", 9, "--force")
    earlier = "was trained on an earlier run"
    assert earlier in chronotope("series", tmp_path / "run", "bank").stderr
    assert earlier in chronotope("explore", tmp_path / "run", "--export", tmp_path / "page").stderr


def test_the_last_line_of_prepare_can_be_followed(chronotope, model, speeches, tmp_path):
    shutil.copytree(model, tmp_path / "run")
    asked = ("prepare", speeches, "-o", "run", "--time", "time", "--min-count")
    told = chronotope(*asked, 9, "--force").stderr.strip()
    assert told.endswith("next: chronotope train run --force")
    chronotope(*told.partition("next: chronotope ")[2].split())
    again = chronotope(*asked, 9).stderr
    assert "run is up to date" in again
    assert "now:" not in again


def test_a_word_that_was_left_out_is_not_taken_for_a_misspelt_one(chronotope, tmp_path):
    rows = ["text,year", *["the telegraph was new and the river was old,1990"] * 9, *["a telegram,1990"] * 2]
    (tmp_path / "a.csv").write_text("\n".join(rows))
    chronotope("prepare", "a.csv", "-o", "run", "--time", "year", "--max-words", 7)
    chronotope("train", "run")
    words = "is not among the 7 words of this model"
    told = chronotope("series", "run", "Telegram", code=2).stderr
    assert f"'Telegram' {words}; it occurs 2 times in the text, and `prepare` left it out (--min-count 5)" in told
    assert f"'telegrap' {words}; did you mean telegraph?" in chronotope("series", "run", "telegrap", code=2).stderr


def test_named_bins_phrases_and_variants_from_a_file(chronotope, speeches, tmp_path):
    (tmp_path / "c.toml").write_text(
        "[corpus]\ntime = 'time'\nplace = 'place'\nphrases = ['river bank']\n"
        "bins = [{name = 'early', start = 1990, end = 1992}, {name = 'late', start = '1997-01', end = '1999'}]\n"
        "[corpus.variants]\nboats = 'boat'\n[counting]\nmin_count = 5\nwindow = 3\n"
    )
    done = chronotope("prepare", speeches, "-o", tmp_path / "run", "--config", tmp_path / "c.toml")
    about = json.loads(chronotope("inspect", tmp_path / "run", "--json").stdout)
    assert about["conditions"] == ["early/arlen", "late/arlen"]
    assert about["counting"] == {"min_count": 5, "weighting": "harmonic", "window": 3}
    assert "rows outside the named bins" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX closes the output")
def test_closed_output_and_arguments_that_are_no_text():
    def shell(line):
        return subprocess.run(["sh", "-c", f'"$0" -m chronotope {line}', sys.executable], capture_output=True)

    for closed in (">&-", "2>&-"):
        assert shell(f"inspect nowhere {closed}").returncode == 2
        assert shell(f"--version {closed}").returncode == 0
    done = shell("frequency nowhere $(printf 'caf\\351')")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: 'caf\\xe9' is not in UTF-8;")
