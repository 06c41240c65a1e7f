"""`python -m benchmarks.reproduce` on a data folder of the real layout that holds an invented world."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from benchmarks.reproduce.__main__ import main

from chronotope.datasets.invented import invented_world

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "benchmarks.reproduce"]
QUICK = ("--methods", "graph-12,dynamic-12", "--seeds", 2, "--dimensions", 12, "--threads", 1)


def run(*arguments, code=0, cwd=ROOT, **environment):
    paths = os.pathsep.join(filter(None, [environment.get("PYTHONPATH"), str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | environment | {"PYTHONPATH": paths},
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def write_corpus(world, path):
    with pyarrow.CompressedOutputStream(path, "zstd") as file:
        for record in world.records:
            file.write((json.dumps(record) + "\n").encode())


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Six places in two years, and 27 years of one place: 25,000 words each."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "tests").mkdir()
    places = invented_world(years=range(1998, 2000), documents=300)
    write_corpus(places, folder / "ice9_open.jsonl.zst")
    places.write_pairs(folder / "tests" / "ice_equivalents.csv", "place")
    with (folder / "tests" / "ice_equivalents.csv").open("a") as pairs:
        pairs.write("nosuchword-arlen,river-arlen\nriver-atlantis,river-arlen\n")
    years = invented_world(years=range(1990, 2017), places=("arlen",), documents=810)
    write_corpus(years, folder / "pool_1990_2016.jsonl.zst")
    write_corpus(years, folder / "ungdc.jsonl.zst")
    years.write_pairs(folder / "tests" / "ungdc_roles.csv", "time")
    return folder


@pytest.fixture(scope="module")
def made(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    return folder, run("places", "-o", folder, "--data", data, *QUICK)


def results(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def test_the_table_is_markdown_on_stdout_and_progress_on_stderr(made):
    folder, done = made
    lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert lines[0].startswith("| method | MRR | ± seeds | 95 % | MP@1 | MP@3 | MP@5 | MP@10 |")
    assert [line.split("|")[1].strip() for line in lines[2:5]] == ["graph-12", "dynamic-12", "copy the query word"]
    assert "0.12 (DW2V)" in done.stdout
    assert "not comparable" in done.stdout
    assert "4/4 dynamic-12, seed 2" in done.stderr
    assert (folder / "places-ice_equivalents.png").read_bytes().startswith(b"\x89PNG")
    assert all(row["seconds"] > 0 and row["peak_bytes"] > 2**25 for row in results(folder))


def test_a_second_run_trains_nothing_and_says_what_the_figures_are_made_of(made, data):
    folder, _ = made
    models = {path: path.stat().st_mtime_ns for path in folder.glob("*.ct")}
    assert len(models) == 4
    again = run("places", "-o", folder, "--data", data, *QUICK, "--json")
    assert again.stderr.count("done before") == 4
    assert {path: path.stat().st_mtime_ns for path in folder.glob("*.ct")} == models
    (section,) = json.loads(again.stdout)["sections"]
    assert section["size"] == 181, "the pair about an unknown place is left out, the one with an unknown word is not"
    for line in section["lines"][:-1]:
        assert line["interval"][0] <= line["mean"]["mrr"] <= line["interval"][1]
        per_seed = [
            np.mean([1 / rank if rank else 0 for rank in next(iter(fit["answers"].values()))[0]])
            for fit in results(folder)
            if fit["contender"] == line["contender"]
        ]
        assert line["mean"]["mrr"] == pytest.approx(np.mean(per_seed))
        assert line["spread"]["mrr"] == pytest.approx(max(abs(per_seed - np.mean(per_seed))))


@pytest.mark.skipif(sys.platform == "win32", reason="signals to a group of processes")
def test_a_stopped_run_continues(data, tmp_path, made):
    """Stopped in the first training, and killed in the second."""
    arguments = ["places", "-o", str(tmp_path), "--data", str(data), *map(str, QUICK), "--seeds", "1"]

    for training, how, ending in (("1/2", signal.SIGINT, 130), ("2/2", signal.SIGKILL, -9)):
        process = subprocess.Popen(
            [*COMMAND, *arguments], stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
        )
        next(line for line in process.stderr if line.startswith(training) and "training" in line)
        os.killpg(process.pid, how)
        said = process.communicate()[1]
        assert (process.returncode, "the same command continues" in said) == (ending, how == signal.SIGINT)
    assert len(results(tmp_path)) == 1
    assert run(*arguments).stderr.count("done before") == 1
    whole = {row["key"]: row["answers"] for row in results(made[0]) if row["seed"] == 1}
    assert {row["key"]: row["answers"] for row in results(tmp_path)} == whole


def test_a_missing_extra_is_named_and_the_others_are_trained(data, tmp_path):
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub" / "gensim.py").write_text("raise ImportError('not installed')\n")
    arguments = ("-o", tmp_path / "out", "--data", data, "--methods", "static,dynamic-12", "--seeds", 1)
    done = run("places", *arguments, "--dimensions", 12, PYTHONPATH=str(tmp_path / "stub"))
    assert "pip install 'chronotope[word2vec]'" in done.stderr
    assert "static was skipped" in done.stdout
    assert "| dynamic-12 |" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("places",), "ice9_open"),
        (("time",), "ungdc"),
        (("qualitative",), "pool_1990"),
        (("place",), "invalid choice: 'place'"),
        (("time", "--methods", "grpah"), "did you mean graph"),
        (("ablation", "--methods", "cw2v epochs=9"), "did you mean cw2v epochs=8"),
        (("ablation", "--dimensions", "9"), "leave --dimensions out"),
    ],
)
def test_missing_data_and_wrong_arguments_get_one_line(tmp_path, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHRONOTOPE_DATA", "")
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert message in printed.err.strip().splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


def test_examples(data, tmp_path):
    arguments = ("qualitative", "-o", tmp_path / "out", "--methods", "graph-12", "--dimensions", 12)
    shown = run(*arguments, CHRONOTOPE_DATA=str(data)).stdout
    for wanted in ("over time", "over places", "The most stable words: ", "neighbors of apple", "website 2014 → 1990"):
        assert wanted in shown
    plain = json.loads(run(*arguments, "--json", CHRONOTOPE_DATA=str(data)).stdout)
    assert [one["axis"] for one in plain] == ["time", "place"]


def test_the_ablation_is_one_table_and_is_resumed(data, tmp_path):
    arguments = ("ablation", "-o", tmp_path / "out", "--data", data, "--methods", "graph deviation_penalty=0")
    lines = [line for line in run(*arguments).stdout.splitlines() if line.startswith("|")]
    assert lines[0].startswith("| choice | time: held-out | time: renamings | time: MRR | time: difference |")
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["graph", "graph deviation_penalty=0"]
    again = run(*arguments, "--json")
    assert again.stderr.count("done before") == 8
    plain, other = (row["figures"]["places"] for row in json.loads(again.stdout)["rows"])
    assert (plain["difference"], plain["renamings_difference"]) == (None, None)
    assert other["difference"]["difference"] == pytest.approx(other["mrr"] - plain["mrr"])
