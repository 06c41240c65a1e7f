"""Reading before anyone asks gives what reading gives."""

import gzip
import os
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.corpus import read_corpus, tokenize
from chronotope.corpus.readers import folders, streams
from chronotope.errors import InputError
from chronotope.io import streaming
from chronotope.io.provenance import checksum


@pytest.fixture
def letters(tmp_path):
    """A compressed file of a few blocks that do not end where lines do."""
    data = b"".join(b"%d\n" % number for number in np.random.default_rng(1).integers(0, 10**9, 20_000))
    path = tmp_path / "numbers.jsonl.gz"
    path.write_bytes(gzip.compress(data))
    return path, data


@pytest.mark.parametrize(("begun", "room"), [(False, None), (True, 4096), (True, 4)])
def test_blocks_are_the_same_whether_begun_or_not(letters, begun, room, monkeypatch):
    """Before a block there is room for the start of its first line, or for some of them."""
    path, data = letters
    monkeypatch.setattr(streaming, "BLOCK_BYTES", 4096)
    if begun:
        monkeypatch.setattr(streaming, "ROOM", room)
        streaming.begin(path)
        assert streaming._begun

    blocks = list(streams.read_blocks(path, block_bytes=5000))
    assert b"".join(block.data for block in blocks) == data
    assert all(block.data.endswith(b"\n") for block in blocks)
    assert [block.lines for block in blocks] == [block.data.count(b"\n") for block in blocks]
    assert [block.line for block in blocks] == np.cumsum([1] + [block.lines for block in blocks])[:-1].tolist()
    assert blocks[-1].done == path.stat().st_size
    assert not streaming._begun, "a file that was begun is read once"


@pytest.mark.parametrize("begun", [False, True])
def test_lines_longer_than_blocks_and_a_mark_of_utf8(tmp_path, begun, monkeypatch):
    path = tmp_path / "long.jsonl.gz"
    lines = [b"first\n", b"x" * 10_000 + b"\n", b"\n", b"y" * 5_000 + b"\n", b"the end"]
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + b"".join(lines)))
    monkeypatch.setattr(streaming, "BLOCK_BYTES", 1024)
    monkeypatch.setattr(streaming, "ROOM", 512)
    if begun:
        streaming.begin(path)
    blocks = list(streams.read_blocks(path, 1024))
    assert [line for block in blocks for line in block.data.splitlines(keepends=True)] == lines
    assert [block.line for block in blocks] == np.cumsum([1] + [block.lines for block in blocks])[:-1].tolist()
    assert sum(block.lines for block in blocks) == len(lines)


def test_the_head_is_looked_at_without_using_up_what_was_begun(letters):
    path, data = letters
    streaming.begin(path)
    assert streams.read_head(path, 100).startswith(data[:100])
    assert b"".join(block.data for block in streams.read_blocks(path)) == data


def test_damage_is_told_where_it_is_met(letters, monkeypatch):
    path, _ = letters
    monkeypatch.setattr(streaming, "BLOCK_BYTES", 4096)
    path.write_bytes(path.read_bytes()[:-2000])
    streaming.begin(path)
    found = []
    with pytest.raises(InputError, match=r"numbers\.jsonl\.gz: its compressed data is damaged or cut short"):
        found.extend(streams.read_blocks(path, 4096))
    streaming.begin(path)
    with streams.opened(path, whole=True) as stream:
        assert len(stream.read(4096)) == 4096
        with pytest.raises(InputError):
            list(iter(lambda: stream.read(4096), b""))
        with pytest.raises(InputError):
            stream.read(4096)


def test_a_file_that_is_given_up_keeps_no_thread(letters, monkeypatch):
    path, _ = letters
    monkeypatch.setattr(streaming, "BLOCK_BYTES", 512)
    before = threading.active_count()
    streaming.begin(path)
    assert threading.active_count() > before
    with streams.opened(path, whole=True) as stream:
        stream.read(10)
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_what_nobody_asked_for_is_forgotten(letters):
    path, _ = letters
    streaming.begin(path)
    streaming.forget()
    path.write_bytes(gzip.compress(b"new\n"))
    assert [block.data for block in streams.read_blocks(path)] == [b"new\n"]


def test_only_compressed_files_are_begun(tmp_path):
    plain = tmp_path / "plain.jsonl"
    plain.write_text('{"text": "a b"}\n')
    for path in (plain, tmp_path / "missing.jsonl.gz", tmp_path):
        streaming.begin(path)
    assert not streaming._begun


def test_a_corpus_is_the_same_whether_begun_or_not(tmp_path):
    path = tmp_path / "corpus.csv.gz"
    path.write_bytes(gzip.compress(b"text,year\n" + b"the sunny day,1990\nafter the rain,1991\n" * 900))
    stores = []
    for folder in ("plain", "begun"):
        if folder == "begun":
            streaming.begin(path)
        stores.append(tokenize(read_corpus(path, time="year"), tmp_path / folder))
    assert not streaming._begun
    assert stores[0].ids.tolist() == stores[1].ids.tolist()


def test_checksums_are_taken_again_when_a_file_may_have_changed(tmp_path, monkeypatch):
    path, taken = tmp_path / "own.jsonl", []
    monkeypatch.setattr(streaming, "checksum", lambda path: taken.append(path) or checksum(path))
    path.write_bytes(b"one")
    first = [streaming.checksum_of_file(path) for _ in range(2)]
    assert (len(taken), set(first)) == (2, {checksum(path)})  # just written: nobody knows

    monkeypatch.setattr(streaming, "SETTLED_AFTER", 0)
    time.sleep(0.05)
    first = [streaming.checksum_of_file(path) for _ in range(3)]
    assert (len(taken), set(first)) == (3, {checksum(path)})

    about = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert streaming.checksum_of_file(path) == checksum(path) != first[0]

    time.sleep(0.05)
    streaming.checksum_of_file(path)
    (tmp_path / "other").write_bytes(b"six")
    os.replace(tmp_path / "other", path)
    assert streaming.checksum_of_file(path) == checksum(path)


@given(st.lists(st.sampled_from([b"\n", b"x", b"y" * 63, b"\x8a"]), max_size=40).map(b"".join))
def test_ends_of_lines(data):
    found = streams._line_ends(np.frombuffer(data, np.uint8))
    assert found == (data.count(b"\n"), data.rfind(b"\n") + 1)


@pytest.mark.parametrize("begun", [False, True])
def test_long_text_files_are_cut_wherever_blocks_end(tmp_path, begun, monkeypatch):
    """Documents end at the last line end before every 1,000 bytes, though the file is read 250 bytes at a time."""
    lines = [bytes([97 + number % 26]) * (number * 37 % 90) + b"\n" for number in range(200)]
    lines[100] = b"long" * 600 + b"\n"
    data = b"".join(lines)
    path = tmp_path / "1990.txt.gz"
    path.write_bytes(gzip.compress(data))
    monkeypatch.setattr(streaming, "BLOCK_BYTES", 250)
    monkeypatch.setattr(streams.read_blocks, "__defaults__", (250,))
    monkeypatch.setattr(folders, "MOST_BYTES", 1000)
    if begun:
        streaming.begin(path)
    expected, start = [], 0
    for end in range(1000, len(data) + 1000, 1000):
        last = data.rfind(b"\n", 0, end) + 1
        if last > start:
            expected.append((data[start:last], data.count(b"\n", 0, start) + 1))
            start = last
    assert [(block.data, block.line) for block in folders._documents(path)] == expected
    assert len(expected) > 5
