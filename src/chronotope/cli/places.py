"""chronotope places: how places differ in their use of words, or of one word."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronotope.cli.console import show, talk, talk_beside
from chronotope.cli.options import Coordinates, Edges, Formula, Json, Model, Nearest, Permutations, open_model
from chronotope.errors import SettingsError, some_of

if TYPE_CHECKING:
    from chronotope.embeddings import ConditionedEmbeddings


def places_command(
    model: Model,
    word: Annotated[str | None, typer.Argument(metavar="[WORD]", help="One word, not all of them.")] = None,
    formula: Formula = None,
    coordinates: Coordinates = None,
    edges: Edges = None,
    nearest: Nearest = 3,
    permutations: Permutations = 999,
    groups: Annotated[int | None, typer.Option("--groups", min=1, help="How many groups (as many as show).")] = None,
    min_count: Annotated[
        int | None, typer.Option("--min-count", min=1, help="How often a word must occur (10; for one word 5).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Which places use words alike, and where on the map is WORD used how?"""
    from chronotope.analysis.maps import word_map
    from chronotope.analysis.places import place_distances
    from chronotope.cli.train import read_edges
    from chronotope.views import answer_tables

    embeddings = open_model(model)
    if word is None:
        if formula or coordinates or edges:
            raise SettingsError("--formula, --coordinates and --edges are about one word; name it after MODEL")
        apart = place_distances(embeddings, groups=groups, min_count=min_count or 10)
        show(answer_tables.distances(apart), apart.to_dict(), as_json)
        return
    if groups:
        raise SettingsError("--groups are made by all words; leave out WORD, or --groups")
    answer = word_map(
        embeddings,
        word,
        formula,
        coordinates=coordinates_of(embeddings, coordinates) if coordinates else None,
        edges=read_edges(edges) if edges else None,
        nearest=nearest,
        permutations=permutations,
        min_count=min_count or 5,
    )
    show(answer_tables.word_map(answer), answer.to_dict(), as_json)
    if answer.moran:
        talk_beside(answer_tables.moran(answer.moran))
    elif coordinates or edges:
        talk("[yellow]no Moran's I: it takes four places with different values, and neighbors among them[/]")


def coordinates_of(embeddings: ConditionedEmbeddings, path: Path) -> dict[str, tuple[float, float]]:
    """The coordinates in a file, with a word on the places of the model that have none there."""
    from chronotope.analysis.geography import read_coordinates, without_coordinates

    found, places = read_coordinates(path), embeddings.conditions.places
    if missing := without_coordinates(places, found) if places else []:
        talk("[yellow]{} has no coordinates of {}[/]", path, some_of(missing))
    return found
