"""What the shell proposes for the value of an option: names that are known, and the conditions of a model.

A proposal must never fail and never talk: where something is wrong, the command itself will say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer

from chronotope.errors import ChronotopeError


def names(known: Iterable[str]) -> Callable[[str], list[str]]:
    """A proposer of fixed names.

    Examples
    --------
    >>> names(["graph", "cw2v", "compass"])("c")
    ['cw2v', 'compass']
    """
    listed = list(known)

    def proposed(incomplete: str) -> list[str]:
        return [name for name in listed if name.startswith(incomplete)]

    return proposed


def conditions(ctx: typer.Context, incomplete: str) -> list[str]:
    """The conditions of the model or run that stands earlier on the command line."""
    # An option that still waits for its value keeps the words before it from being read as arguments.
    given: list[Any] = [ctx.params.get("model"), ctx.params.get("run"), *ctx.args]
    path = next((Path(word) for word in given if word and Path(word).exists()), None)
    if path is None:
        return []
    with suppress(ChronotopeError, OSError, ValueError):
        return [label for label in _labels(path) if label.lower().startswith(incomplete.lower())]
    return []


def _labels(path: Path) -> tuple[str, ...]:
    if path.is_dir():
        from chronotope.io.run_folder import read_run

        return _conditions(read_run(path)["conditions"])
    from chronotope.embeddings import load

    return load(path).conditions.labels


def _conditions(about: dict[str, Any]) -> tuple[str, ...]:
    from chronotope.conditions import Conditions

    return Conditions.from_dict(about).labels
