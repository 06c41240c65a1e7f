"""chronotope report: what changed, the sentences and the method, on one page."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from chronotope.analysis.answer import questions
from chronotope.analysis.params import INTERNAL, run_of
from chronotope.cli.answers import typer_parameter, writable_run
from chronotope.cli.console import progress_bars, talk
from chronotope.cli.options import Model, open_model
from chronotope.errors import SettingsError

Page = Annotated[Path, Option("-o", "--output", metavar="FILE.html", help="The page to write.")]
Title = Annotated[str | None, Option(help="Title of the page (default: the name of the run).")]
Sentences = Annotated[int, Option(min=1, help="Sentences for each word, before and after.")]


def report_command(**given: Any) -> None:
    """Write a report on the words that changed: one page with figures, charts, sentences and a paragraph on the method.

    The words are those of `drift`, whose options it takes. If documents can be resampled, it makes 20 permutations and
    50 draws.
    """
    from chronotope.views.report import report

    output = given.pop("output")
    if output.suffix.lower() not in (".html", ".htm"):
        raise SettingsError(f"{output}: the report is a page, so its name must end in .html")
    question = questions()["drift"]
    own = {parameter.name for parameter in question.parameters}
    values = {name: value for name, value in given.items() if value is not None}
    question.check({name: value for name, value in values.items() if name in own})
    model = open_model(values.pop("model"))
    run = run_of(model)
    with progress_bars() as bars:
        report(model, output, progress=bars, keep_in=writable_run(run) if run else None, **values)
    talk("{}", output)


def _signature() -> inspect.Signature:
    """Return the options of the command: its own and those of `drift`."""
    kind = inspect.Parameter.KEYWORD_ONLY
    own = {"output": (Page, inspect.Parameter.empty), "title": (Title, None), "sentences": (Sentences, 3)}
    parameters = [inspect.Parameter("model", kind, annotation=Model)]
    for name, (type_, value) in own.items():
        parameters.append(inspect.Parameter(name, kind, annotation=type_, default=value))
    defaults = {"top": 10, "permutations": None, "bootstrap": None}
    for one in questions()["drift"].parameters:
        if one.name not in INTERNAL:
            made = typer_parameter(one)
            parameters.append(made.replace(default=defaults.get(one.name, made.default)))
    return inspect.Signature(parameters)


report_command.__signature__ = _signature()  # type: ignore[attr-defined]
report_command.__annotations__ = {one.name: one.annotation for one in _signature().parameters.values()}
