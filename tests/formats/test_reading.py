"""Files of other programs: read as those programs meant them, refused in one line where they are damaged."""

from __future__ import annotations

import gzip
import pickle
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chronotope as ct
from chronotope.conditions import Conditions
from chronotope.embeddings.formats import files_and_names
from chronotope.embeddings.formats.word2vec import write_binary, write_text
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import ChronotopeError, DamagedFileError, InputError
from embeddings.invented import model_of, random_embeddings

WORDS = ["the", "bank", "größe", "東京", "it's"]
VECTORS = np.random.default_rng(1).standard_normal((5, 6)).astype(np.float32)


def same(read: WordVectors) -> None:
    assert read.index_to_key == WORDS
    assert np.array_equal(read.vectors, VECTORS)


@pytest.mark.parametrize("binary", [False, True])
def test_what_gensim_writes(binary, tmp_path):
    gensim = pytest.importorskip("gensim.models")
    theirs = gensim.KeyedVectors(6)
    theirs.add_vectors(WORDS, VECTORS)
    for number, word in enumerate(WORDS):
        theirs.set_vecattr(word, "count", 100 - number)
    path = tmp_path / "1990.w2v"
    theirs.save_word2vec_format(str(path), fvocab=str(tmp_path / "1990.vocab"), binary=binary)
    read = ct.read_vectors(path)
    same(read)
    assert read.counts.tolist() == [100, 99, 98, 97, 96]
    assert read.name == "1990"


def test_what_the_program_of_mikolov_writes(tmp_path):
    """It ends each vector with a line feed, and a text line with a blank."""
    binary = b"5 6\n" + b"".join(w.encode() + b" " + v.tobytes() + b"\n" for w, v in zip(WORDS, VECTORS, strict=True))
    (tmp_path / "vectors.bin").write_bytes(binary)
    same(ct.read_vectors(tmp_path / "vectors.bin"))
    lines = [f"{word} {' '.join(map(str, vector.tolist()))} " for word, vector in zip(WORDS, VECTORS, strict=True)]
    (tmp_path / "vectors.txt").write_text("\n".join(["5 6", *lines]) + "\n")
    same(ct.read_vectors(tmp_path / "vectors.txt"))
    (tmp_path / "glove.txt").write_text("\r\n".join(lines))
    same(ct.read_vectors(tmp_path / "glove.txt"))


@pytest.mark.parametrize("binary", [False, True])
def test_compressed_files_and_a_limit(binary, tmp_path):
    plain, path = tmp_path / "plain", tmp_path / "1990.txt.gz"
    given = WordVectors(WORDS, VECTORS)
    write_binary(given, plain) if binary else write_text(given, plain, header=True)
    path.write_bytes(gzip.compress(plain.read_bytes()))
    same(ct.read_vectors(path))
    assert ct.read_vectors(path, limit=2).index_to_key == WORDS[:2]
    assert ct.read_vectors(path).name == "1990"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ChronotopeError, match=r"1990\.txt\.gz"):
        ct.read_vectors(path)


@pytest.mark.parametrize("counted", [True, False])
def test_a_model_of_one_condition_is_read_with_the_counts_that_it_has(tmp_path, counted):
    path = tmp_path / "1990.ct"
    model_of(np.eye(3)[None], words=["a", "b", "c"], provenance={"counted": counted}).save(path)
    read = ct.read_vectors(path, limit=2)
    assert (read.name, read.index_to_key, read.counts is not None) == ("1990", ["a", "b"], counted)


def test_a_word_of_glove_may_hold_blanks_and_a_word_may_come_twice(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("the 1 2\n. . . 3 4\nthe 5 6\n")
    read = ct.read_vectors(path)
    assert read.index_to_key == ["the", ". . ."]
    assert read.vectors.tolist() == [[1, 2], [3, 4]]
    assert read.notes == ("repeated words: 1; the first vector of each is kept",)
    path.write_text("a\t1\t2\nb 3  4\nc 5 6 \n d 7 8\n")  # tabs and several blanks part numbers, too
    assert ct.read_vectors(path).vectors.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


DAMAGED = {
    "fewer words than it says": (b"3 2\na 1 2\nb 1 2\n", "is cut short: 2 of the 3 words in its header"),
    "more words than it says": (b"1 2\na 1 2\nb 1 2\n", r"x:3: the header announces 1 words"),
    "no number": (b"2 2\na 1 2\nb 1 two\n", "x:3: expected a word and 2 numbers"),
    "a number too few": (b"a 1 2\nb 1\n", "x:2: expected a word and 2 numbers"),
    "not finite": (b"a 1 2\nb nan 1\n", "x:2: the vector of 'b' holds values that are not numbers"),
    "nothing": (b"", "is empty"),
    "blank lines only": (b"\n\n", "holds no words|expected"),
    "no vectors": (b"a\nb\n", "x:1: expected a word and its numbers"),
    "zero words": (b"0 5\n", "announces 0 words"),
    "binary that lies": (
        b"999999999999 300\n" + b"a " + bytes(1200),
        "word 2 of 999,999,999,999: the file is cut short",
    ),
    "binary of huge vectors": (b"2 99999999999\n" + b"a " + b"\xff" * 100, "word 1 of 2: the file is cut short"),
    "binary with a rest": (b"1 1\na " + struct.pack("<f", 1) + b"more \x00\xff\x01", "there is more after them"),
    "a pickle": (pickle.dumps({"a": 1}), "is a pickle"),
    "a zip": (b"PK\x03\x04rest", "is a ZIP archive"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files_are_refused_with_their_line(name, tmp_path):
    data, message = DAMAGED[name]
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(ChronotopeError, match=message) as caught:
        ct.read_vectors(path)
    assert "\n" not in str(caught.value)


def test_a_model_of_ours_with_one_condition(tmp_path):
    one = random_embeddings(conditions=Conditions.of_places(["here"]))
    one.save(tmp_path / "one.ct")
    read = ct.read_vectors(tmp_path / "one.ct")
    assert read.name == "one"
    assert np.array_equal(read.vectors, one.at("here").vectors)
    random_embeddings().save(tmp_path / "three.ct")
    with pytest.raises(InputError, match="a model of 3 conditions, which are in one space already"):
        ct.read_vectors(tmp_path / "three.ct")


@settings(max_examples=60)
@given(st.binary(max_size=300), st.booleans())
def test_no_file_makes_it_crash(tmp_path_factory, data, with_header):
    path = tmp_path_factory.mktemp("any") / "x"
    path.write_bytes((b"3 2\n" if with_header else b"") + data)
    try:
        read = ct.read_vectors(path)
    except ChronotopeError:
        return
    assert np.isfinite(read.vectors).all()


HUGE_FRAME = b"\x80\x04\x95" + b"\xff" * 8 + b"]."


class TestHistWords:
    def model(self, folder, name="1990", protocol=2):
        vectors = VECTORS.astype(np.float64)
        vectors[1] = 0
        np.save(folder / f"{name}-w.npy", vectors)
        (folder / f"{name}-vocab.pkl").write_bytes(pickle.dumps(WORDS, protocol))

    @pytest.mark.parametrize("protocol", [0, 1, 2, 4, 5])
    def test_a_zero_vector_is_an_absent_word(self, protocol, tmp_path):
        self.model(tmp_path, protocol=protocol)
        for name in ("1990-w.npy", "1990-vocab.pkl"):
            read = ct.read_vectors(tmp_path / name)
            assert read.index_to_key == [WORDS[0], *WORDS[2:]]
            assert np.array_equal(read.vectors, VECTORS[[0, 2, 3, 4]])

    def test_bytes_of_an_old_python(self, tmp_path):
        """Python 2 wrote words as bytes: opcode U, a length, and the bytes."""
        self.model(tmp_path)
        old = b"\x80\x02]q\x00(" + b"".join(b"U" + bytes([len(w.encode())]) + w.encode() for w in WORDS) + b"e."
        (tmp_path / "1990-vocab.pkl").write_bytes(old)
        assert ct.read_vectors(tmp_path / "1990-w.npy").index_to_key == [WORDS[0], *WORDS[2:]]

    def test_a_folder_is_its_decades(self, tmp_path):
        for name in ("2000", "1990"):
            self.model(tmp_path, name)
        assert [name for _, name in files_and_names(tmp_path)] == ["1990", "2000"]
        with pytest.raises(InputError, match="holds neither"):
            files_and_names(tmp_path.parent)

    def test_no_program_in_a_pickle_is_run(self, tmp_path):
        self.model(tmp_path)
        trace = tmp_path / "trace"

        class Evil:
            def __reduce__(self):
                return (exec, (f"open({str(trace)!r}, 'w')",))

        for evil in (Evil(), [Evil()], np.array(WORDS), {"words": {1, 2}}, [object()]):
            for protocol in range(6):
                try:
                    (tmp_path / "1990-vocab.pkl").write_bytes(pickle.dumps(evil, protocol))
                except (TypeError, AttributeError):
                    continue
                with pytest.raises(DamagedFileError, match=r"could run a program|not hold a list"):
                    ct.read_vectors(tmp_path / "1990-w.npy")
        assert not trace.exists()

    def test_damage_is_told(self, tmp_path):
        self.model(tmp_path)
        words = tmp_path / "1990-vocab.pkl"
        for data in (b"", b"nonsense", pickle.dumps(WORDS)[:-10], b"\x80\x02r\xff\xff\xff\x7f].", HUGE_FRAME):
            words.write_bytes(data)
            with pytest.raises(DamagedFileError, match=r"1990-vocab\.pkl"):
                ct.read_vectors(tmp_path / "1990-w.npy")
        words.write_bytes(pickle.dumps(WORDS[:3]))
        with pytest.raises(DamagedFileError, match=r"5 vectors, and 1990-vocab\.pkl 3 words"):
            ct.read_vectors(words)
        words.unlink()
        with pytest.raises(InputError, match="there is no file"):
            ct.read_vectors(tmp_path / "1990-w.npy")
        self.model(tmp_path)
        whole = (tmp_path / "1990-w.npy").read_bytes()
        for damaged in (whole[:-8], whole.replace(b"}", b" ", 1), whole.replace(b"(5, 6)", b"(9, 9)")):
            (tmp_path / "1990-w.npy").write_bytes(damaged)
            with pytest.raises(DamagedFileError, match="not a whole NumPy array"):
                ct.read_vectors(words)
        np.save(tmp_path / "1990-w.npy", VECTORS.astype(np.float64) * 1e300)
        with pytest.raises(DamagedFileError, match=r"row 0: .* not numbers"):
            ct.read_vectors(words)


def test_counts_beside_a_file_that_do_not_fit_are_left_aside(tmp_path):
    (tmp_path / "a.txt").write_text("bank 1 2\nriver 3 4\n")
    (tmp_path / "a.vocab").write_text("bank 7\n")
    read = ct.read_vectors(tmp_path / "a.txt")
    assert read.counts is None
    assert "a.vocab is ignored" in read.notes[0]
    (tmp_path / "a.vocab").write_text("bank 7\nriver\n")
    with pytest.raises(DamagedFileError, match=r"a\.vocab:2: expected a word and its count"):
        ct.read_vectors(tmp_path / "a.txt")
