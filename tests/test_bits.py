"""What compiled code asks of the processor."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.bits import among, fetch, leading_zeros, trailing_zeros
from chronotope.compiling import kernel


@kernel()
def zeros(bits):
    return leading_zeros(bits), trailing_zeros(bits)


@kernel()
def bytes_among(data, place, first, last):
    return among(data, place, first, last)


@pytest.mark.parametrize(("bits", "expected"), [(0, (64, 64)), (1, (63, 0)), (1 << 63, (0, 63)), (40, (58, 3))])
def test_zeros_at_both_ends(bits, expected):
    assert zeros(np.uint64(bits)) == expected


@pytest.mark.parametrize(("first", "last"), [(97, 122), (0, 0), (128, 255), (39, 39), (0, 255)])
def test_which_of_64_bytes_are_among_some(first, last):
    data = np.random.default_rng(0).integers(0, 256, 300).astype(np.uint8)
    for place in (0, 1, 63, 236):
        found = int(bytes_among(data, place, first, last))
        assert [found >> k & 1 for k in range(64)] == [first <= byte <= last for byte in data[place : place + 64]]


@kernel()
def fetched(address):
    fetch(address)
    return address


def test_any_address_may_be_asked_for():
    data = np.arange(8)
    for address in (0, 1, data.ctypes.data, data.ctypes.data + 4096 * 1000, -1):
        assert fetched(address) == address
    assert (data == np.arange(8)).all()
