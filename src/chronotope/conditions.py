"""The conditions of a corpus, and the graph of neighboring conditions.

A condition is a time bin, a place, or a time bin in a place. Time is ordered, places are not; only the edges of a
`Graph` depend on this difference.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from chronotope.errors import SettingsError, UnknownConditionError, number_of

SEPARATOR = "/"
MOST_LEVELS = 10  # of nested places
MOST_EDGES = 10_000_000  # training takes about a hundred bytes for each


class Graph(NamedTuple):
    """The neighbors among the conditions: an undirected graph without loops."""

    size: int  # number of conditions
    edges: NDArray[np.int32]  # (E, 2) sorted unique pairs of condition numbers, the smaller first


@dataclass(frozen=True)
class Conditions:
    """The conditions that occur in a corpus, ordered by time, then by place; a missing axis is empty."""

    times: tuple[str, ...] = ()  # the labels of the time bins
    places: tuple[str, ...] = ()
    time_of: tuple[int, ...] = ()  # the time bin of each condition
    place_of: tuple[int, ...] = ()
    levels: int = 1  # of nested places: 2 for 'canada' and 'canada/ontario'; every text counts once in each level

    @classmethod
    def of_times(cls, times: Sequence[str]) -> Self:
        """Return conditions that are time bins, given in order."""
        return cls(times=tuple(times), time_of=tuple(range(len(times))))

    @classmethod
    def of_places(cls, places: Sequence[str]) -> Self:
        """Return conditions that are places."""
        return cls(places=tuple(places), place_of=tuple(range(len(places))))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The label of each condition: '1998', 'canada', '1998/canada', or 'all'."""
        times = [self.times[t] for t in self.time_of]
        places = [self.places[p] for p in self.place_of]
        if times and places:
            return tuple(f"{time}{SEPARATOR}{place}" for time, place in zip(times, places, strict=True))
        return tuple(times or places or ["all"])

    @property
    def axis(self) -> str:
        """The axis of the conditions: 'time', 'place', 'time × place' or 'none'."""
        return " × ".join(name for name, labels in (("time", self.times), ("place", self.places)) if labels) or "none"

    @property
    def span(self) -> str:
        """The first and the last label."""
        return f"{self.labels[0]} … {self.labels[-1]}" if len(self) > 1 else self.labels[0]

    def __str__(self) -> str:
        return f"{number_of(len(self), 'conditions')} ({self.axis}, {self.span})"

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def coordinates(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(C,) the time bin of each condition, and (C,) its place; 0 where there is no such axis."""
        nothing = (0,) * len(self)
        return np.array(self.time_of or nothing, np.int64), np.array(self.place_of or nothing, np.int64)

    @cached_property
    def parents(self) -> dict[int, int]:
        """The number of the place above each nested place; none if places do not nest.

        >>> Conditions(places=("canada", "canada/ontario", "canada/quebec"), place_of=(0, 1, 2), levels=2).parents
        {1: 0, 2: 0}
        """
        if self.levels == 1:
            return {}
        numbers = {place.casefold(): number for number, place in enumerate(self.places)}
        above = {number: place.rpartition(SEPARATOR)[0].casefold() for number, place in enumerate(self.places)}
        return {number: numbers[label] for number, label in above.items() if label in numbers}

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The conditions of the lowest level of nested places, which hold every text once."""
        above = set(self.parents.values())
        return tuple(at for at in range(len(self)) if not above or self.place_of[at] not in above)

    def apart(self, among: Sequence[int]) -> NDArray[np.bool_]:
        """Return (N, N) whether two conditions share no text: they differ, and neither lies within the other.

        >>> nested = Conditions(places=("canada", "canada/ontario", "ireland"), place_of=(0, 1, 2), levels=2)
        >>> nested.apart([0, 1, 2]).tolist()
        [[False, False, True], [False, False, True], [True, True, False]]
        """
        time, place = (axis[np.asarray(among, np.int64)] for axis in self.coordinates)
        within = np.eye(max(1, len(self.places)), dtype=bool)
        for inner in self.parents:
            above = inner
            while above in self.parents:
                above = self.parents[above]
                within[inner, above] = within[above, inner] = True
        return np.asarray(~within[place][:, place] | (time[:, None] != time))

    @property
    def tree_edges(self) -> list[tuple[str, str]] | None:
        """The edges of nested places: each with the place above it, and all top places; None if places do not nest."""
        highest = [place for number, place in enumerate(self.places) if number not in self.parents]
        inner = [(self.places[above], self.places[number]) for number, above in self.parents.items()]
        return [*inner, *combinations(highest, 2)] if inner else None

    @cached_property
    def _by_label(self) -> dict[str, int]:
        return {label.casefold(): number for number, label in enumerate(self.labels)}

    def index(self, label: str) -> int:
        """Return the number of the condition with a label; case does not matter."""
        try:
            return self._by_label[str(label).strip().casefold()]
        except KeyError:
            raise UnknownConditionError(str(label), self.labels) from None

    def graph(self, place_edges: Iterable[tuple[str, str]] | None = None) -> Graph:
        """Return the graph of neighboring conditions.

        Time bins form a chain, places a complete graph or, if they nest, a tree. Time × place is the product: the
        neighbors of a condition are the same place in the nearest bins where it occurs, and the other places in the
        same bin.

        Parameters
        ----------
        place_edges
            Pairs of neighboring places, for instance countries that share a border; by default all pairs.
        """
        place_edges = self.tree_edges if place_edges is None else place_edges
        neighbors = None if place_edges is None else self._place_numbers(place_edges)
        time, place = self.coordinates
        by_place = np.lexsort((time, place))
        follows = (np.diff(place[by_place]) == 0) & bool(self.times)
        edges = [np.column_stack([by_place[:-1], by_place[1:]])[follows]]
        at_time = np.split(np.arange(len(self)), np.flatnonzero(np.diff(time)) + 1)
        total = sum(len(members) * (len(members) - 1) // 2 for members in at_time)
        if neighbors is None and total > MOST_EDGES:
            many = f"{len(self.places):,} places, all of them neighbors, are {total:,} edges"
            raise SettingsError(f"{many}; list the neighbors (--edges), or set smoothness to 0")
        for members in at_time:
            if neighbors is None:
                edges.append(members[np.column_stack(np.triu_indices(len(members), 1))])
            else:
                here = dict(zip(place[members].tolist(), members.tolist(), strict=True))
                pairs = [sorted((here[a], here[b])) for a, b in neighbors if a in here and b in here]
                edges.append(np.array(pairs, dtype=np.int64).reshape(-1, 2))
        return Graph(len(self), np.unique(np.concatenate(edges), axis=0).astype(np.int32))

    def _place_numbers(self, place_edges: Iterable[tuple[str, str]]) -> list[tuple[int, int]]:
        """Return edges between places as pairs of their numbers."""
        if not self.places:
            raise SettingsError("edges between places were given, but the corpus has no places")
        number = {place.casefold(): index for index, place in enumerate(self.places)}
        pairs = []
        for pair in place_edges:
            for label in pair:
                if str(label).casefold() not in number:
                    raise UnknownConditionError(str(label), self.places, "places")
            a, b = (number[str(label).casefold()] for label in pair)
            if a != b:
                pairs.append((a, b))
        return pairs

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, which `from_dict` reads."""
        lists = {field.name: list(getattr(self, field.name)) for field in fields(self) if field.name != "levels"}
        return lists | ({"levels": self.levels} if self.levels > 1 else {})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Return the conditions that `to_dict` described; raise ValueError if the data are invalid."""
        try:
            lists = {name: tuple(data[name]) for name in ("times", "places", "time_of", "place_of")}
            levels = data.get("levels", 1)
        except (TypeError, KeyError, IndexError):
            raise ValueError("its conditions are not lists") from None
        for axis, place in (("times", "time_of"), ("places", "place_of")):
            if not all(isinstance(label, str) for label in lists[axis]):
                raise ValueError(f"its {axis} are not a list of labels")
            if any(type(position) is not int or not 0 <= position < len(lists[axis]) for position in lists[place]):
                raise ValueError(f"a condition lies outside its {axis}")
        if lists["time_of"] and lists["place_of"] and len(lists["time_of"]) != len(lists["place_of"]):
            raise ValueError("a condition lacks its time or place")
        if type(levels) is not int or not 1 <= levels <= MOST_LEVELS:
            raise ValueError("its places have an impossible number of levels")
        conditions = cls(**lists, levels=levels)
        if len(conditions._by_label) < len(conditions.labels):
            raise ValueError("two of its conditions have the same label")
        return conditions
