"""chronotope reproduce: the paper's tables on open text, from the ground up."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli.console import progress_bars, talk
from chronotope.cli.options import Json, Threads
from chronotope.config import one_of
from chronotope.errors import SettingsError

if TYPE_CHECKING:
    from chronotope.embeddings import ConditionedEmbeddings
    from chronotope.evaluation.reproduce import Reproduction
    from chronotope.evaluation.reproduce_contenders import Contender
    from chronotope.evaluation.reproduce_tables import Table

NAMES = ("places", "time", "news", "qualitative", "ablation")
SEEDS, DIMENSIONS = 3, 50
# Our model and the paper's, in the examples.
LOOKED_AT = ("graph", "cw2v")
# As many as the paper lists.
STABLE_WORDS = 35


def reproduce_command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help=f"{', '.join(NAMES)}.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where counts, models, results go.")
    ] = Path("chronotope-reproduce"),
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder with the data ($CHRONOTOPE_DATA, else ../shared/data).")
    ] = None,
    methods: Annotated[
        str | None, typer.Option("--methods", help="Only these, with commas between: graph,cw2v-paper (all).")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, help=f"Train each with so many seeds ({SEEDS}; ablation: 1).")
    ] = None,
    dimensions: Annotated[
        int | None, typer.Option("--dimensions", min=1, help=f"The common length of vectors ({DIMENSIONS}).")
    ] = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Train every method on the same open text, and print the paper's table: what is done is not done again."""
    one_of("TABLE", table, NAMES)
    chosen = [name.strip() for name in methods.split(",") if name.strip()] if methods else None
    if table == "ablation":
        if dimensions is not None:
            raise SettingsError("dimensions are among what the ablation changes; leave --dimensions out")
        ablation(output, data, chosen, range(1, (seeds or 1) + 1), threads, as_json)
        return
    dimensions = dimensions or DIMENSIONS
    if table == "qualitative":
        examples(output, data, chosen or list(LOOKED_AT), dimensions, threads, as_json)
        return
    from chronotope.evaluation.reproduce_contenders import contenders
    from chronotope.evaluation.reproduce_tables import TABLES
    from chronotope.views import charts, score_charts, score_tables

    who = contenders(TABLES[table].axis, dimensions, chosen)
    answer = run_table(TABLES[table], output, data, who, range(1, (seeds or SEEDS) + 1), threads)
    for section in answer.sections:
        picture = output / f"{table}-{Path(section.pairs).stem}.png"
        subtitle = "MRR: mean over seeds, with 95 % intervals by resampling the words that are asked about"
        title = f"{section.size:,} pairs of {section.pairs}"
        charts.save(score_charts.scores(score_charts.of_section(section), title=title, subtitle=subtitle), picture)
        talk("{}", picture)
    sys.stdout.write(_json(answer.to_dict()) if as_json else score_tables.report(answer))


def run_table(
    table: Table, output: Path, data: Path | None, who: list[Contender], seeds: range, threads: int | None
) -> Reproduction:
    """Make a table, with progress on stderr."""
    from chronotope.evaluation.reproduce import reproduce

    with _talking() as bars:
        return reproduce(table, output, who, data=data, seeds=seeds, threads=threads, progress=bars, say=_say)


def ablation(
    output: Path, data: Path | None, chosen: list[str] | None, seeds: range, threads: int | None, as_json: bool
) -> None:
    """What each choice in our models does, on time and on places."""
    from chronotope.evaluation import reproduce_ablation
    from chronotope.views import score_tables

    choices = reproduce_ablation.choose(chosen)
    with _talking() as bars:
        answer = reproduce_ablation.ablation(
            output, choices, data=data, seeds=seeds, threads=threads, progress=bars, say=_say
        )
    sys.stdout.write(_json(answer.to_dict()) if as_json else score_tables.ablation(answer))


def examples(
    output: Path, data: Path | None, chosen: list[str], dimensions: int, threads: int | None, as_json: bool
) -> None:
    """The paper's qualitative results in kind, for each method: stable words, changing company, its failures."""
    from chronotope.embeddings import load
    from chronotope.evaluation.reproduce_contenders import contenders
    from chronotope.evaluation.reproduce_data import data_folder
    from chronotope.evaluation.reproduce_tables import EXAMPLES_OVER_TIME, TABLES
    from chronotope.views import score_tables

    tables = (EXAMPLES_OVER_TIME, TABLES["places"])
    for table in tables:
        data_folder(data, table)
    found: list[dict[str, Any]] = []
    for table in tables:
        # A method's name stands for its default form alone here: one model is enough to look at.
        who = [one for one in contenders(table.axis, dimensions, chosen) if one.name in chosen]
        made = run_table(table, output, data, who, range(1, 2), threads)
        found += [_examples_of(load(output / fit.model), fit.contender, made) for fit in made.fits]
    sys.stdout.write(_json(found) if as_json else score_tables.examples(found))


def _examples_of(embeddings: ConditionedEmbeddings, contender: str, made: Reproduction) -> dict[str, Any]:
    from chronotope.analysis import stable
    from chronotope.evaluation.reproduce_examples import OVER_PLACES, OVER_TIME, failures, neighbors_over_conditions

    axis = made.table.axis
    same = stable(embeddings, min_conditions=max(2, len(embeddings.conditions)))
    words = OVER_TIME if axis == "time" else OVER_PLACES
    return {
        "method": contender,
        "axis": axis,
        "signature": embeddings.signature,
        "stable": [row.word for row in same.most(STABLE_WORDS)],
        "neighbors": {
            word: [example.to_dict() for example in neighbors_over_conditions(embeddings, word)] for word in words
        },
        "failures": [example.to_dict() for example in failures(embeddings)] if axis == "time" else [],
    }


@contextmanager
def _talking() -> Iterator[Any]:
    """Progress on stderr, and what to do where it is stopped."""
    with progress_bars() as bars:
        try:
            yield bars
        except KeyboardInterrupt:
            raise KeyboardInterrupt("stopped; the same command goes on from the fit that it was at") from None


def _say(line: str) -> None:
    talk("{}", line)


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False) + "\n"
