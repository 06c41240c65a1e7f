"""All questions as one page, from the registry: how each is asked, and the columns that it answers with."""

from __future__ import annotations

import inspect
from collections import Counter
from textwrap import fill
from typing import Any

from chronotope.analysis.answer import Parameter, Question, questions
from chronotope.analysis.columns import COLUMNS
from chronotope.analysis.params import INTERNAL
from chronotope.cli.answers import description, limits, of_run, option_name

HEAD = """# Questions

Every question is a function of `chronotope`, a command, and an address of the explorer's API, with the same parameters
and [columns](#columns). The first argument is a model or a run, or the path of one.

```text
ct.series("run", "energy", min_count=10)          # in Python: an Answer
chronotope series run energy --min-count 10       # a table; --json, --csv, --markdown, -o FILE
GET /api/series?word=energy&min_count=10          # in the explorer: JSON
```

An option is the name of the parameter with hyphens (`start` and `end` are `--from` and `--to`). Parameters without a
line under their question are explained [once for all](#common-parameters).
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
EMPTY = inspect.Parameter.empty


def page() -> str:
    """Return the page of the documentation."""
    known = questions()
    texts = Counter((one.name, _help(one)) for question in known.values() for one in _own(question))
    common = {name: text for (name, text), times in reversed(texts.most_common()) if times > 1}
    lines, group = [HEAD], ""
    for question in known.values():
        if question.group != group:
            group = question.group
            lines += [f"## {group}", ""]
        lines += _section(question, common)
    lines += ["## Common parameters", "", "| | |", "|---|---|"]
    lines += [f"| `{name}` | {_cell(text)} |" for name, text in sorted(common.items())]
    lines += ["", "## Columns", "", "| | | |", "|---|---|---|"]
    used = {name for question in known.values() for name in question.columns}
    lines += [f"| `{name}` | {COLUMNS[name].type} | {_cell(COLUMNS[name].meaning)} |" for name in sorted(used)]
    return "\n".join(lines) + "\n" + ANSWER


def _section(question: Question, common: dict[str, str]) -> list[str]:
    source, own = "run" if of_run(question) else "model", _own(question)
    words = [option_name(one) for one in own if one.info.argument]
    command = " ".join(["chronotope", question.name.replace("_", "-"), source.upper(), *words, "[OPTIONS]"])
    arguments = [one.name for one in own if one.info.argument]
    options = [
        one.name if one.default is EMPTY else f"{one.name}={one.default!r}" for one in own if not one.info.argument
    ]
    call = ", ".join([source, *arguments, *options])
    lines = [f"### {question.name}", "", description(question), ""]
    wrapped = fill(f"ct.{question.name}({call})", 88, subsequent_indent="    ", break_long_words=False)
    lines += ["```text", wrapped, command, "```", ""]
    for one in own:
        if common.get(one.name) != _help(one):
            option = option_name(one)
            unusual = not one.info.argument and option != f"--{one.name.replace('_', '-')}" and one.info.option
            also = f" (`{option}`)" if unusual else ""
            lines.append(f"- `{one.name}`{also}: {_help(one)}")
    lines += ["", f"Columns: {', '.join(f'`{name}`' for name in question.columns)}."]
    if question.chart:
        chart: dict[str, Any] = question.chart.to_dict()
        lines[-1] += f" Chart: {FORMS[chart['family']].format(**chart)}."
    return [*lines, ""]


def _own(question: Question) -> list[Parameter]:
    return [one for one in question.parameters if one.name not in INTERNAL]


def _help(one: Parameter) -> str:
    bounds = limits(one.info)
    trivial = bounds in ("", "at least 0", "at least 1")
    return one.info.help if trivial else f"{one.info.help.removesuffix('.')} ({bounds})."


def _cell(text: str) -> str:
    return text.replace("|", r"\|")
