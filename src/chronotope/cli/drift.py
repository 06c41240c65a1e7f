"""chronotope drift: which words changed, and is it real."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli.completing import conditions
from chronotope.cli.console import progress_bars, show, talk
from chronotope.cli.options import (
    Bootstrap,
    Evidence,
    Exchanges,
    Json,
    Model,
    Seed,
    Threads,
    Top,
    Within,
    open_model,
    open_run,
)
from chronotope.errors import SettingsError, number_of

if TYPE_CHECKING:
    from chronotope.analysis import Drift
    from chronotope.analysis.significance.judged import Resampling


def drift_command(
    model: Model,
    start: Annotated[
        str | None,
        typer.Option("--from", autocompletion=conditions, help="The condition to start from (the first time bin)."),
    ] = None,
    end: Annotated[
        str | None,
        typer.Option("--to", autocompletion=conditions, help="The condition to compare with (the last time bin)."),
    ] = None,
    over: Annotated[
        str | None,
        typer.Option(
            "--over",
            help="ends (from one condition to another), steps (the largest between consecutive bins), series (all "
            "pairs of conditions), or unusual (one condition against all others; the default for places).",
        ),
    ] = None,
    permutations: Exchanges = 0,
    bootstrap: Bootstrap = 0,
    within: Within = None,
    seed: Seed = 1,
    seeds: Annotated[
        int, typer.Option("--seeds", min=0, help="Train so many more models with other seeds: seed stability.")
    ] = 0,
    top: Top = 20,
    min_count: Evidence = 20,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Which words changed most, and how much of that is chance?"""
    from chronotope.analysis.significance.judged import Resampling
    from chronotope.views import tables

    asked = Resampling(permutations, bootstrap, within, seed, seeds)
    answer = find_drift(model, start, end, over, min_count, asked, threads)
    say_if_nothing(answer)
    show(tables.drift(answer, top), answer.to_dict(top), as_json)


def find_drift(
    model: Path,
    start: str | None,
    end: str | None,
    over: str | None,
    min_count: int,
    asked: Resampling,
    threads: int | None,
) -> Drift:
    """Measure, and resample where that is asked, with progress; finished resamples stay in the run."""
    from chronotope.analysis.drift import drift

    embeddings = open_model(model)
    with resampling_of(model, asked, threads) as options:
        return drift(embeddings, start, end, over=over, min_count=min_count, **options)


def say_if_nothing(answer: Drift) -> None:
    """Say why no word could be compared, and what to do."""
    if not len(answer):
        from chronotope.analysis.own_vectors import what_helps

        where = f"in both {answer.start} and {answer.end}" if answer.start else "in the conditions compared"
        helps = what_helps(answer.embeddings.conditions, answer.min_count)
        talk("[yellow]no word occurs {} or more {}{}[/]", number_of(answer.min_count, "times"), where, helps)


@contextmanager
def resampling_of(model: Path, asked: Resampling, threads: int | None) -> Iterator[dict[str, Any]]:
    """What `drift` and `stable` need to resample: the run, progress, and where finished resamples are kept."""
    if asked.within and not asked.permutations:
        raise SettingsError("--within says which documents are exchanged; add --permutations, or leave it out")
    if not (asked.permutations or asked.bootstrap or asked.seeds):
        yield {}
        return
    counts = open_run(model)
    assert counts is not None
    writable = os.access(counts.folder, os.W_OK)
    if not writable:
        talk("[yellow]{} cannot be written to: an interrupted run starts anew[/]", counts.folder)
    with progress_bars() as bars:
        try:
            yield {
                "counts": counts,
                "permutations": asked.permutations,
                "bootstrap": asked.bootstrap,
                "within": asked.within,
                "seed": asked.seed,
                **({"seeds": asked.seeds} if asked.seeds else {}),
                "threads": threads,
                "progress": bars,
                "keep_in": counts.folder if writable else None,
            }
        except KeyboardInterrupt:
            if writable:
                talk("stopped; the same command goes on from here")
            raise
