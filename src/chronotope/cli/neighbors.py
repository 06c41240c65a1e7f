"""chronotope neighbors: the words nearest to a word in a condition."""

from __future__ import annotations

from chronotope.cli.console import show
from chronotope.cli.options import (
    At,
    Json,
    MinCount,
    Model,
    Retrieval,
    Top,
    Word,
    needed_condition,
    open_model,
    say_if_none,
    warn_if_rare,
)


def neighbors_command(
    model: Model,
    word: Word,
    at: At = None,
    top: Top = 10,
    min_count: MinCount = 5,
    retrieval: Retrieval = "cosine",
    as_json: Json = False,
) -> None:
    """Which words are nearest to WORD in the condition AT?"""
    from chronotope.views import tables

    embeddings = open_model(model)
    at = needed_condition(embeddings, at)
    warn_if_rare(embeddings, word, at)
    found = embeddings.neighbors(word, at, top, min_count=min_count, retrieval=retrieval)
    say_if_none(found, at, min_count)
    show(tables.matches(found, title=f"{word} in {at}"), [match.to_dict() for match in found], as_json)
