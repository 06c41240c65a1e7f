"""chronotope evaluate: models against test pairs, gold scores of change, or renamed words of their own text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from chronotope.analysis.answer import check_ending
from chronotope.analysis.geography import read_edges
from chronotope.cli import options
from chronotope.cli.answers import deliver
from chronotope.cli.console import progress_bars, talk
from chronotope.cli.options import Output, Threads, chosen_form, conditions, names, open_model
from chronotope.cli.train import check_choices, untrained
from chronotope.errors import SettingsError
from chronotope.methods import METHODS

ONLY = "With --renamings"


def evaluate_command(
    models: Annotated[list[Path], Argument(metavar="MODEL…", help="Model files, or runs that contain model.ct.")],
    pairs: Annotated[Path | None, Option(metavar="FILE", help="`word-condition,word-condition[,category]`.")] = None,
    gold: Annotated[Path | None, Option(metavar="FILE", help="`word<TAB>score`, or a SemEval or DWUG folder.")] = None,
    start: Annotated[
        str | None, Option("--from", autocompletion=conditions, help="With --gold: earlier condition (default: first).")
    ] = None,
    end: Annotated[
        str | None, Option("--to", autocompletion=conditions, help="With --gold: later condition (default: last).")
    ] = None,
    renamings: Annotated[bool, Option("--renamings", help="Rename words, train, test whether they are found.")] = False,
    min_count: options.MinCount = 5,
    permutations: Annotated[
        int, Option(min=0, help="With --gold: number of permutations, to compare the corrected change of `drift`.")
    ] = 0,
    retrieval: options.Retrieval = "csls",
    role_map: Annotated[
        bool | None, Option("--role-map/--no-role-map", help="Move queries by role maps (default: between places).")
    ] = None,
    method: Annotated[str | None, Option(autocompletion=names(METHODS), help=f"{ONLY}: {', '.join(METHODS)}.")] = None,
    preset: Annotated[str | None, Option(help=f"{ONLY}, for cw2v: paper or authors.")] = None,
    dimensions: Annotated[int | None, Option(min=1, help=f"{ONLY}: length of a vector.")] = None,
    epochs: Annotated[int | None, Option(min=1, help=f"{ONLY}: passes over the counts.")] = None,
    config: Annotated[Path | None, Option(help=f"{ONLY}: TOML file with the settings.")] = None,
    edges: Annotated[Path | None, Option(help=f"{ONLY}: neighboring places, lines `place,place`.")] = None,
    share: Annotated[float, Option(help=f"{ONLY}: share of the words to rename.")] = 0.1,
    longest: Annotated[int, Option(min=1, help=f"{ONLY}: maximum number of time bins of a name.")] = 5,
    seed: Annotated[int | None, Option(min=0, help=f"{ONLY}: seed of the names and of training (default: 1).")] = None,
    threads: Threads = None,
    device: Annotated[str, Option(help=f"{ONLY}: auto (a GPU if there is one), cpu or cuda.")] = "auto",
    json: options.Json = False,
    csv: options.Csv = False,
    markdown: options.Markdown = False,
    output: Output = None,
) -> None:
    """Score one model, or compare several: by --pairs, --gold or --renamings.

    --renamings: rename words over time or between places, train, and test whether the method finds them. By
    default this uses the methods and settings of the models; --method chooses another. Nothing is written.
    """
    from chronotope.evaluation.evaluate import evaluate, name_models

    form = chosen_form({"json": json, "csv": csv, "markdown": markdown})
    if (pairs is not None) + (gold is not None) + renamings != 1:
        raise SettingsError("choose one of --pairs FILE, --gold FILE and --renamings")
    if output:
        check_ending(output, chart=True)
    settings = {"dimensions": dimensions, "epochs": epochs, "seed": seed}
    chosen = {name: value for name, value in settings.items() if value is not None}
    training = bool(chosen or method or preset or config or edges)
    if renamings:
        from chronotope.cooccurrence import Counts
        from chronotope.embeddings.storage import run_folder
        from chronotope.evaluation.renaming import renamed

        counts = Counts.open(run_folder(models[0]))
        fitting: dict[str, Any] = {"threads": threads, "device": device, "on_device": lambda line: talk("{}", line)}
        judged: dict[str, Any]
        if training or (len(models) == 1 and models[0].is_dir() and not (models[0] / "model.ct").exists()):
            if len(models) > 1:
                raise SettingsError("--method and other settings of training need a single run")
            method = method or "graph"
            check_choices(method, preset, device)
            judged = {method: untrained(method, preset, chosen, config, counts.conditions.axis)}
            fitting |= {"place_edges": read_edges(edges)} if edges else {}
        else:
            judged = {name: open_model(path) for name, path in name_models(models).items()}
            if any(model.provenance.get("run") != counts.checksum for model in judged.values()):
                raise SettingsError("the models were trained on different runs; renamings compare models of one run")
        task = renamed(counts, share, 1 if seed is None else seed, longest)
        new = len(task.counts.vocabulary) - len(counts.vocabulary)
        talk("{} test pairs; {} new names in the vocabulary", f"{len(task.pairs.pairs):,}", f"{new:,}")
        with progress_bars() as bars:
            bars("getting ready (the first run compiles kernels)", 0)
            fitting["on_step"] = lambda done, total: bars("training", done, total)
            answer = evaluate(judged, renamings=task, retrieval=retrieval, role_map=role_map, fitting=fitting)
    elif training:
        raise SettingsError("--method and other settings of training belong to --renamings")
    else:
        opened = {name: open_model(path) for name, path in name_models(models).items()}
        among: dict[str, Any] = {"start": start, "end": end, "min_count": min_count, "permutations": permutations}
        answer = evaluate(opened, pairs, gold=gold, **among, retrieval=retrieval, role_map=role_map)
    deliver(answer, form, output, (*answer.notes, answer.signature))
