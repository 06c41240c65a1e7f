"""Files are read in blocks of whole lines; what is read does not depend on where the blocks end."""

import gzip
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.corpus.readers.delimited import Delimited
from chronotope.corpus.readers.folders import TextFiles
from chronotope.corpus.readers.jsonl import JsonLines
from chronotope.corpus.readers.pieces import Fields
from chronotope.corpus.source import read_corpus
from chronotope.errors import InputError
from chronotope.io.streaming import read_blocks, read_head


def rows(reader, names=("text",)):
    """The line and the fields of all rows, and the bad rows."""
    batches = [batch for piece in reader.pieces(Fields("text", names), 0) for batch in piece.parse()]
    good = [
        (line, *row) for batch in batches for line, row in zip(batch.line.tolist(), batch.frame.rows(), strict=True)
    ]
    return good, sorted((row.line, row.kind) for batch in batches for row in batch.bad)


def test_a_line_that_is_too_long_is_named(tmp_path):
    """The first line is read while the format is told, any other while the file is read; both within the bound."""
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"x" * 50_000))
    for read in (lambda: read_head(path, 100, longest_line=2000), lambda: list(read_blocks(path, 100, 2000))):
        with pytest.raises(InputError, match=r"^a\.jsonl\.gz:1 is longer than 2,000 bytes; split it"):
            read()
    path.write_bytes(gzip.compress(b"short\n\n" + b"x" * 50_000))
    with pytest.raises(InputError, match=r"^a\.jsonl\.gz:3 is longer than 2,000 bytes"):
        list(read_blocks(path, 100, longest_line=2000))
    path = tmp_path / "a.csv"
    path.write_bytes(b"text\nb\n" + b"x" * 50_000)
    with pytest.raises(InputError, match=r"^a\.csv:3 is longer than 2,000 bytes"):
        rows(Delimited(path, block_bytes=100, longest_record=2000))


JSON = b'{"text": "the sunny day", "year": 1990}\n\n{"text": ["the", "rain"], "year": 1991}\n{broken\n'
CSV = b'text,year\nthe day,1990\n"after ""the""\nrain",1991\n\nshort\n"open,1992\nsnow,1993\n'


@pytest.mark.parametrize(
    ("name", "data"), [("a.jsonl", JSON * 5), ("a.csv", CSV), ("a.csv", CSV.replace(b"\n", b"\r"))]
)
@pytest.mark.parametrize("block_bytes", [1, 7, 40])
def test_rows_and_their_lines_do_not_depend_on_the_blocks(name, data, block_bytes, tmp_path):
    (tmp_path / name).write_bytes(data)
    (reader,) = read_corpus(tmp_path / name).readers
    whole = rows(reader, ("text", "year"))
    assert len(whole[0]) >= 3
    assert len(whole[1]) >= 2
    assert rows(replace(reader, block_bytes=block_bytes), ("text", "year")) == whole


def test_long_text_files_are_cut_at_line_ends(tmp_path):
    """Documents end at the last line end before every 1,000 bytes."""
    lines = [bytes([97 + number % 26]) * (number * 37 % 90) + b"\n" for number in range(200)]
    lines[100] = b"long" * 600 + b"\n"
    data = b"".join(lines)
    path = tmp_path / "1990.txt.gz"
    path.write_bytes(gzip.compress(data))
    expected, start = [], 0
    for end in range(1000, len(data) + 1000, 1000):
        last = data.rfind(b"\n", 0, end) + 1
        if last > start:
            expected.append((data.count(b"\n", 0, start) + 1, data[start:last].decode()))
            start = last
    assert rows(TextFiles((path,), tmp_path, document_bytes=1000)) == (expected, [])
    assert len(expected) > 5


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=80) | st.sampled_from(
    ['"', "\\", "a\\", '\\"' * 40, "𝒳" * 30, "\u2028", "[1]", '["a"]', "[]", "\t\n\r\b\f\0/"]
)
VALUES = TEXTS | st.integers(-(10**18) + 1, 10**18 - 1) | st.booleans() | st.none()
FIELDS = ("text", "time", "naïve")
RECORDS = st.lists(st.dictionaries(st.sampled_from([*FIELDS, "id", "te", ""]), VALUES), min_size=1, max_size=8)


@given(RECORDS, st.booleans(), st.sampled_from([None, (",", ":"), (" ,  ", "  : ")]), st.booleans())
def test_values_of_json_are_read_as_they_are_written(tmp_path_factory, records, ascii_only, separators, broken):
    """By polars, or by Python where a line is broken."""
    lines = [json.dumps(record, ensure_ascii=ascii_only, separators=separators) for record in records]
    path = tmp_path_factory.mktemp("json") / "a.jsonl"
    path.write_bytes("\n".join([*lines, "{"] if broken else lines).encode())
    good, bad = rows(JsonLines(path), FIELDS)

    def written(value):
        return value if value is None or isinstance(value, str) else json.dumps(value)

    assert [row for _, *row in good] == [[written(record.get(name)) for name in FIELDS] for record in records]
    assert bad == ([(len(records) + 1, "broken JSON")] if broken else [])
