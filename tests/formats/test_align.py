"""Models from elsewhere in one space: rotations are undone, neighbors stay, everything else works on the result."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ortho_group

import chronotope as ct
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import InputError, SettingsError

SIZE = 8
RNG = np.random.default_rng(5)
WORDS = [f"w{number}" for number in range(120)]
TRUTH = RNG.standard_normal((120, SIZE)).astype(np.float32)
TURNS = ortho_group.rvs(SIZE, size=4, random_state=RNG)
MOVED = "w7"


def model(turn: int, words: list[int], moved: bool = False, counts=None, name="") -> WordVectors:
    """Some of the words, seen from another side; one of them may have moved to another's place."""
    vectors = TRUTH.copy()
    if moved:
        vectors[7] = TRUTH[20]
    return WordVectors([WORDS[w] for w in words], vectors[words] @ TURNS[turn].astype(np.float32), counts, name=name)


@pytest.fixture(scope="module")
def years() -> ct.ConditionedEmbeddings:
    """Three years; w7 moves in the last, w100 and later are missing from the first."""
    given = [model(0, range(100)), model(1, range(120)), model(2, list(range(119, 4, -1)), moved=True)]
    return ct.align(given, ["1990", "1991", "1992"])


def test_planted_rotations_are_undone(years):
    for word in ("w10", "w50", "w99"):
        assert years.similarity(word, word, "1990", "1992") == pytest.approx(1, abs=1e-3)
    assert years.similarity(MOVED, "w20", "1992", "1990") == pytest.approx(1, abs=1e-2)
    assert len(years) == 120
    assert years.count("w110", "1990") == years.count("w2", "1992") == 0 < years.count("w110", "1991")


def test_within_a_condition_all_cosines_are_those_of_the_model_given(years):
    given = model(1, range(120))
    for word in ("w0", "w60"):
        mine = [(match.word, match.similarity) for match in years.neighbors(word, "1991", 5)]
        theirs = given.most_similar(word, topn=5)
        assert [one for one, _ in mine] == [one for one, _ in theirs]
        assert [cosine for _, cosine in mine] == pytest.approx([cosine for _, cosine in theirs], abs=1e-5)


def test_drift_charts_and_files_work_on_it(years, tmp_path):
    assert ct.drift(years, "1991", "1992")["word"][0] == MOVED
    assert ct.series(years, MOVED)["similarity"][-1] < 0.9
    assert len(ct.neighbors(years, MOVED, at="all"))
    years.save(tmp_path / "m.ct")
    again = ct.load(tmp_path / "m.ct")
    assert again.signature == years.signature
    assert again.signature.endswith("no counts")
    assert not again.counted


def test_landmarks_alone_decide():
    """Where all but the landmarks have moved, only alignment by them finds the truth."""
    landmarks = WORDS[:20]
    second = TRUTH @ TURNS[1].astype(np.float32)
    second[20:] = RNG.standard_normal((100, SIZE))
    given = [(WORDS, TRUTH), (WORDS, second)]
    error = {
        name: 1 - np.mean([found.similarity(word, word, "1990", "2000") for word in landmarks])
        for name, found in (
            ("landmarks", ct.align(given, ["1990", "2000"], landmarks=[*landmarks, "unknown"])),
            ("all", ct.align(given, ["1990", "2000"])),
        )
    }
    assert error["landmarks"] < 1e-6 < 0.01 < error["all"]


def test_counts_come_with_keyed_vectors_unless_gensim_made_them_up(tmp_path):
    gensim = pytest.importorskip("gensim.models")
    counts = RNG.integers(5, 900, 120)
    given = [model(turn, range(120), counts=counts).to_gensim() for turn in (0, 1)]
    aligned = ct.align(given, ["arlen", "borva"])
    assert aligned.conditions.axis == "place"
    assert aligned.counted
    assert aligned.provenance["settings"]["shrinkage"] > 0, "rare words weigh less"
    assert aligned.count("w3", "arlen") == counts[3]
    assert aligned.words[0] == WORDS[int(counts.argmax())]
    trained = gensim.Word2Vec([["a", "b", "c"]] * 10, vector_size=2, min_count=1, seed=1, workers=1)
    assert ct.align([trained, trained.wv], ["1990", "1991"]).count("a", "1990") == 10
    model(0, range(120)).to_gensim().save_word2vec_format(str(tmp_path / "1990.txt"))
    invented = gensim.KeyedVectors.load_word2vec_format(str(tmp_path / "1990.txt"))
    assert invented.get_vecattr("w0", "count") == 120, "which the file does not say"
    assert not ct.align([invented, model(1, range(120))], ["1990", "1991"]).counted


def test_times_that_start_with_a_year_are_put_in_order():
    given = {"2000s": 2, "1980s": 0, "1990s": 1}
    aligned = ct.align([model(turn, range(120)) for turn in given.values()], list(given))
    assert aligned.conditions.times == ("1980s", "1990s", "2000s")
    kept = ct.align([model(turn, range(120)) for turn in (0, 1)], ["war", "peace"], kind="time")
    assert kept.conditions.times == ("war", "peace")
    both = ct.align([model(n, range(120)) for n in range(4)], ["1999/us", "1998/uk", "1998/us", "1999/uk"])
    assert both.conditions.labels == ("1998/us", "1998/uk", "1999/us", "1999/uk")
    assert both.similarity("w5", "w5", "1998/uk", "1999/us") == pytest.approx(1, abs=1e-4)


def test_zero_vectors_doubles_and_line_ends():
    vectors = TRUTH.copy()
    vectors[3] = 0
    words = [*WORDS[:-2], "w0", "two\nlines"]
    aligned = ct.align([(words, vectors), dict(zip(WORDS, TRUTH, strict=True))], ["1990", "1991"])
    assert aligned.count("w3", "1990") == 0
    assert "two lines" in aligned
    assert np.allclose(aligned.vector("w0", "1990"), TRUTH[0], atol=1e-5)


def test_wrong_input_is_told_in_one_line(tmp_path):
    good = model(0, range(120), name="1990")
    short = WordVectors(WORDS, TRUTH[:, :5], name="2000")
    few = WordVectors(WORDS[:4], TRUTH[:4], name="2000")
    cases = [
        (lambda: ct.align([good, short]), "different dimensions .* 1990 has 8, 2000 has 5"),
        (lambda: ct.align([good, few]), "1990 and 2000 share only 4 words; a rotation of 8 dimensions"),
        (lambda: ct.align([good]), "two models at least"),
        (lambda: ct.align(good), "a list of models"),
        (lambda: ct.align([good, good]), "the same name"),
        (lambda: ct.align([good, (WORDS, TRUTH)]), "model 2 has no name"),
        (lambda: ct.align([good, 7], ["a", "b"]), "cannot align a int"),
        (lambda: ct.align([good, (WORDS[:3], TRUTH)], ["a", "b"]), "cannot read words and vectors"),
        (lambda: ct.align([good, (WORDS, TRUTH * np.nan)], ["a", "b"]), "not numbers"),
        (lambda: ct.align([good, (WORDS, TRUTH * 0)], ["a", "b"]), "has only zero vectors"),
        (lambda: ct.align([good, tmp_path / "none.txt"]), "there is no file"),
        (lambda: ct.align([good, good], ["1990", "1991"], landmarks=["nope"]), "none of the 1 landmarks"),
        (lambda: ct.align([good, good], ["1990"]), "2 models but 1 name;"),
        (lambda: ct.align([good, good], ["1990", "1991"], kind="space"), "kind must be"),
    ]
    for call, message in cases:
        with pytest.raises((InputError, SettingsError), match=message) as caught:
            call()
        assert "\n" not in str(caught.value)
