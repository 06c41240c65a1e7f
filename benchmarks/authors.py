"""The authors' program on the same cells; it is built elsewhere, and only its path is given here.

Its condition vectors must start at 1 (with its own start, near 0, it learns nothing but biases).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
from harness import Timing, timed

from chronotope.config import ConditionedSettings
from chronotope.cooccurrence import Counts, scale_of_conditions
from chronotope.methods import ConditionedModel
from chronotope.methods.cw2v.parameters import Parameters

SAME_LOSS = ConditionedModel.preset("authors", "time")
RECORD = np.dtype([("word", "i4"), ("context", "i4"), ("condition", "i4"), ("pad", "i4"), ("count", "f8")])


def write_cells(counts: Counts, settings: ConditionedSettings, folder: Path) -> None:
    """Write all cells, both directions, in random order."""
    scale = scale_of_conditions(counts, settings.scaling)
    parts = []
    for condition in range(len(counts.conditions)):
        cells = counts.cells(condition)
        word, context, count = cells.word, cells.context, cells.count
        other = word != context
        part = np.zeros(len(word) + int(other.sum()), dtype=RECORD)
        part["word"] = np.append(word, context[other]) + 1
        part["context"] = np.append(context, word[other]) + 1
        part["condition"] = condition + 1
        part["count"] = np.append(count, count[other]) * scale[condition]
        parts.append(part)
    records = np.concatenate(parts)
    np.random.default_rng(0).shuffle(records)
    records.tofile(folder / "cells.bin")
    (folder / "vocabulary.txt").write_text("".join(f"{word} 1\n" for word in counts.vocabulary.words))


def run_program(
    program: Path, counts: Counts, settings: ConditionedSettings, folder: Path, epochs: int, threads: int
) -> Timing:
    """Run the program for some epochs; return the time, with starting and saving."""
    options = {
        "vector-size": settings.dimensions, "cond": len(counts.conditions), "iter": epochs, "threads": threads,
        "x-max": settings.weight_cap, "alpha": settings.weight_power, "eta": settings.rate, "binary": 1, "verbose": 0,
        "vocab-file": folder / "vocabulary.txt", "input-file": folder / "cells.bin",
        "save-file": folder / "common", "save-word-cond-file": folder / "own",
    }  # fmt: skip
    command = [str(program), *(str(part) for name, value in options.items() for part in (f"-{name}", value))]
    with timed() as timing:
        subprocess.run(command, check=True, capture_output=True)
    return timing


def read_parameters(counts: Counts, settings: ConditionedSettings, folder: Path) -> Parameters:
    """Return the parameters that the program saved."""
    words, conditions, dimensions = len(counts.vocabulary), len(counts.conditions), settings.dimensions
    support = counts.vocabulary.support
    word, condition = support.word, support.condition
    common = np.fromfile(folder / "common.bin")
    of_words = 2 * words * (dimensions + conditions)
    sides = common[:of_words].reshape(2, words, dimensions + conditions)
    own = np.fromfile(folder / "own.bin").reshape(2, conditions, words, dimensions)
    return Parameters(
        word=sides[0, :, :dimensions],
        context=sides[1, :, :dimensions],
        condition=common[of_words:].reshape(2, conditions, dimensions)[0],
        word_deviation=own[0][condition, word],
        context_deviation=own[1][condition, word],
        word_bias=sides[0][word, dimensions + condition],
        context_bias=sides[1][word, dimensions + condition],
    )
