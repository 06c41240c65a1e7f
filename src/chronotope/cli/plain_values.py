"""What options and arguments are given, where this is plain: text, paths, numbers and lists of texts, or nothing.

Newer versions of typer leave all of it to pydantic, which takes 0.07 s to load, at the start of every command. What is
not plain, or wrong, is still theirs.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer.core


class PlainCommand(typer.core.TyperCommand):
    """A command that takes plain values as they are."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its parameters."""
        return read_plainly(super().get_params(ctx), self.callback)


class PlainGroup(typer.core.TyperGroup):
    """The same for the options that stand before a command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Its parameters."""
        return read_plainly(super().get_params(ctx), self.callback)


def read_plainly(parameters: list[Any], command: Any) -> list[Any]:
    """Let the parameters of a command take plain values as they are."""
    others = [parameter for parameter in parameters if "process_value" not in vars(parameter)]
    hints = get_type_hints(command, include_extras=True) if others else {}
    for parameter in others:
        hint = hints.get(parameter.name)
        kind, about, *_ = get_args(hint) if get_origin(hint) is Annotated else (None, None)
        if NoneType in get_args(kind):
            kind, *_ = (of for of in get_args(kind) if of is not NoneType)
        parameter.process_value = _reader(parameter, kind, about)
    return parameters


def _reader(parameter: Any, kind: Any, about: Any) -> Any:
    """What to do with a value of a parameter, instead of its own `process_value`."""
    theirs = parameter.process_value
    several = parameter.nargs == -1 or getattr(parameter, "multiple", False)

    def process_value(context: Any, value: Any) -> Any:
        if value is None and not parameter.required:
            nothing = () if several else None
            return parameter.callback(context, parameter, nothing) if parameter.callback else nothing
        if parameter.callback is None:
            if kind == list[str] and value and isinstance(value, list | tuple) and {*map(type, value)} == {str}:
                return list(value)
            if kind is str and type(value) is str:
                return value
            if kind in (int, float) and (number := _number(value, kind, about)) is not None:
                return number
            if kind is Path and type(value) is str and _may_be_any(value, about):
                return Path(value)
        return theirs(context, value)

    return process_value


def _number(value: Any, kind: Any, about: Any) -> int | float | None:
    """A number within its limits: a whole one, or one that nobody typed."""
    if kind is int and type(value) is str and len(value) < 19 and value.isascii() and value.removeprefix("-").isdigit():
        value = int(value)
    if type(value) is not kind:
        return None
    least, most = about.min, about.max
    return value if (least is None or value >= least) and (most is None or value <= most) else None


def _may_be_any(path: str, about: Any) -> bool:
    """Whether nothing is asked of a path, but that what is there can be read."""
    if about.exists or about.resolve_path or about.writable or about.path_type:
        return False
    return about.file_okay and about.dir_okay and (os.access(path, os.R_OK) or not os.path.lexists(path))
