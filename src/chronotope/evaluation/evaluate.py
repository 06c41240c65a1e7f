"""Scores of a model on test pairs: where does it rank the right answer among the words of the other condition?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import astuple

import numpy as np
from numpy.typing import NDArray

from chronotope.config import at_least
from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.evaluation.metrics import CUTOFFS
from chronotope.evaluation.pairs import Labels, TestPair, TestPairs, pairs_in, read_pairs, refuse_unknown
from chronotope.evaluation.scores import Scores, Summary, summarize
from chronotope.io.provenance import checksum_of

NO_CATEGORY = "(none)"


def evaluate(
    embeddings: ConditionedEmbeddings,
    pairs: str | os.PathLike[str] | TestPairs | Iterable[TestPair | str],
    *,
    min_count: int = 5,
    retrieval: str = "csls",
    depth: int = 10,
) -> Scores:
    """The scores of a model on test pairs; a pair that it cannot answer counts as wrong.

    Parameters
    ----------
    embeddings
        The model.
    pairs
        A test-pair file, or the pairs themselves, or lines as such a file has them.
    min_count
        Candidates are the words with so many occurrences in the condition of the answer; 0: all words.
    retrieval
        How candidates are ranked: 'csls' or 'cosine'.
    depth
        How many candidates are looked at; a right answer below has the rank 0.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 3, 6]), np.array([0, 2, 3, 1, 2, 3]), np.array([9] * 6))
    >>> model = ConditionedEmbeddings(
    ...     ["ottawa", "dublin", "rain", "tea"], Conditions.of_places(["canada", "ireland"]), support,
    ...     [[1, 0], [0, 1], [-1, -1], [1, 0], [0, 1], [-1, -1]])
    >>> asked = [TestPair("ottawa", "canada", "dublin", "ireland"), TestPair("ottawa", "canada", "paris", "ireland")]
    >>> scores = evaluate(model, asked)
    >>> scores.ranks, scores.mrr, scores.answerable, scores.mrr_answerable
    ((1, 0), 0.5, 1, 1.0)
    """
    at_least("depth", depth, max(CUTOFFS))
    labels = embeddings.conditions.labels
    if isinstance(pairs, str | os.PathLike):
        pairs = read_pairs(pairs, labels)
    if not isinstance(pairs, TestPairs):
        pairs = TestPairs("pairs", pairs_in(pairs, labels, "pairs"))
    test_pairs = pairs.pairs
    refuse_unknown(test_pairs, labels)
    answerable = _answerable(embeddings, test_pairs, min_count)
    ranks = _ranks(embeddings, test_pairs, answerable, min_count, retrieval, depth)
    same = np.array([pair.query == pair.answer for pair in test_pairs])
    parts = (
        pairs.name,
        f"depth:{depth}",
        "oov:wrong",
        f"pairs:{len(test_pairs)}",
        f"answerable:{answerable.sum()}",
        f"min support:{min_count}",
        retrieval,
        f"checksum:{checksum_of([astuple(pair) for pair in test_pairs])[:8]}",
        embeddings.signature,
    )
    overall = summarize(test_pairs, ranks, answerable)
    return Scores(
        **vars(overall),
        same_word=summarize(test_pairs, ranks, answerable, same),
        different_words=summarize(test_pairs, ranks, answerable, ~same),
        categories=_by_category(test_pairs, ranks, answerable),
        test_pairs=test_pairs,
        ranks=tuple(ranks.tolist()),
        signature="|".join(parts),
    )


def _answerable(embeddings: ConditionedEmbeddings, pairs: Sequence[TestPair], min_count: int) -> NDArray[np.bool_]:
    """(N,) whether both words and both conditions are known and the answer has the support of a candidate."""
    labels = Labels(embeddings.conditions.labels)

    def can_be_answered(pair: TestPair) -> bool:
        at, to = labels.known(pair.query_condition), labels.known(pair.answer_condition)
        known = at is not None and to is not None and pair.query in embeddings and pair.answer in embeddings
        return known and embeddings.count(pair.answer, str(to)) >= min_count

    return np.array([can_be_answered(pair) for pair in pairs], dtype=bool)


def _ranks(
    embeddings: ConditionedEmbeddings,
    pairs: Sequence[TestPair],
    answerable: NDArray[np.bool_],
    min_count: int,
    retrieval: str,
    depth: int,
) -> NDArray[np.int64]:
    """(N,) the rank of each right answer; one batch of queries for each two conditions."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number in np.flatnonzero(answerable).tolist():
        pair = pairs[number]
        groups.setdefault((pair.query_condition, pair.answer_condition), []).append(number)
    ranks = np.zeros(len(pairs), dtype=np.int64)
    for (at, to), numbers in groups.items():
        queries = list(dict.fromkeys(pairs[number].query for number in numbers))
        answers = embeddings.equivalents(queries, at, to, depth, min_count=min_count, retrieval=retrieval)
        place = {
            (query, match.word): rank
            for query, matches in zip(queries, answers, strict=True)
            for rank, match in enumerate(matches, start=1)
        }
        for number in numbers:
            ranks[number] = place.get((pairs[number].query, pairs[number].answer), 0)
    return ranks


def _by_category(
    pairs: Sequence[TestPair], ranks: NDArray[np.int64], answerable: NDArray[np.bool_]
) -> dict[str, Summary]:
    """The scores of each category, by name; nothing where no pair has one."""
    category = np.array([pair.category or NO_CATEGORY for pair in pairs])
    names = sorted(set(category.tolist()))
    if names == [NO_CATEGORY]:
        return {}
    return {name: summarize(pairs, ranks, answerable, category == name) for name in names}
