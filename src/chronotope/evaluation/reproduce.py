"""A table from the ground up: every method trained on the same counts, asked the same pairs, fit by fit.

What is done stays done: a run that was stopped goes on with the fit that it was at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from chronotope.embeddings import load
from chronotope.errors import InputError
from chronotope.evaluation.evaluate import evaluate
from chronotope.evaluation.pairs import TestPairs
from chronotope.evaluation.reproduce_contenders import Contender
from chronotope.evaluation.reproduce_copy import copied
from chronotope.evaluation.reproduce_data import Data, Progress, data_folder, read_data
from chronotope.evaluation.reproduce_fit import FitFailed, Job, fit_apart
from chronotope.evaluation.reproduce_paper import paper_figures
from chronotope.evaluation.reproduce_results import WAYS, Answers, Fit, Results, Way, checksum_of_pairs
from chronotope.evaluation.reproduce_summary import Line, summarize_fits
from chronotope.evaluation.reproduce_tables import Table
from chronotope.io.provenance import checksum_of

Say = Callable[[str], None]


@dataclass(frozen=True)
class Section:
    """The results on one file of pairs.

    Attributes
    ----------
    pairs
        The name of the file.
    size, same_word
        How many pairs, and how many of them ask for the same word.
    queries
        How many words they ask about.
    lines
        One for each contender, and one for whoever copies the query word.
    paper
        What the paper prints on these pairs, on other text; empty where it has nothing.
    """

    pairs: str
    size: int
    same_word: int
    queries: int
    lines: tuple[Line, ...]
    paper: dict[str, dict[str, float]]

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return vars(self) | {"lines": [line.to_dict() for line in self.lines]}


@dataclass(frozen=True)
class Reproduction:
    """A table that was made again.

    Attributes
    ----------
    table
        Which.
    words, conditions, tokens, cells, run
        What was trained on.
    sections
        The results on each file of pairs.
    skipped
        Contenders that could not be trained, and why.
    fits
        All that was done.
    pairs
        The pairs that were asked.
    """

    table: Table
    words: int
    conditions: tuple[str, ...]
    tokens: int
    cells: int
    run: str
    sections: tuple[Section, ...]
    skipped: dict[str, str]
    fits: tuple[Fit, ...]
    pairs: tuple[TestPairs, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON, without the ranks."""
        return {
            "table": self.table.name,
            "title": self.table.title,
            "words": self.words,
            "conditions": list(self.conditions),
            "tokens": self.tokens,
            "cells": self.cells,
            "run": self.run,
            "sections": [section.to_dict() for section in self.sections],
            "skipped": self.skipped,
            "models": [fit.model for fit in self.fits if fit.model],
        }


def reproduce(
    table: Table,
    folder: str | Path,
    contenders: Sequence[Contender],
    *,
    data: str | Path | None = None,
    seeds: Iterable[int] = (1, 2, 3),
    threads: int | None = None,
    progress: Progress | None = None,
    say: Say | None = None,
    keep_models: bool = True,
) -> Reproduction:
    """Train every contender with every seed, ask it the pairs, and sum up; what is done already is not done again.

    Parameters
    ----------
    table
        What is made.
    folder
        Where the counts, the models and `results.jsonl` go.
    contenders
        Who takes part.
    data
        The folder with the data; by default that of $CHRONOTOPE_DATA, else `../shared/data`.
    seeds
        Each contender is trained with each.
    threads
        How many cores; no result depends on it.
    progress
        Called with (stage, done, total).
    say
        Called with a line of text for each fit.
    keep_models
        Whether the models stay in the folder once they have been asked.
    """
    folder = Path(folder)
    source = data_folder(data, table)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; name a folder for the results")
    known = read_data(table, source, folder, threads=threads, progress=progress)
    results = Results(folder / "results.jsonl")
    bench = _Bench(table, known, folder, results, threads, progress, say or (lambda _: None), keep_models)
    seeds = list(seeds)
    fits: list[Fit] = []
    skipped: dict[str, str] = {}
    # Seeds outside, so that a run that is stopped early has every method at least once.
    jobs = [(contender, seed) for seed in seeds for contender in contenders]
    for number, (contender, seed) in enumerate(jobs):
        if progress:
            progress("all fits", number, len(jobs))
        if contender.name not in skipped:
            try:
                fits.append(bench.fit(contender, seed, f"{number + 1}/{len(jobs)}"))
            except FitFailed as error:
                skipped[contender.name] = str(error)
                bench.say(f"{number + 1}/{len(jobs)} {contender.name}: skipped; {error}")
    if progress:
        progress("all fits", len(jobs), len(jobs))
    counts = known.counts
    copy = copied(counts, known.pairs, table.name)
    return Reproduction(
        table=table,
        words=len(counts.vocabulary),
        conditions=counts.conditions.labels,
        tokens=int(counts.tokens.sum()),
        cells=counts.size,
        run=counts.checksum,
        sections=tuple(
            _section([*fits, copy], pairs, asked.paper if asked else None)
            for pairs, asked in zip_longest(known.pairs, table.pairs)
        ),
        skipped=skipped,
        fits=tuple(fits),
        pairs=known.pairs,
    )


@dataclass(frozen=True)
class _Bench:
    """Where fits are made, one after the other."""

    table: Table
    data: Data
    folder: Path
    results: Results
    threads: int | None
    progress: Progress | None
    say: Say
    keep_models: bool

    @property
    def _ways(self) -> tuple[Way, ...]:
        """How candidates are chosen and ranked; renamed words, of which there are thousands, are asked for once."""
        return WAYS[:1] if self.table.renamings_of else WAYS

    def fit(self, contender: Contender, seed: int, number: str) -> Fit:
        """A fit with all its answers: from the results, or made now."""
        settings = {**contender.settings, "seed": seed}
        run = self.data.counts.checksum
        key = checksum_of([self.table.name, contender.method, settings, run])
        fit = self.results.read().get(key)
        if fit is not None and fit.has_answered(self.data.pairs, self._ways):
            self.say(f"{number} {contender.name}, seed {seed}: done before")
            return replace(fit, contender=contender.name)
        if fit is None or not (self.folder / fit.model).exists():
            fit = self._trained(key, contender, settings, seed, number)
            self.results.put(fit)
        if self.data.pairs:
            fit = replace(fit, contender=contender.name, answers=tuple(self._asked(fit)))
            self.results.put(fit)
        if not self.keep_models:
            (self.folder / fit.model).unlink(missing_ok=True)
        self.say(f"{number} {contender.name}, seed {seed}: {', '.join(self._outcome(fit))}")
        return fit

    def _trained(self, key: str, contender: Contender, settings: dict[str, Any], seed: int, number: str) -> Fit:
        self.say(f"{number} {contender.name}, seed {seed}: training")
        name = re.sub(r"[^\w.=-]+", "-", contender.name)
        model = f"{self.table.name}-{name}-seed{seed}.ct"
        job = Job(
            str(self.data.counts.folder), contender.method, settings, str(self.folder / model), self.threads,
            renamed=self.table.renamings_of is not None,
        )  # fmt: skip
        step = self.progress
        cost = fit_apart(job, (lambda done, total: step("this fit", done, total)) if step else None)
        return Fit(
            key, self.table.name, contender.name, contender.method, settings, seed, self.data.counts.checksum, model,
            cost.seconds, cost.peak_bytes, cost.held_out,
        )  # fmt: skip

    def _asked(self, fit: Fit) -> Iterable[Answers]:
        """The answers of a model to all pairs in all ways."""
        embeddings = load(self.folder / fit.model)
        asked = [(pairs, way) for pairs in self.data.pairs for way in self._ways]
        for number, (pairs, way) in enumerate(asked):
            if self.progress:
                self.progress("asking it", number, len(asked))
            scores = evaluate(embeddings, pairs, min_support=way.min_support, retrieval=way.retrieval)
            yield Answers(pairs.name, checksum_of_pairs(pairs), way, scores.answerable, scores.ranks, scores.signature)

    def _outcome(self, fit: Fit) -> Iterable[str]:
        """What a fit took and what it came to, in words."""
        yield f"{fit.seconds:.1f} s"
        if fit.peak_bytes is not None:
            yield f"{fit.peak_bytes / 2**30:.2f} GiB"
        for pairs in self.data.pairs:
            yield f"MRR {summarize_fits([fit], pairs)[0].mean['mrr']:.3f} on {pairs.name}"


def _section(fits: Sequence[Fit], pairs: TestPairs, paper: str | None) -> Section:
    return Section(
        pairs=pairs.name,
        size=len(pairs.pairs),
        same_word=sum(pair.query == pair.answer for pair in pairs.pairs),
        queries=len({pair.query for pair in pairs.pairs}),
        lines=tuple(summarize_fits(fits, pairs)),
        paper=paper_figures(paper) if paper else {},
    )
