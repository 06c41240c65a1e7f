"""HistWords (Hamilton et al. 2016): vectors in `1990-w.npy`, the list of words as a pickle in `1990-vocab.pkl`.

A pickle can run any program when it is opened. HistWords pickles load only if they contain lists, dicts, strings and
numbers: every class and function is refused.
"""

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
            f"{vectors_path} holds {vectors.dtype} of shape {vectors.shape}, not one vector per word"
        )
    if len(vectors) != len(words):
        raise DamagedFileError(
            f"{vectors_path} has {len(vectors):,} vectors, and {words_path.name} {len(words):,} words"
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
            # The unpickler allocates memory up to this number.
            if instruction.name in ("PUT", "BINPUT", "LONG_BINPUT") and not 0 <= int(argument or 0) <= size:
                raise ValueError(f"byte {place}")
        return _PlainUnpickler(io.BytesIO(data), encoding="utf-8", errors="replace").load()
    except Exception as error:  # a damaged pickle raises nearly anything
        raise DamagedFileError(f"{path} is damaged or not plain data: {first_line(error)}") from None


class _PlainUnpickler(pickle.Unpickler):
    """Refuses every class and function."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, which could run a program")
