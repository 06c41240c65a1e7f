"""chronotope compare: several models against the same test pairs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from chronotope.cli.console import show, talk
from chronotope.cli.options import Json, MinCount, Retrieval, open_model
from chronotope.errors import SettingsError


def compare_command(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL MODEL…", help="Model files, or runs that hold one.")],
    pairs: Annotated[Path, typer.Option("--pairs", help="Lines `word-condition,word-condition[,category]`.")],
    min_count: MinCount = 5,
    retrieval: Retrieval = "csls",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="A chart: .png, .svg, .pdf or .html.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    as_json: Json = False,
) -> None:
    """Which MODEL finds most of the words that play the same part elsewhere, and is it more than luck?"""
    if len(models) < 2:
        raise SettingsError(
            "compare needs two models or more; for a single one: chronotope evaluate MODEL --pairs FILE"
        )
    from chronotope.evaluation.compare import standings
    from chronotope.evaluation.evaluate import evaluate
    from chronotope.views import charts, score_charts, score_tables

    scores = [evaluate(open_model(model), pairs, min_count=min_count, retrieval=retrieval) for model in models]
    rows = standings(names(models), scores)
    if output:
        chart = score_charts.scores(score_charts.of_comparison(rows), title=f"{len(rows)} models on {pairs.name}")
        charts.save(chart, output)
        talk("{}", output)
    table = score_tables.comparison(rows)
    if markdown and not as_json:
        sys.stdout.write(table.to_markdown())
    else:
        show(table, {"pairs": pairs.name, "models": [row.to_dict() for row in rows]}, as_json)


def names(models: list[Path]) -> list[str]:
    """A short name for each model: that of its file or run, or its whole path where two would be called the same."""
    short = [model.name if model.is_dir() else model.stem for model in models]
    return [name if short.count(name) == 1 else str(model) for name, model in zip(short, models, strict=True)]
