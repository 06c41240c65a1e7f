"""Records: any iterable of mappings, for instance the rows of a database cursor or a generator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Any

from chronotope.corpus.readers.fingerprints import Fingerprint, content_fingerprint
from chronotope.corpus.readers.pieces import Batch, Fields, Piece, batches_of_rows
from chronotope.errors import InputError

RECORDS_IN_PIECE = 1024
RECORDS_LOOKED_AT = 100


@dataclass
class Records:
    """An iterable of mappings; a generator can be read once only."""

    records: Iterable[Mapping[str, Any]]
    names: list[str] = field(default_factory=lambda: ["records"])
    _head: list[Mapping[str, Any]] | None = None
    _used: bool = False

    def __post_init__(self) -> None:
        self._once = iter(self.records) is self.records

    @property
    def size(self) -> int:
        """The number of records; 0 where it is not known."""
        return len(self.records) if isinstance(self.records, Sized) else 0

    def columns(self) -> list[str] | None:
        """The fields of the first records; None if there is none."""
        if self._head is None:
            self._head = list(islice(iter(self.records), RECORDS_LOOKED_AT))
        found: dict[str, None] = {}
        for number, record in enumerate(self._head, 1):
            if not isinstance(record, Mapping):
                raise InputError(f"records:{number} is not a mapping of field names to values but {record!r:.60}")
            found.update(dict.fromkeys(str(name) for name in record))
        return list(found) or None

    def fingerprint(self, fields: Fields) -> list[Fingerprint]:
        """The checksum of the fields that are read; None for what may be read once only."""
        again = not self._once and isinstance(self.records, Sized)
        return [content_fingerprint(self.names[0], self.pieces(fields, 0) if again else None, fields)]

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """The records in pieces."""
        if self._once and self._used:
            raise InputError("the records came from a generator and were read already; give a list, or read them anew")
        self._used = True
        rows: Iterator[tuple[int, Mapping[str, Any]]] = enumerate(
            chain(self._head or [], self.records) if self._once else self.records, 1
        )
        done = 0
        while part := list(islice(rows, RECORDS_IN_PIECE)):
            done += len(part)
            yield Piece(partial(_parse, part, fields, first), done)


def _parse(rows: list[tuple[int, Mapping[str, Any]]], fields: Fields, source: int) -> list[Batch]:
    for number, record in rows:
        if not isinstance(record, Mapping):
            raise InputError(f"records:{number} is not a mapping of field names to values but {record!r:.60}")
    return batches_of_rows(rows, fields, source)
