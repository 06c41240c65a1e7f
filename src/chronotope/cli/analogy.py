"""chronotope analogy: A is to B as C is to whom."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.completing import conditions
from chronotope.cli.console import show
from chronotope.cli.options import (
    At,
    Json,
    MinCount,
    Model,
    Top,
    needed_condition,
    open_model,
    say_if_none,
    warn_if_rare,
)


def analogy_command(
    model: Model,
    a: Annotated[str, typer.Argument(metavar="A", help="A word.")],
    b: Annotated[str, typer.Argument(metavar="B", help="What A is to.")],
    c: Annotated[str, typer.Argument(metavar="C", help="The word whose counterpart is sought.")],
    at: At = None,
    to: Annotated[
        str | None,
        typer.Option("--to", autocompletion=conditions, help="The condition of C and of the answer (the same)."),
    ] = None,
    top: Top = 10,
    min_count: MinCount = 5,
    as_json: Json = False,
) -> None:
    """A is to B (in AT) as C (in TO) is to which word?"""
    from chronotope.analysis.analogy import analogy
    from chronotope.views import answer_tables

    embeddings = open_model(model)
    at = needed_condition(embeddings, at)
    for word, where in ((a, at), (b, at), (c, to or at)):
        warn_if_rare(embeddings, word, where)
    answer = analogy(embeddings, a, b, c, at, to, top=top, min_count=min_count)
    say_if_none(answer.matches, answer.to, min_count)
    show(answer_tables.analogy(answer), answer.to_dict(), as_json)
