"""Every setting, one frozen dataclass a stage and a method; read from and written to one TOML file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronotope.config.baselines import (
        AlignedSettings,
        CompassSettings,
        DynamicSettings,
        LinearSettings,
        StaticSettings,
        Word2VecSettings,
    )
    from chronotope.config.checks import at_least, one_of
    from chronotope.config.conversion import from_dict, to_dict
    from chronotope.config.files import Config, read_config, write_config
    from chronotope.config.models import (
        PRESETS,
        AdditiveSettings,
        ConditionedSettings,
        CovariateSettings,
        GraphSettings,
        SharedContextSettings,
        preset,
    )
    from chronotope.config.text import CorpusSettings, CountSettings, NamedBin

# Loaded when first used: a question needs none of a dozen classes, which take 20 ms to make.
_HOME = {
    name: home
    for home, names in {
        "baselines": (
            "AlignedSettings",
            "CompassSettings",
            "DynamicSettings",
            "LinearSettings",
            "StaticSettings",
            "Word2VecSettings",
        ),
        "checks": (
            "at_least",
            "one_of",
        ),
        "conversion": (
            "from_dict",
            "to_dict",
        ),
        "files": (
            "Config",
            "read_config",
            "write_config",
        ),
        "models": (
            "PRESETS",
            "AdditiveSettings",
            "ConditionedSettings",
            "CovariateSettings",
            "GraphSettings",
            "SharedContextSettings",
            "preset",
        ),
        "text": (
            "CorpusSettings",
            "CountSettings",
            "NamedBin",
        ),
    }.items()
    for name in names
}

__all__ = [
    "PRESETS",
    "AdditiveSettings",
    "AlignedSettings",
    "CompassSettings",
    "ConditionedSettings",
    "Config",
    "CorpusSettings",
    "CountSettings",
    "CovariateSettings",
    "DynamicSettings",
    "GraphSettings",
    "LinearSettings",
    "NamedBin",
    "SharedContextSettings",
    "StaticSettings",
    "Word2VecSettings",
    "at_least",
    "from_dict",
    "one_of",
    "preset",
    "read_config",
    "to_dict",
    "write_config",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'chronotope.config' has no attribute '{name}'")
    found = getattr(import_module(f"chronotope.config.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
