"""Save embeddings to one safetensors file and open it by memory map; the content is checked, never trusted.

The metadata entry `chronotope` holds JSON: format version, number of words, conditions, provenance, checksums of the
large tensors, and the query mapping. `words` is UTF-8 text, one word per line. `variances` exists only if the method
estimates them. `checksum` covers the header and all tensors except `contexts`, `vectors` and `variances`, so that
opening a file reads only a small part of it. Only `load(verify=True)` compares these three with their checksums.
"""

import hashlib
import json
import mmap
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.embeddings.mapping import LocalLinearMap
from chronotope.errors import ChronotopeError, DamagedFileError, InputError
from chronotope.io.atomic import atomic_write
from chronotope.io.provenance import canonical_json
from chronotope.io.run_folder import FORMAT, no_model, read_run
from chronotope.io.untrusted import read_json

ENTRY = "chronotope"
MAX_HEADER_BYTES = 64 << 20
MAX_HEADER_VALUES = 500_000
CHECKSUM_BYTES = 16
READ_LATER = ("contexts", "vectors", "variances")

# The type and the number of axes of each tensor, in the order of the file: wide types first, so that every tensor is
# aligned; the checksum last.
ALL_TENSORS = {
    "support_start": ("<i8", 1),
    "support_count": ("<i8", 1),
    "support_word": ("<i4", 1),
    "common": ("<f4", 2),
    "condition_factors": ("<f4", 2),
    "center": ("<f4", 2),
    "contexts": ("<f4", 2),
    "vectors": ("<f4", 2),
    "variances": ("<f4", 2),
    "words": ("|u1", 1),
    "checksum": ("|u1", 1),
}
ARRAYS = ("common", "condition_factors", "center", "contexts", "variances")  # arguments of ConditionedEmbeddings
OPTIONAL = "variances"
TENSORS = {name: kind for name, kind in ALL_TENSORS.items() if name != OPTIONAL}
CODES = {"<i8": "I64", "<i4": "I32", "<f4": "F32", "|u1": "U8"}  # of safetensors
Tensors = dict[str, NDArray[Any]]


def save(embeddings: ConditionedEmbeddings, path: str | Path) -> None:
    """Write embeddings to a file; the same embeddings give the same bytes."""
    parts = {name: getattr(embeddings, name) for name in (*ARRAYS, "vectors")} | {
        "support_start": embeddings.observed.start,
        "support_count": embeddings.observed.count,
        "support_word": embeddings.observed.word,
        "words": np.frombuffer("\n".join(embeddings.words).encode(), dtype=np.uint8),
        "checksum": np.zeros(CHECKSUM_BYTES, dtype=np.uint8),
    }
    kinds = TENSORS if embeddings.variances is None else ALL_TENSORS
    tensors = {name: np.ascontiguousarray(parts[name], dtype=dtype) for name, (dtype, _) in kinds.items()}
    about = {
        "format": FORMAT,
        "words": len(embeddings.words),
        "conditions": embeddings.conditions.to_dict(),
        "provenance": embeddings.provenance,
        "checksums": {name: _digest(tensors[name]) for name in READ_LATER if name in tensors},
    }
    if embeddings.query_mapping:
        about["query_mapping"] = embeddings.query_mapping.to_dict()
    header = header_of(tensors, canonical_json(about))
    tensors["checksum"] = np.frombuffer(checksum(header, tensors), dtype=np.uint8)
    write_tensors(path, header, tensors)


def load(path: str | Path, *, run: str | Path | None = None, verify: bool = False) -> ConditionedEmbeddings:
    """Open the embeddings in a file, or in the `model.ct` of a run; vectors stay on disk until they are needed.

    Parameters
    ----------
    path
        The file or the run folder.
    run
        The run that the model was trained on, if it is not beside the file; questions about the text need it.
    verify
        Whether to compare vectors and contexts with their checksums, which takes about one second per gigabyte.

    Raises
    ------
    InputError
        If the file cannot be read.
    DamagedFileError
        If the file is truncated, altered, no model, or of another format version.
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
        raise DamagedFileError(f"{path} is empty") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    try:
        about, tensors = _read(path, data)
        if verify:
            for name in (name for name in READ_LATER if name in tensors):
                if about["checksums"].get(name) != _digest(tensors[name]):
                    raise ValueError(f"the checksum of its {name} does not match")
        words = bytes(tensors["words"]).decode("utf-8").split("\n")
        if len(words) != about["words"]:
            raise ValueError(f"it holds {len(words):,} words, not {about['words']}")
        mapping = about.get("query_mapping")
        embeddings = ConditionedEmbeddings(
            words,
            Conditions.from_dict(about["conditions"]),
            Support(tensors["support_start"], tensors["support_word"], tensors["support_count"]),
            tensors["vectors"],
            **{name: tensors.get(name) for name in ARRAYS},
            query_mapping=LocalLinearMap.from_dict(mapping) if mapping is not None else None,
            provenance=about["provenance"],
        )
        embeddings.trained_on = Path(run) if run is not None else path
        return embeddings
    except (SafetensorError, ValueError, RecursionError, OverflowError) as error:
        why = "" if isinstance(error, SafetensorError) else f": {error}"  # its own words are about the format
        raise DamagedFileError(f"{path} is damaged or not a model{why}") from None


def run_folder(path: Path) -> Path:
    """Return the folder of a run: that folder itself, or the run in or beside which a model file lies."""
    if not path.is_file():
        return path
    checksum = load(path).provenance.get("run")
    if not checksum:
        raise InputError(f"{path} does not say which run it was trained on; name the run instead")
    for folder in (path.absolute().parent, *sorted(path.absolute().parent.iterdir())):
        if (folder / "run.json").is_file():
            try:
                if read_run(folder)["checksum"] == checksum:
                    return folder
            except ChronotopeError:
                continue
    raise InputError(f"the run that {path} was trained on is not beside it; name the run instead")


def write_tensors(path: str | Path, header: bytes, tensors: Tensors) -> None:
    """Write a safetensors file atomically; the library's own writer leaves a temporary file behind when killed."""
    with atomic_write(path) as temporary, open(temporary, "wb") as file:
        file.write(header)
        for tensor in tensors.values():
            # Not `tofile`, which does not report a full disk.
            file.write(tensor.reshape(-1).view(np.uint8).data)


def header_of(tensors: Tensors, about: str) -> bytes:
    """Return a safetensors header with one metadata entry, padded to a multiple of 8 bytes."""
    entries: dict[str, Any] = {"__metadata__": {ENTRY: about}}
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


def checksum(header: bytes, tensors: Tensors) -> bytes:
    """Return the checksum of the header and of every tensor that `load` reads."""
    digest = hashlib.blake2b(header, digest_size=CHECKSUM_BYTES)
    for name in TENSORS:
        if name not in (*READ_LATER, "checksum"):
            digest.update(tensors[name].data)
    return digest.digest()


def _read(path: Path, data: mmap.mmap) -> tuple[dict[str, Any], Tensors]:
    """Return the metadata and a view of every tensor, or raise ValueError or SafetensorError."""
    # The library checks that types, shapes and offsets are consistent and cover the file exactly.
    with safe_open(path, "numpy") as file:
        about = _metadata(file.metadata())
        names = set(file.keys())
        if names - {OPTIONAL} != set(TENSORS):
            raise ValueError("it does not hold the tensors of a model")
        kinds = {name: file.get_slice(name) for name in ALL_TENSORS if name in names}
    begin = 8 + int.from_bytes(data[:8], "little")
    header, tensors = data[:begin], {}
    for name, found in kinds.items():
        (dtype, axes), code, shape = ALL_TENSORS[name], found.get_dtype(), found.get_shape()
        if code != CODES[dtype] or len(shape) != axes:
            raise ValueError(f"'{name}' has the type {code} and {len(shape)} axes, not {CODES[dtype]} and {axes}")
        tensors[name] = np.frombuffer(data, dtype, prod(shape), begin).reshape(shape)
        begin += tensors[name].nbytes
    if bytes(tensors["checksum"]) != checksum(header, tensors):
        raise ValueError("its checksum does not match")
    return about, tensors


def _metadata(entries: Any) -> dict[str, Any]:
    """Return the checked metadata of a model."""
    if not isinstance(entries, dict) or ENTRY not in entries:
        raise ValueError("it was not written by chronotope")
    about = read_json(entries[ENTRY].encode(), MAX_HEADER_BYTES, MAX_HEADER_VALUES)
    if not isinstance(about, dict) or not isinstance(about.get("format"), int):
        raise ValueError("its header has no format version")
    if about["format"] > FORMAT:
        raise ValueError(f"its format is {about['format']}, of a newer chronotope; update chronotope")
    if about["format"] < FORMAT:
        raise ValueError(f"its format is {about['format']}, of an older chronotope; prepare and train it again")
    for name, kind in (("words", int), ("conditions", dict), ("provenance", dict), ("checksums", dict)):
        if not isinstance(about.get(name), kind):
            raise ValueError(f"its header has no {name}")
    return about


def _digest(tensor: NDArray[Any]) -> str:
    return hashlib.blake2b(tensor.reshape(-1).view(np.uint8).data, digest_size=CHECKSUM_BYTES).hexdigest()
