import numpy as np
import pytest

from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings, Match
from chronotope.errors import DamagedFileError, InputError, SettingsError, UnknownConditionError, UnknownWordError
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
    for word in ("w0", "w1", "w2", "w3"):
        others = [other for other in candidates(embeddings, "2000", min_count) if other != word]
        by_hand = sorted(others, key=lambda o: -cosine(embeddings.vector(word, "2000"), embeddings.vector(o, "2000")))
        found = embeddings.neighbors(word, "2000", top=8, min_count=min_count)
        assert [match.word for match in found] == by_hand[:8]
        assert all(match.score == match.similarity for match in found)
        assert found[0].similarity == pytest.approx(
            cosine(embeddings.vector(word, "2000"), embeddings.vector(by_hand[0], "2000")), abs=1e-6
        )


@pytest.mark.parametrize(("at", "to"), [("1990", "2010"), ("2010", "1990"), ("2000", "2000")])
def test_equivalents_are_those_of_csls_by_hand(at, to):
    embeddings = random_embeddings(words=40)
    for word in ("w0", "w1", "w2"):
        own = r(embeddings, word, at, to, 5)
        by_hand = {
            other: 2 * embeddings.similarity(word, other, at, to) - own - r(embeddings, other, to, at, 5)
            for other in candidates(embeddings, to, 5)
        }
        found = embeddings.equivalents(word, at, to, top=6)
        assert [match.word for match in found] == sorted(by_hand, key=lambda o: -by_hand[o])[:6]
        assert [match.score for match in found] == pytest.approx([by_hand[match.word] for match in found], abs=1e-6)


@pytest.mark.parametrize("retrieval_by", ["cosine", "csls"])
@pytest.mark.parametrize("min_count", [0, 5])
def test_one_by_one_equals_a_batch(retrieval_by, min_count):
    embeddings = random_embeddings(words=700, dimensions=30)
    how = {"min_count": min_count, "retrieval": retrieval_by}
    asked = list(embeddings.words)
    assert embeddings.neighbors(asked, "2000", **how) == [embeddings.neighbors(w, "2000", **how) for w in asked]
    batch = embeddings.equivalents(asked, "1990", "2010", **how)
    again = random_embeddings(words=700, dimensions=30)
    assert batch == [again.equivalents(word, "1990", "2010", **how) for word in asked]
    assert embeddings.equivalents([], "1990", "2010", **how) == []


def test_neighbors_leave_the_query_out_and_equivalents_keep_it():
    embeddings = random_embeddings()
    for word in embeddings.words:
        assert word not in [m.word for m in embeddings.neighbors(word, "1990", top=60, min_count=0)]
        assert embeddings.equivalents(word, "1990", "1990", top=1, min_count=0, retrieval="cosine")[0].word == word


def test_fewer_candidates_give_fewer_answers():
    embeddings = random_embeddings()
    many = len(candidates(embeddings, "1990", 5))
    found = embeddings.equivalents("w0", "2000", "1990", top=1000)
    assert len(found) == many < len(embeddings)
    assert all(match.count >= 5 for match in found)
    assert {m.word: m.count for m in found} == {m.word: embeddings.count(m.word, "1990") for m in found}
    assert embeddings.equivalents("w0", "2000", "1990", min_count=10**9) == []
    assert embeddings.equivalents("w0", "2000", "1990", top=0) == []


def test_an_absent_word_is_answered_from_what_it_means_elsewhere():
    conditions = Conditions.of_places(["canada", "india"])
    support = support_from([[10, 30, 0], [30, 10, 5]])
    vectors = np.array([[1, 0], [0, 1], [3, 2], [2, 4], [6, 8]], dtype=np.float32)
    factors = np.array([[2, 0.5], [1, 1]], dtype=np.float32)
    embeddings = ConditionedEmbeddings(["a", "b", "c"], conditions, support, vectors, condition_factors=factors)
    assert embeddings.count("c") == {"canada": 0, "india": 5}
    center = np.array([0.5, 0.5])
    assert embeddings.vector("c", "canada") == pytest.approx(np.array([6 * 2, 8 * 0.5]) - center)
    assert embeddings.vector("a", "canada") == pytest.approx(np.array([1, 0]) - center)
    # The common meaning of 'a' is the mean of its two vectors, weighted by 10 and 30.
    shared, own = embeddings.parts("a", "canada")
    assert shared == pytest.approx(np.array([2.5, 1.5]) * factors[0])
    assert shared + own == pytest.approx(np.array([1, 0]))
    assert (embeddings.parts("c", "canada")[1] == 0).all()
    assert [m.word for m in embeddings.neighbors("c", "Canada", min_count=1)] == ["a", "b"]


def test_a_vector_is_a_copy():
    embeddings = random_embeddings()
    before = embeddings.vector("w0", "1990")
    embeddings.vector("w0", "1990")[:] = 0
    assert (embeddings.vector("w0", "1990") == before).all()
    assert before.dtype == np.float32


def test_similarity_across_conditions():
    embeddings = random_embeddings()
    expected = cosine(embeddings.vector("w1", "1990"), embeddings.vector("w1", "2010"))
    assert embeddings.similarity("w1", "w1", at="1990", to="2010") == pytest.approx(expected, abs=1e-6)


def test_errors_say_what_to_do():
    embeddings = random_embeddings()
    with pytest.raises(UnknownWordError, match=r"'w1x' is not among the 60 words of this model; did you mean w1"):
        embeddings.neighbors(["w0", "w1x"], "1990")
    with pytest.raises(UnknownConditionError, match="'1995' is not among the 3 conditions: 1990, 2000, 2010"):
        embeddings.equivalents("w0", "1990", "1995")
    with pytest.raises(SettingsError, match="retrieval must be cosine or csls, not 'cos'"):
        embeddings.neighbors("w0", "1990", retrieval="cos")
    with pytest.raises(SettingsError, match="min_count"):
        embeddings.neighbors("w0", "1990", min_count=-1)
    with pytest.raises(InputError, match="a word must be text, not NoneType"):
        embeddings.vector(None, at="1990")
    with pytest.raises(InputError, match="a word must be text, not int"):
        embeddings.at("1990").get_index(1990)
    assert "w1" in embeddings
    assert "w1x" not in embeddings


def test_vectors_that_are_not_numbers_are_refused_when_asked_for():
    embeddings = random_embeddings()
    vectors = embeddings.vectors.copy()
    vectors[-1] = np.nan
    broken = ConditionedEmbeddings(
        embeddings.words,
        embeddings.conditions,
        embeddings.observed,
        vectors,
        common=embeddings.common,
        center=embeddings.center,
    )
    assert broken.neighbors("w0", "1990") == embeddings.neighbors("w0", "1990")
    with pytest.raises(DamagedFileError, match="the vectors of 2010 hold values that are not numbers"):
        broken.neighbors("w0", "2010", min_count=1)
    with pytest.raises(ValueError, match="common holds values that are not numbers"):
        ConditionedEmbeddings(embeddings.words, embeddings.conditions, embeddings.observed, vectors)


@pytest.mark.parametrize(
    ("words", "support", "message"),
    [
        (["a", "a"], support_from([[1, 1]]), "a word occurs twice"),
        (["a", "b\nc"], support_from([[1, 1]]), "line break"),
        (["a", "\ud800"], support_from([[1, 1]]), "UTF-8"),
        (["a"], support_from([[1, 1]]), "a word that does not exist"),
        (["a", "b"], support_from([[1, 1]])._replace(word=np.array([1, 0])), "not sorted"),
        (["a", "b"], support_from([[1, 1]])._replace(count=np.array([1, 0])), "less than once"),
        (["a", "b"], support_from([[1, 1], [1, 1]]), "of 2 conditions, not 1"),
    ],
)
def test_parts_that_do_not_fit_are_refused(words, support, message):
    with pytest.raises(ValueError, match=message):
        ConditionedEmbeddings(words, Conditions.of_times(["1990"]), support, np.ones((len(support.word), 2)))


def test_the_signature_tells_how_the_vectors_were_made():
    made = {
        "method": "cw2v",
        "seed": 1,
        "settings": {"epochs": 15},
        "run": "abcdef0123",
        "versions": {"chronotope": "9"},
    }
    signature = random_embeddings(provenance=made).signature
    assert signature.startswith("chronotope 9|cw2v|7 dimensions|3 conditions|60 words|seed 1|settings ")
    assert signature.endswith("|run abcdef01")
    assert repr(random_embeddings()) == (
        "<ConditionedEmbeddings: 60 words, 3 conditions (time, 1990 … 2010), 7 dimensions>"
    )
    one = ConditionedEmbeddings(["a"], Conditions.of_times(["1990"]), support_from([[1]]), [[1.0, 2.0]])
    assert repr(one) == "<ConditionedEmbeddings: 1 word, 1 condition (time, 1990), 2 dimensions>"
    with pytest.raises(UnknownWordError, match="'b' is not among the 1 word of this model"):
        one.index("b")
    with pytest.raises(UnknownConditionError, match="'1991' is not among the 1 condition: 1990"):
        one.vector("a", "1991")


def test_a_match_as_plain_data():
    assert Match("a", 0.5, 0.4, 3).to_dict() == {"word": "a", "score": 0.5, "similarity": 0.4, "count": 3}


def test_a_word_is_found_however_it_is_typed():
    words = ["café", "prime_minister", "don't", "US", "us"]
    support = Support(np.array([0, 5]), np.arange(5, dtype=np.int32), np.full(5, 9))
    embeddings = ConditionedEmbeddings(words, Conditions.of_times(["1990"]), support, np.eye(5, dtype=np.float32))
    typed = {"CAFÉ": 0, "cafe\u0301": 0, "Prime Minister": 1, "Don’t": 2, "US": 3, "us": 4, "Us": 4}
    assert {word: embeddings.index(word) for word in typed} == typed
    assert "café" not in [match.word for match in embeddings.neighbors("CAFÉ", at="1990")]
    with pytest.raises(UnknownWordError, match="did you mean café"):
        embeddings.index("caffé")


def test_an_unknown_word_is_a_key_error_with_a_plain_message():
    with pytest.raises(KeyError) as caught:
        random_embeddings().neighbors("w1x", "1990")
    assert str(caught.value).startswith("'w1x' is not among the 60 words")
