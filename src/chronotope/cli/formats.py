"""--json, --csv and --markdown for every command that answers with a table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from chronotope.cli.console import answers_as
from chronotope.errors import SettingsError

FLAGS = {"csv": "Print CSV.", "markdown": "Print a Markdown table."}


def with_formats(command: Callable[..., None]) -> Callable[..., None]:
    """A command that has --json, with --csv and --markdown beside it; others stay as they are.

    What the command gives to `console.show` is printed in the form that was asked for.
    """
    signature = inspect.signature(command, eval_str=True)
    if "as_json" not in signature.parameters:
        return command
    added = [flag for flag in FLAGS if flag not in signature.parameters]

    @wraps(command)
    def asked(**given: Any) -> None:
        forms = [flag for flag in added if given.pop(flag)]
        if len(forms) + bool(given["as_json"]) > 1:
            raise SettingsError("choose one of --json, --csv and --markdown")
        with answers_as(forms[0] if forms else "table"):
            command(**given)

    flags = [
        inspect.Parameter(
            flag,
            inspect.Parameter.KEYWORD_ONLY,
            default=False,
            annotation=Annotated[bool, typer.Option(f"--{flag}", help=FLAGS[flag])],
        )
        for flag in added
    ]
    described = signature.replace(parameters=[*signature.parameters.values(), *flags])
    # typer reads these two; what functools.wraps left would describe the command without the flags.
    asked.__signature__ = described  # type: ignore[attr-defined]
    asked.__annotations__ = {name: part.annotation for name, part in described.parameters.items()}
    return asked
