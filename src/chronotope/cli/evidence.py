"""chronotope evidence: the sentences behind an answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronotope.cli.completing import conditions
from chronotope.cli.console import show, talk
from chronotope.cli.options import Json, Top, Word
from chronotope.errors import SettingsError, number_of, some_of

if TYPE_CHECKING:
    from chronotope.analysis.evidence import Evidence

RunOrModel = Annotated[
    Path, typer.Argument(metavar="RUN", help="The folder that prepare wrote, or a model in it or beside it.")
]
AnyAt = Annotated[
    str | None,
    typer.Option(
        "--at", autocompletion=conditions, help="The condition: 1998, canada, 1998/canada; none: all of the text."
    ),
]
RangeFrom = Annotated[
    str | None, typer.Option("--from", autocompletion=conditions, help="The first time bin of a range.")
]
RangeTo = Annotated[str | None, typer.Option("--to", autocompletion=conditions, help="The last time bin of a range.")]


def warn_if_extended(run: Path) -> None:
    """Say which conditions of a model are not in the text of its run."""
    if not run.is_file():
        return
    from chronotope.embeddings.storage import run_folder
    from chronotope.conditions import Conditions
    from chronotope.embeddings import load
    from chronotope.io.run_folder import read_run

    known = Conditions.from_dict(read_run(run_folder(run))["conditions"]).labels
    if added := [label for label in load(run).conditions.labels if label not in known]:
        talk("[yellow]the run has no text of {}, which came with `extend`[/]", some_of(added))


def evidence_command(
    run: RunOrModel,
    word: Word,
    at: AnyAt = None,
    start: RangeFrom = None,
    end: RangeTo = None,
    near: Annotated[
        str | None,
        typer.Option(
            "--near",
            help="Only where this word stands within a few words (--within): both in one sentence first, a sentence "
            "of each document before a second one, the nearest first.",
        ),
    ] = None,
    within: Annotated[
        int | None, typer.Option("--within", min=1, help="How many words apart the two may be (the run's window).")
    ] = None,
    top: Top = 10,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Which sentences are chosen.")] = 1,
    as_json: Json = False,
) -> None:
    """In which sentences does WORD stand there, and which contexts pull it most?"""
    from chronotope.analysis.evidence import evidence
    from chronotope.views import evidence_tables

    if within is not None and near is None:
        raise SettingsError("--within is how far from WORD another word may stand; name that word with --near")
    warn_if_extended(run)
    answer = evidence(run, word, at=at, start=start, end=end, near=near, within=within, top=top, seed=seed)
    if not answer.examples:
        say_where(run, answer)
    show(evidence_tables.evidence(answer), answer.to_dict(), as_json)


def say_where(run: Path, answer: Evidence) -> None:
    """Say that there is no sentence, and where the word does occur."""
    if answer.occurrences:
        assert answer.searched is not None
        where = "there" if answer.searched == answer.with_both else f"in the {answer.searched:,} documents searched"
        talk("[yellow]{} never has {} within {} words of it {}[/]", answer.word, answer.near, answer.within, where)
        return
    say_absent(run, answer.word, "there")


def say_absent(run: Path, word: str, where: str) -> None:
    """Say that the word does not occur there, and where it does."""
    from chronotope.analysis.frequency import frequency

    rows = sorted(frequency(run, word).rows, key=lambda row: -row.count)
    most = ", ".join(f"{row.condition} ({number_of(row.count, 'times')})" for row in rows[:3] if row.count)
    talk("[yellow]{} does not occur {}; it occurs most in {}[/]", word, where, most or "documents set aside")
