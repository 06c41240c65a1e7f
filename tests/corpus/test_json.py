"""JSON lines: every value arrives as the string it was written as, whether polars or Python parses its line."""

from __future__ import annotations

import json

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
