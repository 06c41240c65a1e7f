"""The list of commands. Each stands in a file of its own, and loads what it needs only when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli import (
    compare,
    demo,
    drift,
    equivalents,
    evaluate,
    inspect,
    neighbors,
    plot,
    prepare,
    reproduce,
    stable,
    train,
)
from chronotope.provenance import package_version

app = typer.Typer(
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


for module in (
    demo,
    prepare,
    train,
    neighbors,
    equivalents,
    drift,
    stable,
    evaluate,
    compare,
    reproduce,
    plot,
    inspect,
):
    name = module.__name__.rsplit(".", 1)[-1]
    app.command(name)(getattr(module, f"{name}_command"))
