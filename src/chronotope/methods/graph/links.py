"""The links between a word's vectors: consecutive bins where it occurs, and neighboring places."""

from collections.abc import Iterable

import numpy as np

from chronotope.conditions import Conditions
from chronotope.config import GraphSettings
from chronotope.cooccurrence import PairMatrix
from chronotope.cooccurrence.vocabulary import Support
from chronotope.methods.graph.objective import GraphProblem


def make_problem(
    settings: GraphSettings,
    matrix: PairMatrix,
    support: Support,
    words: int,
    conditions: Conditions,
    place_edges: Iterable[tuple[str, str]] | None = None,
) -> GraphProblem:
    """Return the loss for a corpus: the weight of each row, and the links of each word."""
    smoothness = settings.smoothness or 0.0
    time_of, place_of = conditions.coordinates
    time, place = time_of[support.condition], place_of[support.condition]
    order = np.lexsort((time, place, support.word))
    word = support.word[order]
    word_start = np.searchsorted(word, np.arange(words + 1))

    # Consecutive pairs of one word in one place; without time each place has one pair, so there are none.
    first = np.flatnonzero((word[1:] == word[:-1]) & (place[order][1:] == place[order][:-1]))
    gap = time[order][first + 1] - time[order][first]
    link_word, a = word[first], first - word_start[word[first]]
    b, weight = a + 1, smoothness / np.maximum(gap, 1)
    if place_edges is not None:
        edges = [[a, b] for a, b in conditions.graph(place_edges).edges.tolist() if time_of[a] == time_of[b]]
        more = _place_links(edges, support, order, word_start)
        link_word, a, b = (np.append(old, new) for old, new in zip((link_word, a, b), more, strict=True))
        weight = np.append(weight, np.full(len(more[0]), smoothness))
        by_word = np.argsort(link_word, kind="stable")
        link_word, a, b, weight = link_word[by_word], a[by_word], b[by_word], weight[by_word]
    return GraphProblem(
        matrix=matrix,
        weight=(support.count / (support.count + settings.shrinkage)).astype(np.float32),
        words=words,
        order=order,
        word_start=word_start,
        link_start=np.searchsorted(link_word, np.arange(words + 1)),
        link_a=a.astype(np.int32),
        link_b=b.astype(np.int32),
        link_weight=weight.astype(np.float32),
        deviation_penalty=settings.deviation_penalty or 0.0,
        chains_only=place_edges is None,
    )


def _place_links(
    edges: list[list[int]], support: Support, order: np.ndarray, word_start: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a link for each edge between conditions and each word in both: the word, and its two positions."""
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    words, ends = [np.empty(0, dtype=np.int64)], [np.empty((2, 0), dtype=np.int64)]
    for a, b in edges:
        common, in_a, in_b = np.intersect1d(support.words_in(a), support.words_in(b), return_indices=True)
        words.append(common.astype(np.int64))
        ends.append(np.stack([position[support.start[a] + in_a], position[support.start[b] + in_b]]))
    word = np.concatenate(words)
    low, high = np.sort(np.concatenate(ends, axis=1), axis=0) - word_start[word]
    return word, low, high
