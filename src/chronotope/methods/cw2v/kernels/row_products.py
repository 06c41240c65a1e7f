"""The innermost loops of training, instruction by instruction, since no compiler arranges them well; for compiled code.

A group is a handful of cells, each of which faces a written row. `slopes` takes the products of one vector with four
rows at once, so that their sums across lanes are made together, and asks the memory for the rows of later cells. In
`add_rows` the sum stays in registers from the first row to the last. Every sum has one order, wherever the arrays lie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from numba.extending import intrinsic

ROWS = 4  # whose products are taken at once
AHEAD = 16  # so many cells before its turn a row is asked for
SUMS = 12  # that stay in registers, of which there are at least 16: the others hold a factor and what is read
LINE = 64  # bytes of the cache


@cache
def lanes() -> int:
    """How many float32 a register of this processor holds, as far as compiled code may use it; 8 where not known."""
    from llvmlite import binding
    from numba import config

    settings: Any = config
    if not settings.ENABLE_AVX or settings.CPU_NAME or settings.CPU_FEATURES:
        return 8
    return 16 if binding.get_host_cpu_features().get("avx512f", False) else 8


def _slopes(
    _: Any,
    dimensions: Any,
    width: Any,
    v: Any,
    here: Any,
    d: Any,
    b: Any,  # noqa: ARG001  # numba passes all by name
    others: Any,
    first_other: Any,  # noqa: ARG001
    values: Any,
    first_value: Any,  # noqa: ARG001
    cells: Any,
    last: Any,  # noqa: ARG001
    first: Any,  # noqa: ARG001
    size: Any,  # noqa: ARG001
    slope: Any,
) -> Any:
    """Write the derivative of the error by the prediction, for each cell; return the weighted squared error of all.

    Parameters
    ----------
    dimensions, width
        What a written row is made of: a vector, its bias, a 1, and zeros up to the width.
    v, here, d, b
        The row that moves, in arrays as long as a written one: its vector is `v * here + d`, its bias is b.
    others, first_other
        All written rows, and the first of the condition.
    values, first_value
        Targets and weights, and the first of the condition.
    cells, last, first, size
        All cells and the number of the last; the first of the group, and how many it has.
    slope
        For the derivatives, and up to three zeros.
    """
    from numba import types

    if not isinstance(width, types.IntegerLiteral):
        return None  # numba asks again with the numbers themselves

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        write = _Writer(context, builder, signature, arguments)
        long, places, one_place = write.long, range(0, width.literal_value, lanes()), dimensions.literal_value + 1
        v, here, d, b, others, first_other, values, first_value, cells, last, first, size, slope = write.arguments[2:]
        rows = write.place(others, first_other, width.literal_value)
        values = write.place(values, first_value, 2)
        vector = []
        for k in places:
            own = write.multiply_add(write.load(v, k), write.load(here, k), write.load(d, k))
            vector.append(write.with_numbers(own, {one_place - 1 - k: write.single(1.0), one_place - k: b}))

        def row_of(cell: Any) -> Any:
            return write.place(rows, write.integer_at(cells, cell, 2), width.literal_value)

        def visit(number: Any, met: Sequence[Any], whole: bool) -> list[Any]:
            """Visit four cells; where there are less, the last of them stands in for others, with no weight."""
            facing, wanted, there = [], [], [builder.add(number, long(n)) for n in range(ROWS)]
            for own in there:
                cell = builder.add(first, own if whole else write.smaller(own, builder.sub(size, long(1))))
                facing.append(row_of(cell))
                value = write.integer_at(write.place(cells, 1), cell, 2)
                wanted.append(write.load(write.place(values, value, 2), 0, 2))
                write.ask_for(row_of(write.smaller(builder.add(cell, long(AHEAD)), last)), width.literal_value)
            products = [write.zeros()] * ROWS
            for k, own in zip(places, vector, strict=True):
                products = [
                    write.multiply_add(own, write.load(row, k), product)
                    for row, product in zip(facing, products, strict=True)
                ]
            pairs = [write.shuffled(wanted[n], wanted[n + 1], range(4)) for n in (0, 2)]
            target, weight = (write.shuffled(pairs[0], pairs[1], range(n, n + 8, 2)) for n in (0, 1))
            if not whole:
                weight = write.where([builder.icmp_signed("<", own, size) for own in there], weight)
            error = builder.fsub(write.sums(products), target)
            weighted = builder.fmul(weight, error)
            write.store(builder.fadd(weighted, weighted), slope, number)
            return [write.multiply_add(weighted, error, met[0])]

        fours = builder.and_(size, long(-ROWS))
        met = write.loop(long(0), fours, ROWS, [write.zeros(4)], lambda number, met: visit(number, met, whole=True))
        met = write.loop(fours, size, ROWS, met, lambda number, met: visit(number, met, whole=False))
        return write.number(write.sums([met[0]] * 4), 0)

    given = (dimensions, width, v, here, d, types.float32, others, types.int64, values, types.int64, cells, types.int64,
             types.int64, types.int64, slope)  # fmt: skip
    return types.float32(*given), generate


def _add_rows(
    _: Any,
    dimensions: Any,
    width: Any,
    others: Any,
    first_other: Any,  # noqa: ARG001
    cells: Any,
    first: Any,  # noqa: ARG001
    size: Any,  # noqa: ARG001
    slope: Any,
    here: Any,
    total: Any,
) -> Any:
    """Write the sum of a group's rows, each times its slope; return three sums.

    They are the sum of the slopes, and the sums of squares of `total * here` and of `total`. See `slopes` for the rest.

    Parameters
    ----------
    total
        For the sum: 0 where the rows have the bias and the 1.
    """
    from numba import types

    if not isinstance(width, types.IntegerLiteral):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        write = _Writer(context, builder, signature, arguments)
        places, one_place = range(0, width.literal_value, lanes()), dimensions.literal_value + 1
        others, first_other, cells, first, size, slope, here, total = write.arguments[2:]
        rows, zero = write.place(others, first_other, width.literal_value), write.single(0.0)
        of_base = of_vector = write.zeros()
        found = []
        for start in range(0, len(places), SUMS):
            strip = places[start : start + SUMS]

            def add(number: Any, sums: Sequence[Any], strip: Sequence[int] = strip) -> list[Any]:
                context_place = write.integer_at(cells, builder.add(first, number), 2)
                row = write.place(rows, context_place, width.literal_value)
                factor = write.everywhere(builder.load(write.place(slope, number)))
                return [write.multiply_add(factor, write.load(row, k), own) for k, own in zip(strip, sums, strict=True)]

            sums = write.loop(write.long(0), size, 1, [write.zeros()] * len(strip), add)
            for k, own in zip(strip, sums, strict=True):
                if k <= one_place < k + lanes():
                    found.append(write.number(own, one_place - k))
                real = write.with_numbers(own, {one_place - 1 - k: zero, one_place - k: zero})
                write.store(real, total, k)
                scaled = builder.fmul(real, write.load(here, k))
                of_base = write.multiply_add(scaled, scaled, of_base)
                of_vector = write.multiply_add(real, real, of_vector)
        squares = write.sums([of_base, of_vector] * 2)
        found += [write.number(squares, 0), write.number(squares, 1)]
        return context.make_tuple(builder, signature.return_type, found)

    given = (dimensions, width, others, types.int64, cells, types.int64, types.int64, slope, here, total)
    tuple_of: Any = types.UniTuple
    return tuple_of(types.float32, 3)(*given), generate


def _ask_for(_: Any, width: Any, array: Any, row: Any) -> Any:  # noqa: ARG001
    """Ask the memory for a row of an array, of this width."""
    from numba import types

    if not isinstance(width, types.IntegerLiteral):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        write = _Writer(context, builder, signature, arguments)
        _, array, row = write.arguments
        write.ask_for(write.place(array, row, width.literal_value), width.literal_value, aligned=False)
        return context.get_dummy_value()

    return types.void(width, array, types.int64), generate


slopes: Any = intrinsic(_slopes)
add_rows: Any = intrinsic(_add_rows)
ask_for: Any = intrinsic(_ask_for)


class _Writer:
    """Writes instructions for vectors of float32; in `arguments` an array is the address of its first element."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> None:
        from llvmlite import ir
        from numba import types

        self.builder, self.ir = builder, ir
        self.byte, self.integer, self.long, self.single = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.FloatType()
        self.arguments = [
            context.make_array(kind)(context, builder, argument).data if isinstance(kind, types.Array) else argument
            for kind, argument in zip(signature.args, arguments, strict=True)
        ]

    def place(self, base: Any, index: Any, width: int = 1) -> Any:
        """The address of a row of this width."""
        index = self.long(index) if isinstance(index, int) else index
        return self.builder.gep(base, [self.builder.mul(index, self.long(width))])

    def integer_at(self, base: Any, index: Any, width: int) -> Any:
        """The first number of a row of integers without sign."""
        return self.builder.zext(self.builder.load(self.place(base, index, width)), self.long)

    def load(self, base: Any, index: Any, count: int | None = None) -> Any:
        """A vector from an array."""
        place = self.builder.bitcast(self.place(base, index), self.zeros(count).type.as_pointer())
        return self.builder.load(place, align=4)

    def store(self, vector: Any, base: Any, index: Any) -> None:
        """Put a vector into an array."""
        self.builder.store(vector, self.builder.bitcast(self.place(base, index), vector.type.as_pointer()), align=4)

    def zeros(self, count: int | None = None) -> Any:
        """A vector of zeros, in all lanes of a register or in so many."""
        count = count or lanes()
        return self.ir.VectorType(self.single, count)([0.0] * count)

    def everywhere(self, number: Any) -> Any:
        """A vector that holds one number."""
        first = self.builder.insert_element(self.zeros(), number, self.integer(0))
        return self.shuffled(first, first, [0] * lanes())

    def number(self, vector: Any, lane: int) -> Any:
        """The number in a lane."""
        return self.builder.extract_element(vector, self.integer(lane))

    def with_numbers(self, vector: Any, numbers: dict[int, Any]) -> Any:
        """The vector, with other numbers in some lanes; lanes that it does not have are left out."""
        for lane, number in numbers.items():
            if 0 <= lane < vector.type.count:
                vector = self.builder.insert_element(vector, number, self.integer(lane))
        return vector

    def where(self, conditions: Sequence[Any], vector: Any) -> Any:
        """The vector, with 0 in the lanes whose condition does not hold."""
        for lane, holds in enumerate(conditions):
            own = self.builder.select(holds, self.number(vector, lane), self.single(0.0))
            vector = self.with_numbers(vector, {lane: own})
        return vector

    def shuffled(self, a: Any, b: Any, chosen: Sequence[int]) -> Any:
        """The chosen lanes of two vectors, those of the second counted on."""
        return self.builder.shuffle_vector(a, b, self.ir.VectorType(self.integer, len(chosen))(list(chosen)))

    def smaller(self, a: Any, b: Any) -> Any:
        """The smaller of two integers."""
        return self.builder.select(self.builder.icmp_signed("<", a, b), a, b)

    def multiply_add(self, a: Any, b: Any, c: Any) -> Any:
        """Return a · b + c, in one instruction where there is one."""
        return self._call(f"llvm.fmuladd.v{a.type.count}f32", a.type, [a, b, c])

    def ask_for(self, row: Any, width: int, aligned: bool = True) -> None:
        """Ask the memory for all lines of a row."""
        places = [*range(0, width, LINE // 4)] + ([] if aligned else [width - 1])
        for place in places:
            address = self.builder.bitcast(self.place(row, place), self.byte.as_pointer())
            self._call("llvm.prefetch.p0", self.ir.VoidType(), [address, *map(self.integer, (0, 3, 1))])

    def _call(self, name: str, result: Any, arguments: Sequence[Any]) -> Any:
        kind = self.ir.FunctionType(result, [argument.type for argument in arguments])
        function = self.builder.module.globals.get(name) or self.ir.Function(self.builder.module, kind, name)
        return self.builder.call(function, arguments)

    def sums(self, four: Sequence[Any]) -> Any:
        """The sums across lanes of four vectors, as one vector."""
        count = four[0].type.count

        def folded(a: Any, b: Any, *choices: Sequence[int]) -> Any:
            """The sum of two choices among the lanes of both, for each four lanes the same; from 4 on they are b's."""
            return self.builder.fadd(
                *(
                    self.shuffled(
                        a, b, [n + lane % 4 + lane // 4 * count for n in range(0, count, 4) for lane in chosen]
                    )
                    for chosen in choices
                )
            )

        pairs = (folded(four[n], four[n + 1], (0, 4, 1, 5), (2, 6, 3, 7)) for n in (0, 2))
        total = folded(*pairs, (0, 1, 4, 5), (2, 3, 6, 7))
        while count > 4:
            count //= 2
            halves = (self.shuffled(total, total, range(first, first + count)) for first in (0, count))
            total = self.builder.fadd(*halves)
        return total

    def loop(
        self, first: Any, last: Any, step: int, carried: Sequence[Any], body: Callable[[Any, Sequence[Any]], list[Any]]
    ) -> list[Any]:
        """Run `body` with a number that grows by `step` up to before `last`; what it returns it is given again."""
        builder, before = self.builder, self.builder.block
        head, inside, after = (builder.append_basic_block() for _ in range(3))
        builder.branch(head)
        builder.position_at_end(head)
        number, values = builder.phi(self.long), [builder.phi(value.type) for value in carried]
        builder.cbranch(builder.icmp_signed("<", number, last), inside, after)
        builder.position_at_end(inside)
        following = [builder.add(number, self.long(step)), *body(number, values)]
        for phi, start, value in zip([number, *values], [first, *carried], following, strict=True):
            phi.add_incoming(start, before)
            phi.add_incoming(value, builder.block)
        builder.branch(head)
        builder.position_at_end(after)
        return values
