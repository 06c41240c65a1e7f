"""Epochs over the cells: strata in a fixed order, block pairs on threads, condition vectors between strata.

The same seed gives the same bytes whatever the number of threads: members of a stratum share no parameter but the
condition vectors, and the gradients of those are summed in a fixed order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from chronotope.conditions import Graph
from chronotope.errors import Diverged
from chronotope.model.cw2v.kernels import cpu
from chronotope.model.cw2v.layout import Layout, strata
from chronotope.model.cw2v.parameters import Accumulators, Parameters

Kernel = Callable[..., float]


@dataclass
class State:
    """Where training stands: all that is needed to go on to the same bytes."""

    parameters: Parameters
    accumulators: Accumulators
    epoch: int = 0  # finished epochs
    stratum: int = 0  # finished strata of the current epoch
    squared: float = 0.0  # the weighted squared error met so far in the current epoch
    history: list[dict[str, float]] = field(default_factory=list)

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """The arrays by name, for a checkpoint."""
        named = {f"parameters.{name}": array for name, array in self.parameters._asdict().items()}
        return named | {f"accumulators.{name}": array for name, array in self.accumulators._asdict().items()}

    def about(self) -> dict[str, Any]:
        """All but the arrays, for a checkpoint."""
        return {"epoch": self.epoch, "stratum": self.stratum, "squared": self.squared, "history": self.history}

    @classmethod
    def restored(cls, tensors: Mapping[str, NDArray[np.float32]], about: dict[str, Any]) -> State:
        """The state that `tensors` and `about` describe."""
        parameters = Parameters(*(tensors[f"parameters.{name}"] for name in Parameters._fields))
        accumulators = Accumulators(*(tensors[f"accumulators.{name}"] for name in Accumulators._fields))
        return cls(parameters, accumulators, **about)


@dataclass(frozen=True)
class Penalties:
    """The two regularizers, spread over an epoch.

    Attributes
    ----------
    share
        (P,) what each visited cell carries of its pair's penalty.
    neighbors
        (C, C) the strength α of each edge, both ways.
    """

    share: NDArray[np.float32]
    neighbors: sparse.csr_array[np.float64]

    @classmethod
    def of(
        cls, deviation_penalty: NDArray[np.float64], smoothness: NDArray[np.float64], layout: Layout, graph: Graph
    ) -> Penalties:
        """From the penalties of the loss."""
        share = deviation_penalty / np.maximum(layout.pair_cells, 1)
        a, b = graph.edges[:, 0], graph.edges[:, 1]
        both = sparse.coo_array((np.tile(smoothness, 2), (np.append(a, b), np.append(b, a))), (graph.size, graph.size))
        return cls(share.astype(np.float32), both.tocsr())


def train_epoch(
    state: State,
    layout: Layout,
    penalties: Penalties,
    *,
    seed: int,
    rate: float,
    pool: ThreadPoolExecutor,
    kernel: Kernel = cpu.visit_groups,
    after_stratum: Callable[[], None] = lambda: None,
) -> float:
    """Finish the current epoch; return the weighted squared error that was met on the way."""
    blocks = int((len(layout.block_start) - 1) ** 0.5)
    order = strata(blocks)
    gradients = np.zeros((blocks, *state.parameters.condition.shape), dtype=np.float32)

    def visit(block_pair: int, gradient: NDArray[np.float32]) -> float:
        first, last = layout.block_start[block_pair], layout.block_start[block_pair + 1]
        random = np.random.Generator(np.random.PCG64([seed, 1 + state.epoch, block_pair]))
        groups = random.permutation(last - first) + first
        gradient[:] = 0
        return kernel(groups, layout, state.parameters, state.accumulators, penalties.share, rate, gradient)

    while state.stratum < blocks:
        # The strata rotate with the epoch, so that no block pair is always the last.
        members = order[(state.stratum + state.epoch) % blocks]
        state.squared += sum(pool.map(visit, members, gradients))
        step_conditions(state, gradients.sum(axis=0), penalties.neighbors, rate, 1 / blocks)
        state.stratum += 1
        if not np.isfinite(state.squared) or not np.isfinite(state.parameters.condition).all():
            raise Diverged(
                f"training left the finite numbers in epoch {state.epoch + 1}; "
                f"lower the rate (now {rate:g}) or raise the deviation penalty"
            )
        after_stratum()
    squared = state.squared
    state.epoch, state.stratum, state.squared = state.epoch + 1, 0, 0.0
    return squared


def step_conditions(
    state: State, gradient: NDArray[np.float32], neighbors: sparse.csr_array[np.float64], rate: float, share: float
) -> None:
    """Move the condition vectors: a step against the summed gradient, then toward their neighbors.

    The pull between neighbors is implicit in the vector itself, (q/η + Σ α q_b) / (1/η + Σ α): a mean of where the
    vector is and where its neighbors are, so it is stable for any strength.
    """
    q, accumulated = state.parameters.condition, state.accumulators.condition
    accumulated += np.mean(gradient**2, axis=1)
    step = (rate / np.sqrt(np.maximum(accumulated, np.finfo(np.float32).tiny)))[:, None].astype(np.float64)
    moved = q - step * gradient
    pull = step * share
    strength: NDArray[np.float64] = np.asarray(neighbors.sum(axis=1)).reshape(-1, 1)
    q[:] = (moved + pull * (neighbors @ q.astype(np.float64))) / (1 + pull * strength)
