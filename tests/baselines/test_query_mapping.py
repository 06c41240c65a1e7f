"""The map that belongs to a query: right where the truth is known, and as repeatable as every other answer."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from chronotope.analysis import drift
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings, ConditionMatrix, LocalLinearMap, load
from chronotope.embeddings.nearest import unit_rows
from embeddings.invented import random_embeddings, support_from

SIZE = 6
TIMES = Conditions.of_times(["1990", "2000"])


def matrix(unit):
    word = np.arange(len(unit))
    return ConditionMatrix(word, np.full(len(unit), 9), unit.astype(np.float32))


def stretched(words, seed=0):
    """Unit rows, and the same after a map that stretches half the dimensions and shrinks the others; also unit."""
    rng = np.random.default_rng(seed)
    left, right = rng.standard_normal((2, words, SIZE // 2))
    # 1.2² · a + s² · (1 − a) = 1 with a = 0.5: every row keeps its length.
    rows = np.hstack([unit_rows(left.astype("f")), unit_rows(right.astype("f"))]).astype(np.float64) * np.sqrt(0.5)
    stretch = np.diag([1.2] * (SIZE // 2) + [np.sqrt(2 - 1.44)] * (SIZE // 2))
    plan = stretch @ ortho_group.rvs(SIZE, random_state=rng)
    return rows, rows @ plan


@pytest.mark.parametrize("neighbors", [10, 1000])
def test_a_planted_linear_map_is_recovered(neighbors):
    before, after = stretched(200)
    assert not np.allclose(before, after, atol=0.2)
    source, target = matrix(before[:150]), matrix(after[:150])
    mapping = LocalLinearMap(neighbors=neighbors)
    asked = np.arange(200)
    carried = mapping.carry(asked, before.astype(np.float32), source, target)
    assert np.allclose(carried, after, atol=1e-4)
    assert np.allclose(mapping.carry_together(before.astype(np.float32), source, target), after, atol=1e-4)


def test_a_word_that_moved_does_not_take_part_in_its_own_map():
    before, after = stretched(100)
    right = after[0].copy()
    after[0] = -right
    carried = LocalLinearMap().carry(np.array([0]), before[:1].astype(np.float32), matrix(before), matrix(after))
    assert np.allclose(carried[0], right, atol=1e-4)


def test_with_few_words_in_common_the_map_stays_near_none_at_all():
    before, after = stretched(100)
    few = LocalLinearMap(ridge=1e6).carry(
        np.array([9]), before[9:10].astype("f"), matrix(before[:3]), matrix(after[:3])
    )
    assert np.allclose(few, before[9], atol=1e-3)
    nothing = ConditionMatrix(np.array([77]), np.array([9]), before[77:78].astype("f"))
    none = LocalLinearMap().carry(np.array([9]), before[9:10].astype("f"), matrix(before[:3]), nothing)
    assert np.allclose(none, before[9], atol=1e-6)


@pytest.fixture(scope="module")
def mapped():
    return random_embeddings(words=300, query_mapping=LocalLinearMap(neighbors=20), seed=4)


@pytest.mark.parametrize("retrieval", ["cosine", "csls"])
def test_one_by_one_equals_all_at_once(mapped, retrieval):
    asked = list(mapped.words[:60])
    together = mapped.equivalents(asked, "1990", "2010", retrieval=retrieval)
    assert together == [mapped.equivalents(word, "1990", "2010", retrieval=retrieval) for word in asked]


def test_between_conditions_the_query_is_carried_and_within_one_it_is_not(mapped):
    bare = random_embeddings(words=300, seed=4)
    word = mapped.words[0]
    assert mapped.neighbors(word, "1990") == bare.neighbors(word, "1990")
    assert mapped.similarity(word, "w5", "1990") == bare.similarity(word, "w5", "1990")
    best = mapped.equivalents(word, "1990", "2010", 1, retrieval="cosine")[0]
    assert mapped.similarity(word, best.word, "1990", "2010") == pytest.approx(best.cosine, abs=1e-12)
    assert mapped.similarity(word, "w5", "1990", "2010") != bare.similarity(word, "w5", "1990", "2010")
    row = drift(mapped, "1990", "2010").top(1)[0]
    assert row.score == pytest.approx(1 - mapped.similarity(row.word, row.word, "1990", "2010"), abs=1e-9)


def test_answers_do_not_depend_on_how_a_condition_is_turned():
    """So the vectors may be stored in one space, which `linear` does for the sake of everything else."""
    rng = np.random.default_rng(5)
    support = support_from(np.full((2, 120), 9))
    vectors = rng.standard_normal((240, SIZE))
    turned = vectors.copy()
    turned[120:] = vectors[120:] @ ortho_group.rvs(SIZE, random_state=rng)
    words = [f"w{number}" for number in range(120)]
    answers = []
    for rows in (vectors, turned):
        embeddings = ConditionedEmbeddings(
            words, TIMES, support, rows, center=np.zeros((2, SIZE)), query_mapping=LocalLinearMap(neighbors=30)
        )
        answers.append(embeddings.equivalents(words[:40], "1990", "2000", retrieval="csls"))
    for one, other in zip(*answers, strict=True):
        assert [match.word for match in one] == [match.word for match in other]
        assert np.allclose([match.cosine for match in one], [match.cosine for match in other], atol=1e-5)


def test_it_is_saved_and_loaded(mapped, tmp_path):
    mapped.save(tmp_path / "a.ct")
    loaded = load(tmp_path / "a.ct")
    assert loaded.query_mapping == mapped.query_mapping == LocalLinearMap(neighbors=20)
    assert loaded.equivalents("w3", "1990", "2010") == mapped.equivalents("w3", "1990", "2010")
    loaded.save(tmp_path / "b.ct")
    assert (tmp_path / "a.ct").read_bytes() == (tmp_path / "b.ct").read_bytes()
    random_embeddings().save(tmp_path / "none.ct")
    assert load(tmp_path / "none.ct").query_mapping is None


@pytest.mark.parametrize(
    "data", ["x", {}, {"kind": "curved"}, {"kind": "local linear", "neighbors": 0}, {"kind": "local linear", "k": 1}]
)
def test_what_is_not_a_mapping_is_refused(data):
    with pytest.raises(ValueError, match="query mapping"):
        LocalLinearMap.from_dict(data)
