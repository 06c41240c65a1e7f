"""What all newer answers share: plain data for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Answer:
    """A frozen dataclass whose fields are plain data, or dataclasses of plain data."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return asdict(cast("DataclassInstance", self))
