"""Settings to and from plain data. An unknown key is an error, so that a misspelt setting is never silently ignored."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar, get_type_hints

from chronotope.config.text import NamedBin
from chronotope.errors import SettingsError, did_you_mean

Settings = TypeVar("Settings")


def from_dict(kind: type[Settings], data: Mapping[str, Any], where: str = "") -> Settings:
    """Settings of one kind from plain data; an unknown key or a wrong type is an error that names it."""
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for key, value in data.items():
        name = f"{where}.{key}" if where else key
        if key not in hints:
            raise SettingsError(f"unknown setting '{name}'{did_you_mean(key, hints)}")
        values[key] = _converted(hints[key], value, name)
    try:
        return kind(**values)
    except (TypeError, SettingsError) as error:
        raise SettingsError(f"[{where}] {error}" if where else str(error)) from None


def to_dict(settings: Any) -> dict[str, Any]:
    """Settings as plain data for TOML or JSON; what is None is left out."""
    return {key: value for key, value in dataclasses.asdict(settings).items() if value is not None}


def _named_bin(item: Any, name: str) -> NamedBin:
    """A bin from TOML, where a year may be a number and a day a date."""
    if not isinstance(item, Mapping) or item.keys() != {"name", "start", "end"}:
        raise SettingsError(f"'{name}' must be tables with name, start and end, not {item!r}")
    return NamedBin(**{key: str(value) for key, value in item.items()})


def _converted(hint: Any, value: Any, name: str) -> Any:
    """A value from TOML or JSON as the type that a setting has."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, Mapping):
            raise SettingsError(f"'{name}' must be a table")
        return from_dict(hint, value, name)
    text = str(hint)
    if "tuple" in text:
        if not isinstance(value, list | tuple):
            raise SettingsError(f"'{name}' must be a list")
        if "NamedBin" in text:
            return tuple(item if isinstance(item, NamedBin) else _named_bin(item, name) for item in value)
        if not all(isinstance(item, str) for item in value):
            raise SettingsError(f"'{name}' must be a list of texts, not {value!r}")
        return tuple(value)
    allowed: list[type] = [
        kind for kind, word in ((bool, "bool"), (int, "int"), (float, "float"), (str, "str")) if word in text
    ]
    if "Mapping" in text:
        allowed = [dict]
        if isinstance(value, dict) and not all(isinstance(item, str) for item in value.values()):
            raise SettingsError(f"'{name}' must hold texts only, not {value!r}")
    if float in allowed and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) not in allowed and not (value is None and "None" in text):
        raise SettingsError(f"'{name}' must be {' or '.join(kind.__name__ for kind in allowed)}, not {value!r}")
    return value
