"""Every setting, one frozen dataclass a stage and a method; read from and written to one TOML file."""

from chronotope.config.baselines import (
    AlignedSettings,
    CompassSettings,
    DynamicSettings,
    LinearSettings,
    StaticSettings,
    Word2VecSettings,
)
from chronotope.config.checks import at_least, one_of
from chronotope.config.files import Config, from_dict, read_config, to_dict, write_config
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
