"""Bad rows: how many of each kind were skipped, and the locations of the first ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

SHOWN = 5
ENCODING = "wrong encoding, not UTF-8"
REMEDIES = {ENCODING: "; `iconv -f latin1 -t utf8 OLD > NEW` rewrites a file"}


class BadRow(NamedTuple):
    """A row that cannot be used: its fault, the number of its file, its line from 1 (0: the whole file), its value."""

    kind: str
    source: int
    line: int
    value: str = ""


@dataclass(frozen=True)
class Problem:
    """The number of bad rows of one kind, with the locations and values of the first ones."""

    count: int = 0
    locations: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


class Problems(dict[str, Problem]):
    """The bad rows by kind, in the order of their first occurrence.

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

    def add(self, kind: str, location: str, value: str = "") -> None:
        """Count a bad row; line breaks in its value become blanks."""
        value = " ".join(value.split())
        known = self.get(kind, Problem())
        locations, values = known.locations, known.values
        if len(locations) < SHOWN:
            locations = (*locations, location)
        if value and value not in values and len(values) < SHOWN:
            values = (*values, value)
        self[kind] = Problem(known.count + 1, locations, values)

    def add_unseen(self, kind: str, count: int) -> None:
        """Count further bad rows of a known kind."""
        self[kind] = replace(self[kind], count=self[kind].count + count)

    def lines(self) -> list[str]:
        """Return one readable line for each kind."""
        lines = []
        for kind, problem in self.items():
            rows = "row" if problem.count == 1 else "rows"
            more = ", …" if problem.count > len(problem.locations) else ""
            such = ", such as " + ", ".join(f"'{value}'" for value in problem.values[:3]) if problem.values else ""
            where = f" ({', '.join(problem.locations)}{more})"
            lines.append(f"{problem.count:,} {rows} skipped: {kind}{such}{where}{REMEDIES.get(kind, '')}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {kind: asdict(problem) for kind, problem in self.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Problems:
        """Restore what `to_dict` returned."""
        return cls(
            (kind, Problem(entry["count"], tuple(entry["locations"]), tuple(entry["values"])))
            for kind, entry in data.items()
        )
