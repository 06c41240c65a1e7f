"""What is taken as it is, is what typer would make of it; what is wrong is refused in typer's own words."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from chronotope.cli.plain_values import PlainCommand, PlainGroup

GIVEN = [
    ["word"],
    [
        "word",
        "--top",
        "5",
        "--least",
        "-3",
        "--run",
        "some/where",
        "--phrase",
        "a b",
        "--phrase",
        "c",
        "--level",
        "0.5",
    ],
    ["word", "--run", ".", "--at", "1998", "--flag"],
    ["word", "--run", ""],
    ["wörd", "--at", "", "--phrase", ""],
    ["word", "--top", "05", "--least", "+3"],
    ["word", "--top", "1_000"],
    ["word", "--top", "0"],
    ["word", "--top", "101"],
    ["word", "--top", "9" * 20],
    ["word", "--top", "9" * 5000],
    ["word", "--bare", "7"],
    ["word", "--top", "five"],
    ["word", "--top", "٥"],
    ["word", "--top", "5.5"],
    ["word", "--level", "much"],
    ["word", "--kept", "nowhere"],
    ["word", "--kept", "."],
    ["word", "more", "and more"],
    ["word", "--what"],
    ["--at", "1998"],
    [],
    ["word", "--checked", "odd"],
    ["word", "--checked", "even"],
]


def checked(value: str | None) -> str:
    if value == "odd":
        raise typer.BadParameter("it is odd")
    return f"checked {value}"


def command(
    word: Annotated[str, typer.Argument()],
    others: Annotated[list[str] | None, typer.Argument()] = None,
    top: Annotated[int, typer.Option(min=1, max=100)] = 10,
    least: Annotated[int | None, typer.Option()] = None,
    run: Annotated[Path, typer.Option()] = Path("run"),
    kept: Annotated[Path | None, typer.Option(exists=True, dir_okay=False)] = None,
    at: Annotated[str | None, typer.Option()] = None,
    phrase: Annotated[list[str] | None, typer.Option()] = None,
    level: Annotated[float, typer.Option()] = 0.05,
    flag: Annotated[bool, typer.Option("--flag")] = False,
    bare: int | None = None,
    checked: Annotated[str | None, typer.Option(callback=checked)] = None,
) -> None:
    values = [word, others, top, least, run, kept, at, phrase, level, flag, bare, checked]
    print([(type(value).__name__, value) for value in values])


def made(is_plain: bool) -> typer.Typer:
    app = typer.Typer(cls=PlainGroup) if is_plain else typer.Typer()
    app.callback()(lambda: None)
    app.command("do", cls=PlainCommand if is_plain else None)(command)
    return app


@pytest.mark.parametrize("given", GIVEN, ids=lambda given: " ".join(given)[:40])
def test_values_are_those_of_typer(given: list[str]) -> None:
    plain, theirs = (CliRunner().invoke(made(is_plain), ["do", *given]) for is_plain in (True, False))
    assert (plain.exit_code, plain.output) == (theirs.exit_code, theirs.output)


def test_pydantic_stays_out() -> None:
    code = """
import sys
from chronotope.cli.app import make_app
from chronotope.errors import ChronotopeError
try:
    make_app("prepare")(["prepare", "nothing.jsonl", "-o", "run", "--time", "year", "--window", "5"])
except ChronotopeError as error:
    print(error, "pydantic" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "there is no file or folder nothing.jsonl False"
