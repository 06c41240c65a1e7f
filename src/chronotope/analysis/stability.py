"""Which words keep their meaning over all conditions (`stable`)."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from chronotope.analysis import params
from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Ranked
from chronotope.analysis.drift import check_within
from chronotope.analysis.filters import Filters
from chronotope.analysis.measures import Comparison, Numbers, Task, matched_z, model_rows
from chronotope.analysis.params import MinCount, Model, Param, Seed, Top, WordList
from chronotope.errors import SettingsError, number_of


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
    if bootstrap:
        notes.append("Interval: 95 %, of the corrected stability.")
    chosen = numbers[shown]
    figures |= {"stability": stability, "z": z}
    columns: dict[str, Any] = {name: values[shown] for name, values in figures.items()}
    columns |= {"word": [model.words[number] for number in chosen], "conditions": many[chosen], "count": count[chosen]}
    if (documents := filters.documents(comparison.conditions)) is not None:
        columns["documents"] = documents[chosen]
    title = f"The {'least' if least else 'most'} stable words"
    return Answer(columns, title=title, notes=notes, facts=facts)
