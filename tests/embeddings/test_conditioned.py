import pickle

import numpy as np
import pytest

from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings, LocalLinearMap
from chronotope.errors import (
    AbsentWordError,
    ChronotopeError,
    DamagedFileError,
    InputError,
    SettingsError,
    UnknownConditionError,
    UnknownWordError,
)
from embeddings.invented import random_embeddings, support_from


def cosine(a, b):
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def candidates(embeddings, at, min_count):
    return [word for word in embeddings.words if embeddings.count(word, at) >= min_count]


def r(embeddings, word, at, to, min_count):
    """The mean cosine of a word in `at` with its ten nearest in `to`."""
    others = [o for o in candidates(embeddings, to, min_count) if at != to or o != word]
    near = sorted((embeddings.similarity(word, other, at, to) for other in others), reverse=True)[:10]
    return sum(near) / len(near)


@pytest.mark.parametrize("min_count", [0, 1, 5, 40])
def test_neighbors_are_those_of_a_sort_by_cosine(min_count):
    embeddings = random_embeddings()
    for word in candidates(embeddings, "2000", 1)[:4]:
        own = embeddings[word, "2000"]
        vectors = {o: embeddings.vector(o, "2000", fallback=True) for o in candidates(embeddings, "2000", min_count)}
        by_hand = sorted(vectors.keys() - {word}, key=lambda other: -cosine(own, vectors[other]))
        found = embeddings.neighbors(word, "2000", top=8, min_count=min_count)
        assert [match.word for match in found] == by_hand[:8]
        assert all(match.score == match.similarity for match in found)
        assert found[0].similarity == pytest.approx(cosine(own, vectors[by_hand[0]]), abs=1e-6)
        assert embeddings.neighbors(word, "2000", topn=3, min_count=min_count) == found[:3]


@pytest.mark.parametrize(("at", "to"), [("1990", "2010"), ("2010", "1990"), ("2000", "2000")])
def test_equivalents_are_those_of_csls_by_hand(at, to):
    embeddings = random_embeddings(words=40)
    for word in candidates(embeddings, at, 1)[:3]:
        own = r(embeddings, word, at, to, 5)
        by_hand = {
            other: 2 * embeddings.similarity(word, other, at, to) - own - r(embeddings, other, to, at, 5)
            for other in candidates(embeddings, to, 5)
            if embeddings.count(other, at) or at != to
        }
        found = embeddings.equivalents(word, at, to, top=6)
        assert [match.word for match in found] == sorted(by_hand, key=lambda o: -by_hand[o])[:6]
        assert [match.score for match in found] == pytest.approx([by_hand[match.word] for match in found], abs=1e-6)


def test_equivalents_by_references_are_those_by_hand():
    """The mean of the cosine with the query and of the cosines of the differences from the words near it."""
    embeddings, at, to = random_embeddings(words=90), "1990", "2010"
    there = candidates(embeddings, to, 5)
    shared = [name for name in candidates(embeddings, at, 5) if name in there]
    for word in candidates(embeddings, at, 1)[:4]:
        before, after = (
            {name: embeddings.project([name], when, when)[0].astype(float) for name in {word, *there}}
            for when in (at, to)
        )
        near = sorted(set(shared) - {word}, key=lambda name: -before[word] @ before[name])[:50]
        by_hand = {
            name: (before[word] @ after[name]) / 2
            + np.mean([cosine(before[word] - before[one], after[name] - after[one]) for one in near if one != name])
            * (len(near) - (name in near))
            / len(near)
            / 2
            for name in there
        }
        found = embeddings.equivalents(word, at, to, top=6, retrieval="references")
        assert [match.word for match in found] == sorted(by_hand, key=lambda name: -by_hand[name])[:6]
        assert [match.score for match in found] == pytest.approx([by_hand[match.word] for match in found], abs=1e-5)


@pytest.mark.parametrize("retrieval", ["cosine", "csls", "references"])
@pytest.mark.parametrize("min_count", [0, 5])
@pytest.mark.parametrize("query_mapping", [None, LocalLinearMap(neighbors=20)])
def test_one_by_one_equals_a_batch(retrieval, min_count, query_mapping):
    embeddings, again = (random_embeddings(words=700, dimensions=30, query_mapping=query_mapping) for _ in range(2))
    how = {"min_count": min_count, "retrieval": retrieval, "fallback": True}
    asked = list(embeddings.words)[::7]
    if retrieval != "references":
        assert embeddings.neighbors(asked, "2000", **how) == [embeddings.neighbors(w, "2000", **how) for w in asked]
    for role_map in (False, True):
        batch = embeddings.equivalents(asked, "1990", "2010", role_map=role_map, **how)
        assert batch == [again.equivalents(word, "1990", "2010", role_map=role_map, **how) for word in asked]
    assert embeddings.equivalents([], "1990", "2010", **how) == []


def test_candidates_occur_often_enough_and_only_neighbors_leave_the_query_out():
    embeddings = random_embeddings()
    word = candidates(embeddings, "2000", 1)[0]
    found = embeddings.equivalents(word, "2000", "1990", top=1000)
    assert {m.word: m.count for m in found} == {
        w: embeddings.count(w, "1990") for w in candidates(embeddings, "1990", 5)
    }
    assert embeddings.equivalents(word, "2000", "1990", min_count=10**9) == []
    assert embeddings.equivalents(word, "2000", "1990", top=0) == []
    for name in candidates(embeddings, "1990", 1):
        assert name not in [m.word for m in embeddings.neighbors(name, "1990", top=60, min_count=0)]
        assert embeddings.equivalents(name, "1990", "1990", top=1, min_count=0, retrieval="cosine")[0].word == name


def test_an_absent_word_is_refused_or_answered_from_its_other_conditions():
    conditions = Conditions.of_places(["canada", "india"])
    support = support_from([[10, 30, 0], [30, 10, 5]])
    vectors = np.array([[1, 0], [0, 1], [3, 2], [2, 4], [6, 8]], dtype=np.float32)
    factors = np.array([[2, 0.5], [1, 1]], dtype=np.float32)
    embeddings = ConditionedEmbeddings(["a", "b", "c"], conditions, support, vectors, condition_factors=factors)
    center = np.array([0.5, 0.5])
    assert embeddings["a", "canada"] == pytest.approx(np.array([1, 0]) - center)
    refused = (
        lambda: embeddings["c", "canada"],
        lambda: embeddings.neighbors("c", "canada"),
        lambda: embeddings.neighbors(["a", "c"], "canada"),
        lambda: embeddings.equivalents("c", "canada", "india"),
        lambda: embeddings.similarity("c", "a", "canada"),
        lambda: embeddings.similarity("a", "c", "india", "canada"),
    )
    for ask in refused:
        with pytest.raises(AbsentWordError, match="'c' does not occur in canada; it occurs in india") as caught:
            ask()
    assert isinstance(caught.value, ChronotopeError)
    expected = np.array([6 * 2, 8 * 0.5]) - center
    assert embeddings.vector("c", "canada", fallback=True) == pytest.approx(expected)
    assert embeddings.similarity("c", "a", "canada", fallback=True) == pytest.approx(
        cosine(expected, np.array([0.5, -0.5])), abs=1e-6
    )
    assert [m.word for m in embeddings.neighbors("c", "Canada", min_count=1, fallback=True)] == ["a", "b"]
    # The common meaning of 'a' is the mean of its two vectors, weighted by 10 and 30.
    shared, own = embeddings.parts("a", "canada")
    assert shared == pytest.approx(np.array([2.5, 1.5]) * factors[0])
    assert shared + own == pytest.approx(np.array([1, 0]))
    assert (embeddings.parts("c", "canada")[1] == 0).all()


def test_without_a_condition_words_are_compared_overall():
    """The overall vector is the mean of a word's vectors, weighted by count, less the mean of all words."""
    embeddings = random_embeddings()
    vectors = {word: embeddings[word] for word in embeddings.words if sum(embeddings.count(word).values()) >= 5}
    means = embeddings.common[[embeddings.index(w) for w in embeddings.words if sum(embeddings.count(w).values())]]
    assert embeddings["w1"] == pytest.approx(embeddings.common[1] - means.mean(axis=0), abs=1e-6)
    by_hand = sorted(vectors.keys() - {"w1"}, key=lambda other: -cosine(vectors["w1"], vectors[other]))
    found = embeddings.neighbors("w1")
    assert [match.word for match in found] == by_hand[:10]
    assert found[0].count == sum(embeddings.count(found[0].word).values())
    assert embeddings.similarity("w1", found[0].word) == found[0].similarity
    assert embeddings.at().most_similar("w1", topn=1)[0][0] == found[0].word
    mapped = random_embeddings(query_mapping=LocalLinearMap())
    with pytest.raises(SettingsError, match="space of its own for each condition; name a condition"):
        mapped.neighbors("w1")


def test_a_vector_is_a_query_and_a_copy():
    embeddings = random_embeddings()
    word = candidates(embeddings, "1990", 5)[0]
    vector = embeddings[word, "1990"]
    found = embeddings.neighbors(vector, at="1990", top=4)
    assert found[0].word == word
    assert found[1:] == embeddings.neighbors(word, "1990", top=3)
    assert embeddings.equivalents(vector, "1990", "2010") == embeddings.equivalents(word, "1990", "2010")
    mixed = embeddings.neighbors(vector - embeddings[candidates(embeddings, "1990", 5)[1], "1990"], at="1990")
    assert len(mixed) == 10
    embeddings[word, "1990"][:] = 0
    assert (embeddings[word, "1990"] == vector).all()
    assert embeddings.neighbors(vector.tolist(), at="1990", top=4) == found
    assert embeddings.neighbors(np.stack([vector, -vector]), at="1990", top=4)[0] == found
    for wrong in (vector[:3], vector * np.nan, vector.tolist()[:3], np.stack([[vector]])):
        with pytest.raises(SettingsError, match="a query vector needs 7 finite numbers"):
            embeddings.neighbors(wrong, at="1990")


def test_errors_say_what_to_do():
    embeddings = random_embeddings()
    with pytest.raises(UnknownWordError, match=r"'w1x' is not among the 60 words of this model; did you mean w1"):
        embeddings.neighbors(["w0", "w1x"], "1990", fallback=True)
    with pytest.raises(KeyError) as caught:
        embeddings["w1x", "1990"]
    assert str(caught.value).startswith("'w1x' is not among the 60 words"), "not quoted, as other key errors are"
    with pytest.raises(UnknownConditionError, match="'1995' is not among the 3 conditions: 1990, 2000, 2010"):
        embeddings.equivalents("w0", "1990", "1995")
    with pytest.raises(SettingsError, match="retrieval must be cosine or csls, not 'cos'"):
        embeddings.neighbors("w0", retrieval="cos")
    with pytest.raises(SettingsError, match="min_count"):
        embeddings.neighbors("w0", min_count=-1)
    with pytest.raises(InputError, match="a word must be text, not NoneType"):
        embeddings.vector(None, at="1990")
    with pytest.raises(InputError, match="a word must be text, not int"):
        embeddings.at("1990").get_index(1990)
    with pytest.raises(InputError, match="a word must be text, not int"):
        embeddings[0]
    assert "w1" in embeddings
    assert "w1x" not in embeddings


def test_vectors_that_are_not_numbers_are_refused_when_asked_for():
    whole = random_embeddings()
    vectors = whole.vectors.copy()
    vectors[-1] = np.nan
    parts = whole.words, whole.conditions, whole.observed, vectors
    broken = ConditionedEmbeddings(*parts, common=whole.common, center=whole.center)
    word = next(w for w in whole.words if min(whole.count(w).values()))
    assert broken.neighbors(word, "1990") == whole.neighbors(word, "1990")
    with pytest.raises(DamagedFileError, match="the vectors of 2010 hold values that are not numbers"):
        broken.neighbors(word, "2010", min_count=1)
    with pytest.raises(ValueError, match="common holds values that are not numbers"):
        ConditionedEmbeddings(*parts)


@pytest.mark.parametrize(
    ("words", "support", "message"),
    [
        (["a", "a"], support_from([[1, 1]]), "a word occurs twice"),
        (["a", "b\nc"], support_from([[1, 1]]), "line break"),
        (["a", "\ud800"], support_from([[1, 1]]), "UTF-8"),
        (["a"], support_from([[1, 1]]), "a word that does not exist"),
        (["a", "b"], support_from([[1, 1]])._replace(word=np.array([1, 0])), "not sorted"),
        (["a", "b"], support_from([[1, 1]])._replace(count=np.array([1, 0])), "a count below 1"),
        (["a", "b"], support_from([[1, 1], [1, 1]]), "2 conditions, not 1"),
    ],
)
def test_parts_that_do_not_fit_are_refused(words, support, message):
    with pytest.raises(ValueError, match=message):
        ConditionedEmbeddings(words, Conditions.of_times(["1990"]), support, np.ones((len(support.word), 2)))


def test_the_signature_says_how_the_vectors_were_made():
    made = {"method": "cw2v", "seed": 1, "settings": {"epochs": 15}, "run": "abcdef0123", "versions": {"chronotope": 9}}
    signature = random_embeddings(provenance=made).signature
    assert signature.startswith("chronotope 9|cw2v|7 dimensions|3 conditions|60 words|seed 1|settings ")
    assert signature.endswith("|run abcdef01")
    shown = "<ConditionedEmbeddings: 60 words, 3 conditions (time, 1990 … 2010), 7 dimensions>"
    assert repr(pickle.loads(pickle.dumps(random_embeddings()))) == shown


def test_a_word_is_found_however_it_is_typed():
    words = ["café", "prime_minister", "don't", "US", "us"]
    one = Conditions.of_times(["1990"])
    embeddings = ConditionedEmbeddings(words, one, support_from([[9] * 5]), np.eye(5, dtype=np.float32))
    typed = {"CAFÉ": 0, "cafe\u0301": 0, "Prime Minister": 1, "Don’t": 2, "US": 3, "us": 4, "Us": 4}
    assert {word: embeddings.index(word) for word in typed} == typed
    assert "café" not in [match.word for match in embeddings.neighbors("CAFÉ", at="1990")]
    with pytest.raises(UnknownWordError, match="did you mean café"):
        embeddings.index("caffé")
