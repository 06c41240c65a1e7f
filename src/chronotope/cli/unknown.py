"""What to say of a word or a condition that a model lacks: the run, or another model, may have it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer.core

from chronotope.errors import ChronotopeError, UnknownConditionError, UnknownWordError, number_of
from chronotope.runtime.memory import check_address_space


class Command(typer.core.TyperCommand):
    """A command; where its model lacks what is asked for, the error says more."""

    def invoke(self, ctx: Any) -> Any:
        """Run it."""
        check_address_space()
        try:
            return super().invoke(ctx)
        except UnknownWordError as error:
            if why := _of(ctx, why_left_out, error.word):
                raise UnknownWordError(error.word, (), error.count, why=why) from None
            raise
        except UnknownConditionError as error:
            if why := _of(ctx, extended_with, error.label):
                raise UnknownConditionError(error.label, error.known, why=why) from None
            raise


def _of(ctx: Any, say: Callable[[Path, str], str], unknown: str) -> str:
    """What can be said with the model that the command was given; nothing without one, or without its run."""
    with suppress(ChronotopeError, OSError):
        return say(ctx.params["model"], unknown) if isinstance(ctx.params.get("model"), Path) else ""
    return ""


def why_left_out(model: Path, word: str) -> str:
    """A clause that says why a word of the text is not in the model, or nothing."""
    import polars as pl

    from chronotope.embeddings.storage import run_folder
    from chronotope.embeddings.words import spellings
    from chronotope.io.run_folder import read_run
    from chronotope.io.untrusted import read_table

    run = run_folder(model)
    about = read_run(run)["vocabulary"]
    lexicon = read_table(run / "lexicon.parquet", {"word": pl.String, "count": pl.Int64}).slice(about["size"])
    found = dict(lexicon.filter(pl.col("word").is_in(list(spellings(word)))).iter_rows())
    count = next((found[spelling] for spelling in spellings(word) if found.get(spelling)), 0)
    if not count:
        return ""
    limit = f"--min-count {about['min_count']}" if count < about["min_count"] else "--max-words"
    return f"; it occurs {number_of(count, 'times')} in the text, and `prepare` left it out ({limit})"


def extended_with(model: Path, label: str) -> str:
    """A clause that names a model beside this one to which `extend` added the condition, or nothing."""
    from chronotope.embeddings import load

    for path in sorted((model if model.is_dir() else model.parent).glob("*.ct")):
        with suppress(ChronotopeError, OSError):
            embeddings = load(path)
            if embeddings.provenance.get("extended"):
                embeddings.conditions.index(label)
                return f"; {path}, which `extend` made, has it: name that file instead of {model}"
    return ""
