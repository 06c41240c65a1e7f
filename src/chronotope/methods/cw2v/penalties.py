"""The two regularizers, spread over an epoch, and the step of the condition vectors that one of them acts in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    from chronotope.conditions import Graph
    from chronotope.config import ConditionedSettings


class Load(Protocol):
    """How many cells each pair and each condition has."""

    @property
    def pair_cells(self) -> NDArray[np.int64]:
        """(P,)"""
        ...

    @property
    def condition_cells(self) -> NDArray[np.int64]:
        """(C,)"""
        ...


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
        cls,
        deviation_penalty: NDArray[np.float64],
        smoothness: NDArray[np.float64],
        layout: Load,
        graph: Graph,
    ) -> Penalties:
        """From the penalties of the loss."""
        share = deviation_penalty / np.maximum(layout.pair_cells, 1)
        a, b = graph.edges[:, 0], graph.edges[:, 1]
        both = sparse.coo_array((np.tile(smoothness, 2), (np.append(a, b), np.append(b, a))), (graph.size, graph.size))
        return cls(share.astype(np.float32), both.tocsr())


def penalties_of(
    settings: ConditionedSettings, layout: Load, graph: Graph
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """β of each pair and α of each edge, as they stand in the loss."""
    beta = np.full(len(layout.pair_cells), settings.deviation_penalty)
    alpha = np.full(len(graph.edges), settings.smoothness)
    if settings.penalties == "each-cell":
        beta *= layout.pair_cells
        alpha *= layout.condition_cells[graph.edges].mean(axis=1)
    return beta, alpha


def step_conditions(
    condition: NDArray[np.float32],
    accumulated: NDArray[np.float32],
    gradient: NDArray[np.float32],
    neighbors: sparse.csr_array[np.float64],
    rate: float,
    share: float,
) -> None:
    """Move the condition vectors: a step against the summed gradient, then toward their neighbors.

    The pull between neighbors is implicit in the vector itself, (q/η + Σ α q_b) / (1/η + Σ α): a mean of where the
    vector is and where its neighbors are, so it is stable for any strength. `share` is the part of an epoch that the
    gradient was summed over.
    """
    accumulated += np.mean(gradient**2, axis=1)
    step = (rate / np.sqrt(np.maximum(accumulated, np.finfo(np.float32).tiny)))[:, None].astype(np.float64)
    moved = condition - step * gradient
    pull = step * share
    strength: NDArray[np.float64] = np.asarray(neighbors.sum(axis=1)).reshape(-1, 1)
    condition[:] = (moved + pull * (neighbors @ condition.astype(np.float64))) / (1 + pull * strength)
