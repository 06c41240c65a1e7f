"""Bad rows: how many of each kind were skipped, and the locations of the first ones."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Self

from chronotope.errors import number_of

SHOWN = 5
ENCODING = "wrong encoding, not UTF-8"
NOT_TEXT = "text that is neither a string nor a list of words"
EMPTY_FILE = "empty file"
NO_TIME = "no time"
NO_DATE = "no date in the name of the file"
NO_HEADER_DATE = "no date in the header or the name of the file"
NUMBER = "time that looks like a count of days or seconds"
NO_METADATA = "not in the metadata"
READ_AS = "read as "  # followed by an encoding; a remark on a file: no row is skipped
REMEDIES = {
    ENCODING: "; `iconv -f ENCODING -t utf8 OLD > NEW` rewrites a file",
    NO_DATE: "; dates come from names such as letter-1998-03-12.txt or 1998.txt, or from a table (--metadata FILE)",
    NO_HEADER_DATE: "; dates come from --xpath date=PATH, names such as 1998.xml, or a table (--metadata FILE)",
    NUMBER: "; --time-unit excel, days, seconds or milliseconds reads it",
}


class BadRow(NamedTuple):
    """A row that cannot be used: its problem, file number, line from 1 (0: the whole file) and value."""

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


def is_remark(kind: str) -> bool:
    """Return whether a kind is a remark on a file instead of a problem of a row."""
    return kind.startswith(READ_AS)


class Problems(dict[str, Problem]):
    """The bad rows by kind, in the order of their first occurrence.

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
            rows = number_of(problem.count, "files not in UTF-8," if is_remark(kind) else "rows skipped:")
            more = ", …" if problem.count > len(problem.locations) else ""
            such = ", such as " + ", ".join(f"'{value}'" for value in problem.values[:3]) if problem.values else ""
            where = f" ({', '.join(problem.locations)}{more})"
            lines.append(f"{rows} {kind}{such}{where}{REMEDIES.get(kind, '')}")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {kind: asdict(problem) for kind, problem in self.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Restore what `to_dict` returned."""
        return cls((kind, Problem(**entry)) for kind, entry in data.items())
