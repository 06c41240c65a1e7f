"""The command line as a page and as a man page."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

import typer.main

from chronotope.analysis.answer import questions
from chronotope.cli.app import make_app
from chronotope.config import Config

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SETTINGS = {item.name for section in get_type_hints(Config).values() for item in fields(section)}
EXITS = (
    ("0", "success"),
    ("1", "a bug in chronotope"),
    ("2", "a mistake that you can fix; one line on stderr says how"),
    ("130", "interrupted (Ctrl-C)"),
)


@dataclass(frozen=True)
class Parameter:
    """An argument or an option: how it is written, what it does, and its default."""

    written: str
    help: str
    argument: bool
    required: bool
    default: str


@dataclass(frozen=True)
class Command:
    """A command: its name, what its help says, and its parameters."""

    name: str
    help: str
    parameters: tuple[Parameter, ...]

    @property
    def usage(self) -> str:
        """The line that shows how it is called."""
        arguments = [parameter.written for parameter in self.parameters if parameter.argument]
        options = [parameter for parameter in self.parameters if not parameter.argument and parameter.required]
        needed = [f"--{option.written.split('--')[1]}" for option in options]
        return " ".join(["chronotope", self.name, *arguments, *needed, "[OPTIONS]"])

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs of its help, each on one line."""
        return [" ".join(part.split()) for part in self.help.split("\n\n")]


def commands() -> list[Command]:
    """Every command, in the order of `chronotope --help`."""
    found: Any = typer.main.get_command(make_app())
    return [
        Command(
            name,
            command.help or "",
            tuple(_parameter(part) for part in command.params if part.name != "help"),
        )
        for name, command in found.commands.items()
    ]


def _parameter(part: Any) -> Parameter:
    argument = part.param_type_name == "argument"
    help_text = " ".join((getattr(part, "help", None) or "").split())
    if argument:
        name = part.metavar or part.name.upper()
        return Parameter(name if part.required else f"[{name}]", help_text, True, part.required, "")
    written = ", ".join(sorted([*part.opts, *part.secondary_opts], key=len))
    if not part.is_flag:
        written += f" {part.metavar or _kind(part)}"
    default = "" if part.default in (None, False, (), []) or callable(part.default) else str(part.default)
    return Parameter(written, help_text, False, part.required, default)


def _kind(part: Any) -> str:
    """Return a letter or word for the value of an option; the place of its type depends on the version of typer."""
    kind = str(part.type if hasattr(part, "type") else part.type_descriptor.annotation).lower()
    known = (letter for name, letter in (("int", "N"), ("float", "X"), ("path", "PATH")) if name in kind)
    return next(known, part.name.upper())


def page() -> str:
    """The page of the documentation: the commands that are not questions."""
    asked = {name.replace("_", "-") for name in questions()}
    lines = [
        "# Commands",
        "",
        "The commands of questions (`neighbors`, `drift` …) are on the page of [questions](answers.md). Results go to "
        "stdout, messages to stderr. `chronotope COMMAND --help` and `man chronotope` say the same. The exit code is "
        f"{'; '.join(f'{code}: {meaning}' for code, meaning in EXITS)}.",
        "",
    ]
    known = {
        (part.written, part.help) for command in commands() if command.name in asked for part in command.parameters
    }
    for command in commands():
        if command.name in asked:
            continue
        lines += [f"## {command.name}", "", *(f"{part}\n" for part in command.paragraphs), f"`{command.usage}`", ""]
        lines += ["| | |", "|---|---|"]
        others: dict[str, list[str]] = {}
        for part in command.parameters:
            option = part.written.split()[0].strip(",")
            if not part.argument and (part.written, part.help) in known:
                others.setdefault("As for [questions](answers.md#common-parameters)", []).append(f"`{option}`")
            elif command.name in ("prepare", "train") and option.strip("-").replace("-", "_") in SETTINGS:
                others.setdefault("As explained in [settings](settings.md)", []).append(f"`{option}`")
            else:
                default = f" Default: `{part.default}`." if part.default else ""
                lines.append(f"| `{_cell(part.written)}` | {_cell(part.help + default)} |")
        lines += ["", *(f"{where}: {', '.join(options)}.\n" for where, options in others.items())]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def man_page() -> str:
    """The man page, in the language of `man`."""
    out = [
        f'.TH CHRONOTOPE 1 "" "chronotope {_roff(PROJECT["version"])}" "User commands"',
        ".SH NAME",
        r"chronotope \- what words mean when and where",
        ".SH SYNOPSIS",
        ".B chronotope",
        ".I COMMAND",
        "[OPTIONS]",
        ".SH DESCRIPTION",
        "From dated or placed text, one vector for each word in each time bin and place, all in one space.",
        "Results go to standard output, messages to standard error.",
        ".SH COMMANDS",
    ]
    for command in commands():
        out += [f".SS {_roff(command.usage)}", *_paragraphs(command)]
        for part in command.parameters:
            default = f" (default: {part.default})" if part.default else " (required)" if part.required else ""
            out += [".TP", f".B {_roff(part.written)}", _roff(part.help + default) or r"\&"]
    out += [".SH EXIT STATUS"]
    for code, meaning in EXITS:
        out += [".TP", f".B {code}", _roff(meaning)]
    out += [".SH ENVIRONMENT", ".TP", ".B NUMBA_CACHE_DIR", "Where compiled kernels are kept."]
    out += [".SH SEE ALSO", "The documentation in the folder docs of the source, built by: make docs"]
    return "\n".join(out) + "\n"


def _paragraphs(command: Command) -> list[str]:
    return [line for part in command.paragraphs for line in (".PP", _roff(part))]


def _roff(text: str) -> str:
    """Text with what means something to `man` escaped."""
    text = re.sub(r"[*`]", "", text).replace("\\", r"\e").replace("-", r"\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
