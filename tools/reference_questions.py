"""All questions as one page, from the registry: parameters, columns and chart of each."""

from __future__ import annotations

import inspect
from typing import Any

from chronotope.analysis.answer import Parameter, Question, questions
from chronotope.analysis.columns import COLUMNS
from chronotope.analysis.params import INTERNAL
from chronotope.cli.answers import description, limits, of_run, option_name

HEAD = """# Questions and answers

Every question is a function of `chronotope`, a command, and an address of the explorer's API, with the same parameters
and the same columns. The first argument is a model or a run, or the path of one:

```text
ct.series("run", "energy")                        # in Python: an Answer
chronotope series run energy --json               # on the command line: a table, --json, --csv, --markdown, -o FILE
GET /api/series?word=energy                       # in the explorer: JSON
```

"""
ANSWER = """
::: chronotope.analysis.answer.Answer

## Charts

`answer.plot()` draws one of four kinds; `answer.save("FILE.png")` writes it.

::: chronotope.analysis.charts.Lines

::: chronotope.analysis.charts.Ranked

::: chronotope.analysis.charts.Tiles

::: chronotope.analysis.charts.Plane
"""
FORMS = {
    "lines": "lines of `{y}` over `{x}`",
    "ranked": "bars of `{value}`",
    "tiles": "tiles of `{value}`, `{y}` by `{x}`",
    "plane": "points by `{x}` and `{y}`",
}


def page() -> str:
    """Return the page of the documentation."""
    known = questions()
    lines = [HEAD, "| question | |", "|---|---|"]
    lines += [f"| [`{name}`](#{name}) | {one.summary} |" for name, one in known.items()]
    group = ""
    for one in known.values():
        if one.group != group:
            group = one.group
            lines += ["", f"## {group}"]
        lines += ["", *_section(one)]
    return "\n".join(lines) + "\n" + ANSWER


def _section(one: Question) -> list[str]:
    source = "run" if of_run(one) else "model"
    own = [parameter for parameter in one.parameters if parameter.name not in INTERNAL]
    words = " ".join(parameter.info.metavar or parameter.name.upper() for parameter in own if parameter.info.argument)
    called = ", ".join([source, *(parameter.name for parameter in own if parameter.default is inspect.Parameter.empty)])
    command = " ".join(filter(None, ["chronotope", one.name.replace("_", "-"), source.upper(), words]))
    lines = [f"### {one.name}", "", description(one), "", f"`ct.{one.name}({called}, …)` · `{command} [OPTIONS]`", ""]
    if own:
        lines += ["| parameter | | default |", "|---|---|---|", *map(_parameter, own), ""]
    lines += ["| column | type | |", "|---|---|---|"]
    lines += [f"| `{name}` | {COLUMNS[name].type} | {_cell(COLUMNS[name].meaning)} |" for name in one.columns]
    if one.chart:
        chart: dict[str, Any] = one.chart.to_dict()
        lines += ["", f"Chart: {FORMS[chart['family']].format(**chart)}."]
    return lines


def _parameter(one: Parameter) -> str:
    names = f"`{one.name}`" if one.info.argument else f"`{one.name}`, `{option_name(one)}`"
    bounds = limits(one.info)
    help_text = f"{one.info.help.removesuffix('.')} ({bounds})." if bounds else one.info.help
    default = (
        "required" if one.default is inspect.Parameter.empty else "" if one.default is None else f"`{one.default}`"
    )
    return f"| {names} | {_cell(help_text)} | {default} |"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")
