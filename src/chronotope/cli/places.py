"""chronotope places: how places differ in their use of words, or of one word."""

from __future__ import annotations

from typing import Annotated

import typer

from chronotope.cli.console import show
from chronotope.cli.options import Coordinates, Edges, Formula, Json, Model, Nearest, Permutations, open_model
from chronotope.errors import SettingsError


def places_command(
    model: Model,
    word: Annotated[str | None, typer.Argument(metavar="[WORD]", help="One word, not all of them.")] = None,
    formula: Formula = None,
    coordinates: Coordinates = None,
    edges: Edges = None,
    nearest: Nearest = 3,
    permutations: Permutations = 999,
    groups: Annotated[int | None, typer.Option("--groups", min=1, help="How many groups (as many as show).")] = None,
    min_support: Annotated[
        int | None, typer.Option("--min-support", min=1, help="How often a word must occur (10; for one word 5).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Which places use words alike, and where on the map is WORD used how?"""
    from chronotope.analysis.geography import read_coordinates
    from chronotope.analysis.maps import word_map
    from chronotope.analysis.places import place_distances
    from chronotope.cli.train import read_edges
    from chronotope.views import answer_tables

    embeddings = open_model(model)
    if word is None:
        if formula or coordinates or edges:
            raise SettingsError("--formula, --coordinates and --edges are about one word; name it after MODEL")
        apart = place_distances(embeddings, groups=groups, min_support=min_support or 10)
        show(answer_tables.distances(apart), apart.to_dict(), as_json)
        return
    answer = word_map(
        embeddings,
        word,
        formula,
        coordinates=read_coordinates(coordinates) if coordinates else None,
        edges=read_edges(edges) if edges else None,
        nearest=nearest,
        permutations=permutations,
        min_support=min_support or 5,
    )
    show(answer_tables.word_map(answer), answer.to_dict(), as_json)
