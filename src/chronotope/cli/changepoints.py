"""chronotope changepoints: when a word changed."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.console import show
from chronotope.cli.options import Evidence, Json, Level, Model, Permutations, Place, Word, open_model


def changepoints_command(
    model: Model,
    word: Word,
    place: Place = None,
    against: Annotated[
        str | None,
        typer.Option("--against", help="Look at the similarity with this condition (first), not at the vectors."),
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="How many changes at most.")] = 3,
    level: Level = 0.05,
    permutations: Permutations = 999,
    top: Annotated[int, typer.Option("--top", min=0, help="How many words that joined, and that left.")] = 5,
    min_count: Evidence = 5,
    as_json: Json = False,
) -> None:
    """When did WORD change, and who joined and left its company then?"""
    from chronotope.analysis.changepoints import change_points
    from chronotope.views import answer_tables

    answer = change_points(
        open_model(model),
        word,
        place=place,
        against=against,
        most=most,
        level=level,
        permutations=permutations,
        top=top,
        min_count=min_count,
    )
    show(answer_tables.change_points(answer), answer.to_dict(), as_json)
