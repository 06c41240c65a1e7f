"""The commands of the questions, made from the registry: arguments, options and help."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from typer import Argument, Option

from chronotope.analysis.params import INTERNAL
from chronotope.cli.console import progress_bars, stdout, talk
from chronotope.cli.options import (
    FORMS,
    Output,
    RowsOutput,
    chosen_form,
    conditions,
    names,
    open_model,
    open_run,
    places,
)
from chronotope.errors import SettingsError, some_of
from chronotope.io.untrusted import printable, printable_json

if TYPE_CHECKING:
    from chronotope.analysis.answer import Answer, Parameter, Question
    from chronotope.analysis.params import Param

EMPTY = inspect.Parameter.empty
HUGE = 10**9  # limits from here on are not shown
RESAMPLES = ("permutations", "bootstrap", "seeds")
COUNTS = ("count", "count_before", "count_after", "other_count", "neighbor_count", "equivalent_count", "per_million")


def question_command(question: Question) -> Callable[..., None]:
    """Return the command of a question, with the signature that typer reads."""
    own = [parameter for parameter in question.parameters if parameter.name not in INTERNAL]
    source = "run" if of_run(question) else "model"

    def command(**options: Any) -> None:
        form = chosen_form({form: options.pop(form) for form in FORMS})
        output, path = options.pop("output"), options.pop(source)
        # Typer gives an empty list for a repeated argument without a value.
        values = {name: None if value == [] else value for name, value in options.items()}
        ask(question, path, values, form, output)

    file = Annotated[Path, Argument(metavar=source.upper(), help=question.source.info.help)]
    parameters = [inspect.Parameter(source, inspect.Parameter.KEYWORD_ONLY, annotation=file)]
    parameters += map(typer_parameter, own)
    for form in FORMS:
        flag = Annotated[bool, Option(f"--{form}", help=FORMS[form])]
        parameters.append(inspect.Parameter(form, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=flag))
    written = Output if question.chart else RowsOutput
    parameters.append(inspect.Parameter("output", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=written))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    spelled = {parameter.name: option_name(parameter) for parameter in question.parameters}
    command.__doc__ = re.sub(r"`(\w+)`", lambda name: spelled.get(name[1], name[0]), description(question))
    return command


def ask(question: Question, path: Path, values: dict[str, Any], form: str | None, output: Path | None) -> None:
    """Ask a question and print the answer, or write it to a file."""
    from chronotope.analysis.answer import check_ending

    question.check({name: value for name, value in values.items() if value is not None})
    if output:
        check_ending(output, chart=question.chart is not None)
    source = open_run(path) if of_run(question) else open_model(path)
    for parameter in question.parameters:
        if parameter.default is EMPTY and values.get(parameter.name) is None:
            labels, name = source.conditions.labels, option_name(parameter)
            listed = f" with one of the {len(labels):,} conditions: {some_of(labels)}"
            is_condition = parameter.info.complete == "conditions"
            raise SettingsError(f"add {name}{listed if is_condition else f': {parameter.info.help}'}")
    parameters = {parameter.name for parameter in question.parameters}
    resampled = "keep_in" in parameters and any(values.get(name) for name in RESAMPLES)
    keep_in = writable_run(source) if resampled else None
    with progress_bars() as bars:
        internal = {"progress": bars, "keep_in": keep_in}
        try:
            answer = question.ask(source, **values, **{name: internal[name] for name in internal if name in parameters})
        except KeyboardInterrupt:
            if keep_in:
                talk("stopped; the same command continues from here")
            raise
    if not getattr(source, "counted", True):
        unknown = [name for name in COUNTS if name in answer.frame.columns]
        answer = replace(answer, rows=answer.frame.with_columns(**dict.fromkeys(unknown)))
    deliver(answer, form, output, answer.notes)


def deliver(answer: Answer, form: str | None, output: Path | None, notes: Sequence[str]) -> None:
    """Write an answer to a file and its notes to stderr; print it unless only the file was asked for."""
    if output:
        answer.save(output)
    for note in (*(() if form == "json" else notes), *([output] if output else [])):
        talk("{}", note)
    if form or not output:
        show_answer(answer, form)


def show_answer(answer: Answer, form: str | None = None) -> None:
    """Print an answer on stdout: as 'json', 'csv', 'markdown' or, without a form, as a table."""
    if form is None:
        from chronotope.views import tables

        stdout.print(tables.answer(answer))
    elif form == "json":
        sys.stdout.write(printable_json(answer.to_json()) + "\n")
    elif form == "markdown":
        sys.stdout.write(printable(answer.to_markdown(), lines=True) + "\n")
    else:
        # Control characters go into files and pipes as they are, but not to a terminal.
        text = answer.to_csv()
        sys.stdout.write(printable(text, lines=True) if sys.stdout.isatty() else text)


def of_run(question: Question) -> bool:
    """Return whether a question is about a run, not about a model."""
    return bool(question.source.type.__name__ == "Counts")


def description(question: Question) -> str:
    """Return the docstring of a question up to its first section (Parameters, Examples)."""
    return re.split(r"\n\n\w+\n-{3,}", inspect.cleandoc(question.ask.__doc__ or ""), maxsplit=1)[0]


def option_name(parameter: Parameter) -> str:
    """Return a parameter as the command line spells it: an option, or the name of an argument."""
    if parameter.info.argument:
        return parameter.info.metavar or parameter.name.upper()
    return parameter.info.option or f"--{parameter.name.replace('_', '-')}"


def limits(info: Param) -> str:
    """Return the limits of a number in words, or ''.

    >>> from chronotope.analysis.params import Param
    >>> limits(Param("Number of results.", least=1, most=100_000)), limits(Param("Cores.", least=1))
    ('1 to 100,000', 'at least 1')
    """
    if info.least is None:
        return ""
    if info.most is None or info.most >= HUGE:
        return f"at least {info.least:,}"
    return f"{info.least:,} to {info.most:,}"


def typer_parameter(parameter: Parameter) -> inspect.Parameter:
    """Return a parameter of a question as typer reads it."""
    name, default, info = parameter.name, parameter.default, parameter.info
    choices = [str(value) for value in get_args(parameter.kind)]
    bounds = limits(info)
    help_text = f"{info.help.removesuffix('.')} ({bounds})." if bounds else info.help
    kind: Any = str if choices else parameter.kind
    if info.argument:
        shown = default not in (EMPTY, None)
        settings: Any = Argument(metavar=info.metavar or name.upper(), help=help_text, show_default=shown)
        kind = list[str] if parameter.many else str
    elif kind is bool:
        option = option_name(parameter)
        # A switch without a default can be set both ways.
        settings = Option(f"{option}/--no-{option[2:]}" if default is None else option, help=help_text)
        kind = bool | None
    else:
        metavar = {"conditions": "CONDITION", "places": "PLACE"}.get(info.complete or "")
        metavar = info.metavar or "|".join(choices) or metavar or {int: "N", float: "X"}.get(kind, "TEXT")
        complete = {"conditions": conditions, "places": places}.get(info.complete or "", names(choices))
        settings = Option(option_name(parameter), metavar=metavar, autocompletion=complete, help=help_text)
        kind = kind | None
        # A missing required option is reported after the model is opened, to list its conditions.
        default = None if default is EMPTY else default
    annotation = Annotated[kind, settings]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def writable_run(source: Any) -> Path | None:
    """Return the folder of the run, for finished resamples; None with a message if it cannot be written to."""
    folder: Path = getattr(source, "counts", source).folder
    if os.access(folder, os.W_OK):
        return folder
    talk("[yellow]{} cannot be written to: if interrupted, the question starts again[/]", folder)
    return None
