"""Every setting with its default and its explanation, from the dataclasses and their docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from typing import Any, get_type_hints

from chronotope.config import PRESETS, Config
from chronotope.methods import METHODS

# What means the same in every section.
COMMON = {
    "dimensions": "The length of a vector.",
    "epochs": "Passes over the data.",
    "seed": "The same seed gives the same bytes.",
}
HEAD = """# Settings

One TOML file holds the settings of all stages; `prepare --config FILE` and `train --config FILE` read it. An option on
the command line goes before the file, and an unknown key is an error. In Python the same settings are arguments:
`ct.read_corpus(…, every="10y")`, `ct.GraphModel(smoothness=2.0)`.

```toml
[corpus]
time = "date"
every = "10y"

[graph]
dimensions = 100
```
"""


def page() -> str:
    """The page of the documentation. A setting that a section shares with an earlier one is explained there."""
    parts, home = [HEAD], {}
    for section in dataclasses.fields(Config):
        kind = get_type_hints(Config)[section.name]
        method = section.name.replace("_", "-")
        about = f"`--method {method}`: {METHODS[method][1]}." if method in METHODS else summary(kind)
        rows, shared = [], {}
        for text, items in _explained(kind).items():
            names, defaults = [f"`{item.name}`" for item in items], [_default(item) for item in items]
            where, usual = home.setdefault((*names, text), (section.name, defaults))
            if where == section.name:
                rows.append(f"| {', '.join(names)} | {', '.join(defaults)} | {text} |")
                continue
            for name, value, known in zip(names, defaults, usual, strict=True):
                written = name if value == known else f"{name[:-1]} = {value.strip('`')}`"
                shared.setdefault(where, []).append(written)
        parts.append(f"## [{section.name}]\n\n{about}\n")
        if rows:
            parts.append("\n".join(["| key | default | |", "|---|---|---|", *rows, ""]))
        parts += [f"As in [{where}](#{where}): {', '.join(values)}.\n" for where, values in shared.items()]
    return "\n".join([*parts, _presets()])


def _explained(kind: type[Any]) -> dict[str, list[dataclasses.Field[Any]]]:
    """Return the explanations of a class, each with the settings that it explains."""
    explained = explanations(kind)
    together: dict[str, list[dataclasses.Field[Any]]] = {}
    for item in dataclasses.fields(kind):
        text = explained.get(item.name) or COMMON.get(item.name)
        if not text:
            raise SystemExit(f"{kind.__name__}.{item.name} has no explanation; add it to the docstring")
        together.setdefault(text.replace("|", r"\|"), []).append(item)
    return together


def summary(kind: type[Any]) -> str:
    """The text of a docstring before its Attributes, on one line."""
    return " ".join(inspect.getdoc(kind).split("Attributes\n---")[0].split())  # type: ignore[union-attr]


def explanations(kind: type[Any]) -> dict[str, str]:
    """What the docstrings of a class and of those that it refines say of each attribute."""
    found: dict[str, str] = {}
    for ancestor in reversed(kind.__mro__):
        if not dataclasses.is_dataclass(ancestor):
            continue
        _, _, attributes = (inspect.getdoc(ancestor) or "").partition("Attributes\n----------\n")
        for names, text in re.findall(r"^(\w[\w, ]*)\n((?:[ ]+.*\n?|\n(?=[ ]))+)", attributes, re.MULTILINE):
            found.update(dict.fromkeys(names.split(", "), " ".join(text.split())))
    return found


def _default(item: dataclasses.Field[Any]) -> str:
    """Return a default as TOML writes it."""
    value = item.default if item.default is not dataclasses.MISSING else item.default_factory()  # type: ignore[misc]
    return "none" if value is None else f"`{json.dumps(value)}`"


def _presets() -> str:
    keys = sorted({key for axes in PRESETS.values() for values in axes.values() for key in values})
    columns = [(name, axis) for name, axes in PRESETS.items() for axis in axes]
    lines = [
        "## Presets of cw2v",
        "",
        "`--preset` sets these together; [what they mean](../cw2v.md). What a column leaves out has the default above.",
        "",
        f"| key | {' | '.join(f'{name}, {axis}' for name, axis in columns)} |",
        f"|---|{'---|' * len(columns)}",
    ]
    for key in keys:
        values = (PRESETS[name][axis].get(key) for name, axis in columns)
        lines.append(f"| `{key}` | {' | '.join('' if value is None else f'`{value}`' for value in values)} |")
    return "\n".join(lines)
