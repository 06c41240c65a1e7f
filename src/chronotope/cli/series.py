"""chronotope series: how similar a word is to itself over the conditions."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.console import show
from chronotope.cli.options import Against, Evidence, Json, Model, Place, Word, open_model


def series_command(
    model: Model,
    word: Word,
    against: Against = "first",
    place: Place = None,
    each: Annotated[bool, typer.Option("--each", help="Compare every condition with every other.")] = False,
    min_support: Evidence = 5,
    as_json: Json = False,
) -> None:
    """How similar is WORD to itself, condition by condition?"""
    from chronotope.analysis.series import self_similarity, series
    from chronotope.views import answer_tables

    embeddings = open_model(model)
    if each:
        table = self_similarity(embeddings, word, place=place, min_support=min_support)
        show(answer_tables.self_similarity(table), table.to_dict(), as_json)
        return
    answer = series(embeddings, word, against, place=place, min_support=min_support)
    show(answer_tables.series(answer), answer.to_dict(), as_json)
