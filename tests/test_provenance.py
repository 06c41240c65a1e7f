"""Checksums: of whole files, and of files that are still growing."""

from __future__ import annotations

import os

import pytest

from chronotope import provenance
from chronotope.provenance import ChecksumBehind, checksum, has_checksum, quick_checksum


@pytest.mark.parametrize("steps", [[], [0], [5, 5, 40_000], [100_000]])
def test_what_follows_the_writer_ends_at_the_same_checksum(tmp_path, monkeypatch, steps):
    monkeypatch.setattr(provenance, "BLOCK", 1000)
    monkeypatch.setattr(provenance, "SENT_AT_ONCE", 7000)
    data, path = os.urandom(100_000), tmp_path / "growing"
    with open(path, "wb", buffering=0) as file, ChecksumBehind(path) as behind:
        for size in steps:
            file.write(data[file.tell() : size])
            behind.reach(file.tell())
        file.write(data[file.tell() :])
        assert behind.finish() == quick_checksum(path)


def test_either_kind_of_checksum_is_known(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"some bytes")
    other.write_bytes(b"some bytez")
    for kind in (checksum, quick_checksum):
        assert has_checksum(one, kind(one))
        assert not has_checksum(other, kind(one))
    assert not has_checksum(one, None)


def test_a_writer_that_fails_is_not_waited_for(tmp_path):
    path = tmp_path / "growing"

    def write_a_part():
        with open(path, "wb") as file, ChecksumBehind(path) as behind:
            behind.reach(file.tell() + 10)
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        write_a_part()
    assert path.exists()


def test_an_error_of_the_disk_on_the_way_is_told_at_the_end(tmp_path, monkeypatch):
    """The system reports it once, and nobody would hear of it again."""

    def broken(_handle):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(provenance, "SENT_AT_ONCE", 3)
    monkeypatch.setattr(os, "fsync", broken)
    path = tmp_path / "growing"
    path.write_bytes(b"12345")
    with ChecksumBehind(path) as behind, pytest.raises(OSError, match="Input/output error"):
        behind.finish()
