"""What the processor does with bits in one instruction and Python has no word for; for compiled code."""

from __future__ import annotations

from typing import Any

from chronotope.compiling import intrinsic


def _trailing_zeros(_: Any, bits: Any) -> Any:
    """How many zeros stand below the lowest bit that is set; 64 if none is."""
    from numba import types

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(bits), generate


trailing_zeros: Any = intrinsic(_trailing_zeros)
