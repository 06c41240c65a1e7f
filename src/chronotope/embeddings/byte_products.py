"""The products of many rows of bytes at once, by the processor's own instructions for them.

With AVX-512 VNNI one instruction multiplies 64 pairs of bytes and adds them to 16 sums, four times as many as with
float32. AVX2 has one that multiplies 32 pairs and adds them two by two, to sums of 16 bits, which a second adds up:
more than three times as fast as float32, with coarser bytes. No compiler arranges a loop for them well, so the
innermost loop is spelled out here, instruction by instruction: some queries against 2 panels of candidates, whose sums
stay in registers. What differs between processors is a `Form`. The few that are left are multiplied in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from llvmlite import ir
from numba.extending import intrinsic

# The candidates of a panel, and the panels that are multiplied at once.
LANES, PANELS = 16, 2


class Form(NamedTuple):
    """How a processor multiplies bytes.

    Attributes
    ----------
    bits
        Of a sum.
    depth
        How many dimensions of a candidate are multiplied at a time: so many bytes of 16 candidates fill a register.
    queries
        How many are multiplied with the panels at a time, so that all sums stay in registers.
    most, most_asked
        The largest number of a candidate and of a query, so that two products fit into 16 bits where they have to.
    product
        What it takes to multiply two bytes, in nanoseconds.
    """

    bits: int
    depth: int
    queries: int
    most: int
    most_asked: int
    product: float

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


VNNI = Form(bits=32, depth=4, queries=12, most=127, most_asked=127, product=0.003)
# A candidate's number is a byte without sign, 128 more: 2 × 255 × 64 fits into 16 bits.
AVX2 = Form(bits=16, depth=2, queries=6, most=127, most_asked=64, product=0.009)
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


def _bound_tile(
    _: Any,
    sums: Any,
    panels: Any,
    queries: Any,
    steps: Any,
    start: Any,
    shift: Any,
    offset: Any,
    rest: Any,
    own_rest: Any,
    bounds: Any,
    stride: Any,
) -> Any:
    """Bound the products of some queries, Q of them, with 2 panels of candidates.

    A bound is the upper byte of the sum of products of bytes, shifted, plus `offset`, plus `rest` times `own_rest`. All
    arguments but `sums`, `steps`, `shift` and `stride` are addresses.

    Parameters
    ----------
    sums
        The type of the sums, which tells the form.
    panels
        `steps` × 2 lines of bytes without sign: some dimensions of each candidate of a panel.
    queries
        `steps` × Q times four signed bytes: those dimensions of a query, again and again.
    steps
        How often some dimensions are multiplied, at least once.
    start
        Q sums to start with.
    shift
        By how many bits a sum is shifted to the right, so that it fits into 16.
    offset, rest
        2 × 16 numbers of 16 bits, `offset` with a sign, `rest` without.
    own_rest
        Q numbers of 16 bits without sign; of the product with `rest` the upper 16 bits count.
    bounds
        Room for 2 × 16 bytes with a sign, for each query; what is too large for 16 bits becomes the largest.
    stride
        How many bytes lie from one query to the next there.
    """
    from numba import types

    signature = types.void(sums, panels, queries, steps, start, shift, offset, rest, own_rest, bounds, stride)
    return signature, _generated(BY_BITS[sums.dtype.bitwidth])


def _generated(form: Form) -> Callable[..., Any]:
    """What writes the instructions of a form."""
    short, integer, long, total = (ir.IntType(bits) for bits in (16, 32, 64, form.bits))
    shorts, totals = ir.VectorType(short, LANES), ir.VectorType(total, LANES)
    kinds = {1: totals, 2: integer, 4: total, 6: shorts, 7: shorts, 8: short, 9: ir.IntType(8)}
    tile = [(panel, query) for query in range(form.queries) for panel in range(PANELS)]

    def generate(context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        address = {number: builder.inttoptr(arguments[number], kind.as_pointer()) for number, kind in kinds.items()}
        add_product = (_products if form.bits == 32 else _products_of_halves)(builder, totals)
        add = _instruction(builder, "llvm.sadd.sat.v16i16", shorts, [shorts] * 2)

        def element(number: int, place: Any) -> Any:
            place = long(place) if isinstance(place, int) else place
            return builder.gep(address[number], [place])

        def everywhere(value: Any, count: int) -> Any:
            """One number in all lanes."""
            kind = ir.VectorType(value.type, count)
            one = builder.insert_element(kind(ir.Undefined), value, integer(0))
            return builder.shuffle_vector(one, kind(ir.Undefined), ir.VectorType(integer, count)([0] * count))

        before = builder.block
        starts = [everywhere(builder.load(element(4, query)), LANES) for query in range(form.queries)]
        loop, after = builder.append_basic_block("dimensions"), builder.append_basic_block("bounds")
        builder.branch(loop)

        builder.position_at_end(loop)
        step = builder.phi(long)
        sums = {place: builder.phi(totals) for place in tile}
        line, four = builder.mul(step, long(PANELS)), builder.mul(step, long(form.queries))
        lines = [builder.load(element(1, builder.add(line, long(panel))), align=4) for panel in range(PANELS)]
        made = {}
        for query in range(form.queries):
            values = everywhere(builder.load(element(2, builder.add(four, long(query)))), form.bits // 2)
            for panel in range(PANELS):
                made[panel, query] = add_product(sums[panel, query], lines[panel], values)
        for panel, query in tile:
            sums[panel, query].add_incoming(starts[query], before)
            sums[panel, query].add_incoming(made[panel, query], loop)
        step.add_incoming(long(0), before)
        following = builder.add(step, long(1))
        step.add_incoming(following, loop)
        builder.cbranch(builder.icmp_unsigned("<", following, arguments[3]), loop, after)

        builder.position_at_end(after)
        # Shifted as wide numbers: narrow ones have no shift by a number that is not known beforehand.
        shift = everywhere(builder.trunc(arguments[5], total), LANES) if form.bits > 16 else None
        offsets, rests = (
            [builder.load(element(number, panel), align=2) for panel in range(PANELS)] for number in (6, 7)
        )
        wide = ir.VectorType(integer, LANES)
        for query in range(form.queries):
            own = builder.zext(everywhere(builder.load(element(8, query)), LANES), wide)
            bounds = []
            for panel in range(PANELS):
                product = made[panel, query]
                if shift:
                    product = builder.trunc(builder.ashr(product, shift), shorts)
                beside = builder.mul(builder.zext(rests[panel], wide), own)
                beside = builder.trunc(builder.lshr(beside, wide([16] * LANES)), shorts)
                bound = builder.call(add, [builder.call(add, [product, offsets[panel]]), beside])
                bounds.append(builder.ashr(bound, shorts([8] * LANES)))
            both = builder.shuffle_vector(*bounds, ir.VectorType(integer, PANELS * LANES)(list(range(PANELS * LANES))))
            upper = ir.VectorType(ir.IntType(8), PANELS * LANES)
            place = element(9, builder.mul(long(query), arguments[10]))
            builder.store(builder.trunc(both, upper), builder.bitcast(place, upper.as_pointer()), align=1)
        return context.get_dummy_value()

    return generate


def _products(builder: ir.IRBuilder, totals: ir.VectorType) -> Callable[..., Any]:
    """What adds the products of four bytes to a sum of 32 bits."""
    multiply = _instruction(builder, "llvm.x86.avx512.vpdpbusd.512", totals, [totals] * 3)
    return lambda total, line, values: builder.call(multiply, [total, line, values])


def _products_of_halves(builder: ir.IRBuilder, totals: ir.VectorType) -> Callable[..., Any]:
    """What adds the products of two bytes to a sum of 16 bits."""
    several = ir.VectorType(ir.IntType(8), 2 * totals.count)
    multiply = _instruction(builder, "llvm.x86.avx2.pmadd.ub.sw", totals, [several] * 2)

    def add_product(total: Any, line: Any, values: Any) -> Any:
        product = builder.call(multiply, [builder.bitcast(of, several) for of in (line, values)])
        return builder.add(total, product)

    return add_product


def _instruction(builder: ir.IRBuilder, name: str, result: Any, arguments: list[Any]) -> Any:
    return builder.module.globals.get(name) or ir.Function(builder.module, ir.FunctionType(result, arguments), name)


def _eight_sums(_: Any, one: Any, other: Any, eights: Any, sums: Any) -> Any:
    """The products of two rows of float32 in float64, in eight sums that take turns, for so many numbers in eights.

    All arguments but `eights` are addresses.
    """
    from numba import types

    def generate(context: Any, builder: ir.IRBuilder, _signature: Any, arguments: Any) -> Any:
        long = ir.IntType(64)
        singles, doubles = ir.VectorType(ir.FloatType(), 8), ir.VectorType(ir.DoubleType(), 8)
        rows = [builder.inttoptr(address, singles.as_pointer()) for address in arguments[:2]]
        before, zero = builder.block, doubles([0.0] * 8)
        loop, after = builder.append_basic_block("eights"), builder.append_basic_block("sums")
        builder.cbranch(builder.icmp_signed(">", arguments[2], long(0)), loop, after)

        builder.position_at_end(loop)
        place, total = builder.phi(long), builder.phi(doubles)
        values = [builder.fpext(builder.load(builder.gep(row, [place]), align=4), doubles) for row in rows]
        following, more = builder.add(place, long(1)), builder.fadd(total, builder.fmul(*values))
        for phi, first, later in ((place, long(0), following), (total, zero, more)):
            phi.add_incoming(first, before)
            phi.add_incoming(later, loop)
        builder.cbranch(builder.icmp_signed("<", following, arguments[2]), loop, after)

        builder.position_at_end(after)
        last = builder.phi(doubles)
        last.add_incoming(zero, before)
        last.add_incoming(more, loop)
        builder.store(last, builder.inttoptr(arguments[3], doubles.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(one, other, eights, sums), generate


bound_tile: Any = intrinsic(_bound_tile)
eight_sums: Any = intrinsic(_eight_sums)
