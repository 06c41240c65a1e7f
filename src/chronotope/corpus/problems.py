"""What was wrong with the input: how many rows of each kind were skipped, and where the first of them stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

SHOWN = 5
ENCODING = "wrong encoding, not UTF-8"
# What can be done, where it is not plain.
REMEDIES = {ENCODING: "; `iconv -f latin1 -t utf8 OLD > NEW` rewrites a file"}


class BadRow(NamedTuple):
    """A row that cannot be used.

    Attributes
    ----------
    kind
        What is wrong, in words that are the same for all rows of the kind.
    source
        The number of the file.
    line
        The line (or row) in it, from 1; 0 for the file as a whole.
    value
        What stands there instead, where that helps.
    """

    kind: str
    source: int
    line: int
    value: str = ""


@dataclass(frozen=True)
class Problem:
    """One kind of bad row: how many there are, where the first ones stand, and what stands there."""

    count: int
    locations: tuple[str, ...]
    values: tuple[str, ...]


@dataclass
class Problems(Mapping[str, Problem]):
    """The bad rows by kind, in the order in which the kinds were met.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.add("no text", "speeches.jsonl:3")
    >>> problems.add("no text", "speeches.jsonl:8")
    >>> problems.add("unreadable time", "speeches.jsonl:9", "5/1/90")
    >>> for line in problems.lines():
    ...     print(line)
    2 rows skipped: no text (speeches.jsonl:3, speeches.jsonl:8)
    1 row skipped: unreadable time, such as '5/1/90' (speeches.jsonl:9)
    """

    _kinds: dict[str, Problem] = field(default_factory=dict)

    def add(self, kind: str, location: str, value: str = "") -> None:
        """Count a bad row; a value of several lines is shown in one."""
        value = " ".join(value.split())
        known = self._kinds.get(kind, Problem(0, (), ()))
        locations, values = known.locations, known.values
        if len(locations) < SHOWN:
            locations = (*locations, location)
        if value and value not in values and len(values) < SHOWN:
            values = (*values, value)
        self._kinds[kind] = Problem(known.count + 1, locations, values)

    def add_unseen(self, kind: str, count: int) -> None:
        """Count more bad rows of a kind that is known."""
        known = self._kinds[kind]
        self._kinds[kind] = Problem(known.count + count, known.locations, known.values)

    def __getitem__(self, kind: str) -> Problem:
        return self._kinds[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    @property
    def total(self) -> int:
        """How many rows were skipped."""
        return sum(problem.count for problem in self._kinds.values())

    def lines(self) -> list[str]:
        """One readable line for each kind."""
        lines = []
        for kind, problem in self._kinds.items():
            rows = "row" if problem.count == 1 else "rows"
            more = ", …" if problem.count > len(problem.locations) else ""
            such = ", such as " + ", ".join(f"'{value}'" for value in problem.values[:3]) if problem.values else ""
            where = f" ({', '.join(problem.locations)}{more})"
            lines.append(f"{problem.count:,} {rows} skipped: {kind}{such}{where}{REMEDIES.get(kind, '')}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {
            kind: {"count": problem.count, "locations": list(problem.locations), "values": list(problem.values)}
            for kind, problem in self._kinds.items()
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Problems:
        """The problems that `to_dict` described."""
        return cls(
            {
                kind: Problem(entry["count"], tuple(entry["locations"]), tuple(entry["values"]))
                for kind, entry in data.items()
            }
        )
