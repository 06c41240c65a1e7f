"""The senses of a word (`senses`): clusters of its usages, and the share of each in every condition."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Lines
from chronotope.analysis.params import MinCount, Model, Place, Seed, Word
from chronotope.analysis.series import conditions_of
from chronotope.analysis.usages import Usages, UsageVectors, Windows, WordUsages, windows
from chronotope.corpus.text_store import TextStore
from chronotope.errors import fewer_than, number_of, some_of
from chronotope.methods.contextual.usages import sentences
from chronotope.runtime.blas import one_blas_thread

MOST_SENSES = 6
LEAST = 0.15  # silhouette; clusters that are less apart are no senses, however significant
NULLS = 19  # the observed value above all of them: p = 0.05
DIMENSIONS = 20  # of the main components in which usages are clustered
MOST_JUDGED = 600  # usages
FEWEST, FEWEST_IN_HALF = 40, 10  # usages; fewer are one sense
NORMAL = 1.96
TYPICAL = 8

Floats = NDArray[np.floating]
Nulls = Callable[[np.random.Generator], Iterator[tuple[Floats, NDArray[np.int64]]]]


class Judged(NamedTuple):
    """The number of senses, the separation of its clusters, and the separation that chance reaches."""

    senses: int
    separation: float
    needed: float


@question(
    "senses",
    group="A word",
    columns="word sense condition usages documents share low high typical text",
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
) -> Answer:
    """In which senses is a word used, and how common is each in every condition?

    Usages from all conditions are clustered by the words around them, or by their vectors in a contextual model.
    Clusters are fitted to half of the documents. In the other half they must be farther apart than those of noise (a
    Gaussian with the same covariance, and usages with exchanged contexts); else the word has one sense. A sense here
    is a kind of usage: read the sentences.

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
    every = found.of(name)
    mine, drawn = every.telling(among), int(np.isin(every.condition, among).sum())
    if not len(mine.position):
        none = f"None of {number_of(drawn, 'drawn usages')} of {name}"
        note = f"{none} has an informative context, so one sense is assumed."
        return Answer([], title=f"{name}: 1 sense", notes=[note], facts={"word": name, "senses": 1, "seed": seed})
    context = windows(found.counts, found.counts.vocabulary.index(name), mine.position)
    with one_blas_thread():
        points = main_components(mine.vectors)
        judged = number_of_senses(points, mine.document, seed, lambda random: _nulls(found, name, points, mine, random))
        sense = nearest_center(points, cluster(points, judged.senses, seed, starts=10))
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
                row: dict[str, Any] = {"word": name, "sense": f"{one + 1}: {', '.join(words[:3])}", "condition": label}
                row |= {"usages": len(inside), "documents": documents, "typical": words, "text": None}
                rows.append(row | {"share": len(inside) / len(here), "low": low, "high": high})
                shown.append(mine.position[inside[np.argmin(far[inside])]] if len(inside) else -1)
    if TextStore.is_in(found.counts.folder) and rows:
        order = [at for at in np.argsort(shown).tolist() if shown[at] >= 0]
        for at, (text, _) in zip(order, sentences(found.counts, np.array([shown[at] for at in order])), strict=True):
            rows[at]["text"] = text
    used = f"{len(mine.position):,} of {number_of(drawn, 'drawn usages')} of {name} have an informative context"
    notes = [f"{used}: {_why(judged)}."]
    notes.append("Interval: 95 %, Wilson, by the number of documents; the clusters are taken as given.")
    labels, present = [model.conditions.labels[at] for at in among], {row["condition"] for row in rows}
    if hidden := [label for label in labels if label not in present]:
        notes.append(f"Left out, with {fewer_than(min_count).removesuffix(' times')} usages drawn: {some_of(hidden)}.")
    facts: dict[str, Any] = {"word": name, "senses": judged.senses, "min_count": min_count, "seed": seed}
    measured = {"separation": judged.separation, "needed": judged.needed}
    facts |= {"usages": len(mine.position)}
    facts |= {what: None if np.isnan(value) else round(value, 4) for what, value in measured.items()}
    return Answer(rows, title=f"{name}: {number_of(judged.senses, 'senses')}", notes=notes, facts=facts)


def _why(judged: Judged) -> str:
    """Return a clause that says how the number of senses was chosen."""
    if np.isnan(judged.separation):
        return f"too few to tell senses apart ({FEWEST} are needed)"
    reached = f"silhouette {judged.separation:.2f}, needed {judged.needed:.2f}"
    if judged.senses > 1:
        return f"{judged.senses} clusters ({reached})"
    return f"one sense, since no clusters are far enough apart ({reached})"


def main_components(vectors: Floats) -> NDArray[np.float64]:
    """Return (N, ≤ DIMENSIONS) centered vectors along their main components."""
    centered = np.asarray(vectors, dtype=np.float64) - vectors.mean(axis=0, dtype=np.float64)
    values, axes = np.linalg.eigh(centered.T @ centered)
    return np.asarray(centered @ axes[:, np.argsort(-values)[:DIMENSIONS]])


def cluster(points: Floats, number: int, seed: int, starts: int = 2) -> Floats:
    """Return the (number, D) centers of k-means."""
    from scipy.cluster.vq import kmeans2, vq

    random = np.random.Generator(np.random.PCG64([seed, number]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of empty clusters, which the caller sees
        found = [kmeans2(points, number, iter=20, minit="++", rng=random)[0] for _ in range(starts)]
    return np.asarray(min(found, key=lambda centers: float(np.square(vq(points, centers)[1]).sum())))


def nearest_center(points: Floats, centers: Floats) -> NDArray[np.int64]:
    """Return the cluster of each point."""
    from scipy.cluster.vq import vq

    return np.asarray(vq(points, centers)[0], dtype=np.int64)


def _nulls(
    found: UsageVectors, word: str, points: Floats, mine: WordUsages, random: np.random.Generator
) -> Iterator[tuple[Floats, NDArray[np.int64]]]:
    """Yield usages without senses and their documents: Gaussian noise, and usages with their contexts exchanged."""
    yield random.standard_normal(points.shape) * points.std(axis=0), mine.document
    if found.stored is None:
        shuffled = found.of(word, random).telling(np.unique(mine.condition).tolist())
        yield main_components(shuffled.vectors), shuffled.document


def number_of_senses(points: Floats, documents: NDArray[np.int64], seed: int, nulls: Nulls) -> Judged:
    """Return the number of clusters that are separated best, or one if nothing but noise may separate them."""
    random = np.random.Generator(np.random.PCG64([seed, 1]))
    if len(points) < FEWEST or len(np.unique(documents)) < FEWEST // 2:
        return Judged(1, np.nan, np.nan)
    scores = separations(points, documents, seed)
    best, needed = int(np.argmax(scores)), LEAST
    for _ in range(NULLS):
        for noise in nulls(random):
            if needed < scores[best]:  # else one sense, whatever the rest is
                needed = max(needed, float(separations(*noise, seed).max()))
    return Judged(best + 2 if scores[best] > needed else 1, float(scores[best]), needed)


def separations(points: Floats, documents: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    """Return for 2 … MOST_SENSES clusters the silhouette of the worst, fitted to one half and measured in the other."""
    from sklearn.metrics import silhouette_samples

    random = np.random.Generator(np.random.PCG64([seed, 2]))
    chosen = random.permutation(len(points))[:MOST_JUDGED]
    points, documents = points[chosen], documents[chosen]
    known = np.unique(documents)
    half = np.isin(documents, random.permutation(known)[: len(known) // 2])
    scores = np.full((MOST_SENSES - 1, 2), -1.0)
    for number in range(2, MOST_SENSES + 1):
        for turn, (fitted, measured) in enumerate(((half, ~half), (~half, half))):
            if min(fitted.sum(), measured.sum()) > FEWEST_IN_HALF:
                labels = nearest_center(points[measured], cluster(points[fitted], number, seed))
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
