"""`export` and `align` as a user meets them."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import chronotope as ct
from chronotope.embeddings.formats import FORMATS
from embeddings.invented import random_embeddings


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("export") / "model.ct"
    random_embeddings(words=80, provenance={"method": "graph", "run": "abc"}).save(path)
    return path


def test_out_and_in_again(model, chronotope, tmp_path):
    chronotope("export", model, "--format", "word2vec-binary", "-o", tmp_path / "out")
    done = chronotope("align", tmp_path / "out", "-o", tmp_path / "again.ct")
    assert done.stdout == ""
    before, after = ct.load(model), ct.load(tmp_path / "again.ct")
    assert after.conditions.labels == before.conditions.labels
    assert after.counted
    for word in before.words[:10]:
        assert after.count(word) == before.count(word)
        for label, count in before.count(word).items():
            if count:
                mine = [match.word for match in before.neighbors(word, label, 3)]
                assert mine == [match.word for match in after.neighbors(word, label, 3)]
    assert "exists; --force" in chronotope("align", tmp_path / "out", "-o", tmp_path / "again.ct", code=2).stderr


def test_only_what_is_asked_for(model, chronotope, tmp_path):
    asked = ("--at", "2000", "--absent", "--max-words", 9)
    done = chronotope("export", model, "--format", "glove", "-o", tmp_path / "out", *asked)
    assert "9 vectors of 1 condition, as glove" in " ".join(done.stderr.split())
    about = json.loads((tmp_path / "out" / "chronotope.json").read_text())
    assert about["conditions"] == [{"file": "2000.txt", "label": "2000", "words": 9}]
    again = ("export", model, "--format", "glove", "-o", tmp_path / "out")
    assert "holds an export" in chronotope(*again, code=2).stderr
    chronotope(*again, "--force")
    assert (tmp_path / "out" / "1990.txt").exists()
    assert "choose one" in chronotope(*again, "--absent", "--min-count", 3, code=2).stderr
    assert all(name in chronotope("export", "--help").stdout for name in FORMATS)


def test_names_landmarks_and_what_is_missing_are_told(chronotope, tmp_path):
    rng = np.random.default_rng(1)
    for name in ("a", "b"):
        rows = [f"w{n} {' '.join(map(str, rng.standard_normal(3).tolist()))}" for n in range(20)]
        (tmp_path / f"{name}.txt").write_text("\n".join([*rows, *rows[: name == "b"]]))
    (tmp_path / "landmarks").write_text("w1\nw2\nw3\nw4\nnope\n")
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    asked = ("align", *files, "-o", tmp_path / "m.ct", "--names")
    done = chronotope(*asked, "1990, 2000", "--landmarks", tmp_path / "landmarks")
    assert "1 of 5 landmarks are in no model" in done.stderr
    assert f"{files[1]}: repeated words: 1" in done.stderr.replace("\n", "")
    assert "contain no word counts" in done.stderr
    assert ct.load(tmp_path / "m.ct").conditions.times == ("1990", "2000")
    done = chronotope("neighbors", tmp_path / "m.ct", "w1", "--at", "1990", "--csv")
    assert "has no word counts" in done.stderr
    assert {row["neighbor_count"] for row in csv.DictReader(done.stdout.splitlines())} == {""}
    assert "2 models but 1 name;" in chronotope(*asked, "1990", "--force", code=2).stderr
    with pytest.warns(UserWarning, match=r"b\.txt: repeated words: 1; the first vector of each is kept"):
        ct.align([files[1], files[0]], names=["1990", "2000"])
    ct.export(random_embeddings(), tmp_path / "out", "numpy")
    assert "is an export as numpy" in chronotope("align", tmp_path / "out", "-o", tmp_path / "n.ct", code=2).stderr
