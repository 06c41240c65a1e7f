"""Which words changed (`drift`): between two conditions, step by step, over a series, or in one place."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from chronotope.analysis import params
from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Ranked
from chronotope.analysis.filters import Filters, largest_share
from chronotope.analysis.measures import Comparison, Numbers, Task, Words, compare, matched_z, model_rows, own_share
from chronotope.analysis.own_vectors import full_bins, what_helps
from chronotope.analysis.params import From, MinCount, Model, Param, Seed, Top, Until, WordList
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError, number_of, some_of

CHANGES = (
    "Change between two conditions (ends), the largest between consecutive bins (steps), over all pairs of "
    "conditions (series), or of one condition against the others (unusual). Default: ends for time, else unusual."
)
SMALLEST = (
    "Smallest change that counts: p and q test whether the corrected change is larger; 0 for any change "
    "(default: the 95th percentile of the changes by chance, over permutations and words)."
)
Over: TypeAlias = Annotated[Literal["auto", "ends", "steps", "series", "unusual"], Param(CHANGES)]
Effect: TypeAlias = Annotated[float | None, Param(SMALLEST, least=0, most=2)]
NEIGHBORS = 5
LEVEL = 0.05
TITLES = {
    "ends": "The words that changed most",
    "steps": "The words that changed most from one bin to the next",
    "series": "The words that changed most over all conditions",
    "unusual": "The words that one condition uses most differently from the others",
}


@question(
    "drift",
    group="All words",
    columns="word change z own before after count_before count_after documents largest_share "
    "neighbors_before neighbors_after corrected noise low high effect q p draw_stability seed_stability seed_spread",
    chart=Ranked(
        label="word", value="change", band=("low", "high"), detail=("neighbors_before", "neighbors_after"), faint=None
    ),
)
def drift(
    model: Model,
    start: From = None,
    end: Until = None,
    *,
    over: Over = "auto",
    words: WordList = None,
    exclude: params.Exclude = None,
    no_names: params.NoNames = False,
    no_numbers: params.NoNumbers = False,
    min_documents: params.MinDocuments = 5,
    top: Top = 20,
    min_count: MinCount = 20,
    permutations: params.Permutations = 0,
    bootstrap: params.Bootstrap = 0,
    effect: Effect = None,
    within: params.Within = None,
    seed: Seed = 1,
    seeds: params.Seeds = 0,
    threads: params.Threads = None,
    progress: params.Progress = None,
    keep_in: params.KeepIn = None,
) -> Answer:
    """Which words changed most, and how much of that is chance?

    `start` and `end` are the two conditions to compare (default: the first and last full time bin); over steps or a
    series, the first and last time bin to take. `before` and `after` are the two ends of a word's change: over steps,
    the bins of its largest step; over a series or places, its most typical and its most unusual condition. Words are
    ranked by the change, or by the corrected change if documents are resampled. Resampling needs the run and a model of
    method graph or shared-context; `seeds` needs the run and any method that has a seed.

    Examples
    --------
    >>> import chronotope as ct
    >>> world = ct.invented_world(years=range(1990, 1992), documents=600)
    >>> model = ct.GraphModel(dimensions=50).fit(ct.count(ct.read_corpus(world.records, time="time"), min_count=5))
    >>> answer = drift(model, top=3)
    >>> len(answer), answer["before"][0], answer["after"][0]
    (3, '1990', '1991')
    """
    check_within(within, permutations or bootstrap)
    if effect is not None and not permutations:
        raise SettingsError("--effect needs --permutations: it sets what p and q test")
    filters = Filters(model, words, exclude, no_names, no_numbers, min_documents)
    passed_over: list[str] = []
    if over in ("auto", "ends") and model.conditions.axis == "time":
        start, end = _full_ends(model, start, end, passed_over)
    comparison = compare(model.conditions, start, end, over)
    measured = comparison.measure(model_rows(model, min_count), len(model))
    task = Task(model, comparison, measured, min_count, threads, progress, keep_in)
    frequency = comparison.frequency(model, measured.words, min_count)
    figures: dict[str, Numbers] = {"z": matched_z(measured.change, frequency)}
    how: dict[str, Any] = {"permutations": permutations, "bootstrap": bootstrap, "within": within, "seed": seed}
    if permutations or bootstrap:
        from chronotope.analysis.significance.tests import judge

        figures |= judge(task, **how, effect=effect)
    if seeds:
        from chronotope.analysis.significance.tests import over_seeds

        figures |= over_seeds(task, seeds, figures.get("noise"))
    ranked_by = figures.get("corrected", measured.change)
    order = np.lexsort((measured.words, -np.nan_to_num(ranked_by, nan=-np.inf)))
    notes = [_compared(model, comparison, len(order), min_count), *passed_over]
    shown = filters.ranked(measured.words, order, comparison.conditions, top, notes)
    notes += _notes(figures, len(order), permutations, bootstrap, seeds)

    first, last = (model.conditions.labels[at] for at in comparison.ends)
    named = comparison.over == "ends" or start is not None or end is not None
    how |= {"seeds": seeds}
    facts: dict[str, Any] = {"over": comparison.over, "from": first if named else None, "to": last if named else None}
    facts |= {"words": len(order), "left_out": len(model) - len(order), "min_count": min_count, **how}
    facts |= {"filters": filters.settings, "discoveries": None, "effect": None}
    if "q" in figures:
        facts["discoveries"] = int(np.count_nonzero(figures["q"] <= LEVEL))
        facts["effect"] = float(figures["least"].max(initial=0))
    used = [f"{name} {value}" for name, value in how.items() if name != "seed" and value]
    used += [f"resampling seed {seed}"] if "noise" in figures else []
    used += [f"effect {effect:g}"] if effect is not None else []
    return Answer(
        _rows(task, shown, filters) | {name: figures[name][shown] for name in figures if name != "least"},
        title=TITLES[comparison.over] + (f" from {first} to {last}" if named else ""),
        notes=notes,
        facts=facts,
        signature="|".join([model.signature, *used]),
    )


def _full_ends(model: Model, start: str | None, end: str | None, notes: list[str]) -> tuple[str | None, str | None]:
    """Replace None by the first or last full time bin; note which bins were skipped."""
    labels, full = model.conditions.labels, full_bins(model)
    if len(full) < 2:
        return start, end
    first, last = labels[full[0]], labels[full[-1]]
    passed = labels[: full[0]] * (start is None) + labels[full[-1] + 1 :] * (end is None)
    if passed:
        notes.append(f"Compared: the first and the last full time bin; skipped: {some_of(passed)}.")
    return first if start is None else start, last if end is None else end


def _rows(task: Task, shown: Words, filters: Filters) -> dict[str, Any]:
    """Return the columns of the shown words that need no resamples."""
    model, comparison, measured, min_count = task[:4]
    words, before, after = measured.words[shown], measured.before[shown], measured.after[shown]
    labels, own = model.conditions.labels, np.zeros(len(shown))
    for first, last in np.unique(np.stack([before, after]), axis=1).T.tolist():
        here = (before == first) & (after == last)
        own[here] = own_share(model, words[here], first, last, min_count)
    names = [model.words[word] for word in words]
    columns: dict[str, Any] = {"word": names, "change": measured.change[shown], "own": own}
    for side, conditions in (("before", before), ("after", after)):
        near: list[list[str]] = [[]] * len(shown)
        for condition in np.unique(conditions).tolist():
            here = np.flatnonzero(conditions == condition)
            asked = [names[at] for at in here]
            found = model.neighbors(asked, labels[condition], NEIGHBORS, min_count=min_count)
            for at, matches in zip(here, found, strict=True):
                near[at] = [match.word for match in matches]
        counts = [model.observed.of(*pair) for pair in zip(words.tolist(), conditions.tolist(), strict=True)]
        columns |= {side: [labels[at] for at in conditions], f"count_{side}": counts, f"neighbors_{side}": near}
    documents = filters.documents(comparison.conditions)
    if documents is None or filters.run is None:
        return columns
    return columns | {
        "documents": documents[words],
        "largest_share": largest_share(filters.run, filters.in_run[words], [before, after]),
    }


def _compared(model: ConditionedEmbeddings, comparison: Comparison, words: int, min_count: int) -> str:
    """Return the note that says how many words were compared, or why none was."""
    if words:
        left_out, enough = number_of(len(model) - words, "words"), number_of(min_count, "occurrences")
        return f"{number_of(words, 'words')} compared; left out: {left_out} with fewer than {enough} in the conditions."
    ends = " and ".join(model.conditions.labels[at] for at in comparison.conditions)
    where = f"in both {ends}" if comparison.over == "ends" else "in the conditions compared"
    return f"No word occurs {number_of(min_count, 'times')} or more {where}{what_helps(model.conditions, min_count)}."


def _notes(figures: dict[str, Numbers], words: int, permutations: int, bootstrap: int, seeds: int) -> list[str]:
    if not figures:
        return []
    from chronotope.analysis.significance.tests import LEAST_RESAMPLES, most_changed

    notes, first = [], most_changed(words)
    if permutations and permutations < LEAST_RESAMPLES:
        notes.append(f"p and q need at least {LEAST_RESAMPLES} permutations; 200 is usual.")
    elif permutations:
        found = int(np.count_nonzero(figures["q"] <= LEVEL))
        least = figures["least"].max(initial=0)
        notes.append(f"Corrected change above {least:.2g} with q of at most {LEVEL}: {number_of(found, 'words')}.")
    among = f"in which a word is among the {first:,} most changed."
    if permutations or bootstrap:
        notes.append("corrected: the change after correction for sampling noise.")
    if bootstrap:
        draws = f"share of {bootstrap:,} draws of documents"
        notes.append(f"Interval: 95 %, of the corrected change; draw_stability: {draws} {among}")
    if seeds:
        notes.append(f"seed_stability: share of {seeds + 1:,} models with different seeds {among}")
    return notes


def check_within(within: str | None, resamples: int) -> None:
    """Refuse strata without resamples."""
    if within and not resamples:
        raise SettingsError("--within needs resampled documents: add --permutations or --bootstrap, or leave it out")
