"""The commands: questions of the registry, and commands with a file of their own, which imports late."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from chronotope.errors import ChronotopeError, SettingsError, UnknownConditionError, UnknownWordError, number_of
from chronotope.io.provenance import package_version
from chronotope.runtime.memory import check_address_space

BUILD, JUDGE, SHARE, HELP = "Build", "Judge", "Look and share", "Help"
# The commands with a file of their own, in the order of the help; questions follow the first group.
COMMANDS = {
    BUILD: ("demo", "prepare", "train", "extend", "align"),
    JUDGE: ("evaluate",),
    SHARE: ("explore", "report", "export"),
    HELP: ("inspect", "doctor"),
}


OLD_COMMANDS = {
    "plot": "`plot` was removed; every question draws its answer, as in `chronotope series RUN WORD -o FILE.png`",
    "compare": "`compare` is now: chronotope evaluate MODEL MODEL … --pairs FILE",
    "renamings": "`renamings` is now: chronotope evaluate RUN --renamings",
    "reproduce": "the paper's tables moved out of the package: in its repository run `make reproduce TABLE=time`",
}
# (command or None for any, option): the new spelling.
OLD_OPTIONS = {
    ("series", "--each"): "use `chronotope matrix RUN WORD`",
    ("changepoints", "--shuffles"): "omit it; p compares with words of similar frequency",
    ("frequency", "--level"): "use --confidence",
    (None, "--level"): "use --alpha",
    (None, "--min-support"): "use --min-count",
    ("evidence", "--within"): "use --distance",
}


class InterruptedRunError(Exception):
    """The user pressed Ctrl-C; the message says how to continue."""


class BrokenOutputError(Exception):
    """The reader of the output is gone."""


class Commands(typer.core.TyperGroup):
    """The commands; mistakes and interruptions become exceptions that typer does not handle itself."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line; a mistake in its arguments is a SettingsError of one line, not a box of several."""
        try:
            return super().main(*args, **options | {"standalone_mode": False})
        except Exception as error:
            if not hasattr(error, "format_message"):  # not a usage error of click, of which typer may have its own copy
                raise
            context = getattr(error, "ctx", None)
            command = f"{context.command_path if context else 'chronotope'} --help"
            raise SettingsError(f"{' '.join(error.format_message().split()).rstrip('.')}; see {command}") from None

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


class Command(typer.core.TyperCommand):
    """A command: explains options of earlier versions, and words and conditions that are missing."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments."""
        options = {option for parameter in self.params for option in parameter.opts}
        for option in (argument.split("=")[0] for argument in args):
            new = OLD_OPTIONS.get((self.name, option), OLD_OPTIONS.get((None, option)))
            if new and option not in options:
                raise SettingsError(f"{self.name} has no option {option} any more: {new}")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        check_address_space()
        if ctx.args:
            now = "; for one word use `chronotope map RUN WORD`" if self.name == "places" else ""
            raise SettingsError(f"unexpected argument '{ctx.args[0]}'{now}")
        path = ctx.params.get("model") or ctx.params.get("run")
        try:
            return super().invoke(ctx)
        except UnknownWordError as error:
            if why := _more(why_left_out, path, error.word):
                raise UnknownWordError(error.word, (), error.count, why=why) from None
            raise
        except UnknownConditionError as error:
            if why := _more(extended_with, path, error.label):
                raise UnknownConditionError(error.label, error.labels, why=why) from None
            raise


def make_app(command: str | None = None) -> typer.Typer:
    """Return the command line with all commands; given a known `command`, with only that one, which starts faster."""
    app = typer.Typer(
        cls=Commands,
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    if command in OLD_COMMANDS:
        raise SettingsError(OLD_COMMANDS[command])

    def add(name: str, command: Callable[..., None], panel: str) -> None:
        extra = {"allow_extra_args": True}  # refused in one line
        app.command(name, cls=Command, rich_help_panel=panel, context_settings=extra)(command)

    alone = any(command in commands for commands in COMMANDS.values())
    for panel, commands in COMMANDS.items():
        for name in commands:
            if not alone or name == command:
                add(name, getattr(import_module(f"chronotope.cli.{name}"), f"{name}_command"), panel)
        if panel == BUILD and not alone:
            from chronotope.analysis.answer import questions
            from chronotope.cli.answers import question_command

            by_command = {name.replace("_", "-"): question for name, question in questions().items()}
            for name in [command] if command in by_command else by_command:
                add(name, question_command(by_command[name]), by_command[name].group)
    return app


def _version(show: bool) -> None:
    if show:
        typer.echo(f"chronotope {package_version()}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """What words mean when and where: vectors for each word in each time bin and place, all in one space."""


def _more(explain: Callable[[Path, str], str], path: Path | None, unknown: str) -> str:
    """Return an explanation, or '' without a model or its run."""
    with suppress(ChronotopeError, OSError):
        return explain(path, unknown) if path else ""
    return ""


def why_left_out(model: Path, word: str) -> str:
    """Return a clause that says why a word of the text is not in the model, or ''."""
    import polars as pl

    from chronotope.embeddings.storage import run_folder
    from chronotope.embeddings.words import spellings
    from chronotope.io.run_folder import read_run
    from chronotope.io.untrusted import read_table

    run = run_folder(model)
    about = read_run(run)["vocabulary"]
    lexicon = read_table(run / "lexicon.parquet", {"word": pl.String, "count": pl.Int64}).slice(about["size"])
    counts = dict(lexicon.filter(pl.col("word").is_in(list(spellings(word)))).iter_rows())
    count = next((counts[spelling] for spelling in spellings(word) if counts.get(spelling)), 0)
    if not count:
        return ""
    limit = f"--min-count {about['min_count']}" if count < about["min_count"] else "--max-words"
    return f"; it occurs {number_of(count, 'times')} in the text, and `prepare` left it out ({limit})"


def extended_with(model: Path, label: str) -> str:
    """Return a clause that names a model beside this one to which `extend` added the condition, or ''."""
    from chronotope.embeddings import load

    for path in sorted((model if model.is_dir() else model.parent).glob("*.ct")):
        with suppress(ChronotopeError, OSError):
            embeddings = load(path)
            if embeddings.provenance.get("extended"):
                embeddings.conditions.index(label)
                return f"; {path}, made by `extend`, has it: name that file instead of {model}"
    return ""
