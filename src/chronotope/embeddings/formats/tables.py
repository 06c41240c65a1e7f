"""One table for all conditions: Parquet, Arrow, NumPy, and TensorFlow's embedding projector."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.embeddings.word_vectors import WordVectors

BATCH_ROWS = 8192
Shape = tuple[int, int]


def write_parquet(parts: Iterable[WordVectors], folder: Path, shape: Shape) -> None:
    """Write columns condition, word, count and vector; a row group holds one condition."""
    with pq.ParquetWriter(folder / "vectors.parquet", _schema(shape), compression="zstd") as writer:
        for part in parts:
            writer.write_table(_table(part, shape))


def write_arrow(parts: Iterable[WordVectors], folder: Path, shape: Shape) -> None:
    """Write the same columns as an Arrow file for memory mapping."""
    with pa.ipc.new_file(str(folder / "vectors.arrow"), _schema(shape)) as writer:
        for part in parts:
            writer.write_table(_table(part, shape), max_chunksize=BATCH_ROWS)


def write_numpy(parts: Iterable[WordVectors], folder: Path, shape: Shape) -> None:
    """Write vectors.npy for memory mapping, and index.npz with the word, condition and count of each row."""
    vectors = np.lib.format.open_memmap(folder / "vectors.npy", mode="w+", dtype=np.float32, shape=shape)
    number: dict[str, int] = {}
    words, counts, sizes = list[int](), list[Any](), dict[str, int]()
    for part in parts:
        vectors[len(words) : len(words) + len(part)] = part.vectors
        words += [number.setdefault(one, len(number)) for one in part.index_to_key]
        counts.append(part.counts)
        sizes[part.name] = len(part)
    vectors.flush()
    np.savez(
        folder / "index.npz",
        words=np.array(list(number), dtype=np.str_),
        conditions=np.array(list(sizes), dtype=np.str_),
        word=np.array(words, np.int32),
        condition=np.repeat(np.arange(len(sizes), dtype=np.int32), list(sizes.values())),
        count=np.concatenate(counts),
    )


def write_projector(parts: Iterable[WordVectors], folder: Path, shape: Shape) -> None:
    """Write vectors.tsv, metadata.tsv (label, word, condition, count) and the configuration as JSON and pbtxt.

    A tab or line break in a word or label becomes a blank.
    """
    options: dict[str, Any] = {"separator": "\t", "include_header": False, "quote_style": "never"}
    with open(folder / "vectors.tsv", "wb") as vectors, open(folder / "metadata.tsv", "wb") as metadata:
        metadata.write(b"label\tword\tcondition\tcount\n")
        for part in parts:
            pl.DataFrame(part.vectors).write_csv(vectors, **options)
            words, label = [_one_field(word) for word in part.index_to_key], _one_field(part.name)
            about = {
                "label": [f"{word} ({label})" for word in words],
                "word": words,
                "condition": [label] * len(words),
                "count": part.counts,
            }
            pl.DataFrame(about).write_csv(metadata, **options)
    entry = {
        "tensorName": "words by condition",
        "tensorShape": list(shape),
        "tensorPath": "vectors.tsv",
        "metadataPath": "metadata.tsv",
    }
    config = json.dumps({"embeddings": [entry]}, indent=1)
    (folder / "projector_config.json").write_text(config + "\n", encoding="utf-8")
    pbtxt = f"""\
embeddings {{
  tensor_name: "{entry["tensorName"]}"
  tensor_path: "vectors.tsv"
  metadata_path: "metadata.tsv"
  tensor_shape: {shape[0]}
  tensor_shape: {shape[1]}
}}
"""
    (folder / "projector_config.pbtxt").write_text(pbtxt, encoding="utf-8")


def _schema(shape: Shape) -> pa.Schema:
    fields: list[pa.Field[Any]] = [
        pa.field("condition", pa.string()),
        pa.field("word", pa.string()),
        pa.field("count", pa.int64()),
        pa.field("vector", pa.list_(pa.float32(), shape[1])),
    ]
    return pa.schema(fields)


def _table(part: WordVectors, shape: Shape) -> pa.Table:
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(part.vectors.reshape(-1)), shape[1])
    columns: list[Any] = [pa.repeat(part.name, len(part)), pa.array(part.index_to_key), part.counts, vectors]
    return pa.table(columns, schema=_schema(shape))


def _one_field(text: str) -> str:
    return " ".join(text.split()) or "_"
