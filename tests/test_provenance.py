"""Checksums tell files apart, and plain data whatever the order of its keys."""

from __future__ import annotations

import hashlib

from chronotope.io.provenance import checksum, checksum_of, quick_checksum


def test_checksums_tell_files_apart(tmp_path):
    one, other, third = tmp_path / "one", tmp_path / "other", tmp_path / "third"
    data = bytes(range(256)) * 10_000  # more than one block
    one.write_bytes(data)
    other.write_bytes(data[:-1] + b"\0")
    third.write_bytes(data)
    for kind in (checksum, quick_checksum):
        assert kind(one) == kind(third) != kind(other)
    assert checksum(one) == hashlib.blake2b(data, digest_size=16).hexdigest()


def test_plain_data_has_one_checksum():
    assert checksum_of({"b": [1, 2], "a": None}) == checksum_of({"a": None, "b": [1, 2]})
    assert checksum_of({"a": 1}) != checksum_of({"a": 1.0})
