"""chronotope axis: where a word stands between other words."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.console import show
from chronotope.cli.options import Evidence, Fixed, Json, Model, Word, open_model


def axis_command(
    model: Model,
    word: Word,
    formula: Annotated[
        str, typer.Argument(metavar="FORMULA", help="'fruit - company', '(fruit + pie) - (company + google)', 'good'.")
    ],
    fixed: Fixed = False,
    min_support: Evidence = 5,
    as_json: Json = False,
) -> None:
    """Where does WORD stand along FORMULA, over time and place?"""
    from chronotope.analysis.axes import positions
    from chronotope.views import answer_tables

    answer = positions(open_model(model), word, formula, fixed=fixed, min_support=min_support)
    show(answer_tables.positions(answer), answer.to_dict(), as_json)
