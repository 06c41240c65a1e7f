"""Settings: a frozen dataclass for each stage and method, read from a TOML file."""

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_type_hints

from chronotope.config.checks import Settings, at_least, from_dict, one_of, to_dict
from chronotope.config.methods import (
    PRESETS,
    AdditiveSettings,
    AlignedSettings,
    BayesianSettings,
    CompassSettings,
    ConditionedSettings,
    ContextualSettings,
    ContinuousSettings,
    CovariateSettings,
    DynamicSettings,
    GraphSettings,
    LinearSettings,
    SharedContextSettings,
    StaticSettings,
    Word2VecSettings,
    preset,
)
from chronotope.config.text import CorpusSettings, CountSettings, NamedBin
from chronotope.errors import SettingsError, did_you_mean

__all__ = [
    "PRESETS", "AdditiveSettings", "AlignedSettings", "BayesianSettings", "CompassSettings", "ConditionedSettings",
    "Config", "ContextualSettings", "ContinuousSettings", "CorpusSettings", "CountSettings",
    "CovariateSettings", "DynamicSettings", "GraphSettings", "LinearSettings", "NamedBin", "Settings",
    "SharedContextSettings", "StaticSettings", "Word2VecSettings", "at_least", "from_dict", "one_of",
    "preset", "read_config", "to_dict",
]  # fmt: skip


@dataclass(frozen=True)
class Config:
    """All settings, as in a TOML file; the section of a method has its name with _ for -: `[shared_context]`."""

    corpus: CorpusSettings = field(default_factory=CorpusSettings)
    counting: CountSettings = field(default_factory=CountSettings)
    cw2v: ConditionedSettings = field(default_factory=ConditionedSettings)
    graph: GraphSettings = field(default_factory=GraphSettings)
    static: StaticSettings = field(default_factory=StaticSettings)
    linear: LinearSettings = field(default_factory=LinearSettings)
    aligned: AlignedSettings = field(default_factory=AlignedSettings)
    compass: CompassSettings = field(default_factory=CompassSettings)
    dynamic: DynamicSettings = field(default_factory=DynamicSettings)
    bayesian: BayesianSettings = field(default_factory=BayesianSettings)
    continuous: ContinuousSettings = field(default_factory=ContinuousSettings)
    contextual: ContextualSettings = field(default_factory=ContextualSettings)
    shared_context: SharedContextSettings = field(default_factory=SharedContextSettings)
    covariate: CovariateSettings = field(default_factory=CovariateSettings)
    additive: AdditiveSettings = field(default_factory=AdditiveSettings)

    def of_method(self, method: str) -> Any:
        """Return the settings of a training method such as 'shared-context'."""
        return getattr(self, method.replace("-", "_"))


def read_config(path: str | Path) -> Config:
    """Read settings from a TOML file; missing ones get their defaults."""
    kinds = get_type_hints(Config)
    try:
        sections = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        for name in sections:
            if name not in kinds:
                tables = [table for table, kind in kinds.items() if name in {one.name for one in fields(kind)}]
                table = "graph" if "graph" in tables else next(iter(tables), None)
                hint = f"; it belongs in a table such as [{table}]" if table else did_you_mean(name, kinds)
                raise SettingsError(f"unknown setting '{name}'{hint}")
        return Config(**{name: from_dict(kinds[name], section, name) for name, section in sections.items()})
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from None
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None
