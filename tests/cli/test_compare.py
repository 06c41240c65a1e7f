"""chronotope compare as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import worlds
from chronotope.datasets.invented import invented_world
from chronotope.methods import GraphModel

COMMAND = [sys.executable, "-c", "from chronotope.cli import main; main()"]


def run(*arguments, code=0, cwd=None):
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def models(tmp_path_factory, counts_of):
    """Two models of the same invented places, a good one and one with too few dimensions, and their pairs."""
    folder = tmp_path_factory.mktemp("compare")
    world = worlds.places()
    counts = counts_of(world, place="place")
    GraphModel().fit(counts).save(folder / "good.ct")
    GraphModel(dimensions=4).fit(counts).save(folder / "poor.ct")
    world.write_pairs(folder / "pairs.csv", "place")
    return folder


def test_the_better_model_comes_first_and_the_difference_is_real(models):
    done = run("compare", models / "poor.ct", models / "good.ct", "--pairs", models / "pairs.csv", "--json")
    answer = json.loads(done.stdout)
    good, poor = answer["models"]
    assert (good["model"], poor["model"]) == ("good", "poor")
    assert good["behind_best"] is None
    assert poor["behind_best"]["real"]
    assert poor["behind_best"]["difference"] == pytest.approx(poor["mrr"] - good["mrr"])
    assert {"mp@1", "mp@10", "intervals", "signature", "same_word", "different_words"} <= good.keys()


def test_markdown_table_and_chart(models, tmp_path):
    arguments = ("compare", models / "good.ct", models / "poor.ct", "--pairs", models / "pairs.csv")
    done = run(*arguments, "--markdown", "-o", tmp_path / "chart.svg")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("| model | MRR |")
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["good", "poor"]
    picture = (tmp_path / "chart.svg").read_text()
    for wanted in ("good", "poor", "the best", "behind it", "pairs.csv"):
        assert wanted in picture
    assert "best" in run(*arguments).stdout


def test_a_model_compared_with_itself_is_no_better(models):
    done = run(
        "compare", models / "good.ct", models / "good.ct", "--pairs", models / "pairs.csv", "--min-count", 0,
        "--retrieval", "cosine", "--json",
    )  # fmt: skip
    first, second = json.loads(done.stdout)["models"]
    assert first["model"] == str(models / "good.ct")
    assert not second["behind_best"]["real"]
    assert "min support:0|cosine" in first["signature"]


def test_mistakes_get_one_clear_line(models, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("".join(f"{line}\n" for line in invented_world(documents=60).pairs("time")[:3]))
    for arguments, message in (
        ((models / "good.ct", "--pairs", models / "pairs.csv"), "two models or more"),
        ((models / "good.ct", models / "none.ct", "--pairs", models / "pairs.csv"), "none.ct"),
        ((models / "good.ct", models / "poor.ct", "--pairs", other), "is about two conditions of this model"),
    ):
        done = run("compare", *arguments, code=2)
        assert message in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
        assert done.stdout == ""
