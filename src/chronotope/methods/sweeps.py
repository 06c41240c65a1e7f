"""What training reports as it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

OnStep = Callable[[int, int], None]


@dataclass(frozen=True)
class Sweep:
    """What one sweep over the data came to.

    Attributes
    ----------
    number, of
        Which sweep, of how many.
    loss
        The loss, divided by what it would be with all vectors zero.
    held_out
        None: the baselines give no probability to held-out contexts.
    """

    number: int
    of: int
    loss: float
    held_out: float | None = None


OnSweep = Callable[[Sweep], None]
