"""What the processor does with bits in one instruction and Python has no word for; for compiled code."""

from __future__ import annotations

from typing import Any

from numba.extending import intrinsic


def _trailing_zeros(_: Any, bits: Any) -> Any:
    """How many zeros stand below the lowest bit that is set; 64 if none is."""
    from numba import types

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(bits), generate


def _leading_zeros(_: Any, bits: Any) -> Any:
    """How many zeros stand above the highest bit that is set; 64 if none is."""
    from numba import types

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(bits), generate


def _ones(_: Any, bits: Any) -> Any:
    """How many bits are set."""
    from numba import types

    return types.uint64(bits), lambda _context, builder, _signature, arguments: builder.ctpop(arguments[0])


def _among(_: Any, data: Any, place: Any, first: Any, last: Any) -> Any:  # noqa: ARG001  # numba passes them by name
    """Which of the 64 bytes from a place on are from `first` to `last`: a bit for each, the lowest for the first."""
    from llvmlite import ir
    from numba import types

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, bytes_together = ir.IntType(8), ir.VectorType(ir.IntType(8), 64)
        start = builder.gep(context.make_array(signature.args[0])(context, builder, arguments[0]).data, [arguments[1]])
        found = builder.load(builder.bitcast(start, bytes_together.as_pointer()))
        found.align = 1
        lowest, highest = (_repeated(builder, builder.trunc(number, byte)) for number in arguments[2:])
        is_among = builder.icmp_unsigned("<=", builder.sub(found, lowest), builder.sub(highest, lowest))
        return builder.bitcast(is_among, ir.IntType(64))

    return types.uint64(data, types.uint64, types.uint64, types.uint64), generate


def _reaching(_: Any, address: Any, least: Any) -> Any:  # noqa: ARG001  # numba passes them by name
    """Which of the 64 signed bytes from an address on are at least so large: the lowest bit for the first."""
    from llvmlite import ir
    from numba import types

    def generate(_context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        found = builder.load(builder.inttoptr(arguments[0], ir.VectorType(ir.IntType(8), 64).as_pointer()))
        found.align = 1
        least = _repeated(builder, builder.trunc(arguments[1], ir.IntType(8)))
        return builder.bitcast(builder.icmp_signed(">=", found, least), ir.IntType(64))

    return types.uint64(address, types.int64), generate


def _highest(_: Any, address: Any) -> Any:
    """The largest of the 64 signed bytes from an address on."""
    from llvmlite import ir
    from numba import types

    def generate(_context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        several = ir.VectorType(ir.IntType(8), 64)
        found = builder.load(builder.inttoptr(arguments[0], several.as_pointer()))
        found.align = 1
        name = "llvm.vector.reduce.smax.v64i8"
        kind = ir.FunctionType(ir.IntType(8), [several])
        return builder.call(builder.module.globals.get(name) or ir.Function(builder.module, kind, name), [found])

    return types.int8(address), generate


def _fetch(_: Any, address: Any) -> Any:
    """Ask for the line of the cache at an address, which will be read soon; any address will do."""
    return _asked_for(address, 0)


def _fetch_to_write(_: Any, address: Any) -> Any:
    """The same for a line that will be written to."""
    return _asked_for(address, 1)


def _asked_for(address: Any, to_be_written: int) -> Any:
    from llvmlite import ir
    from numba import types

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        integer, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, integer, integer, integer])
        name = "llvm.prefetch.p0"
        ask = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        # To be kept in all caches, as data.
        builder.call(ask, [builder.inttoptr(arguments[0], pointer), integer(to_be_written), integer(3), integer(1)])
        return context.get_dummy_value()

    return types.void(address), generate


def _repeated(builder: Any, byte: Any) -> Any:
    """A byte 64 times."""
    from llvmlite import ir

    whole, number = ir.VectorType(byte.type, 64), ir.IntType(32)
    once = builder.insert_element(ir.Constant(whole, ir.Undefined), byte, number(0))
    return builder.shuffle_vector(once, once, ir.Constant(ir.VectorType(number, 64), [0] * 64))


trailing_zeros: Any = intrinsic(_trailing_zeros)
leading_zeros: Any = intrinsic(_leading_zeros)
ones: Any = intrinsic(_ones)
among: Any = intrinsic(_among)
reaching: Any = intrinsic(_reaching)
highest: Any = intrinsic(_highest)
fetch: Any = intrinsic(_fetch)
fetch_to_write: Any = intrinsic(_fetch_to_write)
