"""The list of commands. Each stands in a file of its own, and loads what it needs only when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli import (
    align,
    analogy,
    axis,
    changepoints,
    collocates,
    compare,
    demo,
    doctor,
    drift,
    equivalents,
    evaluate,
    evidence,
    explore,
    export,
    extend,
    frequency,
    grid,
    inspect,
    neighbors,
    places,
    plot,
    prepare,
    renamings,
    reproduce,
    series,
    stable,
    train,
    trajectory,
)
from chronotope.cli.formats import with_formats
from chronotope.cli.interruptions import Commands
from chronotope.provenance import package_version

app = typer.Typer(
    cls=Commands,
    help="What words mean when and where: vectors for each word in each time bin and place, all in one space.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"chronotope {package_version()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """What words mean when and where: vectors for each word in each time bin and place, all in one space."""


# What these have to say is no table.
WITHOUT_TABLE = ("inspect", "reproduce", "doctor")

for module in (
    demo,
    prepare,
    train,
    extend,
    neighbors,
    equivalents,
    drift,
    stable,
    series,
    changepoints,
    trajectory,
    analogy,
    axis,
    places,
    grid,
    evidence,
    frequency,
    collocates,
    evaluate,
    compare,
    renamings,
    reproduce,
    plot,
    explore,
    export,
    align,
    inspect,
    doctor,
):
    name = module.__name__.rsplit(".", 1)[-1]
    command = getattr(module, f"{name}_command")
    app.command(name)(command if name in WITHOUT_TABLE else with_formats(command))
