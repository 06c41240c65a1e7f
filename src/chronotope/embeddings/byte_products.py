"""The products of many rows of bytes at once, by the processor's own instructions for them.

With AVX-512 VNNI one instruction multiplies 64 pairs of bytes and adds them to 16 sums, four times as many as with
float32. AVX2 has one that multiplies 32 pairs and adds them two by two, to sums of 16 bits, which a second adds up:
more than three times as fast as float32, with coarser bytes. No compiler arranges a loop for them well, so the
innermost loop is spelled out here, instruction by instruction: some queries against 2 panels of candidates, whose sums
stay in registers. What differs between processors is a `Form`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, reduce
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

PANELS = 2


class Form(NamedTuple):
    """How a processor multiplies bytes.

    Attributes
    ----------
    bits
        Of a sum. A candidate has one of 32, or two of 16, of the first and of the last two of every four dimensions.
    lanes
        The candidates of a panel: four bytes of each fill a register.
    queries
        How many are multiplied with the panels at a time, so that all sums stay in registers.
    most, most_asked
        The largest number of a candidate and of a query, so that two products fit into 16 bits where they have to.
    """

    bits: int
    lanes: int
    queries: int
    most: int
    most_asked: int

    def length(self, dimensions: int) -> float:
        """How long a row may be before it is rounded, so that no sum overflows; 0: there are too many dimensions.

        A product of two rows is at most that of their lengths, and rounding adds at most half a step a dimension. What
        overflows on the way comes back.

        Examples
        --------
        >>> AVX2.length(100)
        176.0
        """
        return max(0.0, math.isqrt(2 ** (self.bits - 1)) - math.sqrt(dimensions) / 2)


VNNI = Form(bits=32, lanes=16, queries=12, most=127, most_asked=127)
# A candidate's number is a byte without sign, 128 more: 2 × 255 × 64 fits into 16 bits.
AVX2 = Form(bits=16, lanes=8, queries=6, most=127, most_asked=64)
# Fastest first.
NEEDED = {VNNI: ("avx512f", "avx512bw", "avx512vnni"), AVX2: ("avx2",)}
BY_BITS = {form.bits: form for form in NEEDED}


@cache
def forms() -> tuple[Form, ...]:
    """The forms whose instructions the processor has, and compiled code may use, fastest first."""
    from llvmlite import binding
    from numba import config

    settings: Any = config
    if settings.DISABLE_JIT or not settings.ENABLE_AVX or settings.CPU_NAME or settings.CPU_FEATURES:
        return ()
    features = binding.get_host_cpu_features()
    return tuple(form for form, names in NEEDED.items() if all(features.get(name, False) for name in names))


def _score_tile(
    _: Any,
    sums: Any,
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
    """Score some queries against 2 panels; tell whether any score reaches its cut, and only then write them.

    The form decides how many, Q and N. All arguments but `sums` and `steps` are addresses.

    Parameters
    ----------
    sums
        The type of the sums, which tells the form.
    panels
        `steps` × 2 lines of bytes without sign: four dimensions of each candidate of a panel.
    queries
        `steps` × Q times four signed bytes: four dimensions of a query.
    steps
        A quarter of the number of dimensions, at least 1.
    scale, offset
        N float32 each: a candidate's score is its product times `scale`, times the query's `factor`, plus `offset`.
    cut
        Q float32: what a score has to reach.
    factor, start
        Q float32 and Q times 32 bits of sums: what a query's products are multiplied by, and start at.
    scores
        2 × Q × N / 2 float32 for the scores: of the first panel, for each query; then of the second.
    reached
        For the marks of those that reach the cut, a bit for each score: as many uint64 for each panel as hold them. A
        score that is not a number reaches none.
    """
    signature = types.boolean(sums, panels, queries, steps, scale, offset, cut, factor, start, scores, reached)
    return signature, _generated(BY_BITS[sums.dtype.bitwidth])


def _generated(form: Form) -> Callable[..., Any]:
    """What writes the instructions of a form."""
    integer, long, single = ir.IntType(32), ir.IntType(64), ir.FloatType()
    integers, singles = ir.VectorType(integer, form.lanes), ir.VectorType(single, form.lanes)
    kinds = {1: integers, 2: integer, 4: singles, 5: singles, 6: single, 7: single, 8: integer, 9: singles, 10: long}
    words = -(-form.queries * form.lanes // 64)
    tile = [(panel, query) for panel in range(PANELS) for query in range(form.queries)]

    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        address = {number: builder.inttoptr(arguments[number], kind.as_pointer()) for number, kind in kinds.items()}
        add_product, whole = (_products if form.bits == 32 else _products_of_halves)(builder, integers)

        def element(number: int, place: Any) -> Any:
            place = long(place) if isinstance(place, int) else place
            return builder.gep(address[number], [place])

        def everywhere(number: int, place: Any) -> Any:
            """One number in all lanes."""
            kind = ir.VectorType(kinds[number], form.lanes)
            one = builder.insert_element(kind(ir.Undefined), builder.load(element(number, place)), integer(0))
            return builder.shuffle_vector(one, kind(ir.Undefined), integers([0] * form.lanes))

        before = builder.block
        starts = [everywhere(8, query) for query in range(form.queries)]
        loop, after = builder.append_basic_block("dimensions"), builder.append_basic_block("scores")
        builder.branch(loop)

        builder.position_at_end(loop)
        step = builder.phi(long)
        sums = {place: builder.phi(integers) for place in tile}
        line, four = builder.mul(step, long(PANELS)), builder.mul(step, long(form.queries))
        lines = [builder.load(element(1, builder.add(line, long(panel))), align=4) for panel in range(PANELS)]
        total = {}
        for query in range(form.queries):
            values = everywhere(2, builder.add(four, long(query)))
            for panel in range(PANELS):
                total[panel, query] = add_product(sums[panel, query], lines[panel], values)
        for panel, query in tile:
            sums[panel, query].add_incoming(starts[query], before)
            sums[panel, query].add_incoming(total[panel, query], loop)
        step.add_incoming(long(0), before)
        following = builder.add(step, long(1))
        step.add_incoming(following, loop)
        builder.cbranch(builder.icmp_unsigned("<", following, arguments[3]), loop, after)

        builder.position_at_end(after)
        scores, marks = [], []
        bits = ir.IntType(form.lanes)
        for panel, query in tile:
            scale, offset = (builder.load(element(number, panel), align=4) for number in (4, 5))
            product = builder.fmul(builder.sitofp(whole(total[panel, query]), singles), scale)
            scores.append(builder.fadd(builder.fmul(product, everywhere(7, query)), offset))
            marks.append(builder.bitcast(builder.fcmp_ordered(">=", scores[-1], everywhere(6, query)), bits))
        some = builder.icmp_unsigned("!=", reduce(builder.or_, marks), bits(0))
        with builder.if_then(some, likely=False):
            for place, score in enumerate(scores):
                builder.store(score, element(9, place), align=4)
            for panel in range(PANELS):
                wide = [builder.zext(mark, long) for mark in marks[panel * form.queries :][: form.queries]]
                for word in range(words):
                    held = wide[word * 64 // form.lanes :][: 64 // form.lanes]
                    moved = [builder.shl(mark, long(place * form.lanes)) for place, mark in enumerate(held)]
                    builder.store(reduce(builder.or_, moved), element(10, panel * words + word))
        return some

    return generate


def _products(builder: ir.IRBuilder, integers: ir.VectorType) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """What adds the products of four bytes to a sum of 32 bits; and what makes an integer of the sum."""
    multiply = _instruction(builder, "llvm.x86.avx512.vpdpbusd.512", integers, [integers] * 3)
    return lambda total, line, values: builder.call(multiply, [total, line, values]), lambda total: total


def _products_of_halves(
    builder: ir.IRBuilder, integers: ir.VectorType
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The same for two sums of 16 bits, which lie in the place of an integer."""
    shorts = ir.VectorType(ir.IntType(16), 2 * integers.count)
    several = ir.VectorType(ir.IntType(8), 4 * integers.count)
    multiply = _instruction(builder, "llvm.x86.avx2.pmadd.ub.sw", shorts, [several] * 2)
    join = _instruction(builder, "llvm.x86.avx2.pmadd.wd", integers, [shorts] * 2)

    def add_product(total: Any, line: Any, values: Any) -> Any:
        product = builder.call(multiply, [builder.bitcast(of, several) for of in (line, values)])
        return builder.bitcast(builder.add(builder.bitcast(total, shorts), product), integers)

    def whole(total: Any) -> Any:
        return builder.call(join, [builder.bitcast(total, shorts), shorts([1] * shorts.count)])

    return add_product, whole


def _instruction(builder: ir.IRBuilder, name: str, result: Any, arguments: list[Any]) -> Any:
    return builder.module.globals.get(name) or ir.Function(builder.module, ir.FunctionType(result, arguments), name)


score_tile: Any = intrinsic(_score_tile)
