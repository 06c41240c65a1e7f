"""Arguments and options that several commands share, and how models and runs are opened."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from chronotope.cli.console import talk
from chronotope.errors import SettingsError, some_of

if TYPE_CHECKING:
    from chronotope.cooccurrence import Counts
    from chronotope.embeddings import ConditionedEmbeddings

Model = Annotated[Path, Argument(metavar="MODEL", help="Model file, or the run that contains model.ct.")]
Run = Annotated[Path, Argument(metavar="RUN", help="Folder that `prepare` wrote.")]
MinCount = Annotated[int, Option(min=0, help="Minimum number of occurrences in a condition; rarer words are left out.")]
Retrieval = Annotated[str, Option(help="Ranking: csls (penalizes hubs) or cosine.")]
Coordinates = Annotated[
    Path | None, Option(metavar="FILE", help="Coordinates of places: CSV file place,lat,lon, or GeoJSON.")
]
FORMS = {"json": "Print JSON.", "csv": "Print CSV.", "markdown": "Print a Markdown table."}
Json = Annotated[bool, Option("--json", help=FORMS["json"])]
Csv = Annotated[bool, Option("--csv", help=FORMS["csv"])]
Markdown = Annotated[bool, Option("--markdown", help=FORMS["markdown"])]
ENDINGS = "Write a chart (.png, .svg, .pdf, .html) or the rows (.csv, .json, .md, .parquet)."
Output = Annotated[Path | None, Option("-o", "--output", metavar="FILE", help=ENDINGS)]
Threads = Annotated[int | None, Option(min=1, help="Cores to use (default: all); the result does not depend on it.")]


def chosen_form(given: Mapping[str, bool]) -> str | None:
    """Return the form of output that was asked for; None: a table."""
    chosen = [form for form, asked in given.items() if asked]
    if len(chosen) > 1:
        raise SettingsError("choose one of --json, --csv and --markdown")
    return chosen[0] if chosen else None


def open_model(path: Path, *, verify: bool = False) -> ConditionedEmbeddings:
    """Return the embeddings in a file or a run; `verify` reads all of it and compares checksums."""
    from chronotope.embeddings import load

    embeddings = load(path, verify=verify)
    if path.is_dir():
        warn_if_earlier(path, embeddings)
    elif not embeddings.counted:
        talk("[yellow]{} came without counts: every word weighs the same, and tables show no counts[/]", path)
    return embeddings


def warn_if_earlier(path: Path, embeddings: ConditionedEmbeddings) -> None:
    """Warn if the model in a run was trained on an earlier state of the run."""
    from chronotope.io.run_folder import read_run

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
