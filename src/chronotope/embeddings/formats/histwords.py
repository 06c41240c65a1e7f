"""HistWords (Hamilton et al. 2016): vectors in `1990-w.npy`, the list of words as a pickle in `1990-vocab.pkl`.

A pickle can run any program when it is opened. HistWords pickles load only if they contain lists, dicts, strings and
numbers; any other instruction is refused before anything is unpickled.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.embeddings.formats.word2vec import VectorTable
from chronotope.errors import DamagedFileError, InputError, first_line

VECTORS, WORDS = "-w.npy", "-vocab.pkl"
MAX_PICKLE_BYTES = 1 << 30
# The pickle instructions that build plain data, of all protocols.
PLAIN = {
    "APPEND", "APPENDS", "BINBYTES", "BINBYTES8", "BINFLOAT", "BINGET", "BININT", "BININT1", "BININT2", "BINPUT",
    "BINSTRING", "BINUNICODE", "BINUNICODE8", "DICT", "EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "FLOAT", "FRAME",
    "GET", "INT", "LIST", "LONG", "LONG1", "LONG4", "LONG_BINGET", "LONG_BINPUT", "MARK", "MEMOIZE", "NEWFALSE",
    "NEWTRUE", "NONE", "PROTO", "PUT", "SETITEM", "SETITEMS", "SHORT_BINBYTES", "SHORT_BINSTRING",
    "SHORT_BINUNICODE", "STOP", "STRING", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "UNICODE",
}  # fmt: skip


def read_histwords(path: Path, limit: int | None = None) -> VectorTable:
    """Read a model from either of its two files; a word with a zero vector is absent."""
    stem = path.name.removesuffix(VECTORS).removesuffix(WORDS)
    vectors_path, words_path = path.with_name(stem + VECTORS), path.with_name(stem + WORDS)
    words = _read_plain_pickle(words_path)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise DamagedFileError(f"{words_path} does not hold a list of words")
    try:
        vectors = np.load(vectors_path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise InputError(f"there is no file {vectors_path}, which holds the vectors of {path.name}") from None
    except Exception as error:  # NumPy parses the header as Python and raises nearly anything
        raise DamagedFileError(f"{vectors_path} is not a whole NumPy array: {first_line(error)}") from None
    if vectors.ndim != 2 or not vectors.shape[1] or vectors.dtype.kind != "f":
        raise DamagedFileError(
            f"{vectors_path} holds {vectors.dtype} of the shape {vectors.shape}, not one vector a word"
        )
    if len(vectors) != len(words):
        raise DamagedFileError(
            f"{vectors_path} holds {len(vectors):,} vectors, and {words_path.name} {len(words):,} words"
        )
    table = VectorTable(vectors_path)
    for number, word in enumerate(words[:limit]):
        with np.errstate(over="ignore"):  # infinity is refused later
            vector = np.asarray(vectors[number], dtype=np.float32)
        if vector.any():
            table.add(word, vector, f"{vectors_path}, row {number}")
    return table


def _read_plain_pickle(path: Path) -> Any:
    """Return the content of a pickle that holds only lists, dicts, tuples, strings and numbers."""
    try:
        size = path.stat().st_size
        if size > MAX_PICKLE_BYTES:
            raise InputError(f"{path} is a pickle of {size:,} bytes, too large for a list of words")
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no file {path}, which holds the words") from None
    try:
        for instruction, argument, place in pickletools.genops(data):
            if instruction.name not in PLAIN:
                raise DamagedFileError(
                    f"{path}, byte {place}: refused; it holds more than lists, strings and numbers "
                    f"({instruction.name}) and could run a program"
                )
            # The unpickler allocates memory up to this number.
            if instruction.name in ("PUT", "BINPUT", "LONG_BINPUT") and not 0 <= int(argument or 0) <= size:
                raise DamagedFileError(f"{path}, byte {place}: damaged")
        return _PlainUnpickler(io.BytesIO(data), encoding="utf-8", errors="replace").load()
    except DamagedFileError:
        raise
    except Exception as error:  # a damaged pickle raises nearly anything
        raise DamagedFileError(f"{path} is damaged or not a pickle: {first_line(error)}") from None


class _PlainUnpickler(pickle.Unpickler):
    """Refuses every class."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")
