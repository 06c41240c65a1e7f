"""chronotope align: models that were trained elsewhere, in one space."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from chronotope.cli.console import progress_bars, talk
from chronotope.cli.train import check_output, save_new
from chronotope.io.untrusted import read_text


def align_command(
    inputs: Annotated[list[Path], Argument(metavar="FILE…", help="Vectors (word2vec, GloVe, HistWords); or a folder.")],
    output: Annotated[Path, Option("-o", "--output", metavar="MODEL", help="The model to write.")],
    names: Annotated[str | None, Option(help="The conditions: 1990,2000 (default: the names of the files).")] = None,
    kind: Annotated[str | None, Option(help="time or place (default: time if every name starts with a year).")] = None,
    landmarks: Annotated[
        Path | None, Option(metavar="FILE", help="File of words to align by, one a line (default: all).")
    ] = None,
    center: Annotated[bool, Option("--center", help="Subtract the mean vector of each condition.")] = False,
    limit: Annotated[int | None, Option(min=1, help="Number of words to read of each file (default: all).")] = None,
    force: Annotated[bool, Option("--force", help="Overwrite an existing model.")] = False,
) -> None:
    """Combine models of single periods or places, trained elsewhere, into one space."""
    from chronotope.embeddings.formats import files_and_names
    from chronotope.methods.align import align

    check_output(output, force)
    files = [found for path in inputs for found in files_and_names(path)]
    labels = [name for _, name in files] if names is None else names.split(",")
    words = {line.strip() for line in read_text(landmarks).split("\n")} - {""} if landmarks else None
    paths = [path for path, _ in files]
    with progress_bars() as bars, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        embeddings = align(paths, labels, kind=kind, landmarks=words, center=center, limit=limit, progress=bars)
    for warning in caught:
        talk("[yellow]{}[/]", warning.message)
    if words is not None and (missing := len(words) - embeddings.provenance["settings"]["landmarks"]):
        talk("[yellow]{} of {} landmarks are in no model[/]", f"{missing:,}", f"{len(words):,}")
    if not embeddings.counted:
        talk(
            "[yellow]the files contain no word counts, so tables will show none; to add them, put a file {}.vocab "
            "beside the vectors, with a word and its count a line (fvocab in gensim)[/]",
            files[0][1],
        )
    save_new(embeddings, output, "align", force)
    talk("{}: {} ({})", output, embeddings.signature, embeddings.conditions.axis)
