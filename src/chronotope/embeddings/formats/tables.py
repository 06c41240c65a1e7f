"""One table for all conditions: Parquet, Arrow, NumPy. Any word can stand in them as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.embeddings.word_vectors import WordVectors

ROWS_AT_ONCE = 8192


def write_parquet(parts: Iterable[WordVectors], path: Path, dimensions: int) -> None:
    """Write columns condition, word, support and vector; a row group never mixes conditions."""
    with pq.ParquetWriter(path, _schema(dimensions), compression="zstd") as writer:
        for part in parts:
            writer.write_table(pa.Table.from_batches(list(_batches(part, dimensions)), _schema(dimensions)))


def write_arrow(parts: Iterable[WordVectors], path: Path, dimensions: int) -> None:
    """Write the same columns as an Arrow file, which can be mapped into memory."""
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, _schema(dimensions)) as writer:
        for part in parts:
            for batch in _batches(part, dimensions):
                writer.write_batch(batch)


def write_numpy(parts: Iterable[WordVectors], folder: Path, labels: Sequence[str], dimensions: int, rows: int) -> None:
    """Write vectors.npy, which can be mapped into memory, and index.npz, which says whose they are."""
    shape = (rows, dimensions)
    vectors = np.lib.format.open_memmap(folder / "vectors.npy", mode="w+", dtype=np.float32, shape=shape)
    number: dict[str, int] = {}
    word, condition, support = (np.empty(rows, dtype) for dtype in (np.int32, np.int32, np.int64))
    done = 0
    for at, part in enumerate(parts):
        here = slice(done, done + len(part))
        vectors[here] = part.vectors
        word[here] = [number.setdefault(one, len(number)) for one in part.index_to_key]
        condition[here] = at
        support[here] = 0 if part.counts is None else part.counts
        done += len(part)
    vectors.flush()
    del vectors
    np.savez(
        folder / "index.npz",
        words=np.array(list(number), dtype=np.str_),
        conditions=np.array(labels, dtype=np.str_),
        word=word,
        condition=condition,
        support=support,
    )


def _schema(dimensions: int) -> pa.Schema:
    fields: list[pa.Field[Any]] = [
        pa.field("condition", pa.string()),
        pa.field("word", pa.string()),
        pa.field("support", pa.int64()),
        pa.field("vector", pa.list_(pa.float32(), dimensions)),
    ]
    return pa.schema(fields)


def _batches(part: WordVectors, dimensions: int) -> Iterator[pa.RecordBatch]:
    for first in range(0, len(part), ROWS_AT_ONCE):
        here = slice(first, first + ROWS_AT_ONCE)
        words = part.index_to_key[here]
        counts = np.zeros(len(words), np.int64) if part.counts is None else part.counts[here]
        flat = pa.array(np.ascontiguousarray(part.vectors[here]).reshape(-1))
        columns: list[pa.Array[Any]] = [
            pa.array([part.name] * len(words), pa.string()),
            pa.array(words, pa.string()),
            pa.array(counts),
            pa.FixedSizeListArray.from_arrays(flat, dimensions),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=_schema(dimensions))
