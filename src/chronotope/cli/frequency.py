"""chronotope frequency: how often words are used."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.console import show
from chronotope.cli.evidence import AnyAt, RangeFrom, RangeTo, RunOrModel, warn_if_extended
from chronotope.cli.options import Json


def frequency_command(
    run: RunOrModel,
    words: Annotated[list[str], typer.Argument(metavar="WORD…", help="Words, phrases, or 'several words in a row'.")],
    at: AnyAt = None,
    start: RangeFrom = None,
    end: RangeTo = None,
    level: Annotated[float, typer.Option("--level", help="The level of the intervals.")] = 0.95,
    as_json: Json = False,
) -> None:
    """How often is each WORD used in each time bin and place, per million running words?"""
    from chronotope.analysis.frequency import frequency
    from chronotope.views import evidence_tables

    warn_if_extended(run)
    answer = frequency(run, words, at=at, start=start, end=end, level=level)
    show(evidence_tables.frequency(answer), answer.to_dict(), as_json)
