"""Arguments and options that several commands share, their completion, and how models and runs are opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Context, Option

from chronotope.cli.console import talk
from chronotope.errors import ChronotopeError, SettingsError, some_of
from chronotope.io.run_folder import read_run

if TYPE_CHECKING:
    from chronotope.conditions import Conditions
    from chronotope.cooccurrence import Counts
    from chronotope.embeddings import ConditionedEmbeddings

Model = Annotated[Path, Argument(metavar="MODEL", help="Model file, or the run that contains model.ct.")]
Run = Annotated[Path, Argument(metavar="RUN", help="Folder that `prepare` wrote.")]
MinCount = Annotated[int, Option(min=0, help="Minimum number of occurrences in a condition; rarer words are left out.")]
Retrieval = Annotated[str, Option(help="Ranking: csls (penalizes hubs), cosine or references.")]
Coordinates = Annotated[
    Path | None, Option(metavar="FILE", help="Coordinates of places: CSV file place,lat,lon, or GeoJSON.")
]
FORMS = {"json": "Print JSON.", "csv": "Print CSV.", "markdown": "Print a Markdown table."}
Json = Annotated[bool, Option("--json", help=FORMS["json"])]
Csv = Annotated[bool, Option("--csv", help=FORMS["csv"])]
Markdown = Annotated[bool, Option("--markdown", help=FORMS["markdown"])]
ROWS = "the rows (.csv, .json, .md, .parquet)."
Output = Annotated[
    Path | None,
    Option("-o", "--output", metavar="FILE", help=f"Write a chart (.png, .svg, .pdf, .html) or {ROWS}"),
]
RowsOutput = Annotated[Path | None, Option("-o", "--output", metavar="FILE", help=f"Write {ROWS}")]
Threads = Annotated[int | None, Option(min=1, help="Cores to use (default: all); the result does not depend on it.")]


def chosen_form(given: Mapping[str, bool]) -> str | None:
    """Return the form of output that was asked for; None for a table."""
    forms = [form for form, wanted in given.items() if wanted]
    if len(forms) > 1:
        raise SettingsError("choose one of --json, --csv and --markdown")
    return forms[0] if forms else None


def open_model(path: Path, *, verify: bool = False) -> ConditionedEmbeddings:
    """Return the embeddings in a file or a run; `verify` reads all of it and compares checksums."""
    from chronotope.embeddings import load

    embeddings = load(path, verify=verify)
    if path.is_dir():
        warn_if_earlier(path, embeddings)
    elif not embeddings.counted:
        talk("[yellow]{} has no word counts: every word has the same weight, and tables show no counts[/]", path)
    return embeddings


def warn_if_earlier(path: Path, embeddings: ConditionedEmbeddings) -> None:
    """Warn if the model in a run was trained on an earlier state of the run."""
    if (path / "run.json").exists() and embeddings.provenance.get("run") != read_run(path)["checksum"]:
        talk("[yellow]the model in {} was trained on an earlier run; train it again with --force[/]", path)


def open_run(path: Path) -> Counts:
    """Return the counts of a run, or of the run beside a model; warn of conditions that `extend` added to the model."""
    from chronotope.cooccurrence import Counts
    from chronotope.embeddings import load
    from chronotope.embeddings.storage import run_folder

    counts = Counts.open(run_folder(path))
    if path.is_file() and (added := set(load(path).conditions.labels) - set(counts.conditions.labels)):
        talk("[yellow]the run has no text of {}, which came with `extend`[/]", some_of(sorted(added)))
    return counts


def names(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a completer for fixed names.

    >>> names(["graph", "cw2v", "compass"])("c")
    ['cw2v', 'compass']
    """
    listed = list(known)
    return lambda incomplete: [name for name in listed if name.startswith(incomplete)]


def conditions(ctx: Context, incomplete: str) -> list[str]:
    """Complete a condition of the model or run that stands earlier on the command line."""
    return _complete(ctx, incomplete, "labels")


def places(ctx: Context, incomplete: str) -> list[str]:
    """Complete a place of the model or run that stands earlier on the command line."""
    return _complete(ctx, incomplete, "places")


def _complete(ctx: Context, incomplete: str, which: str) -> list[str]:
    """Return the labels or places that start with the typed letters; none on an error."""
    # An option that waits for its value keeps typer from reading the words before it as arguments.
    given: list[Any] = [ctx.params.get("model"), ctx.params.get("run"), *ctx.args]
    path = next((Path(word) for word in given if word and Path(word).exists()), None)
    with suppress(ChronotopeError, OSError, ValueError):
        known = () if path is None else getattr(_conditions(path), which)
        return [label for label in known if label.lower().startswith(incomplete.lower())]
    return []


def _conditions(path: Path) -> Conditions:
    if path.is_dir():
        from chronotope.conditions import Conditions

        return Conditions.from_dict(read_run(path)["conditions"])
    from chronotope.embeddings import load

    return load(path).conditions
