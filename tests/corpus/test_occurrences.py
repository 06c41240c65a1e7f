"""The index of words: as a simple account has it, in any number of passes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.corpus import read_corpus, tokenize
from chronotope.corpus.occurrences import LookedThrough, OccurrenceIndex, _decoded, occurrences_of, write_occurrences
from chronotope.errors import DamagedFile


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    rng = np.random.default_rng(0)
    rows = [
        {
            "text": " ".join(f"w{k}" for k in rng.zipf(1.3, rng.integers(1, 900)) % 300) + f" rare{number // 2}" * 2,
            "year": int(rng.integers(1990, 1999)),
        }
        for number in range(400)
    ]
    return tokenize(read_corpus(rows, time="year"), tmp_path_factory.mktemp("s") / "s")


def written(store, folder, **options):
    write_occurrences(store.folder / "tokens.bin", folder, np.diff(store.starts), len(store.words), **options)


@pytest.mark.parametrize("index", [OccurrenceIndex, LookedThrough])
def test_the_index_equals_a_simple_account(store, monkeypatch, index):
    monkeypatch.setattr("chronotope.corpus.occurrences.CHUNK_TOKENS", 1_000)
    index = index(store)
    for word in range(0, len(store.words), 7):
        counts = [
            int((store.ids[first:last] == word).sum())
            for first, last in zip(store.starts[:-1], store.starts[1:], strict=True)
        ]
        found = index.of(word)
        assert found.document.tolist() == np.flatnonzero(counts).tolist()
        assert found.count.tolist() == [count for count in counts if count]


@pytest.mark.parametrize("pairs_at_once", [1, 100, 5_000])
def test_little_memory_gives_the_same_bytes(store, tmp_path, pairs_at_once):
    written(store, tmp_path, pairs_at_once=pairs_at_once)
    for name in ("occurrences.bin", "occurrences.npy"):
        assert (tmp_path / name).read_bytes() == (store.folder / name).read_bytes()


@pytest.mark.parametrize("parts", [1, 3, 7])
def test_the_number_of_parts_does_not_show(store, tmp_path, monkeypatch, parts):
    monkeypatch.setattr("chronotope.corpus.occurrences.CHUNK_TOKENS", 1_000)
    monkeypatch.setattr("chronotope.corpus.occurrences.PAIRS_TO_WRITE", 100)
    written(store, tmp_path, threads=parts, pairs_at_once=5_000)
    for name in ("occurrences.bin", "occurrences.npy"):
        assert (tmp_path / name).read_bytes() == (store.folder / name).read_bytes()


@settings(max_examples=50)
@given(st.lists(st.integers(1, 2**31), max_size=20))
def test_numbers_come_back(numbers):
    data = []
    for number in numbers:
        while number >= 128:
            data.append(number & 127 | 128)
            number >>= 7
        data.append(number)
    assert _decoded(np.array(data, np.uint8)).tolist() == numbers


def test_damage_is_told(tmp_path):
    store = tokenize(read_corpus([{"text": "a b a"}, {"text": "a"}]), tmp_path / "s")
    path = tmp_path / "s" / "occurrences.bin"
    whole = path.read_bytes()
    for broken in (bytes([0] * len(whole)), bytes([255] * len(whole)), bytes([9]) + whole[1:]):
        path.write_bytes(broken)
        with pytest.raises(DamagedFile, match="prepare the run again"):
            OccurrenceIndex(store).of(0)
    path.write_bytes(whole[:-1])
    with pytest.raises(DamagedFile, match="does not fit"):
        OccurrenceIndex(store)


def test_a_store_without_text_has_no_index_and_gives_the_same_answers(tmp_path):
    rows = [{"text": "a b a"}, {"text": "a"}, {"text": "b c"}]
    stores = [tokenize(read_corpus(rows, keep_text=kept), tmp_path / "s") for kept in (True, False)]
    assert not list((tmp_path / "s").glob("occurrences*"))
    for word in range(3):
        found = occurrences_of(stores[1]).of(word)
        documents = [number for number, row in enumerate(rows) if stores[1].words[word] in row["text"]]
        assert found.document.tolist() == documents
        assert found.count.sum() == stores[1].counts[word]
