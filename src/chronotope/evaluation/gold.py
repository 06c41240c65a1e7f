"""Graded or binary lexical semantic change: does the change that a model measures agree with human judgments?

Gold is a file with one word a line, `word<TAB>score`; blank lines and lines that start with # are skipped; or a
folder of SemEval-2020 Task 1 or of a word usage graph. If all scores are 0 or 1, a model is judged by the area under
the ROC curve (AUC), otherwise by Spearman's rank correlation.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.analysis.drift import drift
from chronotope.analysis.measures import compare
from chronotope.datasets.gold_folders import without_tag
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError
from chronotope.evaluation.pairs import numbered
from chronotope.evaluation.scores import RESAMPLES, SEED
from chronotope.io.untrusted import read_text

# Folders with the results of a word usage graph; the first is that of the shared task.
STATS = ("stats/semeval", "stats/opt", "stats")


@dataclass(frozen=True)
class Gold:
    """Words with the change that people judged, and the name of the file."""

    name: str
    scores: Mapping[str, float]

    @property
    def metric(self) -> str:
        """'auc' for scores of 0 and 1, else 'spearman'."""
        return "auc" if set(self.scores.values()) <= {0.0, 1.0} else "spearman"


def read_gold(source: str | os.PathLike[str] | Mapping[str, float] | Gold) -> Gold:
    """Return gold scores from a file, a folder or a mapping; raise InputError for a wrong line."""
    if isinstance(source, Gold):
        return source
    if isinstance(source, Mapping):
        return Gold("gold", {word: float(score) for word, score in source.items()})
    scores: dict[str, float] = {}
    if (folder := Path(source)).is_dir():
        graded = folder / "truth" / "graded.txt"
        return replace(read_gold(graded), name=folder.name) if graded.is_file() else _usage_graph(folder)
    for number, line in numbered(read_text(folder).split("\n")):
        word, tab, text = line.partition("\t")
        word = word.strip()
        try:
            score = float(text)
        except ValueError:
            score = float("nan")
        if not word or not tab or not isfinite(score):
            raise InputError(f"{source}:{number}: expected word<TAB>score, found '{line.strip()}'")
        if word in scores:
            raise InputError(f"{source}:{number}: '{word}' occurs twice")
        scores[word] = score
    if not scores:
        raise InputError(f"{source} has no words; each line is word<TAB>score")
    return Gold(Path(source).name, scores)


def _usage_graph(folder: Path) -> Gold:
    """Return the graded change of the words of a word usage graph (DWUG)."""
    path = next((found for part in STATS if (found := folder / part / "stats_groupings.csv").is_file()), None)
    if path is None:
        raise InputError(f"{folder} has neither truth/graded.txt (SemEval-2020) nor stats/…/stats_groupings.csv (DWUG)")
    table = pl.read_csv(path, separator="\t", quote_char=None, infer_schema=False)
    if not {"lemma", "change_graded"} <= set(table.columns):
        raise InputError(f"{path} has no columns lemma and change_graded; columns: {', '.join(table.columns)}")
    scores = table.select("lemma", pl.col("change_graded").cast(pl.Float64, strict=False)).drop_nulls().iter_rows()
    return Gold(folder.name, {without_tag(lemma): score for lemma, score in scores})


def measure_changes(
    model: ConditionedEmbeddings, gold: Gold, start: str | None, end: str | None, min_count: int, permutations: int = 0
) -> tuple[dict[str, float], str, str]:
    """Return the change of the gold words between two conditions, and these conditions.

    The change is that of `drift`: 1 − cosine, or with `permutations` the corrected change. Words that are too rare in
    a condition, or whose corrected change is unknown, are left out.
    """
    first, last = (model.conditions.labels[at] for at in compare(model.conditions, start, end, "ends").ends)
    least, known = max(min_count, 1), [word for word in gold.scores if word in model]
    known = [word for word in known if min(model.count(word, at) for at in (first, last)) >= least]
    if not known:
        return {}, first, last
    among: dict[str, Any] = {"words": known, "min_documents": 1, "min_count": least, "top": len(known)}
    found = drift(model, first, last, over="ends", **among, permutations=permutations).frame
    change = dict(found.select("word", pl.col("corrected" if permutations else "change").fill_nan(None)).iter_rows())
    return {word: change[word] for word in known if change[word] is not None}, first, last


def agreement(values: NDArray[np.float64], gold: NDArray[np.float64], metric: str) -> float:
    """Return Spearman's ρ, or the AUC, of measured changes and gold scores; NaN if one of the two is constant.

    >>> agreement(np.array([0.1, 0.5, 0.9]), np.array([1.0, 2.0, 3.0]), "spearman")
    1.0
    >>> agreement(np.array([0.1, 0.5, 0.5, 0.9]), np.array([0.0, 1.0, 0.0, 1.0]), "auc")
    0.875
    """
    from scipy.stats import mannwhitneyu, rankdata

    if np.ptp(gold) == 0 or np.ptp(values) == 0:
        return float("nan")
    if metric == "spearman":
        return float(np.corrcoef(rankdata(values), rankdata(gold))[0, 1].round(12))
    changed, others = values[gold == 1], values[gold == 0]
    return float(mannwhitneyu(changed, others, method="asymptotic").statistic / (len(changed) * len(others)))


def resampled_agreement(values: NDArray[np.float64], gold: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    """(resamples,) the agreement in resamples of the words; the same words are drawn for every model."""
    drawn = np.random.default_rng(SEED).integers(0, len(gold), (RESAMPLES, len(gold)))
    return np.array([agreement(values[rows], gold[rows], metric) for rows in drawn])
