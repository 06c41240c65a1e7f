"""What compiled code asks of the processor."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.runtime.bits import among, fetch, fetch_to_write, highest, leading_zeros, ones, reaching, trailing_zeros
from chronotope.runtime.kernels import kernel


@kernel()
def counted(bits):
    return leading_zeros(bits), trailing_zeros(bits), ones(bits)


@kernel()
def bytes_among(data, place, first, last):
    return among(data, place, first, last)


@pytest.mark.parametrize(
    ("bits", "expected"), [(0, (64, 64, 0)), (1, (63, 0, 1)), (1 << 63, (0, 63, 1)), (40, (58, 3, 2))]
)
def test_zeros_at_both_ends_and_ones(bits, expected):
    assert counted(np.uint64(bits)) == expected


@pytest.mark.parametrize(("first", "last"), [(97, 122), (0, 0), (128, 255), (39, 39), (0, 255)])
def test_which_of_64_bytes_are_among_some(first, last):
    data = np.random.default_rng(0).integers(0, 256, 300).astype(np.uint8)
    for place in (0, 1, 63, 236):
        found = int(bytes_among(data, place, first, last))
        assert [found >> k & 1 for k in range(64)] == [first <= byte <= last for byte in data[place : place + 64]]


@kernel()
def fetched(address):
    fetch(address)
    fetch_to_write(address)
    return address


def test_any_address_may_be_asked_for():
    data = np.arange(8)
    for address in (0, 1, data.ctypes.data, data.ctypes.data + 4096 * 1000, -1):
        assert fetched(address) == address
    assert (data == np.arange(8)).all()


@kernel()
def bits_reaching(address, least):
    return reaching(address, least), highest(address)


@pytest.mark.parametrize("least", [-128, -1, 0, 100, 127])
def test_which_of_64_bytes_are_large_enough(least):
    numbers = np.random.default_rng(1).integers(-128, 128, 200).astype(np.int8)
    numbers[[3, 70, 71]] = -128, 127, least
    for place in (0, 1, 63, 136):
        found, largest = bits_reaching(numbers[place:].ctypes.data, least)
        part = numbers[place : place + 64]
        assert [int(found) >> k & 1 for k in range(64)] == (part >= least).tolist()
        assert largest == part.max()
