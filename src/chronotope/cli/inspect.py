"""chronotope inspect: the contents of a run or a model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from chronotope.cli.console import stdout, talk
from chronotope.cli.options import Json, open_model
from chronotope.io.untrusted import printable, printable_json


def inspect_command(
    path: Annotated[Path, Argument(metavar="PATH", help="A run or a model.")],
    verify: Annotated[bool, Option("--verify", help="Compare checksums, also those of the models in a run.")] = False,
    as_json: Json = False,
) -> None:
    """What is in this run or model, and how was it made?"""
    about = inspect_run(path, verify) if path.is_dir() else inspect_model(path, verify)
    if verify:
        talk("no file was changed since it was written")
    if as_json:
        sys.stdout.write(printable_json(json.dumps(about, ensure_ascii=False)) + "\n")
        return
    for key, value in about.items():
        shown = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
        stdout.print(printable(f"{key}: {shown}"), markup=False)


def inspect_run(path: Path, verify: bool = False) -> dict[str, Any]:
    """Describe a run."""
    from chronotope.cooccurrence import Counts
    from chronotope.embeddings import load
    from chronotope.io.run_folder import read_run, verify_run

    if verify:
        verify_run(path)
        for model in sorted(path.glob("*.ct")):
            load(model, verify=True)
    counts, about = Counts.open(path), read_run(path)
    found = {"words": len(counts.vocabulary), "conditions": list(counts.conditions.labels)}
    found |= {"axis": counts.conditions.axis, "cells": counts.size, "min_count": counts.vocabulary.min_count}
    found |= {name: about[name] for name in ("corpus", "counting", "sources", "versions")}
    return found | {"checksum": counts.checksum, "models": sorted(model.name for model in path.glob("*.ct"))}


def inspect_model(path: Path, verify: bool = False) -> dict[str, Any]:
    """Describe a model."""
    model = open_model(path, verify=verify)
    about = {"signature": model.signature, "words": len(model.words), "dimensions": model.dimensions}
    about |= {"axis": model.conditions.axis, "conditions": list(model.conditions.labels)}
    return about | model.provenance
