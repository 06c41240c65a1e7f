"""Bad rows are skipped, counted by kind and located; what cannot be meant is one clear error."""

from __future__ import annotations

import gzip

import fsspec
import pandas as pd
import polars as pl
import pytest

from chronotope.config import NamedBin
from chronotope.corpus.source import read_corpus
from chronotope.errors import InputError, SettingsError
from worlds import tokenize, write

GOOD = b'{"text": "a good day", "time": "1998-01-05", "place": "Canada"}\n'


def problems(store):
    return {kind: (problem.count, tuple(problem.locations)) for kind, problem in store.problems.items()}


BAD_LINES = [
    (b'{"time": "1998"}', "no text"),
    (b'{"text": null, "time": "1998"}', "no text"),
    (b'{"text": " \\t", "time": "1998"}', "no text"),
    (b'{"text": [], "time": "1998"}', "no text"),
    (b'{"text": "?!", "time": "1998", "place": "x"}', "no words in the text"),
    (b'{"text": "a", "place": "x"}', "no time"),
    (b'{"text": "a", "time": "", "place": "x"}', "no time"),
    (b'{"text": "a", "time": "12/03/1998", "place": "x"}', "unreadable time"),
    (b'{"text": "a", "time": "1999-02-29", "place": "x"}', "unreadable time"),
    (b'{"text": "a", "time": true, "place": "x"}', "unreadable time"),
    (b'{"text": "a", "time": 1998}', "no place"),
    (b'{"text": "a", "time": 1998, "place": "  "}', "no place"),
    (b'{"text": "a", "time"', "broken JSON"),
    (b'["text"]', "broken JSON"),
    (b'{"text": "a"} {"text": "b"}', "broken JSON"),
    (b'{"text": "caf\xe9 \xc3\xa9", "time": 1998, "place": "x"}', "wrong encoding, not UTF-8"),
]


@pytest.mark.parametrize(("line", "kind"), BAD_LINES)
def test_a_bad_line_costs_that_line_only(line, kind, tmp_path):
    path = write(tmp_path / "a.jsonl", GOOD + b"\n" + GOOD + line + b"\n" + GOOD)
    store = tokenize(read_corpus(path, time="time", place="place"), tmp_path / "s")
    assert store.report.documents == 3
    assert problems(store) == {kind: (1, ("a.jsonl:4",))}
    assert [part.documents for part in store.report.conditions] == [3]
    with pytest.raises(InputError, match=rf"^a\.jsonl:4: {kind}"):
        tokenize(read_corpus(path, time="time", place="place", strict=True), tmp_path / "t")
    assert not (tmp_path / "t").exists()


def test_a_document_without_words_makes_no_time_bin_of_its_own(tmp_path):
    rows = [{"text": text, "year": year} for text, year in (("a b", 1998), ("?!", 1999), ("a b", 2001))]
    assert tokenize(read_corpus(rows, time="year"), tmp_path / "s").conditions.labels == ("1998", "2001")


def test_strict_names_the_first_of_several(tmp_path):
    lines = [b'{"text": "a", "time": "soon"}\n', b"{\n", b'{"text": ""}\n']
    path = write(tmp_path / "a.jsonl", GOOD + b"".join(lines))
    with pytest.raises(InputError, match=r"^a\.jsonl:2: unreadable time \('soon'\)$"):
        tokenize(read_corpus(path, time="time", strict=True), tmp_path / "s")


def test_only_the_first_locations_are_kept_and_all_are_counted(tmp_path):
    path = write(tmp_path / "a.jsonl", GOOD + b"{\n" * 30 + b'{"text": ""}\n' * 7)
    store = tokenize(read_corpus(path), tmp_path / "s")
    assert problems(store) == {
        "broken JSON": (30, tuple(f"a.jsonl:{line}" for line in range(2, 7))),
        "no text": (7, tuple(f"a.jsonl:{line}" for line in range(32, 37))),
    }
    assert store.report.rows == 38
    assert store.problems.lines()[1].startswith("7 rows skipped: no text (a.jsonl:32, ")


def test_bad_rows_of_a_csv_file(tmp_path):
    path = write(
        tmp_path / "a.csv",
        b'text,year\n"two\nlines",1998\n\nshort\n"a ""b""",1998,more\ncaf\xe9 \xc3\xa9,1998\n'
        b'a 5" pipe,1998\n,1998\nc,\nd,soon\n',
    )
    store = tokenize(read_corpus(path, time="year"), tmp_path / "s")
    assert store.words.sort().to_list() == ["5", "a", "lines", "pipe", "two"]
    assert problems(store) == {
        "wrong number of fields": (2, ("a.csv:5", "a.csv:6")),
        "wrong encoding, not UTF-8": (1, ("a.csv:7",)),
        "no text": (1, ("a.csv:9",)),
        "no time": (1, ("a.csv:10",)),
        "unreadable time": (1, ("a.csv:11",)),
    }
    assert any("iconv" in line for line in store.problems.lines()), "what can be done about it is said"
    with pytest.raises(InputError, match=r"^a\.csv:5: wrong number of fields$"):
        tokenize(read_corpus(path, time="year", strict=True), tmp_path / "t")


def test_rows_of_frames_and_parquet_files_are_numbered(tmp_path):
    frame = pl.DataFrame({"text": ["a", None, "b", "  "], "year": [1998, 1999, None, 2000]})
    store = tokenize(read_corpus(frame, time="year"), tmp_path / "s")
    assert problems(store) == {"no text": (2, ("frame:2", "frame:4")), "no time": (1, ("frame:3",))}
    frame.write_parquet(tmp_path / "a.parquet")
    store = tokenize(read_corpus(tmp_path / "a.parquet", time="year"), tmp_path / "s")
    assert problems(store)["no time"] == (1, ("a.parquet:3",))


def test_times_that_are_too_coarse_have_a_kind_of_their_own(tmp_path):
    rows = [{"text": "a", "time": "1998"}, {"text": "b", "time": "1998-03"}]
    store = tokenize(read_corpus(rows, time="time", every="1mo"), tmp_path / "s")
    assert problems(store) == {"time too coarse for bins of 1mo": (1, ("records:1",))}
    assert store.conditions.labels == ("1998-03",)


def test_rows_outside_the_named_bins_are_counted_apart(tmp_path):
    bins = (NamedBin("late", "2000-06", "2001"), NamedBin("early", "1990", "1998"))
    times = ["1990", "1998-12-31", "1999", "2000-05-31", "2000-06-01", "2001-12-31", "2002", "2000"]
    rows = [{"text": "a", "time": time} for time in times]
    store = tokenize(read_corpus(rows, time="time", bins=bins), tmp_path / "s")
    assert store.conditions.labels == ("early", "late")
    assert store.document_condition.tolist() == [0, 0, 1, 1]
    assert store.report.outside == 3
    assert problems(store) == {"time too coarse for the named bins": (1, ("records:8",))}


def test_an_empty_file_among_others_is_counted_and_hides_none_of_the_same_name(tmp_path):
    empty = [write(tmp_path / "empty" / name, data) for name, data in (("a.jsonl", b"\n"), ("c.csv", b""))]
    store = tokenize(read_corpus([*empty, write(tmp_path / "a.jsonl", GOOD)]), tmp_path / "s")
    assert store.report.documents == 1
    assert problems(store) == {"empty file": (2, ("a.jsonl", "c.csv"))}
    with pytest.raises(InputError, match=r"^a\.jsonl holds no rows$"):
        read_corpus(empty[0])


def test_text_files_that_cannot_be_used_are_counted(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    write(folder / "1998.txt", b"fine")
    write(folder / "1999.txt", b"")
    write(folder / "2000.txt", b"one\ncaf\xe9 \xc3\xa9")
    write(folder / "undated.txt", b"when?")
    store = tokenize(read_corpus(folder, time="date"), tmp_path / "s")
    assert problems(store) == {
        "empty file": (1, ("1999.txt",)),
        "wrong encoding, not UTF-8": (1, ("2000.txt:2",)),
        "no date in the name of the file": (1, ("undated.txt:1",)),
    }


def failing(message, act):
    with pytest.raises((InputError, SettingsError)) as caught:
        act()
    assert str(caught.value) == message


def test_a_missing_column_names_those_that_are_there(tmp_path):
    path = write(tmp_path / "speeches.csv", b"text,year,country\na,1998,canada\n")
    message = "speeches.csv has no column 'date'; its columns are: text, year, country"
    failing(message, lambda: read_corpus(path, time="date"))
    path = write(tmp_path / "speeches.jsonl", b'{"text": "a", "year": 1}\n{"text": "b"}\n')
    failing("speeches.jsonl has no column 'date'; its columns are: text, year", lambda: read_corpus(path, time="date"))
    frame = pl.DataFrame({"txt": ["a"]})
    failing("frame has no column 'text'; its columns are: txt; did you mean txt?", lambda: read_corpus(frame))
    failing(
        "speeches.csv has no column 'lang'; its columns are: text, year, country",
        lambda: read_corpus(tmp_path / "speeches.csv", where="lang = 'en'"),
    )


def test_nothing_left_says_why(tmp_path):
    def attempt(rows, **options):
        return lambda: tokenize(read_corpus(rows, **options), tmp_path / "s")

    rows = [{"text": "a", "date": "n.d.", "place": ""}, {"text": "b", "date": "in the\nspring", "place": None}]
    failing(
        "no row has a readable time in field 'date'; the first values are: 'n.d.', 'in the spring'",
        attempt(rows, time="date"),
    )
    failing("no row has a place in field 'place'", attempt(rows, place="place"))
    failing("no row is left: where=\"date = '1998'\" leaves out 2 of 2 rows", attempt(rows, where="date = '1998'"))
    failing("no row has text in field 'place'", attempt(rows, text="place"))
    failing(
        "no row has a readable time in field 'date'; the first values are: 'n.d.'; "
        "where=\"text = 'a'\" leaves out 1 of 2 rows",
        attempt(rows, time="date", where="text = 'a'"),
    )
    failing(
        "no row is left: 2 rows skipped: unreadable time, such as 'n.d.', 'in the spring' (records:1, records:2); "
        'since="1900" leaves out 1 of 3 rows',
        attempt([*rows, {"text": "c", "date": "1860"}], time="date", since="1900"),
    )
    rows = [{"text": "a", "year": 1998}]
    failing(
        "no row is left: 1 of 1 rows lie outside the named bins",
        attempt(rows, time="year", bins=[NamedBin("x", "1800", "1801")]),
    )
    assert not (tmp_path / "s").exists()


def test_what_cannot_be_read_at_all(tmp_path):
    failing(f"there is no file or folder {tmp_path / 'x.csv'}", lambda: read_corpus(tmp_path / "x.csv"))
    failing(f"no file matches {tmp_path}/*.csv", lambda: read_corpus(f"{tmp_path}/*.csv"))
    failing("no file matches memory://empty/*.jsonl", lambda: read_corpus("memory://empty/*.jsonl"))
    with pytest.raises(InputError, match="cannot open nonsense://"):
        read_corpus("nonsense://bucket/1.jsonl")
    fsspec.filesystem("memory").pipe("/strange/a.doc", b"x")
    for unknown in (write(tmp_path / "a.doc", b"x"), "memory://strange/a.doc", "memory://strange"):
        with pytest.raises(InputError, match=r"cannot tell the format of a\.doc"):
            read_corpus(unknown)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no text that can be read"):
        read_corpus(tmp_path / "empty")
    with pytest.raises(InputError, match="damaged or cut short"):
        read_corpus(write(tmp_path / "a.jsonl.gz", gzip.compress(GOOD)[:-9]))
    with pytest.raises(InputError, match="as Parquet"):
        read_corpus(write(tmp_path / "a.parquet", b"PAR1 no"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time": "year", "every": "1 fortnight"}, "cannot read '1 fortnight' as the length of a time bin"),
        ({"time": "year", "every": "2w"}, "cannot read '2w'"),
        ({"time": "year", "bins": [NamedBin("a", "1990", "1995"), NamedBin("b", "1995", "1999")]}, "overlap"),
        ({"time": "year", "bins": [NamedBin("a", "1990", "then")]}, "cannot read 'then', the end of bin 'a'"),
        ({"time": "year", "bins": [NamedBin("a", "1996", "1990")]}, "ends before it starts"),
        ({"where": "year >="}, "cannot read where="),
        ({"where": "year + 1"}, "cannot be used"),
        ({"where": "nonsense(year) = 3"}, "cannot read where="),
        ({"where": "1 = 1"}, "it names no field"),
        ({"where": "year = max(year)"}, "one row at a time"),
        ({"where": "year > LAG(year) OVER (ORDER BY year)"}, "one row at a time"),
        ({"time": "year", "bins": [("a", 1990)]}, "a named bin needs a name, a start and an end, not .'a', 1990."),
        ({"time": "year", "bins": [{"name": "a", "from": 1990, "end": 1991}]}, "a named bin needs a name"),
        ({"tokenizer": "letters"}, "tokenizer must be words or whitespace"),
        ({"every": "1y"}, "no time field was named"),
        ({"time": "year", "since": "soon"}, "cannot read since='soon' as a date"),
        ({"time": "year", "since": 1862, "until": 1860}, "since='1862' is after until='1860'"),
        ({"since": 1860}, "need the time field"),
        ({"where": "text == the river"}, "write several words in quotes: 'the river'"),
        ({"where": "year between 1860-01-01 and 1861-01-01"}, "compare dates as in date >= 1860-01-01"),
    ],
)
def test_a_bad_setting_is_told_at_once(options, message):
    with pytest.raises(SettingsError, match=message) as caught:
        read_corpus([{"text": "a", "year": 1998}], **options)
    assert "\n" not in str(caught.value)


def test_a_broken_or_very_long_first_line_hides_nothing(tmp_path):
    long = b'{"text": "' + b"long " * 400_000 + b'", "year": 1998}\n'
    path = write(tmp_path / "a.jsonl", long + b'{"text": "b", "year": 1999}\n')
    assert tokenize(read_corpus(path, time="year"), tmp_path / "s").report.tokens == 400_001
    path = write(tmp_path / "b.jsonl", b"{" * 2_000_000 + b"\n" + b'{"text": "b", "year": 1999}\n')
    store = tokenize(read_corpus(path, time="year"), tmp_path / "s")
    assert problems(store) == {"broken JSON": (1, ("b.jsonl:1",))}


def test_a_long_field_of_a_csv_file_beside_a_bad_row(tmp_path):
    path = write(tmp_path / "a.csv", b"text,year\n" + b"long " * 100_000 + b",1998\ncaf\xe9 \xc3\xa9,1998\n")
    store = tokenize(read_corpus(path, time="year"), tmp_path / "s")
    assert store.report.tokens == 100_000
    assert problems(store) == {"wrong encoding, not UTF-8": (1, ("a.csv:3",))}


def test_a_condition_that_fails_on_the_rows_is_one_line(tmp_path):
    """A column may have the name of an aggregate."""
    rows = [{"text": "a", "Len": True}, {"text": "b", "Len": False}]
    with pytest.raises(SettingsError, match=r'where="NOT Len" cannot be used: .*flag = \'true\'') as caught:
        tokenize(read_corpus(pl.DataFrame(rows), where="NOT Len"), tmp_path / "s")
    assert "\n" not in str(caught.value)
    store = tokenize(read_corpus(pl.DataFrame(rows), where="Len = 'false'"), tmp_path / "s")
    assert store.words.to_list() == ["b"]


def test_a_column_that_is_there_twice_is_refused(tmp_path):
    path = write(tmp_path / "a.csv", b"text,year,text \na,1998,b\n")
    with pytest.raises(InputError, match=r"^a\.csv has 2 columns named 'text'; rename"):
        read_corpus(path)
    frame = pd.DataFrame([["a", "b", 1998]], columns=["text", "text", "year"])
    with pytest.raises(InputError, match=r"^frame has 2 columns named 'text'; rename"):
        read_corpus(frame, time="year")
    twice_but_not_read = frame.set_axis(["text", "note", "note"], axis=1)
    assert tokenize(read_corpus(twice_but_not_read), tmp_path / "s").words.to_list() == ["a"]
