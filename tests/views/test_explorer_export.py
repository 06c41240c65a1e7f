"""The explorer as a folder: the engine in the browser answers as the server does, from rounded vectors."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from playwright._impl._driver import compute_driver_executable

from chronotope.analysis.sentence_sample import sentence_sample
from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError
from chronotope.views.explorer import questions
from chronotope.views.explorer.explored import Explored
from chronotope.views.explorer.export import MARK, export
from chronotope.views.explorer.quantize import rounded
from chronotope.views.explorer.text_code import counted, packed
from views.explored_models import HOSTILE, explored, hostile

ASK = Path(__file__).parent / "ask_engine.js"


def node(*arguments: object, given: str = "") -> str:
    """What a script prints: by the node of this machine, else by the one inside Playwright."""
    program = shutil.which("node") or compute_driver_executable()[0]
    done = subprocess.run([program, *arguments], input=given, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def ask(folder: Path, asked: list[tuple[str, dict]]) -> list[dict]:
    """The answers of the engine in a folder."""
    return json.loads(node(ASK, folder, given=json.dumps(asked)))


def ask_one(folder: Path, name: str, **params: object) -> dict:
    return ask(folder, [(name, params)])[0]


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict[str, Path]:
    """A folder for each kind of model, with its sentences."""
    made = {}
    for kind in ("time", "place", "both"):
        made[kind] = export(explored(kind), tmp_path_factory.mktemp("out") / kind, with_text=True).folder
    return made


def alike(mine: object, theirs: object, path: str = "") -> list[str]:
    """Where two answers differ: numbers may by a hundredth, p by what another generator draws; shapes may not."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        if list(mine) != list(theirs):
            return [f"{path}: {list(mine)} is not {list(theirs)}"]
        return [found for key in mine for found in alike(mine[key], theirs[key], f"{path}.{key}")]
    if isinstance(mine, list) and isinstance(theirs, list):
        if len(mine) != len(theirs):
            return [f"{path}: {len(mine)} is not {len(theirs)}"]
        return [
            found for at, pair in enumerate(zip(mine, theirs, strict=True)) for found in alike(*pair, f"{path}[{at}]")
        ]
    if isinstance(mine, float) and isinstance(theirs, int | float):
        far = 0.05 if path.endswith((".p", ".p_words", ".low", ".high")) else 0.011
        return [] if abs(mine - theirs) < far else [f"{path}: {mine} is not {theirs}"]
    return [] if mine == theirs else [f"{path}: {mine!r} is not {theirs!r}"]


def questions_of(kind: str) -> list[tuple[str, dict, dict]]:
    """What is asked of every kind of model, with the answer of the library."""
    what = explored(kind)
    labels = what.embeddings.conditions.labels
    word = "bank" if kind == "time" else "mountain"
    at, to = labels[0], labels[-1]
    place = "arlen" if kind == "both" else None
    on_a_line = {"place": place} if place else {}
    found = [
        ("similarity", {"word": word}, questions.similarity(what, word, None, 5)),
        ("series", {"word": word, "against": "overall"}, questions.series_of(what, word, "overall", None, 5)),
        ("series", {"word": word, **on_a_line}, questions.series_of(what, word, "first", place, 5)),
        (
            "equivalents",
            {"word": word, "at": at, "to": to, "top": 1},
            questions.equivalents(what, word, at, to, 1, 5, "csls"),
        ),
        ("compare", {"word": [word, "river"]}, questions.compare(what, [word, "river"], "first", None, 5)),
        (
            "axis",
            {"word": [word], "formula": "(river + water) - money", "fixed": True},
            questions.axis(what, [word], "(river + water) - money", True, 5),
        ),
        ("starts", {"top": 5}, questions.starts(what, 5)),
        ("words", {"query": "mo"}, questions.words(what, "mo", 10)),
    ]
    if kind != "place":
        answer = questions.changepoints(what, word, place, 5)
        for point in answer["points"]:
            # Who is the fourth to join or leave may hang on a rounding; the first does not.
            point["joined"], point["left"] = point["joined"][:1], point["left"][:1]
        found.append(("changepoints", {"word": word, **on_a_line}, answer))
    if kind != "time":
        found.append(("map", {"word": word}, questions.map_of(what, word, None, 5)))
        found.append(("places", {}, questions.places(what, 10)))
    if kind == "both":
        found.append(("grid", {"word": word}, questions.grid_of(what, word, None, 5)))
    return [(name, params, json.loads(json.dumps(answer))) for name, params, answer in found]


@pytest.mark.parametrize("kind", ["time", "place", "both"])
def test_a_folder_answers_as_the_library_does(folders, kind):
    asked = questions_of(kind)
    answers = ask(folders[kind], [(name, params) for name, params, _ in asked])
    for (name, params, expected), found in zip(asked, answers, strict=True):
        assert "answer" in found, (name, found)
        for point in found["answer"].get("points", ()):
            point["joined"], point["left"] = point["joined"][:1], point["left"][:1]
        assert alike(expected, found["answer"]) == [], (name, params)


def path_agreement(folder, word, method):
    """Return the method that the library draws with, and the correlation of its distances with those of the folder.

    Axes may be flipped, and a neighbor may be another word: the distances between the points stay.
    """
    mine = questions.trajectory_of(explored("time"), word, method, 5)
    theirs = ask_one(folder, "trajectory", word=word, method=method)["answer"]
    shared = {one["word"] for one in mine["company"]} & {one["word"] for one in theirs["company"]}
    assert len(shared) >= 0.8 * len(mine["company"])

    def gaps(answer: dict) -> np.ndarray:
        points = np.array([(point["x"], point["y"]) for point in answer["path"]])
        return np.linalg.norm(points[:, None] - points[None], axis=2).ravel()

    return mine["method"], theirs["method"], np.corrcoef(gaps(mine), gaps(theirs))[0, 1]


@pytest.mark.parametrize("method", ["pca", "lle"])
def test_the_path_of_a_word_that_changed_sharply_is_drawn_by_pca(folders, method):
    """A sharp change separates the points, and LLE falls back to PCA."""
    mine, theirs, agreement = path_agreement(folders["time"], "bank", method)
    assert (mine, theirs) == ("pca", "pca")
    assert agreement > 0.97


def test_the_paths_of_most_words_have_the_same_shape(folders):
    """Single words may differ: with few points LLE is ill-conditioned, and the folder's vectors are rounded."""
    words = ("river", "money", "school", "war", "sea", "weather", "kitchen", "house", "forest", "trade", "mountain")
    found = [path_agreement(folders["time"], word, "lle") for word in words]
    assert all(mine == "lle" for mine, _, _ in found)
    assert np.median([agreement for _, _, agreement in found]) > 0.97


def test_every_question_has_the_fields_of_the_library(folders):
    """Lists of words may differ where two are as good as equally near, but not what is said of them."""
    what = explored("time")
    at = what.embeddings.conditions.labels[0]
    asked = [
        ("neighbors", {"word": "bank", "at": at}, questions.neighbors(what, "bank", at, None, 10, 5, "cosine")),
        ("ranks", {"word": "bank"}, questions.ranks_of(what, "bank", None, 5, 5)),
        ("company", {"word": "bank"}, questions.company_of(what, "bank", 4, 12, 5)),
        ("everywhere", {"word": "bank", "at": at}, questions.everywhere(what, "bank", at, 3, 0.05, 5)),
        ("evidence", {"word": "bank", "at": at}, questions.leaf(questions.sentences(what, "bank", at, None), 0, 10)),
        ("trajectory", {"word": "bank"}, questions.trajectory_of(what, "bank", "lle", 5)),
        ("about", {}, what.about()),
    ]
    answers = ask(folders["time"], [(name, params) for name, params, _ in asked])
    for (name, _, expected), found in zip(asked, answers, strict=True):
        assert list(found["answer"]) == list(expected), name
        for key, value in expected.items():
            if isinstance(value, list | tuple) and value and isinstance(value[0], dict) and found["answer"][key]:
                assert list(found["answer"][key][0]) == list(value[0]), (name, key)


@pytest.mark.parametrize("dimensions", [50, 200])
def test_the_ten_nearest_are_the_same_in_98_of_100_cases(tmp_path, dimensions):
    """Words in groups, as in real models; by cosine within a condition, by CSLS between two."""
    random, words = np.random.default_rng(1), 2_000
    centers = random.standard_normal((60, dimensions))
    common = centers[random.integers(0, 60, words)] + 0.7 * random.standard_normal((words, dimensions))
    vectors = np.concatenate([common + 0.3 * random.standard_normal((words, dimensions)) for _ in range(2)])
    support = Support(np.arange(3) * words, np.tile(np.arange(words), 2), np.full(2 * words, 9))
    names = [f"word{number}" for number in range(words)]
    embeddings = ConditionedEmbeddings(names, Conditions.of_times(["1990", "2000"]), support, vectors)
    missing = dict.fromkeys(("counts", "text", "coordinates"), "it is not there")
    folder = export(Explored(embeddings, "Groups", missing=missing), tmp_path / "folder").folder
    asked, expected = [], []
    for word in names[::20]:
        asked.append(("neighbors", {"word": word, "at": "1990"}))
        expected.append({match.word for match in embeddings.neighbors(word, "1990")})
        asked.append(("equivalents", {"word": word, "at": "1990", "to": "2000"}))
        expected.append({match.word for match in embeddings.equivalents(word, "1990", "2000")})
    same = {"neighbors": 0, "equivalents": 0}
    for (name, _), known, found in zip(asked, expected, ask(folder, asked), strict=True):
        answer = found["answer"]
        matches = answer["rows"][0]["matches"] if name == "neighbors" else answer["matches"]
        same[name] += len(known & {match["word"] for match in matches})
    assert min(same.values()) >= 0.98 * 10 * len(names[::20])


def test_an_absent_word_is_answered_from_its_other_conditions(tmp_path):
    support = Support(np.array([0, 3, 5]), np.array([0, 1, 2, 0, 1]), np.array([9, 9, 9, 9, 9]))
    vectors = np.array([[1, 0.2, 0], [0.9, 0, 0.1], [0.8, 0.3, 0.3], [0.9, 0, 0], [0, 1, 0.5]])
    embeddings = ConditionedEmbeddings(["a", "b", "c"], Conditions.of_times(["1990", "2000"]), support, vectors)
    missing = dict.fromkeys(("counts", "text", "coordinates"), "it is not there")
    folder = export(Explored(embeddings, "Few", missing=missing), tmp_path / "folder").folder
    row = ask_one(folder, "neighbors", word="c", at="2000")["answer"]["rows"][0]
    expected = embeddings.neighbors("c", "2000")
    assert row["support"] == 0
    assert [match["word"] for match in row["matches"]] == [match.word for match in expected]
    assert row["matches"][0]["cosine"] == pytest.approx(expected[0].similarity, abs=0.01)


def test_sentences_show_the_word(folders):
    found = ask_one(folders["both"], "evidence", word="mountain", at="1991", limit=50)["answer"]
    assert found["examples"]
    assert found["page"]["total"] == len(found["examples"])
    for example in found["examples"]:
        assert example["text"][example["start"] : example["end"]].casefold() == "mountain"
        assert example["condition"].startswith("1991/")
        assert example["place"] == example["condition"].split("/")[1]
    near = ask_one(folders["both"], "evidence", word="mountain", near="snow", limit=50)["answer"]
    for example in near["examples"]:
        assert example["text"][slice(*example["near"])].casefold() == "snow"


def test_every_word_of_a_condition_has_a_sentence():
    what = explored("time")
    words = len(what.embeddings)
    sample = sentence_sample(what.counts, 0, words, 10)
    assert sample.searched == sample.tokens
    assert set(sample.word) == set(what.embeddings.observed.words_in(0))
    assert np.bincount(sample.word).max() <= 10
    for word, sentence, start, end in zip(sample.word, sample.sentence, sample.start, sample.end, strict=True):
        assert sample.sentences[sentence].text[start:end].casefold() == what.embeddings.words[word]


def test_without_the_wish_no_sentence_leaves_the_house(tmp_path):
    folder = export(explored("time"), tmp_path / "folder").folder
    everything = b"".join(path.read_bytes() for path in sorted((folder / "data").iterdir()))
    sentence = sentence_sample(explored("time").counts, 0, 50, 1).sentences[0].text
    assert sentence[:30].encode() not in everything
    assert not [path for path in (folder / "data").iterdir() if path.name.startswith(("sentences", "index"))]
    found = ask_one(folder, "evidence", word="bank")["error"]
    assert (found["kind"], found["status"]) == ("unavailable", 409)
    assert ask_one(folder, "about")["answer"]["available"]["text"] is False
    with pytest.raises(InputError, match="no sentences"):
        export(hostile(), tmp_path / "other", with_text=True)


def test_errors_are_those_of_the_server(folders):
    errors = [
        ("series", {"word": "mountian"}, "unknown_word"),
        ("series", {}, "bad_request"),
        ("series", {"word": "mountain", "min_count": 99_999}, "too_rare"),
        ("neighbors", {"word": "mountain", "at": "1066"}, "unknown_condition"),
        ("neighbors", {"word": "mountain", "top": 51}, "bad_request"),
        ("frequency", {"word": "mountain"}, "unavailable"),
        ("map", {"word": "mountain"}, "unavailable"),
        ("toString", {}, "bad_request"),
    ]
    answers = ask(folders["time"], [(name, params) for name, params, _ in errors])
    assert [found["error"]["kind"] for found in answers] == [kind for _, _, kind in errors]
    assert answers[0]["error"]["didYouMean"][0] == "mountain"


def test_words_that_are_meant_to_do_harm_are_only_words(tmp_path):
    folder = export(hostile(), tmp_path / "folder").folder
    for path in folder.rglob("*.js"):
        if path.parent.name == "data":
            assert b"\xe2\x80\xa8" not in path.read_bytes()
    answers = ask(folder, [("series", {"word": word}) for word in HOSTILE])
    assert [found["answer"]["word"] for found in answers] == list(HOSTILE)


def test_the_same_model_gives_the_same_bytes(tmp_path):
    first, second = (export(explored("both"), tmp_path / name, with_text=True).folder for name in "ab")
    names = sorted(path.relative_to(first) for path in first.rglob("*"))
    assert names == sorted(path.relative_to(second) for path in second.rglob("*"))
    for name in names:
        if (first / name).is_file():
            assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_a_model_of_one_condition_is_a_folder_too(tmp_path):
    """Nothing can have changed in it: whoever asks is told so, as by the server."""
    support = Support(np.array([0, 8]), np.arange(8), np.full(8, 9))
    vectors = np.random.default_rng(1).standard_normal((8, 4))
    model = ConditionedEmbeddings([f"w{at}" for at in range(8)], Conditions.of_times(["1990"]), support, vectors)
    one = Explored(model, "One", missing=dict.fromkeys(("counts", "text", "bands", "coordinates"), "it is not there"))
    asked = [("starts", {"top": 5}), ("neighbors", {"word": "w1", "min_count": 5})]
    starts, neighbors = ask(export(one, tmp_path / "one").folder, asked)
    assert "this model has one, 1990" in starts["error"]["message"]
    theirs = questions.neighbors(one, "w1", None, None, 10, 5, "cosine")
    assert alike(neighbors["answer"]["rows"], theirs["rows"]) == []


def test_a_folder_is_whole_or_not_there(tmp_path):
    folder = tmp_path / "folder"
    written = export(hostile(), folder)
    assert written.size == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert MARK not in page
    assert page.index("engine/engine.js") < page.index("source.js")
    assert 'src="/' not in page
    assert "http://" not in page
    with pytest.raises(SettingsError, match="--force"):
        export(hostile(), folder)
    (folder / "mark").touch()
    export(hostile(), folder, force=True)
    assert not (folder / "mark").exists()
    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.txt").touch()
    with pytest.raises(SettingsError, match="is no explorer"):
        export(hostile(), other, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "mine"]


def test_size_stays_within_what_is_promised():
    """20,000 words × 30 conditions × 50 dimensions in 45 MB: 75 bytes a pair, of which 70 for vectors and counts."""
    random = np.random.default_rng(1)
    rows = rounded(random.standard_normal((5_000, 50)).astype(np.float32))
    size = len(packed(rows.ravel(), 8)) + len(counted(np.zeros(5_000, np.int64))) + len(counted(np.full(5_000, 200)))
    assert size / 5_000 < 64


@pytest.mark.parametrize("bits", [7, 8, 9, 14])
def test_numbers_survive_as_text(tmp_path, bits):
    random = np.random.default_rng(bits)
    values = random.integers(-(1 << (bits - 1)), 1 << (bits - 1), 1_001)
    counts = np.concatenate([np.arange(200), 64 ** np.arange(5), 64 ** np.arange(1, 5) - 1, [2**31 - 1]])
    numbers = Path(__file__).parents[2] / "src/chronotope/views/explorer/engine/numbers.js"
    script = b"globalThis.window = globalThis;\n" + numbers.read_bytes() + b"\nconst packed = " + packed(values, bits)
    script += b", counted = " + counted(counts) + b";\nconsole.log(JSON.stringify(["
    script += f"[...chronotope.lib.unpack(packed, {bits}, {len(values)})], ".encode()
    script += f"[...chronotope.lib.counted(counted, {len(counts)})]]));".encode()
    (tmp_path / "read.js").write_bytes(script)
    assert json.loads(node(tmp_path / "read.js")) == [values.tolist(), counts.tolist()]
