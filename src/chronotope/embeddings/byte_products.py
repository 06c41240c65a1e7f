"""The products of many rows of bytes at once, by the processor's own instruction for them (VNNI).

One instruction multiplies 64 pairs of bytes and adds them to 16 sums, four times as many as with float32. No compiler
arranges a loop for it well, so the innermost loop is spelled out here, instruction by instruction: 12 queries against
2 panels of 16 candidates, whose 24 sums stay in registers.
"""

from __future__ import annotations

from functools import cache, reduce
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

LANES = 16
PANELS = 2
QUERIES = 12
TILE = PANELS * QUERIES


@cache
def available() -> bool:
    """Whether the processor has the instruction, and compiled code may use it."""
    from llvmlite import binding
    from numba import config

    settings: Any = config
    if settings.DISABLE_JIT or not settings.ENABLE_AVX or settings.CPU_NAME or settings.CPU_FEATURES:
        return False
    features = binding.get_host_cpu_features()
    return all(features.get(name, False) for name in ("avx512f", "avx512bw", "avx512vnni"))


def _score_tile(
    _: Any,
    panels: Any,
    queries: Any,
    steps: Any,
    scale: Any,
    offset: Any,
    cut: Any,
    factor: Any,
    start: Any,
    scores: Any,
    reached: Any,
) -> Any:
    """Score 12 queries against 32 candidates; tell whether any score reaches its cut, and only then write them.

    All arguments but the third are addresses.

    Parameters
    ----------
    panels
        `steps` × 2 lines of 64 bytes without sign: four dimensions of each of 16 candidates.
    queries
        `steps` × 12 times four signed bytes: four dimensions of a query.
    steps
        A quarter of the number of dimensions, at least 1.
    scale, offset
        32 float32 each: a candidate's score is its product times `scale`, times the query's `factor`, plus `offset`.
    cut
        12 float32: what a score has to reach.
    factor, start
        12 float32 and 12 int32: what a query's products are multiplied by, and start at.
    scores
        24 × 16 float32 for the scores: of the first panel, for each query; then of the second.
    reached
        24 uint16 for the marks of those that reach the cut, a bit for each candidate; a score that is not a number
        reaches none.
    """
    signature = types.boolean(panels, queries, steps, scale, offset, cut, factor, start, scores, reached)
    return signature, _generated


def _generated(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
    integer, long, single, short = ir.IntType(32), ir.IntType(64), ir.FloatType(), ir.IntType(16)
    integers, singles = ir.VectorType(integer, LANES), ir.VectorType(single, LANES)
    kinds = {0: integers, 1: integer, 3: singles, 4: singles, 5: single, 6: single, 7: integer, 8: singles, 9: short}
    address = {number: builder.inttoptr(arguments[number], kind.as_pointer()) for number, kind in kinds.items()}
    steps = arguments[2]
    name = "llvm.x86.avx512.vpdpbusd.512"
    multiply = builder.module.globals.get(name) or ir.Function(
        builder.module, ir.FunctionType(integers, [integers] * 3), name
    )

    def element(number: int, place: Any) -> Any:
        place = long(place) if isinstance(place, int) else place
        return builder.gep(address[number], [place])

    def everywhere(number: int, place: Any) -> Any:
        """One number in all lanes."""
        kind = ir.VectorType(kinds[number], LANES)
        one = builder.insert_element(kind(ir.Undefined), builder.load(element(number, place)), integer(0))
        return builder.shuffle_vector(one, kind(ir.Undefined), integers([0] * LANES))

    tile = [(panel, query) for panel in range(PANELS) for query in range(QUERIES)]
    before = builder.block
    starts = [everywhere(7, query) for query in range(QUERIES)]
    loop, after = builder.append_basic_block("dimensions"), builder.append_basic_block("scores")
    builder.branch(loop)

    builder.position_at_end(loop)
    step = builder.phi(long)
    sums = {place: builder.phi(integers) for place in tile}
    line, four = builder.mul(step, long(PANELS)), builder.mul(step, long(QUERIES))
    lines = [builder.load(element(0, builder.add(line, long(panel))), align=4) for panel in range(PANELS)]
    total = {}
    for query in range(QUERIES):
        values = everywhere(1, builder.add(four, long(query)))
        for panel in range(PANELS):
            total[panel, query] = builder.call(multiply, [sums[panel, query], lines[panel], values])
    for panel, query in tile:
        sums[panel, query].add_incoming(starts[query], before)
        sums[panel, query].add_incoming(total[panel, query], loop)
    step.add_incoming(long(0), before)
    following = builder.add(step, long(1))
    step.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("<", following, steps), loop, after)

    builder.position_at_end(after)
    scores, marks = [], []
    for panel, query in tile:
        scale, offset = (builder.load(element(number, panel), align=4) for number in (3, 4))
        product = builder.fmul(builder.sitofp(total[panel, query], singles), scale)
        scores.append(builder.fadd(builder.fmul(product, everywhere(6, query)), offset))
        marks.append(builder.bitcast(builder.fcmp_ordered(">=", scores[-1], everywhere(5, query)), short))
    some = builder.icmp_unsigned("!=", reduce(builder.or_, marks), short(0))
    with builder.if_then(some, likely=False):
        for place, (score, mark) in enumerate(zip(scores, marks, strict=True)):
            builder.store(score, element(8, place), align=4)
            builder.store(mark, element(9, place))
    return some


score_tile: Any = intrinsic(_score_tile)
