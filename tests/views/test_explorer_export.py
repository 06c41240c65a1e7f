"""The explorer as a folder: the engine in the browser answers as the server does, from rounded vectors."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from playwright._impl._driver import compute_driver_executable

from chronotope.analysis.answer import questions
from chronotope.analysis.sentence_sample import sentence_sample
from chronotope.errors import InputError, SettingsError
from chronotope.views.explorer.api import answer
from chronotope.views.explorer.explored import Explored
from chronotope.views.explorer.export import export
from embeddings.invented import model_of
from views.explored_models import HOSTILE, MISSING, explored, hostile
from worlds import contents

ASK = Path(__file__).parent / "ask_engine.js"
# Columns that name a row, and columns of which nearly equal words may change places when vectors are rounded.
NAMES = ("word", "other", "condition", "against", "neighbor", "equivalent", "place", "label")
RANKED = ("neighbors", "equivalents", "analogy")


def node(*arguments: object, given: str = "") -> str:
    """What a script prints: by the node of this machine, else by the one inside Playwright."""
    program = shutil.which("node") or compute_driver_executable()[0]
    done = subprocess.run([program, *arguments], input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def ask(folder: Path, asked: list[tuple[str, dict]]) -> list[dict]:
    """The answers of the engine in a folder."""
    return json.loads(node(ASK, folder, given=json.dumps(asked)))


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    """A folder for each kind of model, with its sentences."""
    parent = tmp_path_factory.mktemp("out")
    return {
        kind: export(explored(kind), parent / kind, with_text=True).folder
        for kind in ("time", "place", "both", "nested")
    }


def close(mine: object, theirs: object) -> bool:
    """Whether two values are equal to display precision."""
    if isinstance(mine, float) and isinstance(theirs, int | float):
        return abs(mine - theirs) <= max(0.011, 1e-4 * abs(mine))
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return list(mine) == list(theirs) and all(close(mine[key], theirs[key]) for key in mine)
    if isinstance(mine, list) and isinstance(theirs, list):
        return len(mine) == len(theirs) and all(map(close, mine, theirs))
    return mine == theirs


def differences(name: str, mine: dict, theirs: dict) -> list[object]:
    """Where an answer of the folder differs from that of the library."""
    found: list[object] = [key for key in ("title", "notes", "facts", "signature") if not close(mine[key], theirs[key])]
    if name not in RANKED:
        found += (
            [] if len(mine["rows"]) == len(theirs["rows"]) else [f"{len(theirs['rows'])} of {len(mine['rows'])} rows"]
        )
        return found + [pair for pair in zip(mine["rows"], theirs["rows"], strict=False) if not close(*pair)]
    rows = {tuple(row.get(key) for key in NAMES): row for row in mine["rows"]}
    both = [(rows[key], row) for row in theirs["rows"] if (key := tuple(row.get(key) for key in NAMES)) in rows]
    loose = ("rank", "match")
    strict = [[{key: row[key] for key in row if key not in loose} for row in pair] for pair in both]
    missing = [] if len(both) >= 0.9 * len(mine["rows"]) else [f"{len(both)} of {len(mine['rows'])} rows"]
    return found + missing + [pair for pair in strict if not close(*pair)]


def asked_of(kind: str) -> list[tuple[str, dict]]:
    labels = explored(kind).embeddings.conditions.labels
    word, (at, to) = "bank" if kind == "time" else "mountain", (labels[0], labels[-1])
    place = {"place": "arlen"} if kind == "both" else {}
    listed = answer(explored(kind), questions()["drift"], {})["rows"][0]["word"]
    asked = [
        ("neighbors", {"word": word}),
        ("neighbors", {"word": word, "at": at}),
        ("neighbors", {"word": word, "at": at, "retrieval": "csls"}),
        ("neighbors", {"word": word, "at": "all", "top": 4, **place}),
        ("equivalents", {"word": word, "at": at, "to": to}),
        ("equivalents", {"word": word, "at": at}),
        ("series", {"word": [word]}),
        ("series", {"word": [word, "river"], "against": "overall"}),
        ("series", {"word": [word], "against": at, **place}),
        ("matrix", {"word": word, **place}),
        ("similarity", {"word": [word, "river", "money"]}),
        ("axis", {"word": [word], "formula": "river - money"}),
        ("axis", {"word": [word], "formula": "(river + water) - money", "fixed": True, **place}),
        ("analogy", {"a": "river", "b": word, "c": "money", "at": at, "to": to}),
        ("drift", {}),
        ("drift", {"top": 3}),
        ("stable", {"least": True}),
        ("trajectory", {"word": listed}),
        ("frequency", {"word": [listed]}),
        ("collocates", {"word": listed, "top": 7}),
        ("collocates", {"word": listed}),
    ]
    asked += [("series", {"word": [word], "against": "previous", **place})] if kind in ("time", "both") else []
    asked += [("changepoints", {"word": listed, **place})] if kind in ("time", "both") else []
    asked += [("map", {"word": listed}), ("places", {})] if kind != "time" else []
    return asked + ([("grid", {"word": listed})] if kind == "both" else [])


@pytest.mark.parametrize("kind", ["time", "place", "both", "nested"])
def test_a_folder_answers_as_the_library_does(folders, kind):
    asked = asked_of(kind)
    for (name, params), found in zip(asked, ask(folders[kind], asked), strict=True):
        assert "rows" in found, (name, params, found)
        expected = json.loads(json.dumps(answer(explored(kind), questions()[name], params)))
        # A folder does not know how the occurrences of a word are spread over documents.
        expected["notes"] = [note for note in expected["notes"] if not note.startswith("One document")]
        if name == "axis":
            # Without a server there are no intervals.
            found["notes"], found["facts"]["interval"] = expected["notes"], expected["facts"]["interval"]
        if name == "equivalents":
            # Rounded vectors may decide otherwise where a word just reaches what it needs.
            close_calls = {
                row["condition"] for row in expected["rows"] if abs(row["similarity"] - row["needed"]) < 0.0002
            }
            for one in (expected, found) if close_calls else ():
                one["notes"], one["facts"]["without_match"] = [], []
                one["rows"] = [row for row in one["rows"] if row["condition"] not in close_calls]
        assert differences(name, expected, found) == [], (name, params)


@pytest.mark.parametrize("dimensions", [50, 200])
def test_the_ten_nearest_are_the_same_in_98_of_100_cases(tmp_path, dimensions):
    """Words in groups, as in real models; by cosine within a condition, by CSLS between two."""
    random, words = np.random.default_rng(1), 2_000
    centers = random.standard_normal((60, dimensions))
    common = centers[random.integers(0, 60, words)] + 0.7 * random.standard_normal((words, dimensions))
    model = model_of([common + 0.3 * random.standard_normal((words, dimensions)) for _ in range(2)])
    folder = export(Explored(model, "Groups", missing=MISSING), tmp_path / "folder").folder
    for name, settings in (("neighbors", {"at": "1990"}), ("equivalents", {"at": "1990", "to": "1991"})):
        names = model.words[::20]
        answers = ask(folder, [(name, {"word": word, **settings}) for word in names])
        found = [{row[name.removesuffix("s")] for row in answer["rows"]} for answer in answers]
        expected = [{match.word for match in getattr(model, name)(word, **settings)} for word in names]
        assert sum(len(a & b) for a, b in zip(found, expected, strict=True)) >= 0.98 * 10 * len(expected)


def test_an_absent_word_is_refused_or_answered_from_its_other_conditions(tmp_path):
    vectors = [[[1, 0.2, 0], [0.9, 0, 0.1], [0.8, 0.3, 0.3]], [[0.9, 0, 0], [0, 1, 0.5], [0, 0, 0]]]
    model = model_of(vectors, words="abc", count=[[9, 9, 9], [9, 9, 0]])
    what = Explored(model, "Few", missing=MISSING)
    params = {"word": "c", "at": "1991"}
    asked = [("neighbors", params), ("neighbors", params | {"fallback": True})]
    refused, answered = ask(export(what, tmp_path / "folder").folder, asked)
    assert "it occurs in 1990" in refused["error"]["message"]
    expected = json.loads(json.dumps(answer(what, questions()["neighbors"], params | {"fallback": True})))
    assert differences("neighbors", expected, answered) == []
    assert answered["rows"][0]["fallback"] is True


def test_sentences_show_the_word(folders):
    asked = [
        ("evidence", {"word": "mountain", "at": "1991", "top": 50}),
        ("evidence", {"word": "mountain", "near": "snow"}),
    ]
    found, near = ask(folders["both"], asked)
    assert found["rows"]
    for row in found["rows"]:
        assert row["text"][row["start"] : row["end"]].casefold() == "mountain"
        assert row["condition"] == f"1991/{row['place']}"
        assert list(row) == list(questions()["evidence"].columns)
    for row in near["rows"]:
        assert row["text"][row["near_start"] : row["near_end"]].casefold() == "snow"


def test_without_the_wish_no_sentence_is_written(tmp_path):
    folder = export(explored("time"), tmp_path / "folder").folder
    everything = b"".join(path.read_bytes() for path in sorted((folder / "data").iterdir()))
    sentence = sentence_sample(explored("time").counts, 0, 50, 1).sentences[0].text
    assert sentence[:30].encode() not in everything
    found, about = ask(folder, [("evidence", {"word": "bank"}), ("about", {})])
    assert (found["error"]["kind"], found["error"]["status"]) == ("unavailable", 409)
    assert about["available"]["text"] is False
    with pytest.raises(InputError, match="no sentences"):
        export(hostile(), tmp_path / "other", with_text=True)


def test_errors_are_those_of_the_server(folders):
    errors = [
        ("series", {"word": "mountian"}, "unknown_word"),
        ("series", {}, "bad_request"),
        ("series", {"word": "mountain", "min_count": 99_999}, "too_rare"),
        ("neighbors", {"word": "mountain", "at": "1066"}, "unknown_condition"),
        ("neighbors", {"word": "mountain", "top": 0}, "bad_request"),
        ("axis", {"word": "mountain", "formula": "river - - money"}, "bad_request"),
        ("series", {"word": "mountain", "bootstrap": 10}, "unavailable"),
        ("map", {"word": "mountain"}, "unavailable"),
        ("toString", {}, "bad_request"),
        # Not among the words and settings whose answers are written.
        ("collocates", {"word": explored("time").embeddings.words[-1]}, "unavailable"),
        ("changepoints", {"word": "bank", "most": 1}, "unavailable"),
    ]
    answers = ask(folders["time"], [(name, params) for name, params, _ in errors])
    assert [found["error"]["kind"] for found in answers] == [kind for _, _, kind in errors]
    assert answers[0]["error"]["did_you_mean"][0] == "mountain"
    assert answers[3]["error"]["did_you_mean"] == list(explored("time").embeddings.conditions.labels)


def test_words_of_a_hostile_corpus_are_only_words(tmp_path):
    folder = export(hostile(), tmp_path / "folder").folder
    for path in (folder / "data").iterdir():
        content = path.read_bytes()
        assert b"\xe2\x80\xa8" not in content
        assert b"</script" not in content
    answers = ask(folder, [("series", {"word": [word]}) for word in HOSTILE])
    assert [found["rows"][0]["word"] for found in answers] == list(HOSTILE)


def test_the_same_model_gives_the_same_bytes(folders, tmp_path):
    first, second = folders["both"], export(explored("both"), tmp_path / "again", with_text=True).folder
    assert contents(first) == contents(second)


def test_a_folder_is_whole_or_not_there(tmp_path):
    folder, tiny = tmp_path / "folder", Explored(model_of([np.eye(8)]), "Tiny", missing=MISSING)
    written = export(tiny, folder)
    assert written.size == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    with pytest.raises(SettingsError, match="--force"):
        export(tiny, folder)
    (folder / "mark").touch()
    export(tiny, folder, force=True)
    assert not (folder / "mark").exists()
    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.txt").touch()
    with pytest.raises(SettingsError, match="is not an explorer"):
        export(tiny, other, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "mine"]
