import numpy as np
import pytest

import chronotope as ct
from chronotope.conditions import Conditions
from chronotope.errors import AbsentWordError
from embeddings.invented import model_of, random_embeddings


def graded():
    """Six pairs that differ by one and the same vector in two conditions, and words without a relation."""
    rng = np.random.default_rng(2)
    words = [f"{word}{i}" for i in range(6) for word in ("big", "bigger")] + [f"other{i}" for i in range(60)]
    vectors = np.repeat(0.5 * rng.standard_normal((1, len(words), 30)), 2, axis=0)
    vectors[:, 1:12:2] = vectors[:, 0:12:2] + 2 * np.eye(30)[0]
    vectors += 0.02 * rng.standard_normal(vectors.shape)
    return model_of(vectors, Conditions.of_times(["1", "2"]), words)


@pytest.mark.parametrize("to", [None, "2"])
def test_the_fourth_word_is_found_within_and_across_conditions(to):
    answer = ct.analogy(graded(), "big0", "bigger0", "big3", at="1", to=to)
    assert answer["word"][0] == "bigger3"
    assert not {"big0", "bigger0", "big3"} & set(answer["word"])
    assert answer["rank"].to_list() == list(range(1, 11))
    assert answer.facts["to"] == (to or "1")


def test_an_absent_word_is_refused_or_answered_from_its_other_conditions():
    model = random_embeddings()
    absent = next(word for word in model.words if not model.count(word, "1990"))
    present = [word for word in model.words if model.count(word, "1990")][:2]
    with pytest.raises(AbsentWordError, match=f"'{absent}' does not occur in 1990"):
        ct.analogy(model, *present, absent, at="1990")
    answer = ct.analogy(model, *present, absent, at="1990", fallback=True)
    assert answer["fallback"].all()
    assert f"{absent} does not occur in 1990; the answer comes from its other conditions." in answer.notes
