"""The senses of a word (`senses`): clusters of its usages, and the share of each in every condition."""

from __future__ import annotations

import warnings
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
LEAST_AGREEMENT = 0.2  # adjusted Rand index; clusters that agree less are no senses, however significant
LEAST_SILHOUETTE = 0.15  # the same for usages of an encoder
NULLS = 19  # an observed value above all of them has p = 0.05
DIMENSIONS, SIDE_DIMENSIONS = 20, 10  # principal components for clusters of usages, and of the words on one side
MOST_JUDGED = 600  # usages
FEWEST, FEWEST_IN_HALF = 40, 10  # usages; fewer are one sense
NORMAL = 1.96
TYPICAL = 8

Floats = NDArray[np.floating]


class Judged(NamedTuple):
    """The number of senses, how clear the best clusters are by some measure, and how clear they must be."""

    senses: int
    measure: str
    value: float = np.nan
    needed: float = np.nan


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

    Usages from all conditions are clustered by the words around them. A word has several senses if the words before
    and the words after a usage point to the same cluster, more often than by chance; else it has one. The usages of a
    contextual model are clustered by their vectors: clusters fitted to half of the documents must be farther apart in
    the other half than those of Gaussian noise. A sense here is a kind of usage: read the sentences.

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
    mine, drawn = every.informative(among), int(np.isin(every.condition, among).sum())
    if not len(mine.position):
        none = f"None of {number_of(drawn, 'drawn usages')} of {name}"
        note = f"{none} has an informative context, so one sense is assumed."
        return Answer([], title=f"{name}: 1 sense", notes=[note], facts={"word": name, "senses": 1, "seed": seed})
    context = windows(found.counts, found.counts.vocabulary.index(name), mine.position)
    with one_blas_thread():
        points = main_components(mine.vectors)
        judged = separated(points, mine.document, seed) if mine.sides is None else agreeing(mine, mine.sides, seed)
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
                row |= {"usages": len(inside), "documents": documents, "typical": words}
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
    measured = {judged.measure: judged.value, "needed": judged.needed}
    facts |= {"usages": len(mine.position)}
    facts |= {what: None if np.isnan(value) else round(value, 4) for what, value in measured.items()}
    return Answer(rows, title=f"{name}: {number_of(judged.senses, 'senses')}", notes=notes, facts=facts)


def _why(judged: Judged) -> str:
    """Return a clause that says how the number of senses was chosen."""
    if np.isnan(judged.value):
        return f"too few to tell senses apart ({FEWEST} are needed)"
    reached = f"{judged.measure} {judged.value:.2f}, needed {judged.needed:.2f}"
    return f"{judged.senses} clusters ({reached})" if judged.senses > 1 else f"one sense, no clear clusters ({reached})"


def main_components(vectors: Floats, dimensions: int = DIMENSIONS) -> NDArray[np.float64]:
    """Return (N, ≤ dimensions) the first principal components of vectors."""
    centered = np.asarray(vectors, dtype=np.float64) - vectors.mean(axis=0, dtype=np.float64)
    values, axes = np.linalg.eigh(centered.T @ centered)
    return np.asarray(centered @ axes[:, np.argsort(-values)[:dimensions]])


def cluster(points: Floats, number: int, seed: int, starts: int = 2) -> Floats:
    """Return the (number, D) centers of k-means."""
    from scipy.cluster.vq import kmeans2, vq

    random = np.random.Generator(np.random.PCG64([seed, number]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about empty clusters, which callers check
        found = [kmeans2(points, number, iter=20, minit="++", rng=random)[0] for _ in range(starts)]
    return np.asarray(min(found, key=lambda centers: float(np.square(vq(points, centers)[1]).sum())))


def nearest_center(points: Floats, centers: Floats) -> NDArray[np.int64]:
    """Return the cluster of each point."""
    from scipy.cluster.vq import vq

    return np.asarray(vq(points, centers)[0], dtype=np.int64)


def agreeing(mine: WordUsages, sides: Floats, seed: int) -> Judged:
    """Judge by the words on both sides of a usage: if a word has several senses, both sides point to the same one.

    Clusters are fitted to one side, and each side of a usage is assigned to one. The agreement of the two sides is the
    adjusted Rand index: 0 by chance, 1 if always the same. For the null, sides of different usages are paired.
    """
    from sklearn.metrics import adjusted_rand_score

    random = np.random.Generator(np.random.PCG64([seed, 1]))
    informative = np.flatnonzero(sides.any(axis=2).all(axis=0))
    if len(informative) < FEWEST or len(np.unique(mine.document[informative])) < FEWEST // 2:
        return Judged(1, "agreement")
    both = sides[:, random.permutation(informative)[:MOST_JUDGED]]
    size = both.shape[1]
    one, other = main_components(both.reshape(2 * size, -1), SIDE_DIMENSIONS).reshape(2, size, -1)
    clusters = {}  # by number: for the fit to either side, the clusters of that side and of the opposite one
    for number in range(2, MOST_SENSES + 1):
        centers = [
            (side, opposite, cluster(side, number, seed, starts=5)) for side, opposite in ((one, other), (other, one))
        ]
        fits = [(nearest_center(side, fitted), nearest_center(opposite, fitted)) for side, opposite, fitted in centers]
        if all(np.bincount(labels, minlength=number).min() >= rarest(size) for labels, _ in fits):
            clusters[number] = fits
    agreement = {number: np.mean([adjusted_rand_score(*fit) for fit in fits]) for number, fits in clusters.items()}
    best, needed = max(agreement, key=lambda number: agreement[number], default=1), LEAST_AGREEMENT
    reached = float(agreement.get(best, 0))
    for _ in range(NULLS if reached > needed else 0):  # else there is one sense, whatever the null
        order = random.permutation(size)
        chance = [np.mean([adjusted_rand_score(a, b[order]) for a, b in fits]) for fits in clusters.values()]
        needed = max(needed, float(max(chance)))
    return Judged(best if reached > needed else 1, "agreement", reached, needed)


def rarest(usages: int) -> float:
    """Return the minimum number of usages of a cluster."""
    return max(3, 0.03 * usages)


def separated(points: Floats, documents: NDArray[np.int64], seed: int) -> Judged:
    """Judge by the separation of clusters: it must be larger than in Gaussian noise with the same variances."""
    random = np.random.Generator(np.random.PCG64([seed, 1]))
    if len(points) < FEWEST or len(np.unique(documents)) < FEWEST // 2:
        return Judged(1, "silhouette")
    scores = separations(points, documents, seed)
    best, needed = int(np.argmax(scores)), LEAST_SILHOUETTE
    for _ in range(NULLS if scores[best] > needed else 0):
        noise = random.standard_normal(points.shape) * points.std(axis=0)
        needed = max(needed, float(separations(noise, documents, seed).max()))
    return Judged(best + 2 if scores[best] > needed else 1, "silhouette", float(scores[best]), needed)


def separations(points: Floats, documents: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    """Return for 2 … MOST_SENSES clusters the silhouette of the worst, fitted to one half, measured on the other."""
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
                if np.bincount(labels, minlength=number).min() >= rarest(len(labels)):
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
    """Return the context words that are typical of some usages: log-likelihood against all, times their weight."""
    size = len(context.weight)
    every, here = (np.bincount(part[part >= 0], minlength=size) for part in (context.word, context.word[inside]))
    expected = every * (here.sum() / max(every.sum(), 1)) if not inside.all() else np.ones(size)
    score = here * np.log(np.maximum(here, 1) / np.maximum(expected, 1e-9)) * context.weight
    best = np.argsort(-score, kind="stable")[:TYPICAL]
    return [words[at] for at in best.tolist() if score[at] > 0]
