"""chronotope trajectory: a word's path among its company."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chronotope.cli.console import show, talk
from chronotope.cli.options import Evidence, Json, Model, Place, Word, open_model


def trajectory_command(
    model: Model,
    word: Word,
    method: Annotated[str, typer.Option("--method", help="lle (locally linear embedding) or pca.")] = "lle",
    top: Annotated[int, typer.Option("--top", min=1, help="How many neighbors of each condition are shown.")] = 3,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many words of company at most.")] = 24,
    place: Place = None,
    min_count: Evidence = 5,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Draw it: a .png, .svg, .pdf or .html file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Where does WORD go among its company, over all conditions?"""
    from chronotope.analysis.one_place import of_place
    from chronotope.analysis.trajectory import trajectory
    from chronotope.views import answer_tables

    embeddings = open_model(model)
    if place:
        embeddings = of_place(embeddings, place)
    answer = trajectory(embeddings, word, method=method, top=top, limit=limit, min_count=min_count)
    if output:
        from chronotope.views import charts, plane

        charts.save(plane.trajectory(answer), output)
        talk("{}", output)
    show(answer_tables.trajectory(answer), answer.to_dict(), as_json)
