"""chronotope stable: which words stayed the same."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.console import show
from chronotope.cli.drift import resampling_of
from chronotope.cli.options import (
    Bootstrap,
    Evidence,
    Json,
    Model,
    Seed,
    Threads,
    Top,
    Within,
    open_model,
)


def stable_command(
    model: Model,
    top: Top = 20,
    least: Annotated[bool, typer.Option("--least", help="The least stable words instead.")] = False,
    min_count: Evidence = 5,
    min_conditions: Annotated[
        int | None, typer.Option("--min-conditions", min=2, help="In how many conditions a word must occur (half).")
    ] = None,
    permutations: Annotated[
        int, typer.Option("--permutations", min=0, help="Random exchanges of documents to compare with: p.")
    ] = 0,
    bootstrap: Bootstrap = 0,
    within: Within = None,
    seed: Seed = 1,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Which words keep their meaning over all conditions?"""
    from chronotope.analysis.properties import consistency, deviations
    from chronotope.analysis.significance.judged import Resampling
    from chronotope.analysis.stability import stable
    from chronotope.views import answer_tables, tables

    embeddings = open_model(model)
    enough = min_conditions or max(2, len(embeddings.conditions) // 2)
    asked = Resampling(permutations, bootstrap, within, seed)
    with resampling_of(model, asked, threads) as options:
        answer = stable(embeddings, min_count=min_count, min_conditions=enough, **options)
    second, third = consistency(embeddings, min_count=min_count), deviations(embeddings, answer)
    rows = answer.least(top) if least else answer.most(top)
    title = f"The {'least' if least else 'most'} stable words"
    facts = answer_tables.properties(second, third)
    table = tables.stable_words(rows, title=title, left_out=answer.left_out, facts=facts)
    data = answer.to_dict(top) | {
        "consistency": second.to_dict() if second else None,
        "own_deviation": third.to_dict(top),
    }
    show(table, data, as_json)
