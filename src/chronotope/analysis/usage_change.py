"""How far the usages of words moved between two conditions (`usage_change`): APD, PRT, AMD and JSD.

APD = mean of d(x, y),   PRT = 1 − cos(mean of X, mean of Y),   d = 1 − cosine, x of X before, y of Y after
AMD = ½ (mean over x of min d(x, ·) + mean over y of min d(·, y)),   JSD of the clusters that X and Y fall into
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis import params
from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Ranked
from chronotope.analysis.filters import Filters
from chronotope.analysis.measures import compare
from chronotope.analysis.params import MinCount, Model, Permutations, Progress, Seed, Top, condition_param
from chronotope.analysis.senses import cluster, main_components, nearest_center
from chronotope.analysis.usages import Usages, UsageVectors, WordUsages
from chronotope.errors import number_of
from chronotope.runtime.blas import one_blas_thread

MEASURES = ("apd", "prt", "amd", "jsd")
CLUSTERS = 5  # as in Martinc et al. (2020)
MOST_WORDS = 200  # if no words are named and the model has no usages of its own

Sides = NDArray[np.bool_]


@question(
    "usage_change",
    group="All words",
    columns="word before after count_before count_after documents apd corrected prt amd jsd p_apd p_prt p_amd p_jsd q",
    chart=Ranked(label="word", value="apd", faint=None),
)
def usage_change(
    model: Model,
    start: Annotated[str, condition_param("Earlier condition.", option="--from")],
    end: Annotated[str, condition_param("Later condition.", option="--to")],
    *,
    words: params.WordList = None,
    exclude: params.Exclude = None,
    no_names: params.NoNames = False,
    no_numbers: params.NoNumbers = False,
    min_documents: params.MinDocuments = 1,
    usages: Usages = 100,
    permutations: Permutations = 0,
    top: Top = 20,
    min_count: MinCount = 20,
    seed: Seed = 1,
    progress: Progress = None,
) -> Answer:
    """How far did the usages of words move between two conditions?

    Best with a contextual model, for its words; other models give vectors from the words around each usage. Words are
    ranked by the mean distance between usages before and after (APD). A word of many senses has a large APD at all
    times, so with `permutations` words are ranked by `corrected`: APD minus that of permuted documents.

    Examples
    --------
    >>> import chronotope as ct
    >>> world = ct.invented_world(years=range(1990, 1992), documents=300)
    >>> model = ct.ContextualModel(words="energy,river").fit(ct.count(ct.read_corpus(world.records, time="time")))
    >>> sorted(ct.usage_change(model, "1990", "1991")["word"])
    ['energy', 'river']
    """
    first, last = compare(model.conditions, start, end, "ends").steps[0]
    labels, counts = model.conditions.labels, np.zeros((2, len(model)), np.int64)
    for side, at in enumerate((first, last)):
        counts[side, model.observed.words_in(at)] = model.observed.counts_in(at)
    enough = np.flatnonzero(counts.min(axis=0) >= min_count)
    filters, notes = Filters(model, words, exclude, no_names, no_numbers, min_documents), list[str]()
    documents = filters.documents((first, last))
    chosen = enough[filters.ranked(enough, np.arange(len(enough)), (first, last), len(enough), notes)]
    of = len(chosen)
    if filters.named is None and "usages" not in model.provenance:
        chosen = chosen[np.argsort(-counts.min(axis=0)[chosen], kind="stable")[:MOST_WORDS]]
    found = UsageVectors(model, [model.words[word] for word in chosen], usages, seed)
    rows, few = [], 0
    for done, number in enumerate(chosen.tolist(), 1):
        mine = found.of(model.words[number]).informative((first, last))
        after = mine.condition == last
        if min(after.sum(), (~after).sum()) < 2:
            few += 1
            continue
        row: dict[str, Any] = {"word": model.words[number], "before": labels[first], "after": labels[last]}
        row |= {"count_before": counts[0, number], "count_after": counts[1, number]}
        row["documents"] = None if documents is None else documents[number]
        rows.append(row | _measured(mine, after, permutations, [seed, number]))
        if progress:
            progress("words", done, len(chosen))
    ranked = "corrected" if permutations else "apd"
    rows.sort(key=lambda row: -row[ranked])
    if permutations and rows:
        from chronotope.analysis.significance.tests import false_discovery_rates

        for row, q in zip(rows, false_discovery_rates(np.array([row["p_apd"] for row in rows])), strict=True):
            row["q"] = q
    part = "the most frequent of those " if len(chosen) < of else ""
    compared = f"{number_of(len(rows), 'words')} compared, {part}with {min_count} or more occurrences at both ends."
    notes.insert(0, compared)
    if rare := int((counts.max(axis=0) > 0).sum()) - len(enough):
        notes.append(f"Left out: {number_of(rare, 'words')} with fewer than {min_count} at one end.")
    if few:
        none = "without two usages with an informative context in both conditions"
        notes.append(f"Left out: {number_of(few, 'words')} {none}.")
    if permutations:
        notes.append(f"p: {permutations:,} permutations of the documents of each word; q is that of p_apd.")
    facts: dict[str, Any] = {"from": labels[first], "to": labels[last], "min_count": min_count, "words": len(rows)}
    facts |= {"filters": filters.settings, "permutations": permutations, "seed": seed}
    title = f"The words whose usages moved farthest from {labels[first]} to {labels[last]}"
    return Answer(rows[:top], title=title, notes=notes, facts=facts)


def _measured(mine: WordUsages, after: Sides, permutations: int, seed: list[int]) -> dict[str, Any]:
    """Return the measures of a word, and their p-values from permutations of its documents."""
    with one_blas_thread():
        near = mine.vectors.astype(np.float64) @ mine.vectors.T.astype(np.float64)
        points = main_components(mine.vectors)
        groups = nearest_center(points, cluster(points, min(CLUSTERS, len(points)), seed[0]))
        observed = measures(near, groups, after)
        columns: dict[str, Any] = dict(zip(MEASURES, observed.tolist(), strict=True))
        if permutations:
            documents, at = np.unique(mine.document, return_inverse=True)
            side = np.zeros(len(documents), dtype=bool)
            side[at] = after
            random = np.random.Generator(np.random.PCG64(seed))
            drawn = np.array([measures(near, groups, random.permutation(side)[at]) for _ in range(permutations)])
            # The observed labels are one of the permutations.
            p = (1 + (drawn >= observed - 1e-12).sum(axis=0)) / (1 + permutations)
            columns |= {f"p_{name}": value for name, value in zip(MEASURES, p.tolist(), strict=True)}
            columns["corrected"] = columns["apd"] - float(drawn[:, 0].mean())
    return columns


def measures(near: NDArray[np.float64], groups: NDArray[np.integer], after: Sides) -> NDArray[np.float64]:
    """Return APD, PRT, AMD and JSD from the (N, N) cosines of usages, their clusters, and a mask of usages after.

    >>> two_each = np.kron(np.eye(2), np.ones((2, 2)))  # two usages in one direction, two at right angles to it
    >>> measures(two_each, np.array([0, 0, 1, 1]), np.array([False, False, True, True])).tolist()
    [1.0, 1.0, 1.0, 1.0]
    >>> measures(two_each, np.array([0, 0, 1, 1]), np.array([False, True, False, True])).tolist()
    [0.5, 0.0, 0.0, 0.0]
    """
    before = ~after
    across = near[np.ix_(before, after)]
    lengths = np.sqrt(near[np.ix_(before, before)].mean() * near[np.ix_(after, after)].mean())
    nearest = (across.max(axis=1).mean() + across.max(axis=0).mean()) / 2
    shares = np.array([np.bincount(groups[side], minlength=groups.max() + 1) / side.sum() for side in (before, after)])
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence = np.nansum(shares * np.log2(shares / shares.mean(axis=0)), axis=1).mean()
    return np.array([1 - across.mean(), 1 - across.mean() / max(lengths, 1e-12), 1 - nearest, divergence])
