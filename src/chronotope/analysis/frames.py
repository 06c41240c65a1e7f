"""The frames of answers that are no plain list of rows: what makes a row of each, and how its columns are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import Any

import numpy as np
import polars as pl

from chronotope.analysis.analogy import Analogy
from chronotope.analysis.collocates import CollocateChange, CollocateChanges
from chronotope.analysis.company import Company
from chronotope.analysis.drift_answer import Drift
from chronotope.analysis.everywhere import Everywhere, PartIn
from chronotope.analysis.grid import Grid
from chronotope.analysis.places import PlaceDistances
from chronotope.analysis.properties import Consistency
from chronotope.analysis.ranks import Ranks
from chronotope.analysis.significance.judged import FIGURES
from chronotope.analysis.trajectory import Trajectory
from chronotope.embeddings import Matches
from chronotope.frames import frame_of, parallel_frame, rows_frame, table

# For answers that are a long table of two things, what is down, what is across, and what stands where they meet.
WIDE: dict[type[Any], tuple[str, str, str]] = {
    Company: ("companion", "condition", "similarity"),
    Ranks: ("neighbor", "condition", "rank"),
    SelfSimilarity: ("condition", "other", "similarity"),
    PlaceDistances: ("place", "other", "distance"),
    Grid: ("place", "time", "value"),
}


def wide(answer: Any, long: pl.DataFrame) -> pl.DataFrame:
    """The frame of an answer as a reader wants to see it: a table of two things across, not down."""
    if type(answer) not in WIDE:
        return long
    down, across, value = WIDE[type(answer)]
    return long.pivot(across, index=down, values=value)


@singledispatch
def frame(answer: Any) -> pl.DataFrame:
    """The frame of an answer; by default what its fields say."""
    return frame_of(answer)


@frame.register
def _(answer: Drift) -> pl.DataFrame:
    """A row for each word; its neighbors are in `Drift.top`, since they take a while."""
    places = np.arange(len(answer))
    embeddings, labels = answer.embeddings, answer.embeddings.conditions.labels
    support = {
        name: [
            embeddings.observed.of(word, at)
            for word, at in zip(answer.words.tolist(), conditions.tolist(), strict=True)
        ]
        for name, conditions in (("before", answer.before), ("after", answer.after))
    }
    columns: dict[str, tuple[str, Iterable[Any]]] = {
        "word": ("str", [embeddings.words[word] for word in answer.words.tolist()]),
        "score": ("float", answer.scores.tolist()),
        "z": ("float", answer.z.tolist()),
        "own": ("float", answer.own(places).tolist()),
    }
    for name in FIGURES:
        values = getattr(answer.judged, name)
        columns[name] = ("float", [None] * len(answer) if values is None else values.tolist())
    columns |= {
        "before": ("str", [labels[at] for at in answer.before.tolist()]),
        "after": ("str", [labels[at] for at in answer.after.tolist()]),
        "support_before": ("int", support["before"]),
        "support_after": ("int", support["after"]),
    }
    return table(columns).with_columns(_without_nan())


def _without_nan() -> pl.Expr:
    return pl.col(pl.Float64).fill_nan(None)


@frame.register
def _(answer: Company) -> pl.DataFrame:
    rows = [
        (answer.word, one.word, label, similarity, label in one.near_in, support)
        for one in answer.companions
        for label, similarity, support in zip(answer.conditions, one.similarity, answer.support, strict=True)
    ]
    return _long(rows, word="str", companion="str", condition="str", similarity="float", near="bool", support="int")


@frame.register
def _(answer: Ranks) -> pl.DataFrame:
    rows = [
        (answer.word, one.word, label, rank)
        for one in answer.neighbors
        for label, rank in zip(answer.conditions, one.ranks, strict=True)
    ]
    return _long(rows, word="str", neighbor="str", condition="str", rank="int")


@frame.register
def _(answer: Grid) -> pl.DataFrame:
    rows = [
        (answer.word, time, place, value, support)
        for time, values, supports in zip(answer.times, answer.values, answer.support, strict=True)
        for place, value, support in zip(answer.places, values, supports, strict=True)
    ]
    return _long(rows, word="str", time="str", place="str", value="float", support="int")


@frame.register
def _(answer: PlaceDistances) -> pl.DataFrame:
    rows = [
        (here, there, distance, words, group)
        for here, group, distances, shared in zip(
            answer.places, answer.groups, answer.distances, answer.words, strict=True
        )
        for there, distance, words in zip(answer.places, distances, shared, strict=True)
    ]
    return _long(rows, place="str", other="str", distance="float", words="int", group="int")


@frame.register
def _(answer: Trajectory) -> pl.DataFrame:
    rows: list[tuple[Any, ...]] = [
        (answer.word, "path", point.x, point.y, [point.condition], point.support) for point in answer.path
    ]
    rows += [(one.word, "company", one.x, one.y, list(one.near_in), None) for one in answer.company]
    return _long(rows, word="str", part="str", x="float", y="float", conditions="tuple[str, ...]", support="int")


@frame.register
def _(answer: Everywhere) -> pl.DataFrame:
    """A row for each word that plays the part; where none does, the nearest, which is not near enough."""
    rows = [
        (
            answer.word,
            answer.at,
            part.condition,
            match.word,
            match.score,
            match.similarity,
            match.count,
            near,
            part.needed,
        )
        for part in answer.parts
        for match, near in [(match, True) for match in part.matches]
        or [(match, False) for match in (part.nearest,) if match]
    ]
    return _long(
        rows,
        of="str",
        at="str",
        condition="str",
        word="str",
        score="float",
        cosine="float",
        support="int",
        near_enough="bool",
        needed="float",
    )


@frame.register(Analogy)
@frame.register(PartIn)
def _(answer: Analogy | PartIn) -> pl.DataFrame:
    return Matches(answer.matches).to_polars()


@frame.register
def _(answer: CollocateChanges) -> pl.DataFrame:
    parts = [
        rows_frame(CollocateChange, rows, answer.word).with_columns(pl.lit(way).alias("way"))
        for way, rows in (("rises", answer.rising), ("falls", answer.falling))
    ]
    return pl.concat(parts)


@frame.register
def _(answer: Consistency) -> pl.DataFrame:
    return parallel_frame(answer, "lags")


def _long(rows: Sequence[Sequence[Any]], **kinds: str) -> pl.DataFrame:
    """A frame from rows, its columns named with their types."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(kinds)
    return table({name: (kind, column) for (name, kind), column in zip(kinds.items(), columns, strict=True)})
