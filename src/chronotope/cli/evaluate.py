"""chronotope evaluate: models against test pairs, gold scores of change, or renamed words of their own text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from chronotope.cli.answers import show_answer
from chronotope.cli.completing import conditions, names
from chronotope.cli.console import progress_bars, talk
from chronotope.cli.options import Json, MinCount, Output, Retrieval, Threads, chosen_form, open_model
from chronotope.errors import SettingsError
from chronotope.methods import METHODS

if TYPE_CHECKING:
    from chronotope.evaluation.evaluate import Evaluation


def evaluate_command(
    models: Annotated[list[Path], Argument(metavar="MODEL…", help="Model files, or runs that contain model.ct.")],
    pairs: Annotated[
        Path | None, Option(metavar="FILE", help="Lines `word-condition,word-condition[,category]`.")
    ] = None,
    gold: Annotated[
        Path | None, Option(metavar="FILE", help="Human judgments of change: lines `word<TAB>score`.")
    ] = None,
    start: Annotated[
        str | None, Option("--from", autocompletion=conditions, help="With --gold: earlier condition (first).")
    ] = None,
    end: Annotated[
        str | None, Option("--to", autocompletion=conditions, help="With --gold: later condition (last).")
    ] = None,
    renamings: Annotated[
        bool, Option("--renamings", help="Rename words of the run, train again, and ask for the other names.")
    ] = False,
    min_count: MinCount = 5,
    retrieval: Retrieval = "csls",
    method: Annotated[
        str | None, Option(autocompletion=names(METHODS), help=f"With --renamings: {', '.join(METHODS)}.")
    ] = None,
    preset: Annotated[str | None, Option(help="With --renamings, for cw2v: paper or authors.")] = None,
    dimensions: Annotated[int | None, Option(min=1, help="With --renamings: length of a vector.")] = None,
    epochs: Annotated[int | None, Option(min=1, help="With --renamings: passes over the counts.")] = None,
    smoothness: Annotated[float | None, Option(help="With --renamings: pull between neighboring conditions.")] = None,
    deviation_penalty: Annotated[float | None, Option(help="With --renamings: pull of deviations toward zero.")] = None,
    config: Annotated[Path | None, Option(help="With --renamings: TOML file with the settings.")] = None,
    edges: Annotated[Path | None, Option(help="With --renamings: neighboring places, lines `place,place`.")] = None,
    share: Annotated[float, Option(help="With --renamings: share of the words to rename.")] = 0.1,
    longest: Annotated[int, Option(min=1, help="With --renamings: maximum number of time bins of a name.")] = 5,
    seed: Annotated[int | None, Option(min=0, help="With --renamings: seed of the names and of training (1).")] = None,
    threads: Threads = None,
    device: Annotated[str, Option(help="With --renamings: auto (a GPU if there is one), cpu or cuda.")] = "auto",
    json: Json = False,
    csv: Annotated[bool, Option("--csv", help="Print CSV.")] = False,
    markdown: Annotated[bool, Option("--markdown", help="Print a Markdown table.")] = False,
    output: Output = None,
) -> None:
    """How good is MODEL, or which of several is best: by --pairs, --gold or --renamings?

    --renamings: does a method find words again that were renamed over time or between places? By default the methods
    and settings of the models; with --method and its settings, that method on the run. Nothing is written.
    """
    from chronotope.evaluation.evaluate import evaluate, name_models
    from chronotope.views.files import check_ending, write_answer

    form = chosen_form({"json": json, "csv": csv, "markdown": markdown})
    if (pairs is not None) + (gold is not None) + renamings != 1:
        raise SettingsError("judge by one of: --pairs FILE, --gold FILE, --renamings")
    if output:
        check_ending(output, chart=True)
    settings = {
        "dimensions": dimensions, "epochs": epochs, "smoothness": smoothness, "deviation_penalty": deviation_penalty,
        "seed": seed,
    }  # fmt: skip
    chosen = {name: value for name, value in settings.items() if value is not None}
    training = chosen or method or preset or config or edges
    if renamings:
        given = {"method": method or "graph", "preset": preset, "chosen": chosen, "config": config, "edges": edges}
        answer = _renamings(models, given if training else None, share, longest, seed, retrieval, threads, device)
    elif training:
        raise SettingsError("--method and other settings of training belong to --renamings")
    else:
        opened = {name: open_model(path) for name, path in name_models(models).items()}
        answer = evaluate(opened, pairs, gold=gold, start=start, end=end, min_count=min_count, retrieval=retrieval)
    if form != "json":
        for note in (*answer.notes, answer.signature):
            talk("{}", note)
    if output:
        write_answer(answer, output)
        talk("{}", output)
    if form or not output:
        show_answer(answer, form)


def _renamings(
    models: list[Path],
    given: dict[str, Any] | None,
    share: float,
    longest: int,
    seed: int | None,
    retrieval: str,
    threads: int | None,
    device: str,
) -> Evaluation:
    """Rename, train and ask: the method that is given, or those of the models."""
    from chronotope.cli.train import check_choices, read_edges, untrained
    from chronotope.cooccurrence import Counts
    from chronotope.embeddings.storage import run_folder
    from chronotope.evaluation.evaluate import evaluate, name_models
    from chronotope.evaluation.renaming import renamed

    counts = Counts.open(run_folder(models[0]))
    if given is None and len(models) == 1 and models[0].is_dir() and not (models[0] / "model.ct").exists():
        given = {"method": "graph", "preset": None, "chosen": {}, "config": None, "edges": None}
    fitting: dict[str, Any] = {"threads": threads, "device": device, "on_device": lambda line: talk("{}", line)}
    judged: dict[str, Any]
    if given:
        if len(models) > 1:
            raise SettingsError("--method and other settings of training need a single run")
        check_choices(given["method"], given["preset"], device)
        axis = counts.conditions.axis
        method = untrained(given["method"], given["preset"], given["chosen"], given["config"], axis)
        judged = {given["method"]: method}
        if given["edges"]:
            fitting["place_edges"] = read_edges(given["edges"])
    else:
        judged = {name: open_model(path) for name, path in name_models(models).items()}
        if any(model.provenance.get("run") != counts.checksum for model in judged.values()):
            raise SettingsError("the models were trained on other runs; renamings compare models of one run")
    task = renamed(counts, share, 1 if seed is None else seed, longest)
    new = len(task.counts.vocabulary) - len(counts.vocabulary)
    talk("{} pairs about words with {} new names", f"{len(task.pairs.pairs):,}", f"{new:,}")
    with progress_bars() as bars:
        bars("getting ready; the first time, compiling", 0)
        fitting["on_step"] = lambda done, total: bars("training", done, total)
        return evaluate(judged, renamings=task, retrieval=retrieval, fitting=fitting)
