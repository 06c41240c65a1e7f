"""chronotope drift: which words changed."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.console import show
from chronotope.cli.options import Evidence, Json, Model, Top, open_model


def drift_command(
    model: Model,
    start: Annotated[
        str | None, typer.Option("--from", help="The condition to start from (the first time bin).")
    ] = None,
    end: Annotated[str | None, typer.Option("--to", help="The condition to compare with (the last time bin).")] = None,
    top: Top = 20,
    min_support: Evidence = 5,
    as_json: Json = False,
) -> None:
    """Which words changed most between two conditions, or from what they mean everywhere?"""
    from chronotope.analysis import drift
    from chronotope.views import tables

    answer = drift(open_model(model), start, end, min_support=min_support)
    show(tables.drift(answer, top), answer.to_dict(top), as_json)
