"""Charts that a notebook shows without loading anything: Altair's own display fetches programs from the network."""

from __future__ import annotations

import io
from functools import cache
from typing import Any, TypeVar

import altair as alt

Chart = TypeVar("Chart", bound=Any)
SCALE = 2


class Offline:
    """A chart that shows itself as a picture; with another renderer of Altair's, as that one says."""

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        if alt.renderers.active != "default":
            return super()._repr_mimebundle_(*args, **kwargs)  # type: ignore[misc]
        picture = io.BytesIO()
        self.save(picture, format="png", scale_factor=SCALE)  # type: ignore[attr-defined]
        data = picture.getvalue()
        # In a PNG file width and height follow the first sixteen bytes.
        width, height = (int.from_bytes(data[at : at + 4], "big") // SCALE for at in (16, 20))
        return {"image/png": data, "text/plain": repr(self)}, {"image/png": {"width": width, "height": height}}

    def __repr__(self) -> str:
        return f"<{type(self).__mro__[2].__name__}: {_title(self)}>"


def shown_offline(chart: Chart) -> Chart:
    """The same chart, of the same kind, shown as a picture in notebooks."""
    copied: Chart = chart.copy(deep=False)
    # Altair takes an attribute that is set for a part of the chart.
    kind: Any = type(chart)
    object.__setattr__(copied, "__class__", _offline(kind))
    return copied


@cache
def _offline(kind: Any) -> Any:
    return kind if issubclass(kind, Offline) else type(kind.__name__, (Offline, kind), {"__module__": kind.__module__})


def _title(chart: Any) -> str:
    title = chart.title
    return str(getattr(title, "text", title))
