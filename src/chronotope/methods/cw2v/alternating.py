"""Epochs that move one side at a time: how CW2V trains, on a CPU and on a GPU.

In each stratum first the words move while the contexts stand still, then the contexts while the words stand still,
then the condition vectors, from the gradients summed on the way. With one side fixed the rows of the other have nothing
in common: many run at the same time, nobody adds to anybody else's numbers, and the same seed gives the same bytes.
In an epoch each cell is visited twice, once from either side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from chronotope.errors import Diverged
from chronotope.methods.cw2v.penalties import step_conditions

if TYPE_CHECKING:
    from scipy import sparse


class Kernel(Protocol):
    """Holds all parameters but the condition vectors, and the cells."""

    def move_stratum(
        self, stratum: int, condition: NDArray[np.float32], rate: float
    ) -> tuple[float, NDArray[np.float32]]:
        """Move both sides; return the weighted squared error met by the words, and the gradient by `condition`."""
        ...


def train_epoch(
    kernel: Kernel,
    condition: NDArray[np.float32],
    accumulated: NDArray[np.float32],
    neighbors: sparse.csr_array[np.float64],
    *,
    epoch: int,
    strata: int,
    rate: float,
    done: int = 0,
    squared: float = 0.0,
    after_stratum: Callable[[int, float], None] = lambda *_: None,
) -> float:
    """Move everything once over all cells; return the weighted squared error that was met on the way.

    Parameters
    ----------
    condition, accumulated
        (C, D) the condition vectors and (C,) AdaGrad's memory of them; both are changed.
    neighbors
        (C, C) the strength of each edge.
    done, squared
        How many strata of this epoch are done already, and the error met in them.
    after_stratum
        Called with both as they grow.
    """
    for step in range(done, strata):
        # The strata rotate with the epoch, so that none is always the last.
        met, gradient = kernel.move_stratum((step + epoch) % strata, condition, rate)
        squared += met
        step_conditions(condition, accumulated, gradient, neighbors, rate, 1 / strata)
        if not np.isfinite(squared) or not np.isfinite(condition).all():
            raise Diverged(
                f"training left the finite numbers in epoch {epoch + 1}; "
                f"lower the rate (now {rate:g}) or raise the deviation penalty"
            )
        after_stratum(step + 1, squared)
    return squared
