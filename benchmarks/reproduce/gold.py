"""Human judgments of change: every method on every gold set, Spearman's ρ with bootstrap intervals over the words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from benchmarks.reproduce.report import markdown
from benchmarks.reproduce.run import Result
from benchmarks.reproduce.tables import Contender, Judgment, Table

from chronotope import ConditionedEmbeddings, load, usage_change
from chronotope.evaluation.gold import Gold, agreement, measure_changes, resampled_agreement
from chronotope.evaluation.scores import quantiles

# The measures of single usages, and the methods whose usages are measured.
MEASURES = ("apd", "prt", "amd", "jsd")
WITH_USAGES = ("graph", "contextual")
# The methods whose change `drift` can correct for noise.
WITH_CORRECTION, PERMUTATIONS = ("graph", "shared-context"), 100
NOTE = (
    "Spearman's ρ between the measured and the judged change, with its 95 % interval by resampling the words; means "
    "over seeds. In brackets: words measured, of those judged. COMPARE is high for unchanged words, so its sign is "
    "turned. Rows with a measure (APD, PRT, AMD, JSD) compare single usages; `corrected` is the column of `drift`; the "
    "others are 1 − cosine of two vectors."
)
CAUTION = (
    "These sets are samples of usages of a few words, not corpora: there is little text, intervals are wide, and many "
    "rows cannot be told apart. SemEval-2020 Task 1 is a partial test bed, too: 31 to 48 words a language, two "
    "periods, one way of judging. A high rank does not show that a method finds the changes in other text."
)


def gold_scores(data: Path, table: Table) -> dict[Judgment, Gold]:
    """Return the judgments of a table; higher means more change."""
    frame = pl.read_csv(data / str(table.gold), separator="\t")
    return {
        one: Gold(
            one.title, {word.lower(): one.sign * score for word, score in frame.select("word", one.column).rows()}
        )
        for one in table.judgments
    }


def with_words(who: Sequence[Contender], scores: Mapping[Judgment, Gold]) -> list[Contender]:
    """Return the contenders at their defaults and CW2V with its presets; `contextual` encodes the judged words."""
    words = tuple(sorted({word for gold in scores.values() for word in gold.scores}))
    return [
        replace(one, settings={**one.settings, "words": words}) if one.method == "contextual" else one
        for one in who
        if one.name == one.method or (one.name.startswith("cw2v-") and one.settings["dimensions"] == 50)
    ]


def judged(result: Result, scores: Mapping[Judgment, Gold], output: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Return ρ, its interval and the coverage, by contender (and measure), then by judgment."""
    found: dict[str, dict[str, list[Any]]] = {}
    least = result.table.counting["min_count"]
    for fit in result.fits:
        model = load(output / fit["model"])
        model.trained_on = result.counts
        for one, gold in scores.items():
            change = measure_changes(model, gold, one.start, one.end, least)[0]
            measured = [(fit["contender"], change)]
            if fit["contender"] in WITH_CORRECTION:
                corrected = measure_changes(model, gold, one.start, one.end, least, PERMUTATIONS)[0]
                measured.append((f"{fit['contender']}, corrected", corrected))
            if fit["contender"] in WITH_USAGES:
                measured += _usage_changes(model, fit["contender"], gold, one, least)
            for name, values in measured:
                found.setdefault(name, {}).setdefault(one.title, []).append(_agreement(values, gold))
    return {name: {title: _mean(cells) for title, cells in by_title.items()} for name, by_title in found.items()}


def _usage_changes(
    model: ConditionedEmbeddings, name: str, gold: Gold, one: Judgment, least: int
) -> Iterator[tuple[str, dict[str, float]]]:
    words = [word for word in gold.scores if word in model]
    frame = usage_change(model, one.start, one.end, words=words, min_count=least, top=len(words)).frame
    for measure in MEASURES:
        yield f"{name}, {measure.upper()}", dict(frame.select("word", measure).iter_rows())


def _agreement(change: Mapping[str, float], gold: Gold) -> dict[str, Any]:
    values, wanted = (np.array([part[word] for word in change]) for part in (change, gold.scores))
    drawn = resampled_agreement(values, wanted, "spearman")
    return {"rho": agreement(values, wanted, "spearman"), "drawn": drawn, "words": len(change), "of": len(gold.scores)}


def _mean(cells: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the means over seeds; the interval is that of the mean, since every seed has the same draws of words."""
    low, high = quantiles(np.mean([cell["drawn"] for cell in cells], axis=0))
    rho = float(np.mean([cell["rho"] for cell in cells]))
    return {"rho": rho, "interval": [low, high], "words": cells[0]["words"], "of": cells[0]["of"]}


def gold_report(rows: Mapping[str, Mapping[str, Any]], titles: Sequence[str], about: Sequence[str]) -> str:
    """Return the table as Markdown, in the order of the methods."""
    lines = [[f"`{name}`", *(_cell(cells.get(title)) for title in titles)] for name, cells in rows.items()]
    return (
        "\n\n".join(["## Human judgments of change", *about, markdown(["method", *titles], lines), NOTE, CAUTION])
        + "\n"
    )


def _cell(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "–"
    low, high = cell["interval"]
    return f"{cell['rho']:.2f} ({low:.2f} to {high:.2f}) [{cell['words']}/{cell['of']}]".replace("-", "−")
