"""chronotope axis: where a word stands between other words."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.console import progress_bars, show
from chronotope.cli.options import (
    Bootstrap,
    Evidence,
    Fixed,
    Json,
    Model,
    Seed,
    Threads,
    Word,
    open_model,
    open_run,
)


def axis_command(
    model: Model,
    word: Word,
    formula: Annotated[
        str, typer.Argument(metavar="FORMULA", help="'fruit - company', '(fruit + pie) - (company + google)', 'good'.")
    ],
    fixed: Fixed = False,
    bootstrap: Bootstrap = 0,
    seed: Seed = 1,
    min_support: Evidence = 5,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Where does WORD stand along FORMULA, over time and place?"""
    from chronotope.analysis.axes import positions
    from chronotope.views import answer_tables

    embeddings = open_model(model)
    with progress_bars() as bars:
        answer = positions(
            embeddings,
            word,
            formula,
            fixed=fixed,
            min_support=min_support,
            seed=seed,
            counts=open_run(model, bootstrap),
            bootstrap=bootstrap,
            threads=threads,
            progress=bars,
        )
    show(answer_tables.positions(answer), answer.to_dict(), as_json)
