"""Read untrusted files, and show untrusted text in a terminal or a page.

Nothing in a file is executed, believed without a check, or allowed to fill the memory.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.errors import DamagedFileError, InputError, first_line
from chronotope.frames import check_not_forked

if TYPE_CHECKING:
    import polars as pl

# A run of a million conditions needs less.
MOST_JSON_BYTES = 512 << 20
MOST_JSON_PARTS = 4_000_000
# Our tables take at least a byte a row, and their text compresses about fivefold; decompression bombs exceed this.
MOST_ROWS_A_BYTE = 20
MOST_TEXT_A_BYTE = 100
SPARE_ROWS, SPARE_TEXT_BYTES = 100_000, 256 << 20
# Characters that move the cursor of a terminal, color it, ring its bell, or change the direction of text.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# JSON can hold one half of a surrogate pair, UTF-8 cannot.
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def printable(text: str, *, lines: bool = False) -> str:
    r"""Escape the control characters of untrusted text for a terminal; `lines` keeps line breaks.

    >>> print(printable("bank\x1b[31m"))
    bank\x1b[31m
    """

    def escape(match: re.Match[str]) -> str:
        return "\n" if lines and match[0] == "\n" else match[0].encode("unicode_escape").decode()

    return _CONTROL.sub(escape, text)


def printable_json(text: str) -> str:
    """Escape control characters as JSON does, so that the text means the same; line breaks stay."""
    return _CONTROL.sub(lambda match: "\n" if match[0] == "\n" else f"\\u{ord(match[0]):04x}", text)


def embed_json(data: Any) -> str:
    """Return JSON that is safe inside a `<script>` element: no text in it can end the element or begin another.

    >>> embed_json({"place": "Kent</script>"})
    '{"place":"Kent\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda match: f"\\u{ord(match[0]):04x}", text)


def read_text(path: str | Path) -> str:
    """Return the text of a file; raise InputError if it cannot be read or is not in UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not in UTF-8; save it in that encoding") from None


def read_json(text: bytes, most_bytes: int = MOST_JSON_BYTES, most_parts: int = MOST_JSON_PARTS) -> Any:
    """Parse JSON in UTF-8; raise ValueError if it is invalid, too long, or has too many parts (lists and objects).

    An empty list takes two bytes of text, and thirty times as many in memory.
    """
    if len(text) > most_bytes or text.count(b"[") + text.count(b"{") > most_parts:
        raise ValueError("its JSON is larger than any that chronotope writes")
    try:
        data = json.loads(text.decode("utf-8"))
        if _SURROGATE.search(text):
            json.dumps(data, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("its JSON holds a lone surrogate, which is not valid text") from None
    return data


def read_table(path: Path, columns: dict[str, Any]) -> pl.DataFrame:
    """Read columns, given with their polars types, of a Parquet file of a run.

    Raise DamagedFileError if it cannot be read, lacks a column, has nulls, or would unpack to more than it can hold.
    """
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_not_forked()
    try:
        size = path.stat().st_size
        with pq.ParquetFile(path) as file:
            if file.metadata.num_rows > MOST_ROWS_A_BYTE * size + SPARE_ROWS:
                raise DamagedFileError(f"{path} claims more rows than it can hold; it is not read")
            data = file.read(columns=list(columns))
        data.validate(full=True)
        # Drop the metadata of the columns, which are untrusted, too.
        frame = pl.DataFrame(pa.Table.from_arrays(data.columns, names=data.column_names))
    except (OSError, ValueError, pa.ArrowException, pl.exceptions.PolarsError) as error:
        raise DamagedFileError(f"{path} cannot be read ({first_line(error)}); prepare the run again") from None
    if dict(frame.schema) != columns or any(frame.null_count().row(0)):
        raise DamagedFileError(f"{path} does not hold the columns of a run; prepare the run again")
    for text in frame.select(pl.col(pl.String)):
        if int(text.str.len_bytes().sum()) > MOST_TEXT_A_BYTE * size + SPARE_TEXT_BYTES:
            raise DamagedFileError(f"{path} claims more text than it can hold; it is not read")
    return frame
