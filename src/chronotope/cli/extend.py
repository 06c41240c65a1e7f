"""chronotope extend: a new period or place for a trained model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from chronotope.cli.console import progress_bars, talk
from chronotope.cli.options import Model, Threads, open_model
from chronotope.cli.train import check_output, save_new
from chronotope.errors import some_of


def extend_command(
    model: Model,
    inputs: Annotated[list[str], Argument(metavar="INPUT…", help="The new text, with the same fields.")],
    output: Annotated[
        Path | None, Option("-o", "--output", metavar="FILE", help="Model (default: MODEL-extended).")
    ] = None,
    where: Annotated[str | None, Option(help='Only rows that satisfy this condition: "year >= 2020".')] = None,
    metadata: Annotated[Path | None, Option(metavar="FILE", help="Table of dates and places of the new text.")] = None,
    force: Annotated[bool, Option("--force", help="Overwrite an existing model.")] = False,
    threads: Threads = None,
) -> None:
    """Add new time bins or places to MODEL without moving its vectors."""
    from chronotope.config import CorpusSettings, CountSettings, from_dict
    from chronotope.cooccurrence import count
    from chronotope.corpus.source import read_corpus
    from chronotope.embeddings.storage import run_folder
    from chronotope.io.run_folder import read_run
    from chronotope.methods.extend import extend

    model = model / "model.ct" if model.is_dir() else model
    output = output or model.with_name(f"{model.stem}-extended{model.suffix}")
    check_output(output, force)
    embeddings = open_model(model, verify=True)
    about = read_run(run_folder(model))
    read = from_dict(CorpusSettings, about["corpus"])
    # Join the phrases that were found in the old text, and no others.
    phrases = tuple(word.replace("_", " ") for word in embeddings.words if "_" in word) if read.find_phrases else ()
    fixed: dict[str, Any] = {"find_phrases": False, "holdout": 0.0, "keep_text": False, "keep": ()}
    fixed |= {"since": None, "until": None}
    read = replace(read, where=where, phrases=read.phrases + phrases, **fixed)
    counted = replace(from_dict(CountSettings, about["counting"]), min_count=1, max_words=None)
    corpus = read_corpus(inputs[0] if len(inputs) == 1 else inputs, settings=read, metadata=metadata)
    with progress_bars() as bars:
        counts = count(corpus, settings=counted, threads=threads, progress=bars)
    larger = extend(embeddings, counts)
    known = set(embeddings.words)
    new, least = counts.vocabulary, about["vocabulary"]["min_count"]
    pairs = zip(new.words, new.counts, strict=True)
    if often := [word for word, times in pairs if word not in known and times >= least]:
        note = "[yellow]{} frequent words are new and have no vector ({} …); train again to include them[/]"
        talk(note, f"{len(often):,}", ", ".join(often[:8]))
    save_new(larger, output, "extend", force)
    talk("{}: {}", output, larger.signature)
    added = [label for label in larger.conditions.labels if label not in embeddings.conditions.labels]
    name_it = "to ask about {}, name this file: chronotope neighbors {} WORD --at {}"
    talk(name_it, some_of(added), output, added[-1])
    talk("change into a new bin is overestimated, since the model was not trained on its text; train again to compare")
