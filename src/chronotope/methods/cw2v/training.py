"""Where training stands: all that is needed to stop, and to go on to the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.methods.cw2v.parameters import Accumulators, Parameters


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
