"""CW2V on the CPU over invented cells, for `gpu.py quality --device cpu`."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np

from chronotope.conditions import Conditions
from chronotope.config import ConditionedSettings
from chronotope.cooccurrence import CellArrays
from chronotope.cooccurrence.vocabulary import Support
from chronotope.methods.cw2v.parameters import Parameters, initial_accumulators, initial_parameters
from chronotope.methods.cw2v.trainers import CpuTrainer
from chronotope.methods.cw2v.training import State
from chronotope.runtime.resources import cores


def train_on_cpu(cells: list[Any], words: int, epochs: int) -> Iterator[tuple[int, float, Parameters]]:
    """After each epoch its number, the mean error met, and the parameters."""
    conditions = len(cells)
    pair_word = np.tile(np.arange(words, dtype=np.int32), conditions)
    start = np.arange(conditions + 1, dtype=np.int64) * words
    support = Support(start, pair_word, np.ones(len(pair_word), dtype=np.int64))
    counts: Any = SimpleNamespace(
        vocabulary=_Words(words, support),
        conditions=Conditions.of_times([str(number) for number in range(conditions)]),
        pairs=np.ones(conditions),
        unit=1,
        cells_in_parts=lambda condition: [CellArrays(*cells[condition], np.zeros(len(cells[condition].word)))],
    )
    settings = ConditionedSettings(dimensions=50, smoothness=1.5)
    parameters = initial_parameters(words, conditions, len(pair_word), settings.dimensions, settings.seed)
    state = State(parameters, initial_accumulators(parameters, settings.accumulator))
    with ThreadPoolExecutor() as pool:
        trainer = CpuTrainer(settings, counts, counts.conditions.graph(), state, pool, cores())
        for epoch in range(1, epochs + 1):
            yield epoch, trainer.epoch(lambda: None) / trainer.weight, state.parameters


class _Words:
    """As much of a vocabulary as training asks for."""

    def __init__(self, size: int, support: Support) -> None:
        self.size, self.support = size, support

    def __len__(self) -> int:
        return self.size
