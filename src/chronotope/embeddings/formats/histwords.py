"""HistWords (Hamilton et al. 2016): `1990-w.npy` holds the vectors, `1990-vocab.pkl` the list of words as a pickle.

A pickle can run any program when it is opened. Here only those are read that are made of lists, dicts, texts and
numbers: every other instruction is refused before anything is unpacked.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.embeddings.formats.collecting import Collected
from chronotope.errors import DamagedFile, InputError

VECTORS, WORDS = "-w.npy", "-vocab.pkl"
LARGEST_PICKLE = 1 << 30
# The instructions that make plain data, of all versions of the format.
PLAIN = {
    "APPEND", "APPENDS", "BINBYTES", "BINBYTES8", "BINFLOAT", "BINGET", "BININT", "BININT1", "BININT2", "BINPUT",
    "BINSTRING", "BINUNICODE", "BINUNICODE8", "DICT", "EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "FLOAT", "FRAME",
    "GET", "INT", "LIST", "LONG", "LONG1", "LONG4", "LONG_BINGET", "LONG_BINPUT", "MARK", "MEMOIZE", "NEWFALSE",
    "NEWTRUE", "NONE", "PROTO", "PUT", "SETITEM", "SETITEMS", "SHORT_BINBYTES", "SHORT_BINSTRING",
    "SHORT_BINUNICODE", "STOP", "STRING", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "UNICODE",
}  # fmt: skip


def is_histwords(path: Path) -> bool:
    """Whether a file is the vectors, or the words, of a model of HistWords."""
    return path.name.endswith((VECTORS, WORDS))


def models_in(folder: Path) -> list[Path]:
    """The vectors of each model in a folder, in order of their names."""
    return sorted(folder.glob(f"*{VECTORS}"))


def read_histwords(path: Path, limit: int | None = None) -> Collected:
    """The words and vectors of one model, given by either of its files; a word whose vector is zero is absent."""
    stem = path.name.removesuffix(VECTORS).removesuffix(WORDS)
    vectors_path, words_path = path.with_name(stem + VECTORS), path.with_name(stem + WORDS)
    words = _words(words_path)
    try:
        vectors = np.load(vectors_path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise InputError(f"there is no file {vectors_path}, which holds the vectors of {path.name}") from None
    except Exception as error:  # NumPy reads the header as a text of Python, and raises whatever that raises
        raise DamagedFile(f"{vectors_path} is not a whole array of NumPy: {_first_line(error)}") from None
    if vectors.ndim != 2 or not vectors.shape[1] or vectors.dtype.kind != "f":
        raise DamagedFile(f"{vectors_path} holds {vectors.dtype} of the shape {vectors.shape}, not a vector a word")
    if len(vectors) != len(words):
        raise DamagedFile(f"{vectors_path} holds {len(vectors):,} vectors, and {words_path.name} {len(words):,} words")
    found = Collected(vectors_path)
    for number, word in enumerate(words[:limit]):
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused as such
            vector = np.asarray(vectors[number], dtype=np.float32)
        if vector.any():
            found.add(word, vector, f"{vectors_path}, row {number}")
    return found


def read_plain_pickle(path: Path) -> Any:
    """What a pickle holds, if that is lists, dicts, tuples, texts and numbers only; anything else is refused."""
    try:
        size = path.stat().st_size
        if size > LARGEST_PICKLE:
            raise InputError(f"{path} is a pickle of {size:,} bytes, more than any list of words takes")
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no file {path}, which holds the words") from None
    try:
        for instruction, argument, place in pickletools.genops(data):
            if instruction.name not in PLAIN:
                raise DamagedFile(
                    f"{path}, byte {place}: refused, since it holds more than lists, texts and numbers "
                    f"({instruction.name}): it could run a program"
                )
            # The unpickler makes room for the number that is named here, whatever it is.
            if instruction.name in ("PUT", "BINPUT", "LONG_BINPUT") and not 0 <= int(argument or 0) <= size:
                raise DamagedFile(f"{path}, byte {place}: damaged")
        return _Plain(io.BytesIO(data), encoding="utf-8", errors="replace").load()
    except DamagedFile:
        raise
    except Exception as error:  # a damaged pickle raises nearly anything
        raise DamagedFile(f"{path} is damaged or not a pickle: {_first_line(error)}") from None


class _Plain(pickle.Unpickler):
    """Knows no class at all."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _words(path: Path) -> list[str]:
    words = read_plain_pickle(path)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise DamagedFile(f"{path} does not hold a list of words")
    return words
