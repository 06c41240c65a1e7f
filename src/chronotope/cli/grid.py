"""chronotope grid: a word over time × place."""

from __future__ import annotations

from chronotope.cli.console import show
from chronotope.cli.options import Evidence, Formula, Json, Level, Model, Permutations, Word, open_model


def grid_command(
    model: Model,
    word: Word,
    formula: Formula = None,
    level: Level = 0.05,
    permutations: Permutations = 999,
    min_count: Evidence = 5,
    as_json: Json = False,
) -> None:
    """How is WORD used in every time bin of every place, and which places change first?"""
    from chronotope.analysis.grid import grid
    from chronotope.views import answer_tables

    answer = grid(open_model(model), word, formula, level=level, permutations=permutations, min_count=min_count)
    show(answer_tables.grid(answer), answer.to_dict(), as_json)
