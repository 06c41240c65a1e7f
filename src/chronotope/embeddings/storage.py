"""Embeddings in one safetensors file, read by memory map; what the file says of itself is never trusted.

Layout: a header of JSON (its one metadata entry `chronotope` holds the format's version, the number of words, the
conditions, the provenance, the checksums of the large tensors and, where there is one, the query mapping), then the
tensors. `words` is UTF-8 text, one word a line. `checksum` covers the header and every tensor but `contexts` and
`vectors`, so that opening a file reads a small part of it; these two have their checksums in the header, which are
compared when the whole file is asked to be verified, and before anything is made from it.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.embeddings.mapping import LocalLinearMap
from chronotope.errors import DamagedFile, InputError
from chronotope.io.atomic import atomic_write
from chronotope.io.provenance import canonical_json
from chronotope.io.run_folder import FORMAT, no_model
from chronotope.io.untrusted import read_json

ENTRY = "chronotope"
# That of a million conditions is smaller, and so are all the lists in it.
LARGEST_HEADER = 64 << 20
MOST_HEADER_PARTS = 500_000
CHECKSUM_BYTES = 16
READ_LATER = ("contexts", "vectors")


class TensorKind(NamedTuple):
    """What a tensor of the file must be."""

    code: str
    dtype: str
    axes: int


# In the order of the file: wide numbers first, so that every tensor is aligned; the checksum last.
TENSORS = {
    "support_start": TensorKind("I64", "<i8", 1),
    "support_count": TensorKind("I64", "<i8", 1),
    "support_word": TensorKind("I32", "<i4", 1),
    "common": TensorKind("F32", "<f4", 2),
    "condition_factors": TensorKind("F32", "<f4", 2),
    "center": TensorKind("F32", "<f4", 2),
    "contexts": TensorKind("F32", "<f4", 2),
    "vectors": TensorKind("F32", "<f4", 2),
    "words": TensorKind("U8", "u1", 1),
    "checksum": TensorKind("U8", "u1", 1),
}
CODES = {np.dtype(kind.dtype).str: kind.code for kind in TENSORS.values()}
Tensors = dict[str, NDArray[Any]]


def save(embeddings: ConditionedEmbeddings, path: str | Path) -> None:
    """Write embeddings to a file; the same embeddings give the same bytes."""
    parts = {
        "support_start": embeddings.observed.start,
        "support_count": embeddings.observed.count,
        "support_word": embeddings.observed.word,
        "common": embeddings.common,
        "condition_factors": embeddings.condition_factors,
        "center": embeddings.center,
        "contexts": embeddings.contexts,
        "vectors": embeddings.vectors,
        "words": np.frombuffer("\n".join(embeddings.words).encode(), dtype=np.uint8),
        "checksum": np.zeros(CHECKSUM_BYTES, dtype=np.uint8),
    }
    tensors = {name: np.ascontiguousarray(parts[name], dtype=kind.dtype) for name, kind in TENSORS.items()}
    described = {
        "format": FORMAT,
        "words": len(embeddings.words),
        "conditions": embeddings.conditions.to_dict(),
        "provenance": embeddings.provenance,
        "checksums": {name: _digest(tensors[name]).hex() for name in READ_LATER},
    }
    if embeddings.query_mapping:
        described["query_mapping"] = embeddings.query_mapping.to_dict()
    header = header_of(tensors, canonical_json(described))
    tensors["checksum"] = np.frombuffer(_checksum(header, tensors), dtype=np.uint8)
    write_tensors(path, header, tensors)


def load(path: str | Path, *, verify: bool = False) -> ConditionedEmbeddings:
    """The embeddings in the file at `path`, or in the `model.ct` of a run; the vectors stay on disk until asked for.

    A file that is cut short, altered or newer than this version raises DamagedFile. What opening does not read, the
    vectors and contexts, is compared with its checksums where `verify` asks for that: about a second a gigabyte.
    """
    path = Path(path)
    if path.is_dir():
        if not (path / "model.ct").exists():
            raise no_model(path)
        path = path / "model.ct"
    try:
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:
        raise DamagedFile(f"{path} is empty") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    try:
        header, entries = _read_header(data)
        described = _described(entries)
        mapping = described.get("query_mapping")
        tensors = _tensors(data, len(header), entries)
        if bytes(tensors["checksum"]) != _checksum(header, tensors):
            raise ValueError("its checksum does not fit what it holds")
        if verify:
            _verify(described.get("checksums"), tensors)
        words = bytes(tensors["words"]).decode("utf-8").split("\n")
        if len(words) != described["words"]:
            raise ValueError(f"it holds {len(words):,} words and speaks of {described['words']}")
        return ConditionedEmbeddings(
            words,
            Conditions.from_dict(described["conditions"]),
            Support(tensors["support_start"], tensors["support_word"], tensors["support_count"]),
            tensors["vectors"],
            common=tensors["common"],
            condition_factors=tensors["condition_factors"],
            center=tensors["center"],
            contexts=tensors["contexts"],
            query_mapping=LocalLinearMap.from_dict(mapping) if mapping is not None else None,
            provenance=described["provenance"],
        )
    except (ValueError, RecursionError, OverflowError) as error:
        raise DamagedFile(f"{path} is damaged or not a model: {error}") from None


def write_tensors(path: str | Path, header: bytes, tensors: Tensors) -> None:
    """Write a safetensors file, whole or not at all.

    The library's own writer makes a temporary file that a killed process leaves behind.
    """
    with atomic_write(path) as temporary, open(temporary, "wb") as file:
        file.write(header)
        for tensor in tensors.values():
            # Not `tofile`, which does not say that a disk is full.
            file.write(tensor.reshape(-1).view(np.uint8).data)


def header_of(tensors: Tensors, described: str) -> bytes:
    """The file up to the first tensor: its length in eight bytes, then JSON, filled with blanks to a multiple of 8."""
    entries: dict[str, Any] = {"__metadata__": {ENTRY: described}}
    offset = 0
    for name, tensor in tensors.items():
        entries[name] = {
            "dtype": CODES[tensor.dtype.str],
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + tensor.nbytes],
        }
        offset += tensor.nbytes
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _read_header(data: mmap.mmap) -> tuple[bytes, dict[str, Any]]:
    """The bytes up to the first tensor, and the JSON in them."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(len(data) - 8, LARGEST_HEADER):
        raise ValueError("it has no complete header")
    header = data[: 8 + length]
    entries = read_json(header[8:], LARGEST_HEADER, MOST_HEADER_PARTS)
    if not isinstance(entries, dict):
        raise ValueError("its header is not a table")
    return header, entries


def _described(entries: dict[str, Any]) -> dict[str, Any]:
    """What the header says of format, words, conditions and provenance."""
    metadata = entries.get("__metadata__")
    if not isinstance(metadata, dict) or not isinstance(metadata.get(ENTRY), str):
        raise ValueError("it was not written by chronotope")
    described = read_json(metadata[ENTRY].encode(), LARGEST_HEADER, MOST_HEADER_PARTS)
    if not isinstance(described, dict) or not isinstance(described.get("format"), int):
        raise ValueError("its header does not tell its format")
    if described["format"] > FORMAT:
        raise ValueError(
            f"its format is {described['format']}, newer than the {FORMAT} that this version reads; update chronotope"
        )
    if described["format"] < FORMAT:
        raise ValueError(f"its format is {described['format']}, of an older chronotope; prepare and train it again")
    for name, kind in (("words", int), ("conditions", dict), ("provenance", dict)):
        if not isinstance(described.get(name), kind):
            raise ValueError(f"its header does not tell its {name}")
    return described


def _tensors(data: mmap.mmap, begin: int, entries: dict[str, Any]) -> Tensors:
    """Every tensor as a view of the file, once its place in the file is known to be sound."""
    if set(entries) != {*TENSORS, "__metadata__"}:
        raise ValueError("its header does not name the tensors of a model")
    tensors: Tensors = {}
    expected = 0
    for name, kind in TENSORS.items():
        entry = entries[name]
        if not isinstance(entry, dict) or entry.get("dtype") != kind.code:
            raise ValueError(f"'{name}' is not of the type {kind.code}")
        shape, offsets = _whole_numbers(entry.get("shape")), _whole_numbers(entry.get("data_offsets"))
        if len(shape) != kind.axes or len(offsets) != 2:
            raise ValueError(f"'{name}' has a wrong number of axes or offsets")
        count = 1
        for size in shape:
            count *= size
        if offsets[0] != expected or offsets[1] - offsets[0] != count * np.dtype(kind.dtype).itemsize:
            raise ValueError(f"'{name}' does not lie where it should")
        expected = offsets[1]
        if begin + expected > len(data):
            raise ValueError(f"it is cut short: '{name}' is not complete")
        tensors[name] = np.frombuffer(data, kind.dtype, count, begin + offsets[0]).reshape(shape)
    if begin + expected != len(data):
        raise ValueError(f"{len(data) - begin - expected:,} bytes too many follow its tensors")
    return tensors


def _whole_numbers(values: Any) -> list[int]:
    if not isinstance(values, list) or not all(type(value) is int and value >= 0 for value in values):
        raise ValueError("its header holds a size that is not a number")
    return values


def _checksum(header: bytes, tensors: Tensors) -> bytes:
    """The checksum of the header and of every tensor that is read on opening."""
    digest = hashlib.blake2b(header, digest_size=CHECKSUM_BYTES)
    for name in TENSORS:
        if name not in (*READ_LATER, "checksum"):
            digest.update(tensors[name].data)
    return digest.digest()


def _digest(tensor: NDArray[Any]) -> bytes:
    return hashlib.blake2b(tensor.reshape(-1).view(np.uint8).data, digest_size=CHECKSUM_BYTES).digest()


def _verify(checksums: Any, tensors: Tensors) -> None:
    """Refuse large tensors that are not what was written."""
    if not isinstance(checksums, dict):
        raise ValueError("it is of an older version, without checksums of its vectors; train it again")
    for name in READ_LATER:
        if checksums.get(name) != _digest(tensors[name]).hex():
            raise ValueError(f"the checksum of its {name} does not fit what it holds")
