"""The senses of a word (`senses`): clusters of its usages, and the share of each in every condition."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Lines
from chronotope.analysis.params import MinCount, Model, Place, Progress, Seed, Word
from chronotope.analysis.series import conditions_of
from chronotope.analysis.usages import Usages, UsageVectors, Windows, WordUsages, windows
from chronotope.corpus.text_store import TextStore
from chronotope.errors import InputError, fewer_than, number_of, some_of
from chronotope.methods.contextual.usages import sentences
from chronotope.runtime.blas import one_blas_thread

MOST_SENSES = 6
LEAST = 0.15  # silhouette; clusters that are less apart are no senses, however significant
NULLS = 19  # the observed value above all of them: p = 0.05
DIMENSIONS = 20  # of the main components in which usages are clustered
MOST_JUDGED = 600  # usages
FEWEST = 40  # usages; fewer are one sense
NORMAL = 1.96
TYPICAL = 8

Floats = NDArray[np.floating]


class Judged(NamedTuple):
    """The number of senses, the separation of its clusters, and the separation that chance reaches."""

    senses: int
    separation: float
    needed: float


@question(
    "senses",
    group="A word",
    columns="sense condition usages documents share low high typical text",
    chart=Lines(y="share", color="sense", band=("low", "high"), faint="usages"),
)
def senses(
    model: Model,
    word: Word,
    *,
    place: Place = None,
    usages: Usages = 100,
    min_count: MinCount = 5,
    seed: Seed = 1,
    progress: Progress = None,
) -> Answer:
    """In which senses is a word used, and how common is each in every condition?

    Usages from all conditions are clustered by the words around them, or by their vectors in a contextual model.
    Clusters, fitted to half of the documents, must be better separated in the other half than those of Gaussian noise
    with the same covariance: else the word has one sense. A sense here is a kind of usage: read the sentences.

    Examples
    --------
    >>> import chronotope as ct
    >>> model = ct.GraphModel(dimensions=20).fit(ct.count(ct.read_corpus(
    ...     ct.invented_world(documents=300).records, time="time"), min_count=5))
    >>> ct.senses(model, "river")["share"].max() <= 1
    True
    """
    name = model.words[model.index(word)]
    found, among = UsageVectors(model, [name], usages, seed), conditions_of(model.conditions, place)
    mine = found.of(name)
    mine = WordUsages(*(part[np.isin(mine.condition, among)] for part in mine))
    if not len(mine.position):
        raise InputError(f"no usage of '{name}' has a word around it that tells anything; give more text")
    context = windows(found.counts, found.counts.vocabulary.index(name), mine.position)
    with one_blas_thread():
        points = main_components(mine.vectors)
        judged = number_of_senses(points, mine.document, seed, progress)
        sense = cluster(points, judged.senses, seed, starts=10).labels_
    rank = np.argsort(np.argsort(-np.bincount(sense, minlength=judged.senses), kind="stable"))
    sense = rank[sense]
    typical = [_typical(found.counts.vocabulary.words, context, sense == one) for one in range(judged.senses)]
    rows, shown = [], []
    for one, words in enumerate(typical):
        center = points[sense == one].mean(axis=0)
        far = np.linalg.norm(points - center, axis=1)
        for condition in among:
            here = np.flatnonzero(mine.condition == condition)
            if len(here) >= min_count:
                inside = here[sense[here] == one]
                documents = len(np.unique(mine.document[here]))
                low, high = wilson(len(inside) / len(here), documents)
                label = model.conditions.labels[condition]
                row = {"sense": f"{one + 1}: {', '.join(words[:3])}", "condition": label, "usages": len(inside)}
                row |= {"documents": documents, "share": len(inside) / len(here), "low": low, "high": high}
                rows.append(row | {"typical": words, "text": None})
                shown.append(mine.position[inside[np.argmin(far[inside])]] if len(inside) else -1)
    if TextStore.is_in(found.counts.folder) and rows:
        order = [at for at in np.argsort(shown).tolist() if shown[at] >= 0]
        for at, (text, _) in zip(order, sentences(found.counts, np.array([shown[at] for at in order])), strict=True):
            rows[at]["text"] = text
    facts: dict[str, Any] = {"word": name, "senses": judged.senses, "min_count": min_count, "seed": seed}
    measured = {"separation": judged.separation, "needed": judged.needed}
    facts |= {"usages": len(mine.position)}
    facts |= {what: None if np.isnan(value) else round(value, 4) for what, value in measured.items()}
    return Answer(
        rows,
        title=f"{name}: {number_of(judged.senses, 'senses')}",
        notes=_notes(name, judged, mine, [model.conditions.labels[at] for at in among], rows, min_count),
        facts=facts,
    )


def _notes(
    word: str, judged: Judged, mine: WordUsages, labels: list[str], rows: list[dict[str, Any]], min_count: int
) -> list[str]:
    """Return how the number of senses came about, what the intervals mean, and what is left out."""
    drawn = f"{number_of(len(mine.position), 'usages')} of {word} with a telling context"
    reached = f"silhouette {judged.separation:.2f}, needed {judged.needed:.2f}"
    if judged.senses > 1:
        notes = [f"{drawn}: {judged.senses} clusters ({reached})."]
    elif np.isnan(judged.separation):
        notes = [f"{drawn}: too few to tell senses apart ({FEWEST} are needed)."]
    else:
        notes = [f"{drawn}: one sense, since no clusters are far enough apart ({reached})."]
    notes.append("Interval: 95 %, Wilson, by the number of documents; the clusters are taken as given.")
    present = {row["condition"] for row in rows}
    if hidden := [label for label in labels if label not in present]:
        notes.append(f"Left out, with {fewer_than(min_count).removesuffix(' times')} usages drawn: {some_of(hidden)}.")
    return notes


def main_components(vectors: Floats) -> NDArray[np.float64]:
    """Return (N, ≤ DIMENSIONS) centered vectors along their main components."""
    centered = np.asarray(vectors, dtype=np.float64) - vectors.mean(axis=0, dtype=np.float64)
    values, axes = np.linalg.eigh(centered.T @ centered)
    return np.asarray(centered @ axes[:, np.argsort(-values)[:DIMENSIONS]])


def cluster(points: Floats, number: int, seed: int, starts: int = 2) -> Any:
    """Return k-means fitted to points."""
    from sklearn.cluster import KMeans

    return KMeans(number, n_init=starts, random_state=seed % 2**32).fit(points)


def number_of_senses(points: Floats, documents: NDArray[np.int64], seed: int, progress: Progress = None) -> Judged:
    """Return the number of clusters that are separated best, or one if noise with the same covariance does as well."""
    random = np.random.Generator(np.random.PCG64([seed, 1]))
    chosen = np.sort(random.permutation(len(points))[:MOST_JUDGED])
    points, documents = points[chosen], documents[chosen]
    known = np.unique(documents)
    half = np.isin(documents, random.permutation(known)[: len(known) // 2])
    if len(points) < FEWEST or min(half.sum(), (~half).sum()) < FEWEST // 4:
        return Judged(1, np.nan, np.nan)
    scores = separations(points, half, seed)
    best, needed = int(np.argmax(scores)), LEAST
    for turn in range(NULLS):
        if needed >= scores[best]:
            break  # one sense, whatever the rest is
        noise = random.standard_normal(points.shape) * points.std(axis=0)
        needed = max(needed, separations(noise, half, seed).max())
        if progress:
            progress("noise", turn + 1, NULLS)
    return Judged(best + 2 if scores[best] > needed else 1, float(scores[best]), float(needed))


def separations(points: Floats, half: NDArray[np.bool_], seed: int) -> NDArray[np.float64]:
    """Return for 2 … MOST_SENSES clusters the silhouette of the worst, fitted to one half and measured in the other."""
    from sklearn.metrics import silhouette_samples

    scores = np.full((MOST_SENSES - 1, 2), -1.0)
    for number in range(2, MOST_SENSES + 1):
        for turn, (fitted, measured) in enumerate(((half, ~half), (~half, half))):
            labels = cluster(points[fitted], number, seed).predict(points[measured])
            if np.bincount(labels, minlength=number).min() >= max(3, 0.03 * len(labels)):
                widths = silhouette_samples(points[measured], labels)
                scores[number - 2, turn] = min(widths[labels == one].mean() for one in range(number))
    return np.asarray(scores.mean(axis=1))


def wilson(share: float, number: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of `number` draws.

    >>> [round(end, 2) for end in wilson(1.0, 10)], [round(end, 2) for end in wilson(0.5, 100)]
    ([0.72, 1.0], [0.4, 0.6])
    """
    spread = NORMAL**2 / number
    middle, reach = share + spread / 2, NORMAL * np.sqrt((share * (1 - share) + spread / 4) / number)
    return float(max(0, (middle - reach) / (1 + spread))), float(min(1, (middle + reach) / (1 + spread)))


def _typical(words: tuple[str, ...], context: Windows, inside: NDArray[np.bool_]) -> list[str]:
    """Return the context words that mark some usages: log-likelihood against all, times their weight."""
    size = len(context.weight)
    every, here = (np.bincount(part[part >= 0], minlength=size) for part in (context.word, context.word[inside]))
    expected = every * (here.sum() / max(every.sum(), 1)) if not inside.all() else np.ones(size)
    score = here * np.log(np.maximum(here, 1) / np.maximum(expected, 1e-9)) * context.weight
    best = np.argsort(-score, kind="stable")[:TYPICAL]
    return [words[at] for at in best.tolist() if score[at] > 0]
