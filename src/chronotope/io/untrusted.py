"""Reading what a stranger may have written: nothing in it is run, believed, or allowed to fill the memory."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.errors import DamagedFileError

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

# A run of a million conditions has less.
MOST_JSON_BYTES = 512 << 20
MOST_JSON_PARTS = 4_000_000
# Our tables take a byte or more a row, and their text a fifth of what it unpacks to; a bomb takes next to nothing.
MOST_ROWS_A_BYTE = 20
MOST_TEXT_A_BYTE = 100
SPARE, SPARE_TEXT = 100_000, 256 << 20
# What moves the cursor of a terminal, colors it, rings its bell, or turns the direction of its lines.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# Half of a character, as JSON can write it; with its other half it is sound.
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def printable(text: str, *, lines: bool = False) -> str:
    """Text for a terminal: signs that would command it are shown as what they are; `lines`: but for ends of lines.

    Examples
    --------
    >>> print(printable("bank\x1b[31m"))
    bank\\x1b[31m
    """

    def shown(match: re.Match[str]) -> str:
        sign = match[0]
        return sign if lines and sign == "\n" else sign.encode("unicode_escape").decode()

    return _CONTROL.sub(shown, text)


def printable_json(text: str) -> str:
    """JSON without signs that command a terminal: they are written as JSON writes them, and mean the same.

    Examples
    --------
    >>> printable_json('"\x9b31m"')
    '"\\\\u009b31m"'
    """
    return _CONTROL.sub(lambda match: match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}", text)


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
        found = json.loads(text.decode("utf-8"))
        if _HALF.search(text):
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("its JSON holds half a character, which no text can hold") from None
    return found


def read_table(path: Path, columns: dict[str, Any], rows: int | None = None) -> pl.DataFrame:
    """Columns of a Parquet file of a run, without gaps; DamagedFileError where it does not hold them.

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
        with pq.ParquetFile(path) as file:
            if file.metadata.num_rows > MOST_ROWS_A_BYTE * size + SPARE:
                raise DamagedFileError(f"{path} claims more rows than it can hold; it is not read")
            starts = [0]
            for group in range(file.metadata.num_row_groups):
                starts.append(starts[-1] + file.metadata.row_group(group).num_rows)
            groups = [group for group in range(len(starts) - 1) if rows is None or starts[group] < rows]
            table = file.read_row_groups(groups, columns=list(columns))
        table.validate(full=True)
        # Without what else the file says of its columns, which need not be sound, either.
        found = pl.DataFrame(pa.Table.from_arrays(table.columns, names=table.column_names)).head(rows or len(table))
    except (OSError, ValueError, pa.ArrowException, pl.exceptions.PolarsError) as error:
        reason = (str(error).splitlines() or ["damaged"])[0]
        raise DamagedFileError(f"{path} cannot be read ({reason}); prepare the run again") from None
    if dict(found.schema) != columns or any(found.null_count().row(0)):
        raise DamagedFileError(f"{path} does not hold the columns of a run; prepare the run again")
    for name, kind in columns.items():
        if kind == pl.String and int(found[name].str.len_bytes().sum()) > MOST_TEXT_A_BYTE * size + SPARE_TEXT:
            raise DamagedFileError(f"{path} claims more text than it can hold; it is not read")
    return found


def map_array(path: Path, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Memory-map a one-dimensional array of an .npy file without unpickling; raise DamagedFileError if it is none."""
    import numpy as np

    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # its reader lets through whatever goes wrong in the header
        reason = (str(error).splitlines() or ["damaged"])[0]
        raise DamagedFileError(f"{path} cannot be read ({reason}); prepare the run again") from None
    if not isinstance(found, np.ndarray) or found.dtype != dtype or found.ndim != 1:
        raise DamagedFileError(f"{path} does not hold what it should; prepare the run again")
    return found
