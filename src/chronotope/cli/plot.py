"""chronotope plot: a picture of an answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chronotope.cli.console import talk
from chronotope.cli.options import MinSupport, Model, Word, open_model
from chronotope.config import one_of

KINDS = ("company",)


def plot_command(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="company: who stands near the word, and when.")],
    model: Model,
    word: Word,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="A .png, .svg, .pdf or .html file.")],
    min_support: MinSupport = 5,
) -> None:
    """Draw an answer, for print or for the screen."""
    one_of("KIND", kind, KINDS)
    from chronotope.analysis import company
    from chronotope.views import charts

    embeddings = open_model(model)
    charts.save(charts.company(company(embeddings, word, min_support=min_support)), output)
    talk("{}", output)
