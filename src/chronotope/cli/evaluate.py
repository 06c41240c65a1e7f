"""chronotope evaluate: a model against test pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chronotope.cli.console import show
from chronotope.cli.options import Json, MinCount, Model, Retrieval, open_model


def evaluate_command(
    model: Model,
    pairs: Annotated[Path, typer.Option("--pairs", help="Lines `word-condition,word-condition[,category]`.")],
    min_count: MinCount = 5,
    retrieval: Retrieval = "csls",
    as_json: Json = False,
) -> None:
    """How often does MODEL find the word that plays the same part elsewhere?"""
    from chronotope.evaluation.evaluate import evaluate
    from chronotope.views import tables

    answer = evaluate(open_model(model), pairs, min_count=min_count, retrieval=retrieval)
    show(tables.scores(answer), answer.to_dict(), as_json)
