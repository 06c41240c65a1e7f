"""chronotope reproduce as a user meets it, on a data folder of the same layout with an invented world in it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pyarrow
import pytest

from chronotope.datasets.invented import invented_world

COMMAND = [sys.executable, "-c", "from chronotope.cli import main; main()"]


def run(*arguments, code=0, cwd=None, **environment):
    done = subprocess.run(
        [*COMMAND, "reproduce", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=300,
        env=os.environ | environment,
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
    years = invented_world(years=range(1990, 2017), places=("arlen",), documents=810)
    write_corpus(years, folder / "pool_1990_2016.jsonl.zst")
    write_corpus(years, folder / "ungdc.jsonl.zst")
    years.write_pairs(folder / "tests" / "ungdc_roles.csv", "time")
    return folder


QUICK = ("--methods", "graph,dynamic-12", "--seeds", 2, "--dimensions", 12, "--threads", 1)


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
    who = ["graph-12", "graph", "dynamic-12", "copy the query word"]
    assert [line.split("|")[1].strip() for line in lines[2:6]] == who
    assert "0.12 (DW2V)" in done.stdout
    assert "not comparable" in done.stdout
    assert "6/6 dynamic-12, seed 2" in done.stderr
    assert (folder / "places-ice_equivalents.png").read_bytes().startswith(b"\x89PNG")
    assert {(row["contender"], row["seed"]) for row in results(folder)} == {
        (name, seed) for name in ("graph-12", "graph", "dynamic-12") for seed in (1, 2)
    }


def test_a_second_run_trains_nothing_and_says_the_same(made, data):
    folder, done = made
    models = {path: path.stat().st_mtime_ns for path in folder.glob("*.ct")}
    assert len(models) == 6
    again = run("places", "-o", folder, "--data", data, *QUICK)
    assert again.stdout == done.stdout
    assert again.stderr.count("done before") == 6
    assert "training" not in again.stderr
    assert {path: path.stat().st_mtime_ns for path in folder.glob("*.ct")} == models


def test_json_on_request(made, data):
    folder, _ = made
    answer = json.loads(run("places", "-o", folder, "--data", data, *QUICK, "--json").stdout)
    (section,) = answer["sections"]
    assert section["size"] == 180
    best = max(section["lines"], key=lambda line: line["mean"]["mrr"])
    assert best["behind"] is None
    *lines, copy = section["lines"]
    assert (copy["contender"], copy["seconds"]) == ("copy the query word", 0)
    for line in lines:
        assert line["seeds"] == [1, 2]
        assert line["intervals"]["mrr"][0] <= line["mean"]["mrr"] <= line["intervals"]["mrr"][1]
        assert {(kind["retrieval"], kind["min_support"]) for kind in line["kinds"]} == {
            ("csls", 5), ("csls", 0), ("cosine", 5), ("cosine", 0),
        }  # fmt: skip
        assert line["seconds"] > 0
        assert line["peak_bytes"] > 0


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_goes_on_where_it_was(data, tmp_path, made, how):
    arguments = ["places", "-o", str(tmp_path), "--data", str(data), *map(str, QUICK), "--seeds", "1"]
    process = subprocess.Popen([*COMMAND, "reproduce", *arguments], stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if line.startswith("2/3") and "training" in line:
            process.send_signal(how)
            break
    rest = process.communicate(timeout=60)[1]
    assert process.returncode == (130 if how == signal.SIGINT else -9)
    assert ("the same command goes on" in rest) == (how == signal.SIGINT)
    assert len(results(tmp_path)) == 1
    done = run(*arguments)
    assert done.stderr.count("done before") == 1
    whole = {row["key"]: row["answers"] for row in results(made[0]) if row["seed"] == 1}
    assert {row["key"]: row["answers"] for row in results(tmp_path)} == whole


def test_a_missing_extra_is_named_and_the_others_go_on(data, tmp_path):
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub" / "gensim.py").write_text("raise ImportError('not installed')\n")
    arguments = ("-o", tmp_path / "out", "--data", data, "--methods", "static,dynamic-12", "--seeds", 1)
    done = run("places", *arguments, "--dimensions", 12, PYTHONPATH=str(tmp_path / "stub"))
    assert "pip install 'chronotope[word2vec]'" in done.stderr
    assert "static was skipped" in done.stdout
    assert "| dynamic-12 |" in done.stdout


def test_missing_data_get_one_clear_line(tmp_path):
    (tmp_path / "work").mkdir()
    here = tmp_path / "work"
    without = {"CHRONOTOPE_DATA": ""}
    needs = {
        "places": "ice9_open.jsonl.zst",
        "time": "ungdc.jsonl.zst",
        "qualitative": "pool_1990",
        "ablation": "ungdc",
    }
    for table, needed in needs.items():
        done = run(table, code=2, cwd=here, **without)
        assert needed in done.stderr
        assert f"looked in {tmp_path / 'shared' / 'data'}" in done.stderr
        assert "--data" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
        assert done.stdout == ""
    assert "CHRONOTOPE_DATA" in run("news", code=2, cwd=here, CHRONOTOPE_DATA=str(tmp_path)).stderr
    assert "did you mean places" in run("place", code=2, cwd=here).stderr
    assert list(here.iterdir()) == []


def test_examples(data, tmp_path):
    arguments = ("qualitative", "-o", tmp_path / "out", "--methods", "graph")
    done = run(*arguments, CHRONOTOPE_DATA=str(data))
    for wanted in ("## graph, over time", "## graph, over places", "The most stable words: ", "neighbors of apple"):
        assert wanted in done.stdout
    assert "website 2014 → 1990" in done.stdout
    plain = json.loads(run(*arguments, "--json", CHRONOTOPE_DATA=str(data)).stdout)
    assert [one["axis"] for one in plain] == ["time", "place"]
    assert all(5 <= len(set(one["stable"])) == len(one["stable"]) <= 35 for one in plain)
    apple = plain[0]["neighbors"]["apple"]
    assert [row["at"] for row in apple] == sorted(row["at"] for row in apple)
    assert all(row["support"] >= 5 and "apple" not in row["found"] for row in apple)


def test_the_ablation_is_one_table_and_is_resumed(data, tmp_path):
    arguments = ("ablation", "-o", tmp_path / "out", "--data", data, "--methods", "cw2v deviations=False")
    done = run(*arguments)
    lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert lines[0].startswith(
        "| choice | time: held-out | time: renamings | time: MRR | time: difference | time: cosine | time: seconds |"
    )
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["cw2v", "cw2v deviations=False"]
    assert all(len(line.split("|")) == 15 for line in lines)
    again = run(*arguments, "--json")
    assert again.stderr.count("done before") == 8
    rows = json.loads(again.stdout)["rows"]
    assert rows[0]["figures"]["time"]["difference"] is None
    assert rows[1]["changed"] == {"deviations": False}
    for row in rows:
        for figures in row["figures"].values():
            assert figures["held_out"] < 0
            assert 0 <= figures["mrr"] <= 1
    assert list((tmp_path / "out").glob("*.ct")) == [], "the models are not kept"


def test_the_ablation_refuses_what_it_does_not_know():
    assert "did you mean graph marginals=pooled" in run("ablation", "--methods", "graph marginal=pooled", code=2).stderr
    assert "leave --dimensions out" in run("ablation", "--dimensions", 9, code=2).stderr
