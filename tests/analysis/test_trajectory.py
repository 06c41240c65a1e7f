import numpy as np
import polars as pl
import pytest

import chronotope as ct
import worlds
from chronotope.conditions import Conditions
from embeddings.invented import model_of, random_embeddings


def points(answer, kind):
    return {row["label"]: np.array([row["x"], row["y"]]) for row in answer if row["kind"] == kind}


@pytest.mark.parametrize("method", ["lle", "pca"])
def test_the_word_starts_among_its_first_neighbors_and_ends_among_its_last(over_time, method):
    answer = ct.trajectory(over_time, "bank", method=method)
    path, where = points(answer, "path"), points(answer, "neighbor")
    assert list(path) == list(over_time.conditions.labels)
    river, money = (np.mean([where[w] for w in where if w in topic], axis=0) for topic in (worlds.RIVER, worlds.MONEY))
    assert np.linalg.norm(path["1990"] - river) < np.linalg.norm(path["1990"] - money)
    assert np.linalg.norm(path["1999"] - money) < np.linalg.norm(path["1999"] - river)


def test_a_neighbor_is_drawn_once_and_says_where_it_is_near(over_time):
    answer = ct.trajectory(over_time, "bank")
    rows = answer.to_polars().filter(pl.col("kind") == "neighbor")
    assert rows["label"].is_unique().all()
    assert rows.height <= 24
    for name, near_in in rows.select("label", "near_in").rows():
        assert name in [match.word for match in over_time.neighbors("bank", near_in[0], 3)]
    assert list(ct.trajectory(over_time, "bank")) == list(answer)


def test_few_points_become_principal_axes_with_a_note():
    model = random_embeddings(conditions=Conditions.of_times(["1990", "2000"]), seed=5)
    word = next(w for w in model.words if min(model.count(w).values()) >= 5)
    answer = ct.trajectory(model, word, top=2)
    assert answer.facts["method"] == "pca"
    assert "too few for LLE" in answer.notes[-1]


def grouped(before):
    """'cell' stands beside a0 … in the first years and beside b0 … in all others, always a little apart."""
    rng = np.random.default_rng(3)
    words = ["cell", *(f"{side}{i}" for side in "ab" for i in range(9))]
    sides = np.eye(12)[[0] * 9 + [1] * 9] + 0.15 * rng.standard_normal((18, 12))
    cell = np.eye(12)[[0] * before + [1] * (10 - before)] + 0.5 * np.eye(12)[2] + 0.05 * rng.standard_normal((10, 12))
    return model_of([np.concatenate([cell[[at]], sides]) for at in range(10)], words=words, count=50)


@pytest.mark.parametrize("before", [3, 5, 7])
def test_after_a_sharp_change_the_word_is_drawn_among_its_later_neighbors(before):
    answer = ct.trajectory(grouped(before), "cell", top=8)
    where = points(answer, "neighbor")
    earlier, later = (np.mean([where[word] for word in where if word[0] == side], axis=0) for side in "ab")
    for at, point in enumerate(points(answer, "path").values()):
        assert (np.linalg.norm(point - earlier) < np.linalg.norm(point - later)) == (at < before)
    if before == 7:
        assert (answer.facts["method"], "separate groups" in answer.notes[-1]) == ("pca", True)
