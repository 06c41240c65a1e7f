"""The folder that TensorFlow's embedding projector reads: all conditions in one cloud of points."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from chronotope.embeddings.word_vectors import WordVectors

VECTORS, METADATA = "vectors.tsv", "metadata.tsv"


def write_projector(parts: Iterable[WordVectors], folder: Path, dimensions: int, rows: int) -> None:
    """Write vectors.tsv, metadata.tsv (label, word, condition, support) and the configuration, in both its forms.

    A tab or a line end in a word or a label becomes a blank; other blanks stay.
    """
    with open(folder / VECTORS, "wb") as vectors, open(folder / METADATA, "wb") as metadata:
        metadata.write(b"label\tword\tcondition\tsupport\n")
        for part in parts:
            options: dict[str, Any] = {"separator": "\t", "include_header": False, "quote_style": "never"}
            pl.DataFrame(part.vectors).write_csv(vectors, **options)
            words = [_one_field(word) for word in part.index_to_key]
            name = _one_field(part.name)
            about = {
                "label": [f"{word} ({name})" for word in words],
                "word": words,
                "condition": [name] * len(words),
                "support": [0] * len(words) if part.counts is None else part.counts.tolist(),
            }
            pl.DataFrame(about).write_csv(metadata, **options)
    entry = {
        "tensorName": "words by condition",
        "tensorShape": [rows, dimensions],
        "tensorPath": VECTORS,
        "metadataPath": METADATA,
    }
    config = json.dumps({"embeddings": [entry]}, indent=1)
    (folder / "projector_config.json").write_text(config + "\n", encoding="utf-8")
    lines = [
        f'tensor_name: "{entry["tensorName"]}"',
        f'tensor_path: "{VECTORS}"',
        f'metadata_path: "{METADATA}"',
        *(f"tensor_shape: {size}" for size in (rows, dimensions)),
    ]
    pbtxt = "embeddings {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"
    (folder / "projector_config.pbtxt").write_text(pbtxt, encoding="utf-8")


def _one_field(text: str) -> str:
    return " ".join(text.split()) or "_"
