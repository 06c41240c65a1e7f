"""Checksums: of whole files, and of files as they are written."""

from __future__ import annotations

import os

import pytest

from chronotope.io import provenance
from chronotope.io.provenance import CheckedFile, checksum, has_checksum, quick_checksum


@pytest.mark.parametrize("steps", [[], [0], [5, 5, 40_000], [100_000]])
def test_a_file_that_is_checked_as_it_is_written_has_the_checksum_of_the_whole(tmp_path, monkeypatch, steps):
    monkeypatch.setattr(provenance, "SENT_AT_ONCE", 7000)
    data, path, done = os.urandom(100_000), tmp_path / "growing", 0
    with CheckedFile(path) as file:
        for size in (*steps, len(data)):
            file.write(data[done:size])
            done = max(done, size)
        assert file.finish() == quick_checksum(path)
    assert path.read_bytes() == data


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
        with CheckedFile(path) as file:
            file.write(b"12345")
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
    with CheckedFile(tmp_path / "growing") as file:
        file.write(b"12345")
        with pytest.raises(OSError, match="Input/output error"):
            file.finish()
