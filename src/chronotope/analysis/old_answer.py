"""What all answers share: plain data for JSON, frames, and a table in a notebook."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from chronotope.embeddings import Match
from chronotope.frames import Framed

if TYPE_CHECKING:
    import polars as pl


class Answer(Framed):
    """A frozen dataclass whose fields are plain data, or dataclasses or matches of plain data."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        made: dict[str, Any] = _plain(self)
        return made

    def _frame(self) -> pl.DataFrame:
        from chronotope.analysis.frames import frame

        return frame(self)

    def _shown(self) -> pl.DataFrame:
        from chronotope.analysis.frames import wide

        return wide(self, self._frame())


def _plain(value: Any) -> Any:
    """With a dictionary for each dataclass and match, whatever it stands in."""
    if isinstance(value, Match):
        return value.to_dict()
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
