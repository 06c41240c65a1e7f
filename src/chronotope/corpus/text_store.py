"""The text of a corpus on disk: Parquet with small row groups, so that one document is read without the rest.

`text.parquet` holds one row per document, in the order of the input. The columns `row` and `kind` of
`documents.parquet` are the row and the tokenizer of each document.
"""

import threading
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.corpus.tokens import DOCUMENTS
from chronotope.errors import DamagedFileError, first_line
from chronotope.io.untrusted import read_table

TEXT = "text.parquet"
KINDS = ("words", "whitespace", "tokens")
GROUP_BYTES = 256 << 10
GROUPS_CACHED = 16
# Our texts never compress better; a decompression bomb does.
LARGEST_GROUP_BYTES, LARGEST_RATIO = 64 << 20, 1_000


class TextWriter:
    """Write texts in the order of the input."""

    def __init__(self, folder: Path) -> None:
        schema = pa.schema([("text", pa.large_string())])
        self._writer = pq.ParquetWriter(
            folder / TEXT, schema, compression="zstd", compression_level=1, use_dictionary=False, write_statistics=False
        )

    def add(self, texts: pl.Series) -> None:
        """Write texts in row groups of about GROUP_BYTES."""
        size = texts.str.len_bytes().to_numpy().astype(np.int64)
        group = (np.cumsum(size) - size) // GROUP_BYTES
        starts = np.flatnonzero(np.diff(group, prepend=-1)).tolist()
        for first, last in pairwise([*starts, len(texts)]):
            self._writer.write_table(texts[first:last].to_frame("text").to_arrow())

    def close(self) -> None:
        """Write the end of the file."""
        self._writer.close()


class TextStore:
    """The text of each document, read on demand."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / TEXT
        self._lock = threading.Lock()
        table = read_table(folder / DOCUMENTS, {"row": pl.Int64, "kind": pl.UInt8})
        self._rows, self._kinds = table["row"].to_numpy(), table["kind"].to_numpy()
        try:
            self._file = pq.ParquetFile(self._path)
            groups = [self._file.metadata.row_group(n) for n in range(self._file.metadata.num_row_groups)]
        except (OSError, ValueError, pa.ArrowException) as error:
            raise self._damaged(error) from None
        self._ends = np.cumsum([group.num_rows for group in groups], dtype=np.int64)
        packed = self._path.stat().st_size
        if any(group.total_byte_size > LARGEST_GROUP_BYTES + LARGEST_RATIO * packed for group in groups):
            raise DamagedFileError(f"{self._path} claims more text than it can hold; it is not read")
        rows = int(self._ends[-1]) if len(self._ends) else 0
        in_range = (self._rows >= 0) & (self._rows < rows) & (self._kinds < len(KINDS))
        if rows != len(np.unique(self._rows)) or not in_range.all():
            raise self._damaged("it does not fit its documents")
        self._group = lru_cache(GROUPS_CACHED)(self._read_group)

    @staticmethod
    def is_in(folder: Path) -> bool:
        """Return whether a folder holds the text of its documents."""
        return (folder / TEXT).exists()

    def document(self, document: int) -> str:
        """Return the text of a document."""
        row = int(self._rows[document])
        group = int(np.searchsorted(self._ends, row, side="right"))
        texts = self._group(group)
        return texts[row - int(self._ends[group]) + len(texts)]

    def kind(self, document: int) -> str:
        """Return the tokenizer of a document: 'words', 'whitespace' or 'tokens'."""
        return KINDS[self._kinds[document]]

    def _read_group(self, group: int) -> list[str]:
        try:
            with self._lock:
                table = self._file.read_row_group(group, columns=["text"])
            table.validate(full=True)
            texts: list[Any] = table["text"].to_pylist()
        except (OSError, ValueError, KeyError, pa.ArrowException) as error:
            raise self._damaged(error) from None
        if len(texts) != int(self._ends[group]) - int(self._ends[group - 1] if group else 0) or None in texts:
            raise self._damaged("a text is missing")
        return texts

    def _damaged(self, reason: object) -> DamagedFileError:
        return DamagedFileError(f"{self._path} cannot be read ({first_line(reason)}); prepare the run again")
