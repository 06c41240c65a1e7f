"""Bad rows: how many of each kind were skipped, and the locations of the first ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
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


@dataclass
class Problem:
    """The number of bad rows of one kind, with the locations and values of the first ones."""

    count: int = 0
    locations: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)


class Problems(dict[str, Problem]):
    """The bad rows by kind, in the order of their first occurrence.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.add("unreadable time", "speeches.jsonl:9", "5/1/90")
    >>> problems.lines()
    ["1 row skipped: unreadable time, such as '5/1/90' (speeches.jsonl:9)"]
    """

    def add(self, kind: str, location: str, value: str = "") -> None:
        """Count a bad row; line breaks in its value become blanks."""
        problem = self.setdefault(kind, Problem())
        problem.count += 1
        if len(problem.locations) < SHOWN:
            problem.locations.append(location)
        value = " ".join(value.split())
        if value and value not in problem.values and len(problem.values) < SHOWN:
            problem.values.append(value)

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
        return cls((kind, Problem(**entry)) for kind, entry in data.items())
