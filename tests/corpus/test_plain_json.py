"""JSON lines in one pass: what is read is what polars reads, and what polars refuses is left alone."""

from __future__ import annotations

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.corpus.readers.plain_json import plain_rows

FIELDS = ("text", "time", "naïve")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=80) | st.sampled_from(
    ['"', "\\", "a\\", '\\"' * 40, "x" * 200, "𝒳" * 30, "\u2028", "[1]", "é" * 64, "\t\n\r\b\f\0/"]
)
VALUES = TEXTS | st.integers(-(10**18) + 1, 10**18 - 1) | st.none()
OTHERS = VALUES | st.booleans() | st.floats(-1e17, 1e17).map(lambda number: round(number, 5))
RECORDS = st.lists(
    st.dictionaries(st.sampled_from(FIELDS), VALUES).flatmap(
        lambda wanted: st.dictionaries(st.sampled_from(["id", "source", "te", "texts", ""]), OTHERS).map(
            lambda others: others | wanted
        )
    ),
    min_size=1,
    max_size=8,
)


def by_polars(data):
    """What polars reads; None where it refuses."""
    try:
        return pl.read_ndjson(data, schema=dict.fromkeys(FIELDS, pl.String))
    except (pl.exceptions.PolarsError, ValueError):
        return None


def lines_of(records, ascii_only=False, separators=None):
    return "".join(
        json.dumps(record, ensure_ascii=ascii_only, separators=separators) + "\n" for record in records
    ).encode()


@settings(deadline=None, max_examples=300)
@given(RECORDS, st.booleans(), st.sampled_from([None, (",", ":"), (" ,  ", "  : ")]))
def test_plain_lines_are_read_as_polars_reads_them(records, ascii_only, separators):
    # Of a key that is written with escapes it cannot be told here which one it is.
    escaped_keys = ascii_only and any("naïve" in record for record in records)
    data = lines_of(records, ascii_only, separators)
    found = plain_rows(data, FIELDS, len(records))
    assert (found is None) == escaped_keys
    if found is not None:
        assert found.rows() == [tuple(_written(record.get(name)) for name in FIELDS) for record in records]
        assert found.equals(by_polars(data))


def _written(value):
    return None if value is None else str(value)


@settings(deadline=None, max_examples=500)
@given(RECORDS, st.booleans(), st.data())
def test_what_was_damaged_is_read_as_polars_does_or_not_at_all(records, ascii_only, data):
    damaged = bytearray(lines_of(records, ascii_only))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        sign = data.draw(
            st.sampled_from(b'"\\{}[]:,\n\r\t 0-+.eEnulltrueu\x00\x1f\x7f\x80\xc3\xff') | st.integers(0, 255)
        )
        how = data.draw(st.sampled_from(["change", "insert", "delete"]))
        damaged[place : place + (how != "insert")] = b"" if how == "delete" else bytes([sign])
        if not damaged:
            return
    found = plain_rows(bytes(damaged), FIELDS, damaged.count(b"\n"))
    if found is not None:
        assert found.equals(by_polars(bytes(damaged)))


@pytest.mark.parametrize(
    "line",
    [
        '{"text": ["a"]}',
        '{"text": "a", "more": {"a": 1}}',
        '{"time": 1.0}',
        '{"time": 1e3}',
        '{"time": true}',
        '{"time": -0}',
        '{"time": 12345678901234567890}',
        '{"time": 01}',
        '{"id": 01}',
        '{"id": 1.}',
        '{"id": .5}',
        '{"id": 1e}',
        '{"id": 1e400}',
        '{"id": nul}',
        '{"id": True}',
        '{"text": "a" "time": 1}',
        '{"text": "a",}',
        '{"text": "a"} {"text": "b"}',
        '{"text": "a"},',
        '{text: "a"}',
        '{"text" "a"}',
        '{"text": "a',
        '{"text": "a\\x"}',
        '{"text": "a", "text": "b\\x"}',
        '{"text": "\\ud800"}',
        '{"text": "\\ud800\\u0041"}',
        '{"text": "\\udc00"}',
        '{"text": "\\u12"}',
        '{"text": "a\tb"}',
        '{"te\\u0078t": "a"}',
        '{"text": "a"}\r',
        "",
        " ",
        "[]",
        '"a"',
        "null",
    ],
)
def test_what_is_not_plain_is_left_alone(line):
    assert plain_rows(f'{{"text": "b"}}\n{line}\n'.encode(), FIELDS, 2) is None
    assert plain_rows(f"{line}\n".encode(), FIELDS, 1) is None


def test_lines_without_an_end_and_bad_bytes_are_left_alone():
    assert plain_rows(b'{"text": "b"}', FIELDS, 1) is None
    assert plain_rows(b"", FIELDS, 0) is None
    assert plain_rows('{"text": "ä"}\n'.encode("latin-1"), FIELDS, 1) is None
    assert plain_rows('{"id": "ä"}\n'.encode("latin-1"), FIELDS, 1) is None
    assert plain_rows(b'{"text": "b"}\n', FIELDS, 2) is None


def test_the_first_of_two_equal_keys_counts():
    data = b'{"text": "a", "time": null, "text": "b", "time": 1}\n{}\n'
    assert plain_rows(data, FIELDS, 2).rows() == [("a", None, None), (None, None, None)]
    assert plain_rows(data, FIELDS, 2).equals(by_polars(data))


def test_surrogates_make_one_character():
    assert plain_rows(b'{"text": "\\ud835\\udcb3\\u00e9\\u20ac"}\n', ("text",), 1).item() == "𝒳é€"
