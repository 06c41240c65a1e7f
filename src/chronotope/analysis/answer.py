"""What all answers share: plain data for JSON, frames, and a table in a notebook."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from chronotope.frames import Framed

if TYPE_CHECKING:
    import polars as pl
    from _typeshed import DataclassInstance


class Answer(Framed):
    """A frozen dataclass whose fields are plain data, or dataclasses of plain data."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return asdict(cast("DataclassInstance", self))

    def _frame(self) -> pl.DataFrame:
        from chronotope.analysis.frames import frame

        return frame(self)

    def _shown(self) -> pl.DataFrame:
        from chronotope.analysis.frames import wide

        return wide(self, self._frame())
