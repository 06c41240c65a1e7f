import numpy as np
import pytest

import worlds
from chronotope.analysis import ranks, trajectory
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError
from embeddings.invented import random_embeddings, support_from


@pytest.mark.parametrize("method", ["lle", "pca"])
def test_the_word_starts_among_its_first_company_and_ends_among_its_last(over_time, method):
    answer = trajectory(over_time, "bank", method=method)
    assert answer.method == method or "principal axes" in answer.note
    assert [point.condition for point in answer.path] == list(over_time.conditions.labels)
    where = {one.word: np.array([one.x, one.y]) for one in answer.company}
    river = np.mean([where[word] for word in where if word in worlds.RIVER], axis=0)
    money = np.mean([where[word] for word in where if word in worlds.MONEY], axis=0)
    first, last = (np.array([answer.path[end].x, answer.path[end].y]) for end in (0, -1))
    assert np.linalg.norm(first - river) < np.linalg.norm(first - money)
    assert np.linalg.norm(last - money) < np.linalg.norm(last - river)


def test_company_is_drawn_once_and_says_where_it_is_near(over_time):
    answer = trajectory(over_time, "bank")
    assert len({one.word for one in answer.company}) == len(answer.company) <= 24
    for one in answer.company:
        near = [m.word for m in over_time.neighbors("bank", one.near_in[0], 3)]
        assert one.word in near
    assert trajectory(over_time, "bank") == answer


def test_too_few_points_become_principal_axes_with_a_note():
    embeddings = random_embeddings(conditions=Conditions.of_times(["1990", "2000"]), seed=5)
    word = next(w for w in embeddings.words if min(embeddings.count(w).values()) >= 5)
    answer = trajectory(embeddings, word, top=2)
    assert answer.method == "pca"
    assert "too few for LLE" in answer.note
    with pytest.raises(SettingsError, match="method must be lle or pca"):
        trajectory(embeddings, word, method="tsne")
    with pytest.raises(InputError, match="this needs 2"):
        trajectory(embeddings, word, min_count=10**6)


def test_ranks_are_the_neighbors_in_order(over_time):
    answer = ranks(over_time, "bank", top=4)
    for at, label in enumerate(answer.conditions):
        shown = {one.ranks[at]: one.word for one in answer.neighbors if one.ranks[at]}
        assert [shown[rank] for rank in range(1, 5)] == [m.word for m in over_time.neighbors("bank", label, 4)]


def parted(before: int) -> ConditionedEmbeddings:
    """'cell' stands beside a0 … in the first years and beside b0 … in all others, always a little apart."""
    rng = np.random.default_rng(3)
    words = ["cell", *(f"{side}{i}" for side in "ab" for i in range(9))]
    sides = np.eye(12)[[0] * 9 + [1] * 9] + 0.15 * rng.standard_normal((18, 12))
    cell = np.eye(12)[[0] * before + [1] * (10 - before)] + 0.5 * np.eye(12)[2] + 0.05 * rng.standard_normal((10, 12))
    vectors = np.concatenate([np.concatenate([cell[[at]], sides]) for at in range(10)])
    years = Conditions.of_times([str(year) for year in range(1990, 2000)])
    return ConditionedEmbeddings(words, years, support_from(np.full((10, 19), 50)), vectors)


@pytest.mark.parametrize("before", [3, 5, 7])
def test_after_a_sharp_change_the_word_is_drawn_among_its_later_company(before):
    answer = trajectory(parted(before), "cell", top=8)
    where = {one.word: np.array([one.x, one.y]) for one in answer.company}
    earlier, later = (np.mean([where[word] for word in where if word[0] == side], axis=0) for side in "ab")
    for at, point in enumerate(answer.path):
        gaps = [np.linalg.norm(side - (point.x, point.y)) for side in (earlier, later)]
        assert (gaps[0] < gaps[1]) == (at < before)
    assert answer == trajectory(parted(before), "cell", top=8)


def test_points_in_parts_become_principal_axes_with_a_note():
    answer = trajectory(parted(7), "cell", top=8)
    assert answer.method == "pca"
    assert "fall into parts" in answer.note
    assert trajectory(parted(7), "cell", top=8, method="pca").note == ""
