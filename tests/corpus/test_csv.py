"""CSV files as people have them: columns that nobody asked for, and the habits of spreadsheets."""

from __future__ import annotations

import pytest

from chronotope.corpus import read_corpus, tokenize
from chronotope.errors import InputError
from worlds import documents, write


def words(store):
    return [word for words in documents(store) for word in words]


@pytest.mark.parametrize("bad", [b"", b"caf\xe9 \xc3\xa9,x,fr\n"])
def test_an_empty_field_means_the_same_to_both_parsers(bad, tmp_path):
    """A row that is not UTF-8 sends its neighbors through the slow parser."""
    path = write(tmp_path / "a.csv", b"text,note,lang\none,x,\ntwo,x,en\n" + bad)
    store = tokenize(read_corpus(path, where="lang <> 'en'"), tmp_path / "s")
    assert words(store) == ["one"]


def test_cells_of_an_old_macintosh_may_hold_line_feeds(tmp_path):
    path = write(tmp_path / "a.csv", b'text,note\r"one\ntwo",x\rthree,y\r\rfour\r')
    store = tokenize(read_corpus(path), tmp_path / "s")
    assert words(store) == ["one", "two", "three"]
    assert store.problems["wrong number of fields"].locations == ["a.csv:6"]


def test_lines_are_counted_from_the_line_with_the_separator_on(tmp_path):
    path = write(tmp_path / "a.csv", b"sep=;\n\ntext;year\na;1998\nb;soon\n")
    store = tokenize(read_corpus(path, time="year"), tmp_path / "s")
    assert store.problems["unreadable time"].locations == ["a.csv:5"]
    with pytest.raises(InputError, match=r"^b\.csv holds no rows$"):
        read_corpus(write(tmp_path / "b.csv", b"sep=;\n"))


def test_column_names_with_an_open_quote(tmp_path):
    with pytest.raises(InputError, match=r"^a\.csv: the line of column names has a quote that never closes$"):
        read_corpus(write(tmp_path / "a.csv", b'"text,year\na,1998\n'))
