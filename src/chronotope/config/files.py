"""All settings in one TOML file."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from chronotope.config.baselines import (
    AlignedSettings,
    CompassSettings,
    DynamicSettings,
    LinearSettings,
    StaticSettings,
)
from chronotope.config.conversion import from_dict, to_dict
from chronotope.config.models import (
    AdditiveSettings,
    ConditionedSettings,
    CovariateSettings,
    GraphSettings,
    SharedContextSettings,
)
from chronotope.config.text import CorpusSettings, CountSettings
from chronotope.errors import SettingsError


@dataclass(frozen=True)
class Config:
    """All the settings of a run, as they stand in its TOML file.

    Every training method has a section under its name, with _ for -: `[shared_context]`.
    """

    corpus: CorpusSettings = field(default_factory=CorpusSettings)
    counting: CountSettings = field(default_factory=CountSettings)
    cw2v: ConditionedSettings = field(default_factory=ConditionedSettings)
    graph: GraphSettings = field(default_factory=GraphSettings)
    static: StaticSettings = field(default_factory=StaticSettings)
    linear: LinearSettings = field(default_factory=LinearSettings)
    aligned: AlignedSettings = field(default_factory=AlignedSettings)
    compass: CompassSettings = field(default_factory=CompassSettings)
    dynamic: DynamicSettings = field(default_factory=DynamicSettings)
    shared_context: SharedContextSettings = field(default_factory=SharedContextSettings)
    covariate: CovariateSettings = field(default_factory=CovariateSettings)
    additive: AdditiveSettings = field(default_factory=AdditiveSettings)

    def of_method(self, method: str) -> Any:
        """The settings of a training method.

        Examples
        --------
        >>> Config().of_method("shared-context").smoothness
        0.0
        """
        return getattr(self, method.replace("-", "_"))


def read_config(path: str | Path) -> Config:
    """The settings in a TOML file; what it leaves out has its default."""
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read {path}: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from None
    try:
        return from_dict(Config, data)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None


def write_config(config: Config, path: str | Path) -> None:
    """Write every setting to a TOML file that `read_config` reads back."""
    sections = {section.name: _plain(to_dict(getattr(config, section.name))) for section in dataclasses.fields(config)}
    Path(path).write_text(tomli_w.dumps(sections), encoding="utf-8")


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    """Settings as TOML can hold them: tables and lists, nothing else."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in data.items()}
