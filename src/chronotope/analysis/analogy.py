"""Analogies: A is to B as C is to whom, within a condition or across two; and whether relations keep direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.config import at_least
from chronotope.embeddings import ConditionedEmbeddings, Match
from chronotope.embeddings.nearest import nearest, unit_rows
from chronotope.errors import SettingsError

SHUFFLES = 200


@dataclass(frozen=True)
class Analogy(Answer):
    """The words that complete an analogy.

    Attributes
    ----------
    a, b, c
        A is to B as C is to the answer.
    at, to
        The condition of A and B, and that of C and the answer.
    matches
        The answers, best first; A, B and C are not among them.
    min_count, signature
        How the answer was made.
    """

    a: str
    b: str
    c: str
    at: str
    to: str
    matches: tuple[Match, ...]
    min_count: int
    signature: str


@dataclass(frozen=True)
class RelationIn(Answer):
    """How well the pairs of a relation agree in a condition.

    Attributes
    ----------
    condition
        Where.
    pairs
        How many pairs have enough support there.
    agreement
        The mean cosine of the difference vectors of two pairs; None with fewer than two pairs.
    by_chance
        The same where each first word is given the second word of another pair; None with fewer than three pairs.
    """

    condition: str
    pairs: int
    agreement: float | None
    by_chance: float | None


@dataclass(frozen=True)
class Relation(Answer):
    """The paper's first property for one relation: difference vectors agree, in every condition and between them.

    Attributes
    ----------
    pairs
        The pairs of words.
    conditions
        How well different pairs agree within each condition.
    across
        The mean cosine of a pair's difference vector with the same pair's in another condition; None where no pair has
        enough support in two.
    min_count, signature
        How the answer was made.
    """

    pairs: tuple[tuple[str, str], ...]
    conditions: tuple[RelationIn, ...]
    across: float | None
    min_count: int
    signature: str

    @property
    def agreement(self) -> float | None:
        """The mean over the conditions in which two pairs can be compared."""
        known = [one.agreement for one in self.conditions if one.agreement is not None]
        return float(np.mean(known)) if known else None


def analogy(
    embeddings: ConditionedEmbeddings,
    a: str,
    b: str,
    c: str,
    at: str,
    to: str | None = None,
    *,
    top: int = 10,
    min_count: int = 5,
) -> Analogy:
    """The words that are to C in `to` as B is to A in `at`: those nearest to B − A + C, all of length one.

    Parameters
    ----------
    embeddings
        The embeddings.
    a, b, c
        The words of the question.
    at
        The condition of A and B.
    to
        The condition of C and of the answer; by default the same.
    top
        How many answers.
    min_count
        An answer occurs at least so often.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> words = ["man", "king", "woman", "queen"]
    >>> support = Support(np.array([0, 4]), np.arange(4), np.array([9] * 4))
    >>> vectors = [[-1, -1, 0], [-1, 1, 0], [1, -1, 0], [1, 1, 0]]
    >>> analogy(ConditionedEmbeddings(words, Conditions.of_times(["1990"]), support, vectors),
    ...         "man", "king", "woman", at="1990").matches[0].word
    'queen'
    """
    at_least("top", top, 0)
    labels = embeddings.conditions.labels
    at = labels[embeddings.conditions.index(at)]
    to = at if to is None else labels[embeddings.conditions.index(to)]
    first, second = embeddings.project([a, b], at, to).astype(np.float64)
    third = embeddings.project([c], to, to)[0].astype(np.float64)
    candidates = embeddings.matrix(to, min_count)
    query = unit_rows((second - first + third)[None].astype(np.float32))
    found = nearest(query, candidates.unit, top + 3)
    matches = [
        Match(embeddings.words[candidates.word[row]], float(cosine), float(cosine), int(candidates.support[row]))
        for row, cosine in zip(found.row[0], found.cosine[0], strict=True)
    ]
    kept = tuple(match for match in matches if match.word not in (a, b, c))[:top]
    return Analogy(a, b, c, at, to, kept, min_count, embeddings.signature)


def relation(
    embeddings: ConditionedEmbeddings, pairs: Sequence[tuple[str, str]], *, min_count: int = 5, seed: int = 1
) -> Relation:
    """Whether a relation has one direction: how well the difference vectors of its pairs agree.

    It is the first property that the paper asks for (vectors of pairs in one relation differ alike in every condition),
    as numbers: 1 is full agreement, and `by_chance` is what pairs of the same words show that are not related so.

    Parameters
    ----------
    embeddings
        The embeddings.
    pairs
        Two pairs of words or more that stand in the same relation, such as ('big', 'bigger') and ('great', 'greater').
    min_count
        A pair counts in the conditions where both its words occur at least so often.
    seed
        Of the random pairs.
    """
    at_least("min_count", min_count, 1)
    if len(pairs) < 2:
        raise SettingsError("a relation is compared between pairs of words; name two pairs or more")
    rng = np.random.default_rng(seed)
    within: list[RelationIn] = []
    differences: dict[tuple[str, str], list[NDArray[np.float64]]] = {pair: [] for pair in pairs}
    for label in embeddings.conditions.labels:
        here = [pair for pair in pairs if all(embeddings.count(word, label) >= min_count for word in pair)]
        if here:
            firsts, seconds = (
                embeddings.project([pair[side] for pair in here], label, label).astype(np.float64) for side in (0, 1)
            )
            for pair, difference in zip(here, _units(seconds - firsts), strict=True):
                differences[pair].append(difference)
        agreement = _mean_cosine(_units(seconds - firsts)) if len(here) > 1 else None
        by_chance = _shuffled(firsts, seconds, rng) if len(here) > 2 else None
        within.append(RelationIn(label, len(here), agreement, by_chance))
    kept = [_mean_cosine(np.array(rows)) for rows in differences.values() if len(rows) > 1]
    return Relation(
        tuple((first, second) for first, second in pairs),
        tuple(within),
        float(np.mean(kept)) if kept else None,
        min_count,
        embeddings.signature,
    )


def _shuffled(firsts: NDArray[np.float64], seconds: NDArray[np.float64], rng: np.random.Generator) -> float:
    """The mean agreement where every first word has the second word of another pair."""
    found = []
    for _ in range(SHUFFLES):
        # A random cycle: nobody keeps his own.
        order = rng.permutation(len(firsts))
        other = np.empty_like(order)
        other[order] = np.roll(order, 1)
        found.append(_mean_cosine(_units(seconds[other] - firsts)))
    return float(np.mean(found))


def _units(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    length[length == 0] = 1
    return np.asarray(rows / length)


def _mean_cosine(unit: NDArray[np.float64]) -> float:
    """The mean cosine over all pairs of different rows."""
    count = len(unit)
    total = np.square(unit.sum(axis=0)).sum() - np.square(unit).sum()
    return float(total / (count * (count - 1)))
