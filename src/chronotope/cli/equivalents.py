"""chronotope equivalents: who plays a word's part elsewhere."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.console import show
from chronotope.cli.options import At, Json, MinSupport, Model, Retrieval, Top, Word, open_model, warn_if_absent


def equivalents_command(
    model: Model,
    word: Word,
    at: At,
    to: Annotated[str, typer.Option("--to", help="The condition to look in.")],
    top: Top = 10,
    min_support: MinSupport = 5,
    retrieval: Retrieval = "csls",
    as_json: Json = False,
) -> None:
    """Which words in TO play the part that WORD plays in AT?"""
    from chronotope.views import tables

    embeddings = open_model(model)
    warn_if_absent(embeddings, word, at)
    found = embeddings.equivalents(word, at, to, top, min_support=min_support, retrieval=retrieval)
    show(tables.matches(found, title=f"{word} in {at}, sought in {to}"), [match.to_dict() for match in found], as_json)
