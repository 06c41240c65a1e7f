import numpy as np
import pytest

from chronotope.analysis import analogy, relation
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError, UnknownWordError
from embeddings.invented import support_from

PAIRS = [(f"big{i}", f"bigger{i}") for i in range(6)]


@pytest.fixture(scope="module")
def graded():
    """Six pairs that differ by one and the same vector in each of three conditions, and words without a relation.

    In the last condition the relation points elsewhere: it keeps within, not across.
    """
    rng = np.random.default_rng(2)
    words = [word for pair in PAIRS for word in pair] + [f"other{i}" for i in range(60)]
    base = 0.5 * rng.standard_normal((len(words), 30))
    vectors = np.repeat(base[None], 3, axis=0)
    step = 2 * np.eye(30)[:2]
    for number in range(6):
        vectors[:, 2 * number + 1] = vectors[:, 2 * number]
        vectors[:2, 2 * number + 1] += step[0]
        vectors[2, 2 * number + 1] += step[1]
    vectors += 0.02 * rng.standard_normal(vectors.shape)
    support = support_from(np.full((3, len(words)), 9))
    return ConditionedEmbeddings(words, Conditions.of_times(["1", "2", "3"]), support, vectors.reshape(-1, 30))


def test_the_fourth_word_is_found_within_and_across_conditions(graded):
    for to in (None, "2"):
        answer = analogy(graded, "big0", "bigger0", "big3", "1", to)
        assert answer.matches[0].word == "bigger3"
    assert not {"big0", "bigger0", "big3"} & {match.word for match in answer.matches}
    assert len(answer.matches) == 10


def test_a_relation_agrees_within_each_condition_and_across_those_that_keep_it(graded):
    answer = relation(graded, PAIRS)
    assert all(one.pairs == 6 for one in answer.conditions)
    assert all(one.agreement > 0.6 for one in answer.conditions)
    assert all(one.by_chance < one.agreement - 0.2 for one in answer.conditions)
    assert answer.agreement == pytest.approx(np.mean([one.agreement for one in answer.conditions]))
    # Two of the three pairs of conditions do not share the direction.
    assert 0.2 < answer.across < 0.7
    unrelated = [(f"other{i}", f"other{i + 1}") for i in range(0, 20, 2)]
    assert abs(relation(graded, unrelated).agreement) < 0.15


def test_pairs_without_support_do_not_count(graded):
    answer = relation(graded, PAIRS, min_count=10)
    assert answer.agreement is None
    assert answer.across is None
    with pytest.raises(SettingsError, match="two pairs or more"):
        relation(graded, PAIRS[:1])
    with pytest.raises(UnknownWordError):
        analogy(graded, "big0", "bigger0", "nothing", "1")
