"""CW2V on one device: the cells laid out for it, the penalties that go with them, and epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.conditions import Graph
from chronotope.config import ConditionedSettings
from chronotope.cooccurrence import Counts, scale_of_conditions, targets, weights
from chronotope.methods.cw2v import alternating, rows
from chronotope.methods.cw2v.kernels.cpu import CpuSides
from chronotope.methods.cw2v.kernels.gpu import GpuSides
from chronotope.methods.cw2v.layout import make_layout
from chronotope.methods.cw2v.penalties import Penalties, penalties_of
from chronotope.methods.cw2v.rows import STRATA
from chronotope.methods.cw2v.training import State
from chronotope.methods.device import cupy


class Trainer(Protocol):
    """What the model needs of a device."""

    strata: int  # how many an epoch has
    weight: float  # of all cells

    def epoch(self, after_stratum: Callable[[], None]) -> float:
        """Finish the current epoch; return the weighted squared error that was met on the way."""
        ...

    def fetch(self) -> State:
        """Where training stands, on the host."""
        ...


class CpuTrainer:
    """Side after side, the parts of a stratum on threads; with a `folder` the cells lie there and not in memory."""

    def __init__(
        self,
        settings: ConditionedSettings,
        counts: Counts,
        graph: Graph,
        state: State,
        pool: ThreadPoolExecutor,
        threads: int,
        folder: Path | None = None,
    ) -> None:
        self._rate, self._state = settings.rate, state
        # With little memory no more than one condition is arranged at a time.
        layout = make_layout(counts, settings, threads=1 if folder else threads, folder=folder)
        penalties = Penalties.of(*penalties_of(settings, layout, graph), layout, graph)
        self._neighbors = penalties.neighbors
        self.strata = len(layout.order)
        self.weight = layout.weight
        self._kernel = CpuSides(layout, state.parameters, state.accumulators, penalties.share, pool, threads)

    def epoch(self, after_stratum: Callable[[], None]) -> float:
        """See `Trainer`."""
        return _epoch(self._kernel, self._state, self._neighbors, self._rate, self.strata, after_stratum)

    def fetch(self) -> State:
        """See `Trainer`."""
        return self._state


class Load(NamedTuple):
    """How many cells each pair and each condition has."""

    pair_cells: NDArray[np.int64]
    condition_cells: NDArray[np.int64]


class GpuTrainer:
    """Side after side; with `streamed` the cells stay on the host and travel stratum by stratum."""

    strata = STRATA

    def __init__(
        self, settings: ConditionedSettings, counts: Counts, graph: Graph, state: State, streamed: bool
    ) -> None:
        self._rate, self._state = settings.rate, state
        xp, support = np if streamed else cupy(), counts.vocabulary.support
        cells = rows.make_rows(
            xp, _cells(xp, settings, counts), support.start, support.word, len(counts.vocabulary), settings.seed
        )
        self.weight = float(cells.weight.sum(dtype=np.float64))
        pair_cells = cells.pair_cells if streamed else cells.pair_cells.get()
        in_condition = np.bincount(support.condition, pair_cells, len(counts.conditions)).astype(np.int64)
        load = Load(pair_cells, in_condition)
        penalties = Penalties.of(*penalties_of(settings, load, graph), load, graph)
        self._neighbors = penalties.neighbors
        self._kernel = GpuSides(cells, state.parameters, state.accumulators, penalties.share)

    def epoch(self, after_stratum: Callable[[], None]) -> float:
        """See `Trainer`."""
        return _epoch(self._kernel, self._state, self._neighbors, self._rate, self.strata, after_stratum)

    def fetch(self) -> State:
        """See `Trainer`."""
        state = self._state
        state.parameters = self._kernel.parameters(state.parameters.condition)
        state.accumulators = self._kernel.accumulators(state.accumulators.condition)
        return state


def _epoch(
    kernel: alternating.Kernel,
    state: State,
    neighbors: sparse.csr_array[np.float64],
    rate: float,
    strata: int,
    after_stratum: Callable[[], None],
) -> float:
    """Finish the current epoch, and keep in `state` how far it is."""

    def done(stratum: int, squared: float) -> None:
        state.stratum, state.squared = stratum, squared
        after_stratum()

    squared = alternating.train_epoch(
        kernel, state.parameters.condition, state.accumulators.condition, neighbors,
        epoch=state.epoch, strata=strata, rate=rate, done=state.stratum, squared=state.squared, after_stratum=done,
    )  # fmt: skip
    state.epoch, state.stratum, state.squared = state.epoch + 1, 0, 0.0
    return squared


def _cells(xp: Any, settings: ConditionedSettings, counts: Counts) -> Iterator[tuple[Any, Any, Any, Any]]:
    """For each condition its words, contexts, targets and weights; the last two are computed where `xp` is."""
    scale = scale_of_conditions(counts, settings.scaling)
    for condition in range(len(counts.conditions)):
        cells = counts.cells(condition)
        scaled = xp.asarray(cells.count) * scale[condition]
        weight = weights(scaled, settings.weight_cap, settings.weight_power)
        yield cells.word, cells.context, targets(scaled, settings.target), weight
