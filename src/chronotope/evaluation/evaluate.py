"""Judge models: by test pairs, by gold scores of change, or by words that were renamed in their own text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer
from chronotope.analysis.charts import Ranked
from chronotope.config import at_least, one_of
from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings, load
from chronotope.embeddings.retrieval import RETRIEVALS
from chronotope.errors import InputError, SettingsError, number_of, some_of
from chronotope.evaluation.gold import Gold, agreement, changes, read_gold, resampled_agreement
from chronotope.evaluation.pairs import Labels, TestPair, TestPairs, read_pairs
from chronotope.evaluation.renaming import Renamed, renamed
from chronotope.evaluation.scores import (
    CUTOFFS,
    METRICS,
    Difference,
    difference,
    gains,
    quantiles,
    resampled_means,
    summarize,
)
from chronotope.io.provenance import checksum_of
from chronotope.methods import METHODS, method_class
from chronotope.methods.base import Method

OnePath = str | os.PathLike[str]
OneModel = ConditionedEmbeddings | Method | OnePath
SIGNIFICANT = "significant: the 95 % interval of the difference to the best excludes 0 (paired bootstrap over words)."


class Evaluation(Answer):
    """A row for each model, or for one model a row for each kind of pair; `to_dict` of one model is flat."""

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
    fitting: Mapping[str, Any] | None = None,
) -> Evaluation:
    """Judge one model, or compare several, by `pairs`, `gold` or `renamings`.

    Parameters
    ----------
    models
        A model or its path, several of them, or a mapping from names to models. With renamings also methods, such as
        `GraphModel()`; a model that is already trained stands for its method and settings.
    pairs
        Test pairs: a file with lines `word-condition,word-condition[,category]`, its lines, or pairs. A pair that a
        model cannot answer counts as wrong.
    gold
        Human judgments of change from `start` to `end`: a file with lines `word<TAB>score`, or a mapping. Graded scores
        are compared by Spearman's rank correlation, scores of 0 and 1 by the AUC.
    renamings
        Counts whose words are renamed, or what `renamed` returned: every method is trained on them and asked for the
        other names. True: the run that the models were trained on.
    start, end
        With `gold`: the two conditions; by default the first and the last in time.
    min_count
        Minimum count of a candidate in the condition of the answer (0: all words); of a gold word in both conditions.
    retrieval, depth
        With pairs: the ranking, 'csls' or 'cosine', and the number of candidates; an answer below them has rank 0.
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
    at_least("depth", depth, max(CUTOFFS))
    at_least("min_count", min_count, 0)
    one_of("retrieval", retrieval, RETRIEVALS)
    opened = {
        name: load(model) if isinstance(model, str | os.PathLike) else model for name, model in _named(models).items()
    }
    if renamings is not False:
        pairs, opened = _trained_on_renamed(opened, renamings, fitting or {})
    for model in opened.values():
        if not isinstance(model, ConditionedEmbeddings):
            raise InputError(f"expected a model or the path of one, not {type(model).__name__}")
    if gold is not None:
        return _judge_by_gold(opened, read_gold(gold), start, end, min_count)  # type: ignore[arg-type]
    assert pairs is not None
    if not isinstance(pairs, str | os.PathLike | TestPairs):
        pairs = list(pairs)
    scores = {name: score(model, pairs, min_count, retrieval, depth) for name, model in opened.items()}  # type: ignore[arg-type]
    return _one(next(iter(scores.values()))) if len(scores) == 1 else _several(scores)


@dataclass(frozen=True, eq=False)
class Scores:
    """The ranks of a model on test pairs; `answerable`: both words and conditions are known, the answer a candidate."""

    pairs: TestPairs
    ranks: NDArray[np.int64]
    answerable: NDArray[np.bool_]
    signature: str

    @property
    def queries(self) -> list[str]:
        """(N,) the words that are asked about."""
        return [pair.query for pair in self.pairs.pairs]

    def of(self, chosen: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the scores over some pairs."""
        queries = [query for query, taken in zip(self.queries, chosen.tolist(), strict=True) if taken]
        return summarize(queries, self.ranks[chosen], self.answerable[chosen])

    def to_dict(self) -> dict[str, Any]:
        """Return all scores as plain data: overall, of same-word pairs and others, and of each category."""
        pairs = self.pairs.pairs
        same = np.array([pair.query == pair.answer for pair in pairs])
        category = np.array([pair.category or "(none)" for pair in pairs])
        names = sorted(set(category.tolist()))
        return {
            **self.of(np.ones(len(pairs), bool)),
            "signature": self.signature,
            "same_word": self.of(same),
            "different_words": self.of(~same),
        } | ({"categories": {name: self.of(category == name) for name in names}} if names != ["(none)"] else {})


def score(
    model: ConditionedEmbeddings,
    pairs: OnePath | TestPairs | Iterable[TestPair | str],
    min_count: int = 5,
    retrieval: str = "csls",
    depth: int = 10,
) -> Scores:
    """Return the ranks of a model on test pairs, one batch of queries for each two conditions."""
    asked = read_pairs(pairs, model.conditions.labels)
    labels = Labels(model.conditions.labels)
    ranks, answerable = np.zeros(len(asked.pairs), np.int64), np.zeros(len(asked.pairs), bool)
    batches: dict[tuple[str, str], list[int]] = {}
    for number, pair in enumerate(asked.pairs):
        at, to = labels.known(pair.query_condition), labels.known(pair.answer_condition)
        if at and to and pair.query in model and pair.answer in model and model.count(pair.answer, to) >= min_count:
            answerable[number] = True
            batches.setdefault((at, to), []).append(number)
    for (at, to), numbers in batches.items():
        queries = list(dict.fromkeys(asked.pairs[number].query for number in numbers))
        answers = model.equivalents(queries, at, to, depth, min_count=min_count, retrieval=retrieval, fallback=True)
        words = {query: [match.word for match in found] for query, found in zip(queries, answers, strict=True)}
        for number in numbers:
            found, answer = words[asked.pairs[number].query], asked.pairs[number].answer
            ranks[number] = found.index(answer) + 1 if answer in found else 0
    signature = (
        f"{asked.name}|depth:{depth}|oov:wrong|pairs:{len(ranks)}|answerable:{answerable.sum()}|min count:{min_count}|"
        f"{retrieval}|checksum:{checksum_of([astuple(pair) for pair in asked.pairs])[:8]}|{model.signature}"
    )
    return Scores(asked, ranks, answerable, signature)


def _one(scores: Scores) -> Evaluation:
    """Return the table of one model: all pairs and each kind of them."""
    facts = scores.to_dict()
    parts = {"all": facts, "same word": facts["same_word"], "different words": facts["different_words"]}
    parts |= facts.get("categories", {})
    # A kind that contains all pairs repeats the first row.
    rows = [
        {"part": name} | _row(part)
        for name, part in parts.items()
        if part is facts or 0 < part["pairs"] < facts["pairs"]
    ]
    return Evaluation(
        rows,
        title=f"Scores on {scores.pairs.name}",
        notes=["Interval: 95 %, by resampling the words that are asked about."],
        facts=facts,
        signature=scores.signature,
        name="evaluate",
        chart=Ranked(label="part", value="mrr", band=("low", "high"), faint=None),
    )


def _row(part: dict[str, Any]) -> dict[str, Any]:
    low, high = part["intervals"]["mrr"]
    columns = ("pairs", "answerable", "mrr", *METRICS[1:], "mrr_answerable")
    row = {name: part[name] for name in columns}
    return {"mrr": row.pop("mrr"), "low": low, "high": high} | row


def _several(scores: Mapping[str, Scores]) -> Evaluation:
    """Return the table of several models on the same pairs, the best first."""
    first = next(iter(scores.values()))
    if any(other.pairs.pairs != first.pairs.pairs for other in scores.values()):
        raise SettingsError("the models have other conditions, so that the pairs differ; compare models of one corpus")
    data = {name: one.to_dict() for name, one in scores.items()}
    mrr = {name: gains(one.ranks)[:, 0] for name, one in scores.items()}
    resampled = resampled_means(np.column_stack(list(mrr.values())), first.queries)
    ranked, behind = _compare(
        {name: one["mrr"] for name, one in data.items()},
        dict(zip(data, resampled.T, strict=True)),
        several=len(set(first.queries)) > 1,
    )
    rows = [
        {"model": name}
        | _row(data[name])
        | {kind: data[name][kind]["mrr"] for kind in ("same_word", "different_words")}
        | _difference_columns(behind[name])
        for name in ranked
    ]
    facts = {"pairs": first.pairs.name, "models": {name: data[name] for name in ranked}}
    return _comparison(rows, f"{len(rows)} models on {first.pairs.name}", "mrr", facts, [], scores[ranked[0]].signature)


def _judge_by_gold(
    models: Mapping[str, ConditionedEmbeddings], gold: Gold, start: str | None, end: str | None, min_count: int
) -> Evaluation:
    """Return the agreement of each model with gold scores, over the words that all models know."""
    found = {name: changes(model, gold, start, end, min_count) for name, model in models.items()}
    words = [word for word in gold.scores if all(word in measured for measured, _, _ in found.values())]
    absent = [word for word in gold.scores if word not in words]
    wanted, metric = np.array([gold.scores[word] for word in words]), gold.metric
    if len(set(wanted.tolist())) < 2:
        raise InputError(f"{len(words)} of the {len(gold.scores)} gold words can be judged; two with other scores are needed")
    measured = {name: np.array([one[word] for word in words]) for name, (one, _, _) in found.items()}
    values = {name: agreement(one, wanted, metric) for name, one in measured.items()}
    resampled = {name: resampled_agreement(one, wanted, metric) for name, one in measured.items()}
    ranked, behind = _compare(values, resampled, several=True)
    data = {}
    for name in ranked:
        _, first, last = found[name]
        data[name] = {
            metric: values[name],
            "interval": list(quantiles(resampled[name])),
            "words": len(words),
            "gold_words": len(gold.scores),
            "from": first,
            "to": last,
            "signature": f"{gold.name}|{metric}|words:{len(words)} of {len(gold.scores)}|{first} to {last}|min count:"
            f"{min_count}|checksum:{checksum_of(sorted(gold.scores.items()))[:8]}|{models[name].signature}",
            "changes": dict(zip(words, measured[name].tolist(), strict=True)),
        }
    rows = [
        {"model": name, metric: values[name]}
        | dict(zip(("low", "high"), data[name]["interval"], strict=True))
        | {"words": len(words), "gold_words": len(gold.scores)}
        | (_difference_columns(behind[name]) if len(ranked) > 1 else {})
        for name in ranked
    ]
    notes = ["Interval: 95 %, by resampling the words."]
    if absent:
        which = f"occur fewer than {number_of(max(min_count, 1), 'times')} in one of the two conditions"
        notes.append(f"Left out {len(absent)} of {len(gold.scores)} words, which {which}: {some_of(absent)}.")
    facts = {"gold": gold.name, "models": data} if len(ranked) > 1 else data[ranked[0]]
    title = f"{'AUC' if metric == 'auc' else 'Spearman correlation'} with {gold.name}"
    return _comparison(rows, title, metric, facts, notes, data[ranked[0]]["signature"])


def _comparison(
    rows: list[dict[str, Any]], title: str, value: str, facts: dict[str, Any], notes: list[str], signature: str
) -> Evaluation:
    chart = Ranked(label="model", value=value, band=("low", "high"), faint=None)
    notes = [*notes, SIGNIFICANT.capitalize()] if len(rows) > 1 else notes
    return Evaluation(rows, title=title, notes=notes, facts=facts, signature=signature, name="evaluate", chart=chart)


def _compare(
    values: Mapping[str, float], resampled: Mapping[str, NDArray[np.float64]], several: bool
) -> tuple[list[str], dict[str, Difference | None]]:
    """Return the models, best first (ties: first wins), and the difference of each to the best."""
    ranked = sorted(values, key=lambda name: -values[name])
    best = ranked[0]
    return ranked, {
        name: None
        if name == best
        else difference([values[best], values[name]], [resampled[best], resampled[name]], several)
        for name in ranked
    }


def _difference_columns(found: Difference | None) -> dict[str, Any]:
    return {
        "difference": found.difference if found else None,
        "difference_low": found.interval[0] if found else None,
        "difference_high": found.interval[1] if found else None,
        "other_sign": found.other_sign if found else None,
        "significant": found.significant if found else None,
    }


def _named(models: Any) -> dict[str, OneModel]:
    """Return models by name: as given, by the name of the file or run, or by method; numbered if names are equal."""
    if isinstance(models, Mapping):
        return dict(models)
    listed = list(models) if isinstance(models, Sequence) and not isinstance(models, str) else [models]
    if not listed:
        raise SettingsError("name a model")
    short = [_short_name(model) for model in listed]
    paths = [str(model) if isinstance(model, str | os.PathLike) else name for name, model in zip(short, listed, strict=True)]
    names = [name if short.count(name) == 1 else path for name, path in zip(short, paths, strict=True)]
    unique = [name if name not in names[:at] else f"{name} ({at + 1})" for at, name in enumerate(names)]
    return dict(zip(unique, listed, strict=True))


def _short_name(model: OneModel) -> str:
    if isinstance(model, str | os.PathLike):
        return Path(model).name if Path(model).is_dir() else Path(model).stem
    return str(model.provenance.get("method", "model")) if isinstance(model, ConditionedEmbeddings) else repr(model)


def _trained_on_renamed(
    models: Mapping[str, Any], renamings: bool | Counts | Renamed, fitting: Mapping[str, Any]
) -> tuple[TestPairs, dict[str, ConditionedEmbeddings]]:
    """Train the method of every model on renamed counts; return the pairs that ask for the other names."""
    if renamings is True:
        runs = [model.counts for model in models.values() if isinstance(model, ConditionedEmbeddings)]
        if not runs or any(run.checksum != runs[0].checksum for run in runs):
            raise SettingsError("renamings need the counts of one run; give them instead of True")
        renamings = runs[0]
    task = renamed(renamings) if isinstance(renamings, Counts) else renamings
    assert isinstance(task, Renamed)
    trained = {}
    for name, model in models.items():
        edges = {}
        if isinstance(model, ConditionedEmbeddings):
            made = model.provenance
            if made.get("method") not in METHODS:
                raise SettingsError(f"{name} is of method {made.get('method')}, which cannot be trained again")
            edges = {"place_edges": made["place_edges"]} if made.get("place_edges") else {}
            model = method_class(made["method"])(**made["settings"])
        trained[name] = model.fit(task.counts, **(edges | dict(fitting)))
    return task.pairs, trained
