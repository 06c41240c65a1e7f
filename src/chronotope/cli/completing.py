"""Completion in the shell: fixed names, and the conditions or places of a model. It never fails and prints nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chronotope.errors import ChronotopeError

if TYPE_CHECKING:
    from chronotope.conditions import Conditions


def names(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a completer for fixed names.

    >>> names(["graph", "cw2v", "compass"])("c")
    ['cw2v', 'compass']
    """
    listed = list(known)
    return lambda incomplete: [name for name in listed if name.startswith(incomplete)]


def conditions(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete a condition of the model or run that stands earlier on the command line."""
    return _matching(incomplete, ctx, "labels")


def places(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete a place of the model or run that stands earlier on the command line."""
    return _matching(incomplete, ctx, "places")


def _matching(incomplete: str, ctx: typer.Context, which: str) -> list[str]:
    # An option that waits for its value keeps typer from reading the words before it as arguments.
    given: list[Any] = [ctx.params.get("model"), ctx.params.get("run"), *ctx.args]
    path = next((Path(word) for word in given if word and Path(word).exists()), None)
    with suppress(ChronotopeError, OSError, ValueError):
        known = () if path is None else getattr(_conditions(path), which)
        return [label for label in known if label.lower().startswith(incomplete.lower())]
    return []


def _conditions(path: Path) -> Conditions:
    if path.is_dir():
        from chronotope.conditions import Conditions
        from chronotope.io.run_folder import read_run

        return Conditions.from_dict(read_run(path)["conditions"])
    from chronotope.embeddings import load

    return load(path).conditions
