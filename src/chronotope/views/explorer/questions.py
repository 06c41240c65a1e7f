"""The questions that the page asks, each answered by the library as plain data; nothing is computed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chronotope.analysis.axes import positions
from chronotope.analysis.changepoints import change_points
from chronotope.analysis.collocates import collocates
from chronotope.analysis.company import company
from chronotope.analysis.comparison import compare_words
from chronotope.analysis.concordance import choose_conditions
from chronotope.analysis.drift import MIN_COUNT, drift
from chronotope.analysis.everywhere import equivalents_everywhere
from chronotope.analysis.evidence import evidence
from chronotope.analysis.frequency import frequency
from chronotope.analysis.grid import grid
from chronotope.analysis.maps import word_map
from chronotope.analysis.own_vectors import timeline
from chronotope.analysis.places import place_distances
from chronotope.analysis.ranks import ranks
from chronotope.analysis.series import self_similarity, series
from chronotope.analysis.stability import stable
from chronotope.analysis.trajectory import trajectory
from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import ChronotopeError
from chronotope.views.explorer.explored import Explored

Plain = dict[str, Any]

# So many sentences are chosen for a question; the page leafs through them.
MOST_SENTENCES = 50


class UnavailableError(ChronotopeError):
    """The model, or what lies beside it, has no answer to a kind of question."""


def _need(explored: Explored, what: str) -> None:
    if what in explored.missing:
        raise UnavailableError(explored.missing[what])


def _run(explored: Explored, what: str) -> Counts:
    _need(explored, what)
    assert explored.counts is not None
    return explored.counts


def _need_axes(explored: Explored, *axes: str) -> None:
    conditions = explored.embeddings.conditions
    for axis in axes:
        if not getattr(conditions, f"{axis}s"):
            raise UnavailableError(f"the conditions of this model are {conditions.axis} alone; this needs {axis}s")


def words(explored: Explored, query: str, limit: int) -> Plain:
    """The words that a few letters may stand for."""
    return explored.words.find(query, limit).to_dict()


def starts(explored: Explored, top: int) -> Plain:
    """Words to start from: the most changed and the most stable."""
    embeddings = explored.embeddings
    enough = max(2, len(embeddings.conditions) // 2)
    return {
        "changed": changed(embeddings).to_dict(top),
        "stable": stable(embeddings, min_count=MIN_COUNT, min_conditions=enough).to_dict(top),
        "note": f"over all conditions; words that occur {MIN_COUNT} times or more",
    }


def changed(embeddings: ConditionedEmbeddings) -> Any:
    """The change of every word over all conditions: the first and the last alone may hold little text."""
    return drift(embeddings, over="series" if embeddings.conditions.times else "unusual", min_count=MIN_COUNT)


def neighbors(
    explored: Explored, word: str, at: str | None, place: str | None, top: int, min_count: int, retrieval: str
) -> Plain:
    """The nearest words in one condition, in those of a time bin or a place, or in all."""
    embeddings = explored.embeddings
    conditions = embeddings.conditions
    if place is not None and at is None:
        among = timeline(conditions, place)
    else:
        among = choose_conditions(conditions, at).tolist()
    return {
        "word": word,
        "retrieval": retrieval,
        "top": top,
        "min_count": min_count,
        "rows": [
            {
                "condition": label,
                "support": embeddings.count(word, label),
                "matches": [
                    match.to_dict()
                    for match in embeddings.neighbors(word, label, top, min_count=min_count, retrieval=retrieval)
                ],
            }
            for label in (conditions.labels[number] for number in among)
        ],
        "signature": embeddings.signature,
    }


def equivalents(explored: Explored, word: str, at: str, to: str, top: int, min_count: int, retrieval: str) -> Plain:
    """Who plays in `to` the part that a word plays in `at`."""
    embeddings = explored.embeddings
    found = embeddings.equivalents(word, at, to, top, min_count=min_count, retrieval=retrieval)
    labels = embeddings.conditions.labels
    return {
        "word": word,
        "at": labels[embeddings.conditions.index(at)],
        "to": labels[embeddings.conditions.index(to)],
        "support": embeddings.count(word, at),
        "retrieval": retrieval,
        "top": top,
        "min_count": min_count,
        "matches": [match.to_dict() for match in found],
        "signature": embeddings.signature,
    }


def everywhere(
    explored: Explored,
    word: str,
    at: str,
    top: int,
    chance: float,
    min_count: int,
    needed: Sequence[float] | None = None,
) -> Plain:
    """Who plays in every condition the part that a word plays in `at`."""
    return equivalents_everywhere(
        explored.embeddings, word, at, top=top, chance=chance, min_count=min_count, needed=needed
    ).to_dict()


def ranks_of(explored: Explored, word: str, place: str | None, top: int, min_count: int) -> Plain:
    """The ranks of a word's nearest words."""
    return ranks(explored.embeddings, word, place=place, top=top, min_count=min_count).to_dict()


def company_of(explored: Explored, word: str, top: int, limit: int, min_count: int) -> Plain:
    """The similarity of a word with those near it somewhere."""
    return company(explored.embeddings, word, top=top, limit=limit, min_count=min_count).to_dict()


def series_of(
    explored: Explored, word: str, against: str, place: str | None, min_count: int, bootstrap: int = 0
) -> Plain:
    """A word compared with itself; with intervals where documents are drawn again."""
    counts = _run(explored, "bands") if bootstrap else None
    return series(
        explored.embeddings,
        word,
        against,
        place=place,
        min_count=min_count,
        counts=counts,
        bootstrap=bootstrap,
        threads=1,
    ).to_dict()


def similarity(explored: Explored, word: str, place: str | None, min_count: int) -> Plain:
    """A word in every condition compared with itself in every other."""
    return self_similarity(explored.embeddings, word, place=place, min_count=min_count).to_dict()


def changepoints(explored: Explored, word: str, place: str | None, min_count: int) -> Plain:
    """When a word changed."""
    _need(explored, "one_space")
    _need_axes(explored, "time")
    return change_points(explored.embeddings, word, place=place, min_count=min_count).to_dict()


def trajectory_of(explored: Explored, word: str, method: str, min_count: int) -> Plain:
    """A word's path among its company."""
    _need(explored, "one_space")
    return trajectory(explored.embeddings, word, method=method, min_count=min_count).to_dict()


def map_of(explored: Explored, word: str, formula: str | None, min_count: int) -> Plain:
    """A word in each place."""
    _need(explored, "one_space")
    _need_axes(explored, "place")
    return word_map(explored.embeddings, word, formula, coordinates=explored.coordinates, min_count=min_count).to_dict()


def places(explored: Explored, min_count: int) -> Plain:
    """Places by their use of words."""
    _need(explored, "one_space")
    _need_axes(explored, "place")
    return place_distances(explored.embeddings, min_count=min_count).to_dict()


def grid_of(explored: Explored, word: str, formula: str | None, min_count: int) -> Plain:
    """A word over time × place."""
    _need(explored, "one_space")
    _need_axes(explored, "time", "place")
    return grid(explored.embeddings, word, formula, min_count=min_count).to_dict()


def compare(explored: Explored, word: Sequence[str], against: str, place: str | None, min_count: int) -> Plain:
    """Words side by side."""
    return compare_words(explored.embeddings, word, against, place=place, min_count=min_count).to_dict()


def axis(explored: Explored, word: Sequence[str], formula: str, fixed: bool, min_count: int) -> Plain:
    """Words along an axis."""
    if fixed:
        _need(explored, "one_space")
    answers = [
        positions(explored.embeddings, one, formula, fixed=fixed, min_count=min_count) for one in dict.fromkeys(word)
    ]
    return {"formula": answers[0].formula, "answers": [answer.to_dict() for answer in answers]}


def frequency_of(explored: Explored, word: Sequence[str]) -> Plain:
    """How often words are used."""
    return frequency(_run(explored, "counts"), word).to_dict()


def collocates_of(explored: Explored, word: str, at: str | None, top: int, min_count: int) -> Plain:
    """Which words stand beside a word."""
    return collocates(_run(explored, "counts"), word, at=at, top=top, min_count=min_count).to_dict()


def sentences(explored: Explored, word: str, at: str | None, near: str | None) -> Plain:
    """The sentences behind an answer, all that a page can leaf through."""
    return evidence(_run(explored, "text"), word, at=at, near=near, top=MOST_SENTENCES).to_dict()


def leaf(found: Plain, offset: int, limit: int) -> Plain:
    """Some of the sentences, and how many there are."""
    examples = found["examples"]
    return found | {
        "examples": examples[offset : offset + limit],
        "page": {"offset": offset, "limit": limit, "total": len(examples)},
    }
