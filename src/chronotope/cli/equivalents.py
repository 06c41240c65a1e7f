"""chronotope equivalents: who plays a word's part elsewhere."""

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
    Retrieval,
    Word,
    needed_condition,
    open_model,
    say_if_none,
    warn_if_rare,
)


def equivalents_command(
    model: Model,
    word: Word,
    at: At = None,
    to: Annotated[
        str, typer.Option("--to", autocompletion=conditions, help="The condition to look in; all: every one.")
    ] = "all",
    top: Annotated[
        int | None, typer.Option("--top", min=1, help="How many answers (10; 3 in each of all conditions).")
    ] = None,
    chance: Annotated[
        float,
        typer.Option("--chance", help="With all: how often a vector without meaning may have a match; 1: always."),
    ] = 0.05,
    min_count: MinCount = 5,
    retrieval: Retrieval = "csls",
    as_json: Json = False,
) -> None:
    """Which words in TO (or everywhere) play the part that WORD plays in AT?"""
    from chronotope.views import answer_tables, tables

    embeddings = open_model(model)
    at = needed_condition(embeddings, at)
    warn_if_rare(embeddings, word, at)
    if to == "all":
        from chronotope.analysis.everywhere import equivalents_everywhere

        answer = equivalents_everywhere(
            embeddings, word, at, top=top or 3, chance=chance, min_count=min_count, retrieval=retrieval
        )
        say_if_none([part for part in answer.parts if part.nearest], "any condition", min_count)
        show(answer_tables.everywhere(answer), answer.to_dict(), as_json)
        return
    found = embeddings.equivalents(word, at, to, top or 10, min_count=min_count, retrieval=retrieval)
    say_if_none(found, to, min_count)
    show(tables.matches(found, title=f"{word} in {at}, sought in {to}"), [match.to_dict() for match in found], as_json)
