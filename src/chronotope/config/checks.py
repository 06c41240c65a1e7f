"""Check settings against their annotations with pydantic; errors name the setting."""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, TypeVar, get_type_hints

from annotated_types import Ge, Gt, Lt

from chronotope.errors import SettingsError, did_you_mean

Count = Annotated[int, Ge(1)]
Seed = Annotated[int, Ge(0), Lt(2**64)]
Weight = Annotated[float, Ge(0)]
Rate = Annotated[float, Gt(0)]

Kind = TypeVar("Kind")
# Settings of earlier versions and their names today.
RENAMED = {"half_trust": "shrinkage", "emphasis": "pmi_power", "sides": "directional_contexts"}


class Settings:
    """Base of frozen dataclasses whose fields are checked against their annotations."""

    def __post_init__(self) -> None:
        """Check all fields, and convert them (3 to 3.0, a list to a tuple); subclasses may add checks of their own."""
        from pydantic import ValidationError

        kind: Any = type(self)
        values = {field.name: _plain(getattr(self, field.name)) for field in dataclasses.fields(kind)}
        try:
            checked = _model(kind).model_validate(values)
        except ValidationError as error:
            raise SettingsError(_message(error.errors(include_url=False)[0])) from None
        for name in values:
            value, converted = getattr(self, name), getattr(checked, name)
            # A value that needs no conversion stays the same object: scikit-learn's `clone` checks that.
            if type(value) is not type(converted) or value != converted:
                object.__setattr__(self, name, converted)


@cache
def _model(kind: Any) -> Any:
    """Return the pydantic model with the fields of a dataclass."""
    from pydantic import ConfigDict, create_model

    hints = get_type_hints(kind, include_extras=True)
    fields: dict[str, Any] = {field.name: hints[field.name] for field in dataclasses.fields(kind)}
    return create_model(kind.__name__, __config__=ConfigDict(strict=True, allow_inf_nan=False), **fields)


def _plain(value: Any) -> Any:
    """Turn lists into tuples and NumPy's numbers into Python's."""
    if isinstance(value, list):
        return tuple(value)
    return value.item() if hasattr(value, "item") and hasattr(value, "dtype") else value


def _message(error: Any) -> str:
    """Write an error of pydantic as one line that names the setting."""
    name, value, limits = error["loc"][0], error["input"], error.get("ctx", {})
    match error["type"]:
        case "greater_than_equal":
            return f"{name} must be a number of at least {limits['ge']:g}, not {value}"
        case "greater_than":
            return f"{name} must be a positive number, not {value}"
        case "less_than_equal":
            return f"{name} must be at most {limits['le']:g}, not {value}"
        case "less_than":
            return f"{name} must be less than {limits['lt']}, not {value}"
        case "finite_number":
            return f"{name} must be a finite number, not {value}"
        case "literal_error":
            allowed = limits["expected"].replace("'", "").replace(" or ", ", ").split(", ")
            return _not_one_of(str(name), value, allowed)
    kind = error["type"].removesuffix("_type").replace("tuple", "list")
    return f"{name} must be {kind}, not {value!r}"


def from_dict(kind: type[Kind], data: Mapping[str, Any], where: str = "") -> Kind:
    """Return settings of one kind from plain data; raise SettingsError for an unknown key or a wrong value."""
    if not isinstance(data, Mapping):
        raise SettingsError(f"'{where}' must be a table")
    known = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for key in data:
        if key not in known:
            name = f"{where}.{key}" if where else key
            hint = f"; its name is now '{RENAMED[key]}'" if key in RENAMED else did_you_mean(key, known)
            raise SettingsError(f"unknown setting '{name}'{hint}")
    try:
        return kind(**data)
    except (TypeError, SettingsError) as error:
        raise SettingsError(f"[{where}] {error}" if where else str(error)) from None


def to_dict(settings: Any) -> dict[str, Any]:
    """Return settings as plain data for TOML or JSON, without None."""
    return {key: value for key, value in dataclasses.asdict(settings).items() if value is not None}


def one_of(name: str, value: str, allowed: Iterable[str]) -> None:
    """Raise SettingsError unless a value is one of the allowed ones."""
    if value not in (listed := list(allowed)):
        raise SettingsError(_not_one_of(name, value, listed))


def _not_one_of(name: str, value: Any, allowed: list[str]) -> str:
    return f"{name} must be {' or '.join(allowed)}, not '{value}'{did_you_mean(str(value), allowed)}"


def only(method: str, name: str, value: Any, allowed: Any, instead: str) -> None:
    """Raise SettingsError if a setting that defines a method was changed."""
    if value != allowed:
        raise SettingsError(f"{name} is {allowed} in {method}, not {value}; to choose it, train {instead}")


def at_least(name: str, value: float, least: float) -> None:
    """Raise SettingsError for a number below `least`, NaN or infinity."""
    if not value >= least or math.isinf(value):
        raise SettingsError(f"{name} must be a number of at least {least}, not {value}")
