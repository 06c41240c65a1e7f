"""Judge models: by test pairs, by gold scores of change, or by words that were renamed in their own text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer
from chronotope.analysis.charts import Ranked
from chronotope.config import at_least, one_of
from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings, load
from chronotope.embeddings.retrieval import BETWEEN
from chronotope.errors import InputError, SettingsError, fewer_than, number_of, some_of
from chronotope.evaluation.gold import Gold, agreement, measure_changes, read_gold, resampled_agreement
from chronotope.evaluation.pairs import TestPair, TestPairs
from chronotope.evaluation.renaming import Renamed, renamed
from chronotope.evaluation.scores import CUTOFFS, METRICS, difference, gains, quantiles, resampled_means, score
from chronotope.io.provenance import checksum_of
from chronotope.methods import METHODS, method_class
from chronotope.methods.base import Method

OnePath = str | os.PathLike[str]
OneModel = ConditionedEmbeddings | Method | OnePath
Models = Mapping[str, ConditionedEmbeddings]
INTERVAL = "Interval: 95 %, by resampling the words."
PAIRED = "(95 % interval of the difference, paired bootstrap over the words)"


class Evaluation(Answer):
    """A row for each model; for one model on pairs a row for each kind of pair. `to_dict` of one model is flat."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the scores of one model, or the table of several."""
        return super().to_dict() if "models" in self.facts else dict(self.facts)


def evaluate(
    models: OneModel | Sequence[OneModel] | Mapping[str, OneModel],
    pairs: OnePath | TestPairs | Iterable[TestPair | str] | None = None,
    *,
    gold: OnePath | Mapping[str, float] | Gold | None = None,
    renamings: bool | Counts | Renamed = False,
    start: str | None = None,
    end: str | None = None,
    min_count: int = 5,
    retrieval: str = "csls",
    depth: int = 10,
    role_map: bool | None = None,
    permutations: int = 0,
    fitting: Mapping[str, Any] | None = None,
) -> Evaluation:
    """Judge one model, or compare several, by `pairs`, `gold` or `renamings`.

    Parameters
    ----------
    models
        A model or its path, several of them, or a mapping from names to models. With renamings also methods, such as
        `GraphModel()`; a trained model stands for its method and settings.
    pairs
        Test pairs: a file with lines `word-condition,word-condition[,category]`, its lines, or pairs. A pair that a
        model cannot answer counts as wrong.
    gold
        Human judgments of change from `start` to `end`: a file with lines `word<TAB>score`, a folder of SemEval-2020
        Task 1 or of a word usage graph (DWUG), or a mapping. Graded scores are compared by Spearman's rank correlation,
        scores of 0 and 1 by the AUC.
    renamings
        Counts, whose words are then renamed, or what `renamed` returned: every method is trained on them and asked for
        the other names. True: the counts that the models were trained on.
    start, end
        With `gold`: the two conditions; by default the first and the last in time.
    min_count
        Minimum count of a candidate in the condition of the answer (0: all words), or of a gold word in both.
    retrieval, depth
        With pairs: the ranking ('csls', 'cosine' or 'references') and the number of candidates; an answer below
        them has rank 0.
    role_map
        With pairs and renamings: whether queries are moved by role maps; None: those between two places.
    permutations
        With gold: the number of permutations of documents, to compare the corrected change of `drift`; 0 compares 1 −
        cosine. Permutations need the run, and method graph or shared-context.
    fitting
        With renamings: arguments of `fit`, such as `threads`.

    Examples
    --------
    >>> import chronotope as ct
    >>> world = ct.invented_world(documents=300)
    >>> model = ct.GraphModel(dimensions=50).fit(ct.count(ct.read_corpus(world.records, place="place"), min_count=5))
    >>> answer = ct.evaluate(model, world.pairs("place"))
    >>> answer["part"][0], 0 < answer["mrr"][0] <= 1
    ('all', True)
    """
    if (pairs is not None) + (gold is not None) + (renamings is not False) != 1:
        raise SettingsError("judge by one of: pairs, gold, renamings")
    at_least("permutations", permutations, 0)
    if permutations and gold is None:
        raise SettingsError("permutations (--permutations) belong to gold: they correct the measured change for noise")
    at_least("depth", depth, max(CUTOFFS))
    at_least("min_count", min_count, 0)
    one_of("retrieval", retrieval, BETWEEN)
    named = name_models(models)
    opened = {name: load(Path(one)) if isinstance(one, str | os.PathLike) else one for name, one in named.items()}
    if renamings is not False:
        pairs, opened = _train_on_renamed(opened, renamings, fitting or {})
    for name, model in opened.items():
        if not isinstance(model, ConditionedEmbeddings):
            raise InputError(f"expected a model or the path of one, not {type(model).__name__} ({name})")
    if gold is not None:
        return _by_gold(opened, read_gold(gold), start, end, min_count, permutations)
    asked: Any = pairs if isinstance(pairs, str | os.PathLike | TestPairs) else list(pairs or ())
    return _by_pairs(opened, asked, (min_count, retrieval, depth, role_map))


class _Result(NamedTuple):
    """The score of a model in resamples of the words, its row of the table, and everything as plain data."""

    resampled: NDArray[np.float64]
    row: dict[str, Any]
    data: dict[str, Any]


def _by_pairs(models: Models, pairs: Any, how: tuple[int, str, int, bool | None]) -> Evaluation:
    scores = {name: score(model, pairs, *how) for name, model in models.items()}
    asked = next(iter(scores.values())).pairs
    if any(one.pairs != asked for one in scores.values()):
        raise SettingsError("the models have different conditions; compare models of one corpus")
    queries = [pair.query for pair in asked.pairs]
    resampled = resampled_means(np.column_stack([gains(one.ranks)[:, 0] for one in scores.values()]), queries)
    results = {}
    for (name, one), values in zip(scores.items(), resampled.T, strict=True):
        data = one.to_dict()
        kinds = {kind: data[kind]["mrr"] for kind in ("same_word", "different_words")}
        results[name] = _Result(values, _row(data) | kinds, data)
    absent = max(one.fallback for one in scores.values())
    notes = [INTERVAL]
    if absent:
        notes.append(f"{number_of(absent, 'pairs')} ask about a word where it is absent; its other conditions answer.")
    if len(models) > 1:
        return _table(results, "mrr", asked.name, notes, several=len(set(queries)) > 1)
    data = next(iter(results.values())).data
    parts = {"all": data, "same word": data["same_word"], "different words": data["different_words"]}
    parts |= data.get("categories", {})
    # A kind that contains all pairs would repeat the first row.
    kept = {name: part for name, part in parts.items() if part is data or 0 < part["pairs"] < data["pairs"]}
    rows = [{"part": name} | _row(part) for name, part in kept.items()]
    return _evaluation(rows, f"Scores on {asked.name}", notes, data, data["signature"], "mrr")


def _row(part: Mapping[str, Any]) -> dict[str, Any]:
    low, high = part["intervals"]["mrr"]
    others = (*METRICS[1:], "mrr_answerable", "pairs", "answerable")
    return {"mrr": part["mrr"], "low": low, "high": high} | {name: part[name] for name in others}


def _by_gold(
    models: Models, gold: Gold, start: str | None, end: str | None, min_count: int, permutations: int
) -> Evaluation:
    """Compare the changes of the words that all models know with gold scores."""
    how = (start, end, min_count, permutations)
    changes = {name: measure_changes(model, gold, *how) for name, model in models.items()}
    words = [word for word in gold.scores if all(word in change for change, *_ in changes.values())]
    absent = [word for word in gold.scores if word not in words]
    wanted, metric = np.array([gold.scores[word] for word in words]), gold.metric
    if len(set(wanted.tolist())) < 2:
        raise InputError(f"{gold.name}: the {len(words)} words that can be judged do not differ in their score")
    results = {}
    for name, (change, first, last) in changes.items():
        measured = np.array([change[word] for word in words])
        value, resampled = agreement(measured, wanted, metric), resampled_agreement(measured, wanted, metric)
        low, high = quantiles(resampled)
        known = {"words": len(words), "gold_words": len(gold.scores)}
        data = {metric: value, "interval": [low, high], **known, "from": first, "to": last}
        judged = f"words:{len(words)} of {len(gold.scores)}|{first} to {last}|min count:{min_count}"
        judged += f"|permutations:{permutations}" if permutations else ""
        checksum = checksum_of(sorted(gold.scores.items()))[:8]
        data["signature"] = f"{gold.name}|{metric}|{judged}|checksum:{checksum}|{models[name].signature}"
        data["changes"] = dict(zip(words, measured.tolist(), strict=True))
        results[name] = _Result(resampled, {metric: value, "low": low, "high": high} | known, data)
    notes = [INTERVAL]
    if absent:
        noisy = " or are mostly noise" if permutations else ""
        rare = f"which occur {fewer_than(max(min_count, 1))} in a condition{noisy}"
        notes.append(f"Left out {len(absent)} of the {len(gold.scores)} words, {rare}: {some_of(absent)}.")
    return _table(results, metric, gold.name, notes, several=True)


def _table(results: Mapping[str, _Result], metric: str, file: str, notes: list[str], several: bool) -> Evaluation:
    """Return a row for each model, best first (ties: first wins), with its difference to the best."""
    ranked = sorted(results, key=lambda name: -results[name].row[metric])
    best, rows = results[ranked[0]], []
    for name in ranked:
        one = results[name]
        row = {"model": name} | one.row
        if len(ranked) > 1:
            found = difference([best.row[metric], one.row[metric]], [best.resampled, one.resampled], several)._asdict()
            row |= dict.fromkeys(found) if one is best else found
        rows.append(row)
    for significant, which in ((True, "Significantly"), (False, "Not significantly")):
        if names := [row["model"] for row in rows if row.get("significant") is significant]:
            notes = [*notes, f"{which} behind {ranked[0]}: {some_of(names)} {PAIRED}."]
    title, facts = f"Scores on {file}", best.data
    if len(ranked) > 1:
        title = f"{len(ranked)} models on {file}"
        facts = {"file": file, "models": {name: results[name].data for name in ranked}}
    return _evaluation(rows, title, notes, facts, best.data["signature"], metric)


def _evaluation(rows: Any, title: str, notes: list[str], facts: Any, signature: str, metric: str) -> Evaluation:
    """Return the table, whose first column names the rows."""
    chart = Ranked(label=next(iter(rows[0])), value=metric, band=("low", "high"), faint=None)
    return Evaluation(rows, title=title, notes=notes, facts=facts, signature=signature, name="evaluate", chart=chart)


def name_models(models: Any) -> dict[str, Any]:
    """Return models by the name of their file or run (full path if two are equal) or method; equal names get numbers.

    >>> list(name_models(["a/good.ct", "b/good.ct", "poor.ct", "poor.ct"]))
    ['a/good.ct', 'b/good.ct', 'poor.ct', 'poor.ct (4)']
    """
    if isinstance(models, Mapping):
        return dict(models)
    listed = list(models) if isinstance(models, list | tuple) else [models]
    names = [_name(model) for model in listed]
    names = [_name(model, whole=names.count(name) > 1) for name, model in zip(names, listed, strict=True)]
    numbered = [name if names.index(name) == at else f"{name} ({at + 1})" for at, name in enumerate(names)]
    return dict(zip(numbered, listed, strict=True))


def _name(model: Any, whole: bool = False) -> str:
    if isinstance(model, str | os.PathLike):
        path = Path(model)
        return str(path) if whole else path.name if path.is_dir() else path.stem
    return str(model.provenance.get("method", "model")) if isinstance(model, ConditionedEmbeddings) else repr(model)


def _train_on_renamed(
    models: Mapping[str, Any], renamings: bool | Counts | Renamed, fitting: Mapping[str, Any]
) -> tuple[TestPairs, dict[str, Any]]:
    """Train the method of every model on renamed counts; return the pairs that ask for the other names."""
    if isinstance(renamings, bool):
        runs = [model.counts for model in models.values() if isinstance(model, ConditionedEmbeddings)]
        if not runs or any(run.checksum != runs[0].checksum for run in runs):
            raise SettingsError("renamings=True needs models that were trained on one run; else give the counts")
        renamings = runs[0]
    task = renamed(renamings) if isinstance(renamings, Counts) else renamings
    trained = {}
    for name, model in models.items():
        options = dict(fitting)
        if isinstance(model, ConditionedEmbeddings):
            made = model.provenance
            if made.get("method") not in METHODS:
                raise SettingsError(f"{name} is of method {made.get('method')}, which cannot be trained again")
            if made.get("place_edges"):
                options = {"place_edges": made["place_edges"]} | options
            model = method_class(made["method"])(**made["settings"])
        if model.method == "contextual":
            raise SettingsError("contextual reads the text, and renamings change the counts alone; use pairs or gold")
        trained[name] = model.fit(task.counts, **options)
    return task.pairs, trained
