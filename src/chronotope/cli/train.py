"""chronotope train: from counts to embeddings."""

from __future__ import annotations

import shlex
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from chronotope.analysis.geography import read_edges
from chronotope.cli.console import progress_bars, talk
from chronotope.cli.options import Run, Threads, names
from chronotope.conditions import Conditions
from chronotope.config import Config, one_of, read_config
from chronotope.config import preset as named_preset
from chronotope.errors import InputError, SettingsError
from chronotope.io.atomic import check_regular
from chronotope.io.locks import locked
from chronotope.io.run_folder import read_run, verify_run
from chronotope.methods import METHODS, method_class
from chronotope.methods.device import DEVICES
from chronotope.runtime.memory import Memory

if TYPE_CHECKING:
    from chronotope.embeddings import ConditionedEmbeddings
    from chronotope.methods.base import Epoch, Method

# The options that are settings of methods.
SETTINGS = (
    "dimensions", "epochs", "seed", "rate", "smoothness", "deviation_penalty", "anchors",
    "encoder", "words", "per_pair", "layer",
)  # fmt: skip
# These files are compared with their checksums first; the large rest of a run is not read.
TRAINED_ON = ("lexicon.parquet", "support.parquet", "cells.parquet", "heldout.parquet")


def train_command(
    run: Run,
    method: Annotated[str, Option(autocompletion=names(METHODS), help=f"{', '.join(METHODS)}.")] = "graph",
    preset: Annotated[str | None, Option(help="For cw2v: paper, or authors (the settings of their program).")] = None,
    dimensions: Annotated[int | None, Option(min=1, help="Length of a vector (cw2v: of each half of it).")] = None,
    epochs: Annotated[int | None, Option(min=1, help="Passes over the counts.")] = None,
    seed: Annotated[int | None, Option(min=0, help="The same seed gives the same bytes (default: 1).")] = None,
    rate: Annotated[float | None, Option(help="Learning rate.")] = None,
    smoothness: Annotated[float | None, Option(help="Penalty on differences between neighboring conditions.")] = None,
    deviation_penalty: Annotated[float | None, Option(help="Penalty on a word's deviation from its mean.")] = None,
    anchors: Annotated[
        str | None,
        Option(metavar="FILE|frequent|stable", help="For aligned and linear: fit the maps to these words alone."),
    ] = None,
    encoder: Annotated[str | None, Option(metavar="FOLDER|NAME", help="For contextual: encoder, or hashing.")] = None,
    words: Annotated[
        str | None, Option(metavar="N|WORDS|FILE", help="For contextual: the N most frequent words, a list or a file.")
    ] = None,
    per_pair: Annotated[
        int | None, Option(min=1, help="For contextual: maximum number of usages per word and condition.")
    ] = None,
    layer: Annotated[int | None, Option(help="For contextual: layer of a transformers model (-1: last).")] = None,
    edges: Annotated[Path | None, Option(help="Neighboring places: lines `place,place` (default: all pairs).")] = None,
    threads: Threads = None,
    device: Annotated[str, Option(help="auto (a GPU if there is one), cpu or cuda.")] = "auto",
    memory: Annotated[str | None, Option(metavar="SIZE", help="Memory limit: 2GB; the rest stays on disk.")] = None,
    resume: Annotated[bool, Option("--resume", help="Continue a training that was stopped.")] = False,
    output: Annotated[Path | None, Option("-o", "--output", help="Model file (default: RUN/model.ct).")] = None,
    force: Annotated[bool, Option("--force", help="Overwrite an existing model.")] = False,
    config: Annotated[Path | None, Option(help="TOML file with settings.")] = None,
) -> None:
    """Train one vector for each word in each condition, all in one space."""
    options = dict(locals())
    # Mistakes are refused before anything is read or written.
    check_choices(method, preset, device)
    Memory.of(memory)
    axis = Conditions.from_dict(read_run(run)["conditions"]).axis
    chosen = {name: options[name] for name in SETTINGS if options[name] is not None}
    output = output or run / "model.ct"
    check_output(output, force)
    model = untrained(method, preset, chosen, config, axis)
    place_edges = read_edges(edges) if edges else None
    settings = {"threads": threads, "place_edges": place_edges, "device": device, "memory": memory, "resume": resume}
    output.parent.mkdir(parents=True, exist_ok=True)
    with locked(output, "train"), locked(run, "train", shared=True):
        check_output(output, force)  # another process may have been faster
        _train(run, model, output, settings)


def _train(run: Path, model: Method, output: Path, settings: dict[str, Any]) -> None:
    """Train on a run and save the model."""
    from chronotope.cooccurrence import Counts

    counts = Counts.open(run)
    verify_run(run, TRAINED_ON)
    checkpoint = output.with_name(output.name + ".checkpoint")
    if settings["resume"] and not checkpoint.exists():
        talk("there is nothing to resume; training starts from the beginning")
    if checkpoint.exists() and not settings["resume"]:
        stopped = "[yellow]{} belongs to a stopped training, which this one replaces; --resume continues it[/]"
        talk(stopped, checkpoint)
    note = ""
    with progress_bars() as bars:
        bars("getting ready (the first run compiles kernels)", 0)

        def on_epoch(epoch: Epoch) -> None:
            nonlocal note
            held = "" if epoch.held_out is None else f", held-out log-likelihood {epoch.held_out:.4f}"
            note = f"epoch {epoch.number}/{epoch.of}: loss {epoch.loss:.4f}{held}"
            if not bars.visible or epoch.number == epoch.of:
                talk("{}", note)

        try:
            embeddings: ConditionedEmbeddings = model.fit(
                counts,
                **settings,
                checkpoint=checkpoint,
                on_device=lambda line: talk("{}", line),
                on_step=lambda done, total: bars("training", done, total, note),
                on_epoch=on_epoch,
            )
        except KeyboardInterrupt:
            if checkpoint.exists():
                again = shlex.join(["chronotope", *(part for part in sys.argv[1:] if part != "--resume"), "--resume"])
                raise KeyboardInterrupt(f"stopped; continue with: {again}") from None
            raise
    embeddings.save(output)
    checkpoint.unlink(missing_ok=True)
    talk("{}: {}", output, embeddings.signature)
    talk("next: chronotope drift {}", run if output == run / "model.ct" else output)


def check_choices(method: str, preset: str | None, device: str) -> None:
    """Raise SettingsError for an unknown method or device, or a preset without cw2v."""
    one_of("method", method, tuple(METHODS))
    one_of("device", device, DEVICES)
    if preset and method != "cw2v":
        raise SettingsError("a preset belongs to cw2v; add --method cw2v")


def untrained(method: str, preset: str | None, chosen: dict[str, Any], config: Path | None, axis: str) -> Method:
    """Return a method with its settings: those of a preset or a file, and `chosen` over them."""
    settings = (read_config(config) if config else Config()).of_method(method)
    if preset:
        settings = named_preset(preset, axis)
    if unknown := chosen.keys() - asdict(settings).keys():
        raise SettingsError(f"{method} has no setting '{min(unknown)}'; it has: {', '.join(asdict(settings))}")
    model: Method = method_class(method)(**asdict(replace(settings, **chosen)))
    return model


def check_output(output: Path, force: bool) -> None:
    """Raise InputError if the output exists or cannot be written; write nothing."""
    check_regular(output)
    if output.exists() and not force:
        raise InputError(f"{output} exists; --force overwrites it, -o FILE writes another")
    folder = next(parent for parent in output.absolute().parents if parent.exists())
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        raise InputError(f"{folder} cannot be written to; choose another place with -o") from None


def save_new(embeddings: ConditionedEmbeddings, output: Path, command: str, force: bool) -> None:
    """Save a model under a lock, unless another process was faster."""
    with locked(output, command):
        check_output(output, force)
        embeddings.save(output)
