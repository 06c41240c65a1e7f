"""Who takes part: every method at the dimensions of the paper and at its own default, CW2V also with its presets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chronotope.config import PRESETS, preset
from chronotope.errors import SettingsError, did_you_mean
from chronotope.methods import METHODS, default_settings

# Where the default is not the number of dimensions that predicts held-out text best, this one takes part, too.
BEST_DIMENSIONS = {"cw2v": 200}


@dataclass(frozen=True)
class Contender:
    """A method with its settings.

    Attributes
    ----------
    name
        What stands in the table: the method, with what sets it apart from its default.
    method
        The method's own name.
    settings
        All its settings except the seed.
    """

    name: str
    method: str
    settings: Mapping[str, Any]


def contenders(axis: str, dimensions: int, chosen: Sequence[str] | None = None) -> list[Contender]:
    """All that take part, or the chosen ones.

    A method with another number of dimensions of its own takes part twice: as it is, and with `dimensions`. No setting
    comes from anywhere but the defaults, the presets and held-out text.

    Parameters
    ----------
    axis
        'time' or 'place': the presets depend on it.
    dimensions
        The common length of vectors.
    chosen
        Names of methods, which stand for all their forms, or of single contenders.

    Examples
    --------
    >>> [contender.name for contender in contenders("time", 50, ["graph", "cw2v-paper"])]
    ['graph-50', 'graph', 'cw2v-paper']
    """
    known = [contender for method in METHODS for contender in _forms(method, axis, dimensions)]
    if chosen is None:
        return known
    names = [name for contender in known for name in (contender.name, contender.method)]
    for name in chosen:
        if name not in names:
            raise SettingsError(
                f"there is no method '{name}'; choose from {', '.join(dict.fromkeys(names))}{did_you_mean(name, names)}"
            )
    return [contender for contender in known if contender.name in chosen or contender.method in chosen]


def _forms(method: str, axis: str, dimensions: int) -> list[Contender]:
    """The forms in which a method takes part."""
    default = without_seed(default_settings(method))
    forms = [Contender(method, method, default)]
    if default.get("dimensions", dimensions) != dimensions:
        forms.insert(0, Contender(f"{method}-{dimensions}", method, default | {"dimensions": dimensions}))
    best = BEST_DIMENSIONS.get(method, dimensions)
    if best != dimensions:
        forms.append(Contender(f"{method}-{best}", method, default | {"dimensions": best}))
    if method == "cw2v":
        for name in PRESETS:
            settings = without_seed(asdict(preset(name, axis))) | {"dimensions": dimensions}
            forms.append(Contender(f"{method}-{name}", method, settings))
    return forms


def without_seed(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a contender: all but the seed, of which each has several."""
    return {key: value for key, value in settings.items() if key != "seed"}
