"""chronotope export: a model in the formats of other programs."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from chronotope.cli.console import progress_bars, talk
from chronotope.cli.options import Model, open_model
from chronotope.errors import SettingsError, number_of

NAMES = "word2vec, word2vec-binary, glove, keyedvectors, parquet, arrow, numpy, projector, huggingface"
RENAMED_SHOWN = 3


def export_command(
    model: Model,
    format: Annotated[str, Option(help=f"{NAMES}.")],
    output: Annotated[Path, Option("-o", "--output", metavar="DIR", help="The folder to write.")],
    at: Annotated[
        list[str] | None, Option(help="Only this condition; may be given several times (default: all).")
    ] = None,
    min_count: Annotated[int, Option(min=1, help="Minimum number of occurrences in a condition.")] = 1,
    absent: Annotated[
        bool, Option("--absent", help="Include absent words, with vectors from their other conditions.")
    ] = False,
    max_words: Annotated[int | None, Option(min=1, help="Only the most frequent words.")] = None,
    force: Annotated[bool, Option("--force", help="Replace an earlier export.")] = False,
) -> None:
    """Write the vectors of MODEL for other programs: gensim, NumPy, Parquet, TensorFlow's projector, Hugging Face."""
    if absent and min_count > 1:
        raise SettingsError("--absent includes words that do not occur, --min-count excludes them; choose one")
    from chronotope.embeddings.formats import export

    embeddings = open_model(model, verify=True)
    with progress_bars() as bars, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        chosen: Any = {"at": at or None, "min_count": 0 if absent else min_count, "max_words": max_words}
        done = export(embeddings, output, format, **chosen, force=force, progress=bars)
    for warning in caught:
        talk("[yellow]{}[/]", warning.message)
    if embeddings.query_mapping is not None:
        talk("[yellow]the conditions of this model are not in one space; compare vectors within a condition only[/]")
    if done.renamed:
        shown = [f"'{word}' is '{other}'" for word, other in list(done.renamed.items())[:RENAMED_SHOWN]]
        more = f", and {len(done.renamed) - len(shown):,} more" if len(done.renamed) > len(shown) else ""
        talk("[yellow]{} cannot hold blanks in words: {}{} (all in chronotope.json)[/]", format, ", ".join(shown), more)
    vectors = number_of(sum(done.conditions.values()), "vectors")
    talk("{}: {} of {}, as {}", output, vectors, number_of(len(done.conditions), "conditions"), format)
