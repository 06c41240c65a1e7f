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
    Place,
    Seed,
    Threads,
    Word,
    open_model,
    open_run,
)
from chronotope.errors import SettingsError


def axis_command(
    model: Model,
    word: Word,
    formula: Annotated[
        str, typer.Argument(metavar="FORMULA", help="'fruit - company', '(fruit + pie) - (company + google)', 'good'.")
    ],
    fixed: Fixed = False,
    place: Place = None,
    bootstrap: Bootstrap = 0,
    seed: Seed = 1,
    min_count: Evidence = 5,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Where does WORD stand along FORMULA, over time and place?"""
    from chronotope.analysis.axes import positions
    from chronotope.analysis.one_place import of_place
    from chronotope.views import answer_tables

    if place and bootstrap:
        raise SettingsError("the axis of one place has no intervals over documents; leave out --bootstrap")
    embeddings = open_model(model)
    if place:
        embeddings = of_place(embeddings, place)
    with progress_bars() as bars:
        answer = positions(
            embeddings,
            word,
            formula,
            fixed=fixed,
            min_count=min_count,
            seed=seed,
            counts=open_run(model, bootstrap),
            bootstrap=bootstrap,
            threads=threads,
            progress=bars,
        )
    show(answer_tables.positions(answer), answer.to_dict(), as_json)
