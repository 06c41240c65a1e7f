"""chronotope collocates: what stands beside a word."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronotope.cli.completing import conditions
from chronotope.cli.console import show, talk
from chronotope.cli.evidence import AnyAt, RunOrModel, say_absent, warn_if_extended
from chronotope.cli.options import Json, Top, Word
from chronotope.errors import SettingsError, number_of

if TYPE_CHECKING:
    from chronotope.analysis.collocates import CollocateChanges, Collocates


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

    warn_if_extended(run)
    if start or end:
        if at or not (start and end):
            raise SettingsError("name one condition (--at), or two to compare (--from and --to)")
        changes = collocate_changes(run, word, start, end, top=top, min_count=min_count, window=window)
        if not (changes.rising or changes.falling):
            say_why_unchanged(run, changes)
        show(evidence_tables.collocate_changes(changes), changes.to_dict(), as_json)
        return
    answer = collocates(run, word, at=at, top=top, min_count=min_count, window=window)
    if not answer.rows:
        say_why_none(run, answer)
    show(evidence_tables.collocates(answer), answer.to_dict(), as_json)


def say_why_none(run: Path, answer: Collocates) -> None:
    """Say why nothing stands beside the word."""
    if not any(answer.occurrences):
        say_absent(run, answer.word, "there")
        return
    talk(
        "[yellow]no word stands beside {} {} or more, and more often than by chance; lower --min-count[/]",
        answer.word,
        number_of(answer.min_count, "times"),
    )


def say_why_unchanged(run: Path, answer: CollocateChanges) -> None:
    """Say why nothing rises or falls beside the word."""
    ends = zip((answer.start, answer.end), answer.occurrences, strict=True)
    if absent := [label for label, occurrences in ends if not occurrences]:
        say_absent(run, answer.word, f"in {' and '.join(absent)}")
        return
    talk(
        "[yellow]no word with {} occurrences or more beside {} rises or falls beyond chance[/]",
        f"{answer.min_count:,}",
        answer.word,
    )
