"""chronotope renamings: a method judged on the user's own text, without test pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from chronotope.cli.completing import names
from chronotope.cli.console import progress_bars, show, talk
from chronotope.cli.options import Json, Retrieval, Run, Threads
from chronotope.cli.train import check_choices, read_edges, untrained
from chronotope.config import one_of
from chronotope.methods import METHODS


def renamings_command(
    run: Run,
    method: Annotated[
        str, typer.Option("--method", autocompletion=names(METHODS), help=f"{', '.join(METHODS)}.")
    ] = "graph",
    preset: Annotated[
        str | None, typer.Option("--preset", help="For cw2v: paper, or authors (what their program does).")
    ] = None,
    dimensions: Annotated[int | None, typer.Option("--dimensions", min=1, help="The length of a vector.")] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="Passes over the counts.")] = None,
    smoothness: Annotated[float | None, typer.Option("--smoothness", help="The pull between neighbors.")] = None,
    deviation_penalty: Annotated[
        float | None, typer.Option("--deviation-penalty", help="The pull of a word's own deviations to zero.")
    ] = None,
    config: Annotated[Path | None, typer.Option("--config", help="A TOML file with the settings.")] = None,
    edges: Annotated[
        Path | None, typer.Option("--edges", help="Which places are neighbors: lines `place,place` (all pairs).")
    ] = None,
    share: Annotated[float, typer.Option("--share", help="Which share of the words is renamed.")] = 0.1,
    longest: Annotated[
        int, typer.Option("--longest", min=1, help="Over time a word keeps a name for at most so many bins.")
    ] = 5,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Of the names and of training (1).")] = None,
    retrieval: Retrieval = "csls",
    threads: Threads = None,
    device: Annotated[str, typer.Option("--device", help="auto (a GPU if there is one), cpu or cuda.")] = "auto",
    as_json: Json = False,
) -> None:
    """Rename some words of RUN over time or between places: does a method find them again under their other names?

    Trains on the renamed words and writes nothing. The same RUN, share and seed ask every method the same questions, so
    that methods and settings can be chosen on the text that they are for.
    """
    check_choices(method, preset, device)
    given = {
        "dimensions": dimensions,
        "epochs": epochs,
        "seed": seed,
        "smoothness": smoothness,
        "deviation_penalty": deviation_penalty,
    }
    chosen = {key: value for key, value in given.items() if value is not None}
    renamings(run, method, preset, chosen, config, edges, share, longest, retrieval, threads, device, as_json)


def renamings(
    run: Path,
    method: str,
    preset: str | None,
    chosen: dict[str, Any],
    config: Path | None,
    edges: Path | None,
    share: float,
    longest: int,
    retrieval: str,
    threads: int | None,
    device: str,
    as_json: bool,
) -> None:
    """Rename, train, ask, and show the scores."""
    from chronotope.cooccurrence import Counts
    from chronotope.embeddings.retrieval import RETRIEVALS
    from chronotope.evaluation.evaluate import evaluate
    from chronotope.evaluation.renaming import renamed
    from chronotope.views import tables

    one_of("retrieval", retrieval, RETRIEVALS)
    counts = Counts.open(run)
    model = untrained(method, preset, chosen, config, counts.conditions.axis)
    place_edges = read_edges(edges) if edges else None
    made = renamed(counts, share, chosen.get("seed", 1), longest)
    names = len(made.counts.vocabulary) - len(counts.vocabulary)
    talk("{} pairs about words with {} new names", f"{len(made.pairs.pairs):,}", f"{names:,}")
    with progress_bars() as bars:
        bars("getting ready; the first time, compiling", 0)
        embeddings = model.fit(
            made.counts,
            threads=threads,
            place_edges=place_edges,
            on_step=lambda done, total: bars("training", done, total),
            device=device,
            on_device=lambda line: talk("{}", line),
        )
        bars("asking", 0)
        answer = evaluate(embeddings, made.pairs, retrieval=retrieval)
    show(tables.scores(answer), answer.to_dict(), as_json)
