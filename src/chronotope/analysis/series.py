"""Words compared with themselves over the conditions (`series`, `matrix`), and with each other (`similarity`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis import params
from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Lines, Tiles
from chronotope.analysis.filters import one_sided
from chronotope.analysis.own_vectors import (
    in_one_space,
    overall,
    own_cosines,
    own_vectors,
    timeline,
    unit_vectors,
    what_helps,
)
from chronotope.analysis.params import Bootstrap, MinCount, Model, Param, Place, Progress, Seed, Threads, Word, Words
from chronotope.conditions import Conditions
from chronotope.errors import SettingsError, fewer_than, some_of

if TYPE_CHECKING:
    from chronotope.analysis.significance.few_words import FewWords, Noiseless
    from chronotope.analysis.significance.posterior import Posterior

FIRST, PREVIOUS, OVERALL = "first", "previous", "overall"
Quick = Annotated[bool, Param("95 % intervals from the scatter around the model: quick, but too narrow.")]


@question(
    "series",
    group="A word",
    columns="word condition count per_million against similarity corrected low high",
    chart=Lines(y="similarity", band=("low", "high")),
)
def series(
    model: Model,
    word: Words,
    *,
    against: params.Against = FIRST,
    place: Place = None,
    min_count: MinCount = 5,
    bootstrap: Bootstrap = 0,
    quick: Quick = False,
    seed: Seed = 1,
    threads: Threads = None,
    progress: Progress = None,
) -> Answer:
    """How similar is a word to itself, condition by condition?

    Each condition is compared with the `first` in which the word occurs often enough, with the `previous` such
    condition, with the mean direction of all others (`overall`), or with a named condition. With `bootstrap` or
    `quick`, `corrected` is the similarity corrected for sampling noise, with the interval from `low` to `high`. For a
    model of method bayesian, `low` and `high` come from its posterior.

    Examples
    --------
    >>> import chronotope as ct
    >>> corpus = ct.read_corpus(ct.invented_world(documents=300).records, time="time")
    >>> model = ct.GraphModel(dimensions=50).fit(ct.count(corpus, min_count=5))
    >>> ct.series(model, "river")["similarity"][0]
    1.0
    """
    words = spelled(model, word)
    among = conditions_of(model.conditions, place, ordered=against == PREVIOUS)
    few = drawn = None
    if bootstrap or quick:
        from chronotope.analysis.significance.few_words import FewWords

        if bootstrap and quick:
            raise SettingsError("--quick and --bootstrap both make intervals; choose one")
        few = FewWords(model, words)
        drawn = few.scattered(seed) if quick else few.drawn(bootstrap, seed, threads=threads, progress=progress)
    posterior = posterior_of(model, seed)
    rows = [row for one in words for row in _series(model, one, against, among, min_count, few, drawn, posterior)]
    notes = hidden_conditions(model, words, among, min_count)
    notes += [note for one in words for note in one_sided(model, one, among)]
    notes += [posterior.note] if posterior else []
    if few:
        over = "the scatter around the model" if quick else "draws of documents"
        others = [row for row in rows if row["against"] not in (None, row["condition"])]
        if others and all(np.isnan(row["corrected"]) for row in others):
            rows = [row | dict.fromkeys(("corrected", "low", "high")) for row in rows]
            notes.append("No interval: the condition compared with has too few documents; name another (`against`).")
        else:
            notes.append(f"Interval: 95 %, from {over}; the line is the corrected similarity.")
            notes += without_interval(others)
    names = {FIRST: "its first condition", PREVIOUS: "the condition before", OVERALL: "all others"}
    facts = {"against": against, "min_count": min_count, "bootstrap": bootstrap} | ({"quick": True} if quick else {})
    title = f"{', '.join(words)}: similarity with {names.get(against, against)}"
    return Answer(rows, title=title, notes=notes, facts=facts)


def _series(
    model: Model,
    word: str,
    against: str,
    among: list[int],
    min_count: int,
    few: FewWords | None,
    drawn: NDArray[np.float32] | None,
    posterior: Posterior | None,
) -> list[dict[str, Any]]:
    conditions, number = model.conditions, model.index(word)
    own = own_vectors(model, word, min_count, among)
    labels = [conditions.labels[condition] for condition in own.conditions]
    partner: NDArray[np.int64] | None = None
    apart = conditions.apart(own.conditions.tolist())
    if against == OVERALL:
        in_one_space(model)
        cosines, partners = (
            np.multiply(own.unit, overall(own.unit, apart)).sum(axis=1),
            dict.fromkeys(labels, "all others"),
        )
    else:
        partner = np.arange(len(labels)) - 1
        if against != PREVIOUS:
            at = own.conditions[0] if against == FIRST else conditions.index(against)
            if at not in own.conditions:
                helps = what_helps(conditions, min_count)
                raise SettingsError(f"'{word}' occurs {fewer_than(min_count)} in {conditions.labels[at]}{helps}")
            partner = np.full(len(labels), np.flatnonzero(own.conditions == at)[0])
        every = own_cosines(model, word, own)[partner, np.arange(len(labels))]
        cosines = np.where(partner >= 0, every, np.nan)
        partners = {label: labels[other] for label, other in zip(labels, partner, strict=True) if other >= 0}
    figures = [cosines] + [np.full(len(cosines), np.nan)] * 3
    if few is not None and drawn is not None:
        here = few.words.index(number), own.conditions
        figures[1:] = _noiseless(few.observed()[here], drawn[:, *here], few.documents[here], partner, apart)
    elif posterior:
        vectors = posterior.drawn(number, own.conditions)
        figures[2:] = posterior.interval(vectors, _partners(vectors, partner, apart), cosines)
    found = dict(zip(labels, zip(map(partners.get, labels), *figures, strict=True), strict=True))
    rows = []
    for condition in among:
        count = model.observed.of(number, condition)
        total = max(1, int(model.observed.counts_in(condition).sum()))
        label = conditions.labels[condition]
        row: dict[str, Any] = {"word": word, "condition": label, "count": count, "per_million": 1e6 * count / total}
        values = found.get(label, [None] * 5)
        rows.append(row | dict(zip(("against", "similarity", "corrected", "low", "high"), values, strict=True)))
    return rows


def _noiseless(
    own: NDArray[np.float64],
    drawn: NDArray[np.float32],
    documents: NDArray[np.int64],
    partner: NDArray[np.int64] | None,
    apart: NDArray[np.bool_],
) -> Noiseless:
    """Return the cosines corrected for noise, with their intervals, for (N, D) vectors and their draws.

    Each vector is compared with the one at `partner` (-1: none), or with the mean direction of those `apart` from it.
    """
    from chronotope.analysis.significance.few_words import Noiseless

    if partner is None:
        return Noiseless.cosines(own, _partners(own, None, apart), drawn, _partners(drawn, None, apart), documents)
    fewest = np.minimum(documents, np.where(partner < 0, 0, documents[partner]))
    found = Noiseless.cosines(own, _partners(own, partner, apart), drawn, _partners(drawn, partner, apart), fewest)
    for part in found:
        part[partner == np.arange(len(partner))] = 1.0  # the word compared with itself in the same text
    return found


def _partners(
    vectors: NDArray[np.floating], partner: NDArray[np.int64] | None, apart: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return what (…, N, D) vectors are compared with: the vectors at `partner`, or the mean of those `apart`."""
    if partner is None:
        return overall(unit_vectors(vectors), apart)
    return np.where((partner < 0)[:, None], np.nan, vectors[..., partner, :])


def posterior_of(model: Model, seed: int = 1) -> Posterior | None:
    """Return the posterior of a model that keeps variances."""
    if model.variances is None:
        return None
    from chronotope.analysis.significance.posterior import Posterior

    return Posterior(model, seed)


@question(
    "matrix",
    group="A word",
    columns="word condition against count similarity",
    chart=Tiles(x="condition", y="against", value="similarity"),
)
def matrix(model: Model, word: Word, *, place: Place = None, min_count: MinCount = 5) -> Answer:
    """How similar is a word to itself between every two conditions?"""
    (word,) = spelled(model, word)
    among = conditions_of(model.conditions, place)
    own = own_vectors(model, word, min_count, among)
    cosines = own_cosines(model, word, own)
    labels = [model.conditions.labels[condition] for condition in own.conditions]
    counts = [model.count(word, label) for label in labels]
    columns: dict[str, Any] = {"word": [word] * cosines.size, "condition": np.repeat(labels, len(labels))}
    columns |= {"against": labels * len(labels), "count": np.minimum.outer(counts, counts).ravel()}
    columns |= {"similarity": cosines.ravel()}
    notes = hidden_conditions(model, [word], among, min_count)
    title = f"{word}: similarity between every two conditions"
    return Answer(columns, title=title, notes=notes, facts={"min_count": min_count})


@question(
    "similarity",
    group="A word",
    columns="word other condition count other_count similarity low high",
    chart=Lines(y="similarity", color="other", band=("low", "high")),
)
def similarity(model: Model, word: Words, *, place: Place = None, min_count: MinCount = 5) -> Answer:
    """How similar are two or more words to each other, condition by condition?

    For a model of method bayesian, `low` and `high` come from its posterior.
    """
    words = spelled(model, word)
    if len(words) < 2:
        raise SettingsError("name two words or more to compare")
    among = conditions_of(model.conditions, place)
    posterior = posterior_of(model)
    rows: list[dict[str, Any]] = []
    for condition in among:
        label = model.conditions.labels[condition]
        counts = {name: model.count(name, label) for name in words}
        here = [name for name in words if counts[name] >= min_count]
        unit = dict(zip(here, model.project(here, label, label).astype(np.float64), strict=True))
        at = np.array([condition])
        drawn = {name: posterior.drawn(model.index(name), at) for name in here} if posterior else {}
        for first, second in combinations(words, 2):
            found = dict.fromkeys(("similarity", "low", "high"))
            if {first, second} <= unit.keys():
                found["similarity"] = value = float((unit[first] * unit[second]).sum())
                if posterior:
                    ends = posterior.interval(drawn[first], drawn[second], np.array([value]))
                    found |= {"low": float(ends[0][0]), "high": float(ends[1][0])}
            row = {"word": first, "other": second, "condition": label, "count": counts[first]}
            rows.append(row | {"other_count": counts[second]} | found)
    notes = hidden_conditions(model, words, among, min_count)
    notes += [posterior.note] if posterior else []
    title = f"{', '.join(words)}: similarity with each other"
    return Answer(rows, title=title, notes=notes, facts={"min_count": min_count})


def without_interval(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a note on the conditions whose corrected value is unknown."""
    unknown = list(dict.fromkeys(row["condition"] for row in rows if np.isnan(row["corrected"])))
    return [f"Without an interval, for too few documents or too much noise: {some_of(unknown)}."] if unknown else []


def spelled(model: Model, word: str | Sequence[str]) -> list[str]:
    """Return one or more words as the model spells them, each once."""
    asked = [word] if isinstance(word, str) else word
    return list(dict.fromkeys(model.words[model.index(one)] for one in asked))


def conditions_of(conditions: Conditions, place: str | None, ordered: bool = False) -> list[int]:
    """Return all conditions, or the time line of a place; raise SettingsError if `ordered` and they have no order."""
    return list(range(len(conditions))) if place is None and not ordered else timeline(conditions, place)


def hidden_conditions(model: Model, words: Sequence[str], among: Sequence[int], min_count: int) -> list[str]:
    """Return a note for each word that names the conditions in which it is too rare to be compared."""
    notes, labels = [], [model.conditions.labels[number] for number in among]
    for word in words:
        counts = model.count(word)
        if hidden := [label for label in labels if counts[label] < min_count]:
            notes.append(f"Left out, since {word} occurs {fewer_than(min_count)}: {some_of(hidden)}.")
    return notes
