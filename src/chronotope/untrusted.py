"""Reading what a stranger may have written: nothing in it is run, believed, or allowed to fill the memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.errors import DamagedFile

if TYPE_CHECKING:
    import polars as pl

# A run of a million conditions has less.
MOST_JSON_BYTES = 512 << 20
MOST_JSON_PARTS = 4_000_000
# Our tables take a byte or more a row, and their text a fifth of what it unpacks to; a bomb takes next to nothing.
MOST_ROWS_A_BYTE = 20
MOST_TEXT_A_BYTE = 100
SPARE = 100_000


def read_json(text: bytes, most_bytes: int = MOST_JSON_BYTES, most_parts: int = MOST_JSON_PARTS) -> Any:
    """The data in JSON; what would fill the memory raises ValueError, as all that is wrong with it.

    Parameters
    ----------
    text
        The JSON, in UTF-8.
    most_bytes, most_parts
        How long it may be, and how many lists and tables it may hold: an empty list takes two bytes here, and thirty
        times as many in memory.

    Examples
    --------
    >>> read_json(b'{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> read_json(b"[" * 100_000)
    Traceback (most recent call last):
    ValueError: its JSON is nested too deeply
    """
    if len(text) > most_bytes or text.count(b"[") + text.count(b"{") > most_parts:
        raise ValueError("its JSON is larger than any that chronotope writes")
    try:
        return json.loads(text.decode("utf-8"))
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None


def read_table(path: Path, columns: dict[str, Any], rows: int | None = None) -> pl.DataFrame:
    """Columns of a Parquet file of a run, without gaps; DamagedFile where it does not hold them.

    Parameters
    ----------
    path
        The file.
    columns
        The columns with their Polars types.
    rows
        Only so many, from the top.
    """
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        size = path.stat().st_size
        if pq.read_metadata(path).num_rows > MOST_ROWS_A_BYTE * size + SPARE:
            raise DamagedFile(f"{path} claims more rows than it can hold; it is not read")
        found = pl.read_parquet(path, columns=list(columns), n_rows=rows, glob=False)
    except (OSError, ValueError, pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = (str(error).splitlines() or ["damaged"])[0]
        raise DamagedFile(f"{path} cannot be read ({reason}); prepare the run again") from None
    if dict(found.schema) != columns or any(found.null_count().row(0)):
        raise DamagedFile(f"{path} does not hold the columns of a run; prepare the run again")
    for name, kind in columns.items():
        if kind == pl.String and int(found[name].str.len_bytes().sum()) > MOST_TEXT_A_BYTE * size + SPARE:
            raise DamagedFile(f"{path} claims more text than it can hold; it is not read")
    return found
