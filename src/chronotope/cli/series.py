"""chronotope series: how similar a word is to itself over the conditions."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.console import progress_bars, show
from chronotope.cli.options import (
    Against,
    Bootstrap,
    Evidence,
    Json,
    Model,
    Place,
    Seed,
    Threads,
    Word,
    open_model,
    open_run,
)
from chronotope.errors import SettingsError


def series_command(
    model: Model,
    word: Word,
    against: Against = "first",
    place: Place = None,
    each: Annotated[bool, typer.Option("--each", help="Compare every condition with every other.")] = False,
    bootstrap: Bootstrap = 0,
    seed: Seed = 1,
    min_count: Evidence = 5,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """How similar is WORD to itself, condition by condition?"""
    from chronotope.analysis.series import self_similarity, series
    from chronotope.views import answer_tables

    if each and against != "first":
        raise SettingsError("--each compares every condition with every other; leave out --against")
    embeddings = open_model(model)
    if each:
        if bootstrap:
            raise SettingsError("--each has no intervals; leave out --bootstrap, or compare --against one condition")
        table = self_similarity(embeddings, word, place=place, min_count=min_count)
        show(answer_tables.self_similarity(table), table.to_dict(), as_json)
        return
    with progress_bars() as bars:
        answer = series(
            embeddings,
            word,
            against,
            place=place,
            min_count=min_count,
            counts=open_run(model, bootstrap),
            bootstrap=bootstrap,
            seed=seed,
            threads=threads,
            progress=bars,
        )
    show(answer_tables.series(answer), answer.to_dict(), as_json)
