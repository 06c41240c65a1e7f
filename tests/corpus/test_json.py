"""JSON lines: every value arrives as the string it was written as, whether polars or Python parses its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.corpus.readers import Fields
from chronotope.corpus.readers.jsonl import JsonLines

FIELDS = Fields("text", ("text", "time", "naïve"))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=80) | st.sampled_from(
    ['"', "\\", "a\\", '\\"' * 40, "𝒳" * 30, "\u2028", "[1]", '["a"]', "[]", "\t\n\r\b\f\0/"]
)
VALUES = TEXTS | st.integers(-(10**18) + 1, 10**18 - 1) | st.booleans() | st.none()
RECORDS = st.lists(st.dictionaries(st.sampled_from([*FIELDS.names, "id", "te", ""]), VALUES), min_size=1, max_size=8)


def read(path, data):
    """The fields of all rows by line, and the kinds of bad rows by line."""
    path.write_bytes(data)
    batches = [batch for piece in JsonLines(path).pieces(FIELDS, 0) for batch in piece.parse()]
    rows = {int(line): row for batch in batches for line, row in zip(batch.line, batch.frame.rows(), strict=True)}
    return rows, {row.line: row.kind for batch in batches for row in batch.bad}


@given(RECORDS, st.booleans(), st.sampled_from([None, (",", ":"), (" ,  ", "  : ")]), st.booleans())
def test_values_are_read_as_they_are_written(tmp_path_factory, records, ascii_only, separators, with_a_broken_line):
    lines = [json.dumps(record, ensure_ascii=ascii_only, separators=separators) for record in records]
    data = "\n".join([*lines, "{"] if with_a_broken_line else lines).encode()
    rows, bad = read(tmp_path_factory.mktemp("json") / "a.jsonl", data)
    assert list(rows.values()) == [tuple(_string(record.get(name)) for name in FIELDS.names) for record in records]
    assert bad == ({len(records) + 1: "broken JSON"} if with_a_broken_line else {})


def _string(value):
    return value if value is None or isinstance(value, str) else json.dumps(value)


@pytest.mark.parametrize("beside", [b"", b"\n{broken"])
@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (b"1990", "1990"),
        (b"1990.0", "1990"),
        (b"0.1", "0.1"),
        (b"1e-7", "0.0000001"),
        (b"-5", "-5"),
        (b"123456789012345678", "123456789012345678"),
        (b"true", "true"),
        (b"null", None),
        (b'"\\ud835\\udcb3\\u00e9"', "𝒳é"),
    ],
)
def test_both_parsers_agree(written, read_as, beside, tmp_path):
    """A broken line sends its neighbors through Python's parser."""
    rows, bad = read(tmp_path / "a.jsonl", b'\n{"text": "a", "time": ' + written + b', "time": 2}\r' + beside)
    assert rows == {2: ("a", read_as, None)}
    assert bad == ({3: "broken JSON"} if beside else {})
