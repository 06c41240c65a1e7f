"""The commands; each has its own file, and imports what it needs only when it runs."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core

from chronotope.cli.formats import with_formats
from chronotope.cli.unknown import Command
from chronotope.errors import SettingsError
from chronotope.io.provenance import package_version

# In the order of the help.
COMMANDS = (
    "demo", "prepare", "train", "extend", "neighbors", "equivalents", "drift", "stable", "series", "changepoints",
    "trajectory", "analogy", "axis", "places", "grid", "evidence", "frequency", "collocates", "evaluate", "compare",
    "renamings", "plot", "explore", "export", "align", "inspect", "doctor",
)  # fmt: skip
WITHOUT_TABLE = ("inspect", "doctor")


class InterruptedRunError(Exception):
    """The user pressed Ctrl-C; the message says how to go on."""


class BrokenOutputError(Exception):
    """Nobody reads the output any more."""


class Commands(typer.core.TyperGroup):
    """The commands; interruptions become exceptions that typer does not handle itself."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and flush its output while errors can still be reported."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt as error:
            raise InterruptedRunError(str(error) or "stopped") from None
        except BrokenPipeError:
            raise BrokenOutputError from None
        return result


def make_app(asked: str | None = None) -> typer.Typer:
    """Return the command line, or if `asked` names a command only that one, which starts faster."""
    app = typer.Typer(
        cls=Commands,
        help="What words mean when and where: vectors for each word in each time bin and place, all in one space.",
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        command = getattr(import_module(f"chronotope.cli.{name}"), f"{name}_command")
        app.command(name, cls=Command)(command if name in WITHOUT_TABLE else with_formats(command))
    if asked == "reproduce":
        app.command(
            "reproduce", hidden=True, context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
        )(reproduce_moved)
    return app


def reproduce_moved() -> None:
    """Say where the paper's tables are now."""
    raise SettingsError(
        "the paper's tables moved out of the package: in its repository run `make reproduce TABLE=time`"
    )


def __getattr__(name: str) -> Any:
    """Return `app`, the command line with all commands."""
    if name != "app":
        raise AttributeError(name)
    return make_app()


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"chronotope {package_version()}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """What words mean when and where: vectors for each word in each time bin and place, all in one space."""
