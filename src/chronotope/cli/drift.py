"""chronotope drift: which words changed, and is it real."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronotope.cli.console import progress_bars, show, talk
from chronotope.cli.options import Evidence, Json, Model, Threads, Top, open_model
from chronotope.locking import locked

if TYPE_CHECKING:
    from chronotope.analysis import Drift
    from chronotope.analysis.significance.judging import Resampling


def drift_command(
    model: Model,
    start: Annotated[
        str | None, typer.Option("--from", help="The condition to start from (the first time bin).")
    ] = None,
    end: Annotated[str | None, typer.Option("--to", help="The condition to compare with (the last time bin).")] = None,
    over: Annotated[
        str | None,
        typer.Option(
            "--over",
            help="ends (from one condition to another), steps (the largest between consecutive bins), series (all "
            "pairs of conditions), or unusual (one condition against all others; the default for places).",
        ),
    ] = None,
    permutations: Annotated[
        int, typer.Option("--permutations", min=0, help="Random exchanges of documents to compare with: p and q.")
    ] = 0,
    bootstrap: Annotated[
        int, typer.Option("--bootstrap", min=0, help="Random draws of documents: intervals and stability.")
    ] = 0,
    within: Annotated[
        str | None,
        typer.Option("--within", metavar="FIELD", help="Exchange only documents with the same value of this field."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of the resamples.")] = 1,
    top: Top = 20,
    min_support: Evidence = 20,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Which words changed most, and how much of that is chance?"""
    from chronotope.analysis.significance.judging import Resampling
    from chronotope.views import tables

    asked = Resampling(permutations, bootstrap, within, seed)
    answer = find_drift(model, start, end, over, min_support, asked, threads)
    show(tables.drift(answer, top), answer.to_dict(top), as_json)


def find_drift(
    model: Path,
    start: str | None,
    end: str | None,
    over: str | None,
    min_support: int,
    asked: Resampling,
    threads: int | None,
) -> Drift:
    """Measure, and resample where that is asked, with progress; finished resamples stay in the run."""
    from chronotope.analysis import drift
    from chronotope.analysis.concordance import run_folder
    from chronotope.cooccurrence import Counts

    embeddings = open_model(model)
    if not (asked.permutations or asked.bootstrap):
        return drift(embeddings, start, end, over=over, min_support=min_support)
    counts = Counts.open(run_folder(model))
    writable = os.access(counts.folder, os.W_OK)
    if not writable:
        talk("[yellow]{} cannot be written to: an interrupted run starts anew[/]", counts.folder)
    with progress_bars() as bars, locked(counts.folder, "drift", shared=True):
        try:
            return drift(
                embeddings,
                start,
                end,
                over=over,
                min_support=min_support,
                counts=counts,
                permutations=asked.permutations,
                bootstrap=asked.bootstrap,
                within=asked.within,
                seed=asked.seed,
                threads=threads,
                progress=bars,
                keep_in=counts.folder if writable else None,
            )
        except KeyboardInterrupt:
            if writable:
                raise KeyboardInterrupt("stopped; the same command goes on from here") from None
            raise
