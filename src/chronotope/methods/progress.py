"""What training reports as it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

OnStep = Callable[[int, int], None]


@dataclass(frozen=True)
class Epoch:
    """What one epoch (for `graph`: one sweep) came to.

    Attributes
    ----------
    number, of
        Which epoch, of how many.
    loss
        The loss, divided by the total weight of what is predicted.
    held_out
        The mean log-likelihood of held-out contexts, or None where no documents were set aside.
    """

    number: int
    of: int
    loss: float
    held_out: float | None = None

    def to_dict(self) -> dict[str, float]:
        """The figures, for the model file."""
        return {"loss": self.loss} | ({} if self.held_out is None else {"held_out": self.held_out})
