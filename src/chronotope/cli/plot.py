"""chronotope plot: a picture of an answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from chronotope.cli.completing import conditions, names
from chronotope.cli.console import talk
from chronotope.cli.drift import resampling_of
from chronotope.cli.options import (
    Against,
    Bootstrap,
    Coordinates,
    Edges,
    Exchanges,
    Fixed,
    Formula,
    Model,
    Nearest,
    Place,
    Seed,
    Threads,
    Within,
    open_model,
)
from chronotope.cli.pictures import KINDS, OF_RUNS, WITH_INTERVALS, WITH_PERMUTATIONS, Asked, draw
from chronotope.errors import SettingsError

ONE_LINE = "; ".join(f"{kind}: {about}" for kind, (about, _, _) in KINDS.items())


def plot_command(
    kind: Annotated[str, typer.Argument(metavar="KIND", autocompletion=names(KINDS), help=ONE_LINE)],
    model: Model,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="A .png, .svg, .pdf or .html file.")],
    words: Annotated[list[str] | None, typer.Argument(metavar="WORD", help="The word, or the words.")] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            autocompletion=conditions,
            help="The condition that is asked from (equivalents, analogy, collocates).",
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option("--from", autocompletion=conditions, help="The condition to start from (drift, collocates)."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", autocompletion=conditions, help="The condition to end in (drift, collocates, analogy)."),
    ] = None,
    against: Against = "first",
    formula: Formula = None,
    fixed: Fixed = False,
    place: Place = None,
    coordinates: Coordinates = None,
    edges: Edges = None,
    nearest: Nearest = 3,
    method: Annotated[str, typer.Option("--method", help="For a trajectory: lle or pca.")] = "lle",
    over: Annotated[
        str | None, typer.Option("--over", help="For drift: ends, steps, series or unusual (see `chronotope drift`).")
    ] = None,
    least: Annotated[bool, typer.Option("--least", help="For stable: the least stable words instead.")] = False,
    top: Annotated[int | None, typer.Option("--top", min=1, help="How many answers, or neighbors, are shown.")] = None,
    subtitle: Annotated[
        str | None, typer.Option("--subtitle", help="A line below the title, such as the name of the corpus.")
    ] = None,
    min_count: Annotated[
        int | None,
        typer.Option("--min-count", min=1, help="How often a word must occur (5; drift 20, places 10)."),
    ] = None,
    permutations: Exchanges = 0,
    bootstrap: Bootstrap = 0,
    within: Within = None,
    seed: Seed = 1,
    threads: Threads = None,
) -> None:
    """Draw an answer, for print or for the screen."""
    from chronotope.analysis.significance.judged import Resampling
    from chronotope.views import charts

    asked = Asked(
        words=tuple(words or ()),
        at=at,
        start=start,
        to=to,
        against=against,
        formula=formula,
        fixed=fixed,
        place=place,
        coordinates=coordinates,
        edges=edges,
        nearest=nearest,
        method=method,
        over=over,
        least=least,
        top=top,
        subtitle=subtitle,
        min_count=min_count,
        resampling={},
    )
    asked.check(kind)
    charts.check_name(output)
    if bootstrap and kind not in WITH_INTERVALS:
        raise SettingsError(f"plot {kind} shows no intervals over documents; leave out --bootstrap")
    if permutations and kind not in WITH_PERMUTATIONS:
        raise SettingsError(f"plot {kind} takes no --permutations; plot drift and plot stable do")
    source = model if kind in OF_RUNS else open_model(model)
    with resampling_of(model, Resampling(permutations, bootstrap, within, seed), threads) as options:
        drawn = draw(kind, source, replace(asked, resampling=options))
    charts.save(drawn, output)
    talk("{}", output)
