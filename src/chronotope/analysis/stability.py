"""Which words keep their meaning (`stable`), and two properties of conditioned embeddings as measured facts."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis import params
from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Ranked
from chronotope.analysis.drift import check_within
from chronotope.analysis.filters import Filters
from chronotope.analysis.measures import Comparison, Numbers, Task, matched_z, model_rows
from chronotope.analysis.own_vectors import timeline
from chronotope.analysis.params import MinCount, Model, Param, Seed, Top, WordList
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError, number_of

MOST_WORDS = 1000  # the most frequent, for the similarity by lag
SHOWN = 5


@question(
    "stable",
    group="All words",
    columns="word stability z conditions count documents corrected low high p",
    chart=Ranked(label="word", value="stability", band=("low", "high")),
)
def stable(
    model: Model,
    *,
    words: WordList = None,
    exclude: params.Exclude = None,
    no_names: params.NoNames = False,
    no_numbers: params.NoNumbers = False,
    min_documents: params.MinDocuments = 1,
    least: Annotated[bool, Param("Show the least stable words.")] = False,
    top: Top = 20,
    min_count: MinCount = 5,
    min_conditions: Annotated[
        int | None, Param("Minimum number of conditions with the word (default: half).", least=2)
    ] = None,
    permutations: params.Permutations = 0,
    bootstrap: params.Bootstrap = 0,
    within: params.Within = None,
    seed: Seed = 1,
    threads: params.Threads = None,
    progress: params.Progress = None,
    keep_in: params.KeepIn = None,
) -> Answer:
    """Which words keep their meaning over all conditions?

    Stability is the mean cosine of a word with itself over all pairs of conditions. With `bootstrap`, words are ranked
    by the lower end of the interval (the least stable by the upper end), because a rare word may only seem stable.
    Documents are resampled as for `drift`.

    Examples
    --------
    >>> import chronotope as ct
    >>> corpus = ct.read_corpus(ct.invented_world(documents=300).records, time="time")
    >>> model = ct.GraphModel(dimensions=50).fit(ct.count(corpus, min_count=5))
    >>> "bank" in ct.stable(model, least=True, top=5)["word"]
    True
    """
    size = len(model.conditions)
    if size == 1:
        raise SettingsError("a word is stable over two conditions or more, and this model has one")
    check_within(within, permutations or bootstrap)
    filters = Filters(model, words, exclude, no_names, no_numbers, min_documents)
    min_conditions = min_conditions or max(2, size // 2)
    comparison = Comparison("series", tuple(range(size)))
    measured = comparison.measure(model_rows(model, min_count), len(model))
    many, count, _ = comparison.counts(model, min_count)
    figures: dict[str, Numbers] = {}
    how: dict[str, Any] = {"permutations": permutations, "bootstrap": bootstrap, "within": within, "seed": seed}
    if permutations or bootstrap:
        from chronotope.analysis.significance.tests import judge

        found = judge(Task(model, comparison, measured, min_count, threads, progress, keep_in), **how, effect=0.0)
        # The upper end of the change is the lower end of the stability.
        ends = (("corrected", "corrected"), ("low", "high"), ("high", "low"))
        figures = {name: np.minimum(1 - found[change], 1) for name, change in ends if change in found}
        figures |= {"p": found["p"]} if "p" in found else {}
    kept = np.flatnonzero(many[measured.words] >= min_conditions)
    numbers, stability = measured.words[kept], 1 - measured.change[kept]
    figures = {name: values[kept] for name, values in figures.items()}
    z = matched_z(stability, count[numbers].astype(np.float64))
    low, high = (figures.get(name, stability) for name in ("low", "high"))
    keys = (-numbers, low, np.nan_to_num(high, nan=np.inf)) if least else (numbers, -np.nan_to_num(low, nan=-np.inf))
    order = np.lexsort(keys)
    left_out = number_of(len(model) - len(numbers), "words")
    notes = [f"{left_out} left out: in fewer than {min_conditions} conditions with {min_count:,} or more occurrences."]
    shown = filters.ranked(numbers, order, comparison.conditions, top, notes)
    facts: dict[str, Any] = {"words": len(numbers), "left_out": len(model) - len(numbers), "min_count": min_count}
    facts |= {"min_conditions": min_conditions, "filters": filters.settings, **how}
    facts["consistency"] = consistency(model, min_count)
    facts["own_deviation"] = deviation(model, numbers, stability, min_count)
    if bootstrap:
        notes.append("Interval: 95 %, of the corrected stability.")
    chosen = numbers[shown]
    figures |= {"stability": stability, "z": z}
    columns: dict[str, Any] = {name: values[shown] for name, values in figures.items()}
    columns |= {"word": [model.words[number] for number in chosen], "conditions": many[chosen], "count": count[chosen]}
    if (documents := filters.documents(comparison.conditions)) is not None:
        columns["documents"] = documents[chosen]
    title = f"The {'least' if least else 'most'} stable words"
    return Answer(columns, title=title, notes=notes + _sentences(facts), facts=facts)


def consistency(model: ConditionedEmbeddings, min_count: int) -> dict[str, Any] | None:
    """Return the mean cosine of words with themselves at each lag in time; None without three bins in one space.

    It is measured on the most frequent words that occur often enough in every bin of a time line.
    """
    conditions = model.conditions
    if model.query_mapping is not None or not conditions.times:
        return None
    sums: dict[int, list[float]] = {}
    words = nearer = 0
    for place in conditions.places or (None,):
        line = timeline(conditions, place)
        many, count, _ = Comparison("series", tuple(line)).counts(model, min_count)
        throughout = np.flatnonzero(many == len(line))
        throughout = throughout[np.argsort(-count[throughout], kind="stable")[:MOST_WORDS]]
        if len(line) < 3 or not len(throughout):
            continue
        names, labels = [model.words[word] for word in throughout], [conditions.labels[at] for at in line]
        unit = np.stack([model.project(names, label, label) for label in labels]).astype(np.float64)
        by_lag = [np.multiply(unit[:-lag], unit[lag:]).sum(axis=2).mean(axis=0) for lag in range(1, len(line))]
        for lag, cosines in enumerate(by_lag, start=1):
            sums.setdefault(lag, []).append(float(cosines.mean()))
        words += len(throughout)
        nearer += int(np.count_nonzero(by_lag[0] > by_lag[-1]))
    if not words:
        return None
    similarity = [float(np.mean(sums[lag])) for lag in sorted(sums)]
    return {"lags": sorted(sums), "similarity": similarity, "words": words, "nearer": nearer / words}


def deviation(model: Model, words: NDArray[np.int64], stability: Numbers, min_count: int) -> dict[str, Any]:
    """Return the words with the largest and smallest deviation, and its rank correlation with 1 − stability.

    The deviation from the common vector is relative to the length of the whole vector; mean over conditions.
    """
    from scipy.stats import spearmanr

    total, many = np.zeros((2, len(model)))
    for condition in range(len(model.conditions)):
        begin, end = model.observed.start[condition : condition + 2]
        enough = model.observed.counts_in(condition) >= min_count
        word = model.observed.words_in(condition)[enough]
        whole = model.vectors[begin:end][enough].astype(np.float64)
        own = whole - model.common[word] * model.condition_factors[condition]
        length = np.linalg.norm(whole, axis=1)
        total[word] += np.linalg.norm(own, axis=1) / np.where(length == 0, 1, length)
        many[word] += 1
    share = total[words] / np.maximum(many[words], 1)
    order = np.lexsort((words, -share))

    def named(places: NDArray[np.int64]) -> list[dict[str, Any]]:
        return [{"word": model.words[words[at]], "own": float(share[at])} for at in places[:SHOWN]]

    known = len(words) >= 3 and np.ptp(share) > 0 and np.ptp(stability) > 0
    agreement = float(spearmanr(share, 1 - stability).statistic) if known else None
    return {"largest": named(order), "smallest": named(order[::-1]), "agreement": agreement}


def _sentences(facts: dict[str, Any]) -> list[str]:
    lag, own, notes = facts["consistency"], facts["own_deviation"], []
    if lag:
        notes.append(
            f"Similarity by distance in time: {lag['similarity'][0]:.3f} between neighboring bins, "
            f"{lag['similarity'][-1]:.3f} over {lag['lags'][-1]} bins; larger between neighbors for "
            f"{lag['nearer']:.1%} of {number_of(lag['words'], 'words')}."
        )
    if own["largest"]:
        known = own["agreement"] is not None
        agreement = f" (rank correlation with change {own['agreement']:.2f})" if known else ""
        names = ", ".join(one["word"] for one in own["largest"])
        notes.append(f"Largest deviation from the common vector: {names}{agreement}.")
    return notes
