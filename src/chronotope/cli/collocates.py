"""chronotope collocates: what stands beside a word."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.completing import conditions
from chronotope.cli.console import show
from chronotope.cli.evidence import AnyAt, RunOrModel
from chronotope.cli.options import Json, Top, Word
from chronotope.errors import SettingsError


def collocates_command(
    run: RunOrModel,
    word: Word,
    at: AnyAt = None,
    start: Annotated[
        str | None,
        typer.Option("--from", autocompletion=conditions, help="What rises and falls: from this condition …"),
    ] = None,
    end: Annotated[str | None, typer.Option("--to", autocompletion=conditions, help="… to this one.")] = None,
    top: Top = 20,
    min_count: Annotated[
        int, typer.Option("--min-count", min=1, help="How often a word must stand beside the other.")
    ] = 5,
    window: Annotated[
        int | None, typer.Option("--window", min=1, help="Words on either side (the run's window).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Which words stand beside WORD in each condition, or come and go between two (--from, --to)?"""
    from chronotope.analysis.collocates import collocate_changes, collocates
    from chronotope.views import evidence_tables

    if start or end:
        if at or not (start and end):
            raise SettingsError("name one condition (--at), or two to compare (--from and --to)")
        changes = collocate_changes(run, word, start, end, top=top, min_count=min_count, window=window)
        show(evidence_tables.collocate_changes(changes), changes.to_dict(), as_json)
        return
    answer = collocates(run, word, at=at, top=top, min_count=min_count, window=window)
    show(evidence_tables.collocates(answer), answer.to_dict(), as_json)
