"""Which files and rows are read, what is joined to them, and that nothing is left out in silence."""

from __future__ import annotations

import warnings
from datetime import date
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import chronotope as ct
from chronotope.config import CorpusSettings
from chronotope.corpus.source import read_corpus
from chronotope.errors import ChronotopeError, InputError, SettingsError
from worlds import tokenize


@pytest.fixture
def folder(tmp_path):
    """Three letters and the table of their dates and places."""
    root = tmp_path / "letters"
    (root / "more").mkdir(parents=True)
    for name, text in (("a.txt", "river bank"), ("b.txt", "old mill"), ("more/Zoe\u0308.txt", "deep sea")):
        (root / name).write_text(text)
    (root / "about.csv").write_text("id,date,place\na,1850-05-01,Leeds\nmore/Zoë.txt,1851,York\nlost.txt,1852,Hull\n")
    return root


def labels(store):
    return store.conditions.labels


def read(source, tmp_path, **options):
    return tokenize(read_corpus(source, **options), tmp_path / "s")


def test_metadata_are_joined_to_files_by_name_stem_or_path(folder, tmp_path):
    options = {"time": "date", "place": "place", "metadata": folder / "about.csv", "key": "id"}
    store = read(folder, tmp_path, **options)
    assert labels(store) == ("1850/Leeds", "1851/York")
    assert store.report.notes == (
        "1 row skipped: not in the metadata, such as 'b.txt' (b.txt:1)",
        "1 row of 3 in about.csv matched no text: lost.txt",
    )
    assert [entry["name"] for entry in store.sources][-1] == "about.csv"
    frame = pl.read_csv(folder / "about.csv")
    assert labels(read(folder, tmp_path, **{**options, "metadata": frame})) == labels(store)


def test_metadata_are_joined_to_records_by_a_field(tmp_path):
    records = [{"id": number, "text": f"text {number}", "year": 1} for number in (1, 2, 3)]
    table = [{"id": "2", "year": 1852}, {"id": 3.0, "year": 1853}]  # pandas writes whole numbers beside gaps so
    store = read(records, tmp_path, time="year", metadata=table, key="id")
    assert labels(store) == ("1852", "1853")
    assert store.problems["not in the metadata"].values == ["1"]
    assert read(records, tmp_path, time="year", metadata=table, key="id", where="year > 1852").report.left_out == 1


@pytest.mark.parametrize(
    ("table", "key", "message"),
    [
        ([{"id": 1, "year": 1}], None, "needs a column with the names .* its columns are: id, year"),
        ([{"id": 1, "year": 1}], "ID", "has no column 'ID'"),
        ([{"id": 1, "year": 1}, {"id": 1, "year": 2}], "id", "has '1' twice in column 'id', in rows 1 and 2"),
        ([{"name": 1, "year": 1}], "name", "has no column 'name' to join the metadata by"),
        (None, "id", "give the table, too"),
    ],
)
def test_metadata_that_cannot_be_joined(table, key, message):
    with pytest.raises(ChronotopeError, match=message):
        read_corpus([{"id": 1, "text": "a", "year": 1}], time="year", metadata=table, key=key)


def test_several_tables_of_metadata_are_refused(folder):
    (folder / "more.csv").write_text("id,date,place\nb.txt,1850,Hull\n")
    with pytest.raises(InputError, match=r"must be one table, not about\.csv, more\.csv"):
        read_corpus(folder / "a.txt", time="date", metadata=[folder / "about.csv", folder / "more.csv"], key="id")


def test_a_setting_beside_an_object_of_settings_is_refused():
    with pytest.raises(SettingsError, match="not both"):
        read_corpus([{"text": "a", "year": 1}], settings=CorpusSettings(time="year"), where="year > 1")


def test_a_folder_of_texts_and_tables(folder, tmp_path):
    (folder / "photo.png").write_bytes(b"\x89PNG")
    (folder / "old.zip").write_bytes(b"PK")
    (folder / "gone.txt").symlink_to(folder / "nowhere")
    with pytest.raises(InputError, match=r"dates come from names such as letter-1998-03-12\.txt .*--metadata FILE"):
        read(folder, tmp_path, time="date")
    store = read(folder, tmp_path, place="name")
    assert store.report.notes == (f"4 files in {folder} not read: about.csv, gone.txt, old.zip, photo.png",)
    (folder / "speeches.csv").write_text("text,date\nriver,1850\n")
    with pytest.raises(InputError, match=r"documents \(.*a.txt, b.txt.*tables of documents \(speeches.csv\); name"):
        read_corpus(folder, time="date")


TEXT = [{"text": "a", "d": f"{year}-05-31"} for year in (1859, 1860, 1861)] + [{"text": "b", "d": "12 March 1862"}]


@pytest.mark.parametrize(
    ("options", "years"),
    [
        ({"since": 1860}, (1860, 1861, 1862)),
        ({"until": "1860"}, (1859, 1860)),
        ({"since": "1860-05-31", "until": "1861-05-30"}, (1860,)),
        ({"where": "d >= 1860"}, (1860, 1861, 1862)),
        ({"where": "d < 1860"}, (1859,)),
        ({"where": "d == 1860"}, (1860,)),
        ({"where": "d > 1860-05-31"}, (1861, 1862)),
        ({"where": "d <= 1860-05"}, (1859, 1860)),
        ({"where": "d > '1860-05-31' and d < '1862-01-01'"}, (1861,)),
        ({"where": "text == b"}, (1862,)),
        ({"where": "text = 'b' or d = 1859"}, (1859, 1862)),
        ({"where": "NOT d IN (1859, 1860)"}, (1861, 1862)),
    ],
)
def test_dates_and_numbers_are_compared_as_typed(options, years, tmp_path):
    store = read(TEXT, tmp_path, time="d", **options)
    assert labels(store) == tuple(map(str, years))
    assert store.report.left_out == len(TEXT) - len(years)


def test_limits_that_leave_nothing_or_cannot_be_told(tmp_path):
    with pytest.raises(InputError, match='since="1900" leaves out 4 of 4 rows'):
        read(TEXT, tmp_path, time="d", since=1900)
    store = read([*TEXT, {"text": "c", "d": "1861"}], tmp_path, time="d", since="1861-02")
    assert list(store.problems) == ["time too coarse for since and until"]


@pytest.mark.parametrize(
    ("value", "unit", "label"),
    [(36526, "excel", "2000-01-01"), ("36526.5", "excel", "2000-01-01"), (10957, "days", "2000-01-01"),
     (946684800, "seconds", "2000-01-01"), (-1, "milliseconds", "1969-12-31"), ("May 1, 1990", "excel", "1990-05-01")],
)  # fmt: skip
def test_numbers_that_count_time(value, unit, label, tmp_path):
    rows = [{"text": "a", "time": value}]
    assert labels(read(rows, tmp_path, time="time", every="1d", time_unit=unit)) == (label,)
    if "y" not in str(value) and unit != "milliseconds":
        with pytest.raises(InputError, match="--time-unit excel, days, seconds or milliseconds"):
            read(rows, tmp_path, time="time")


def test_places_and_dates_as_people_write_them(tmp_path):
    places = ("Bad Zürich", "Bad\u00a0Zu\u0308rich ", "\ufeffbad  zürich\n")
    assert labels(read([{"text": "a", "place": place} for place in places], tmp_path, place="place")) == ("Bad Zürich",)
    times = [{"text": "a", "time": time} for time in ("1998-1-5", "1998/1/5", "5.1.1998")]
    assert labels(read(times, tmp_path, time="time", every="1d")) == ("1998-01-05",)
    for name in ("1024x768-2001", "2001-99", "IMG 2001"):
        path = tmp_path / "in" / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text("a")
    assert labels(read(tmp_path / "in", tmp_path, time="date")) == ("2001",)
    times = [pd.Timestamp("1998-01-01T00:30+02:00"), pd.Timestamp("1998-01-01T23:30-05:00")]
    frame = pd.DataFrame({"text": ["a", "b"], "time": pd.Series(times, dtype=object)})
    assert labels(read(frame, tmp_path, time="time", every="1d")) == ("1998-01-01",)
    frame = frame.assign(time=pd.period_range("1998-01", periods=2, freq="M"))
    assert labels(read(frame, tmp_path, time="time", every="1mo")) == ("1998-01", "1998-02")


ROWS = {"text": ["river bank", "old mill"], "day": [date(1850, 5, 1), date(1851, 1, 1)]}


# As a dataset of Hugging Face: rows are mappings; it has a length, and may be read again.
DATASET = dict(enumerate(pa.table(ROWS).to_pylist())).values()


@pytest.mark.parametrize("source", [ROWS, pa.table(ROWS), pa.table(ROWS).to_reader(), DATASET], ids=type)
def test_tables_of_python(source, tmp_path):
    store = read(source, tmp_path, time="day")
    assert (labels(store), store.words.sort().to_list()) == (("1850", "1851"), ["bank", "mill", "old", "river"])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"text": "a"}, "give lists: {'text'"),
        ({"text": ["a"], "year": [1, 2]}, "the lists differ in length: text 1, year 2"),
        ({"train": pa.table(ROWS)}, "choose one part of the data: train"),
        (b"text", "cannot read bytes as a corpus"),
        (5, "cannot read int as a corpus"),
        ([5], "records:1 is not a mapping"),
        (pd.Series(["a"]), "cannot read a Series as a corpus; give a frame"),
        (pl.Series(["a"]), "cannot read a Series as a corpus; give a frame"),
        ("a" * 5000, "there is no file or folder aaa"),
        ("a\0b", "there is no file or folder a"),
        ([{"text": {"body": "a"}}], "text that is neither a string nor a list of words, such as 'dict'"),
        ([{"text": (word for word in "ab")}], "such as 'generator'"),
        ([{"text": [{"w": "a"}]}], "such as 'list'"),
        ([{"text": Path("a.txt")}], r"such as '\w*Path' \(records:1\)"),
        (pd.DataFrame({"text": [{"body": "a"}, date(1850, 5, 1)]}), r"such as 'dict', 'date' \(frame:1, frame:2\)"),
        ((pl.DataFrame({"text": ["a"]}) for _ in range(2)), "records:1 is not a mapping of field names to values"),
        (pl.DataFrame({"text": [[{"w": "a"}]]}), "holds List"),
    ],
)
def test_what_is_no_text_is_refused(source, message, tmp_path):
    with pytest.raises(InputError, match=message) as caught:
        read(source, tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [b"river bank", [["river"], ["bank"]], ("river", "bank")])
def test_what_can_be_meant_in_one_way_is_read(text, tmp_path):
    for source in ([{"text": text}], pd.DataFrame({"text": pd.Series([text, "bank"], dtype=object)})):
        assert read(source, tmp_path).words.sort().to_list() == ["bank", "river"]
    numbered = pd.DataFrame([["bank", 1998]])
    assert labels(read(numbered, tmp_path, text="0", time="1")) == ("1998",)


def test_objects_and_lists_of_json_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"text": {"body": "a"}}\n{"text": [["river"], ["bank"]]}\n{"text": [{"w": "a"}]}\n{"text": "{a}"}\n'
    )
    store = read(path, tmp_path)
    assert store.words.sort().to_list() == ["a", "bank", "river"]
    assert store.problems["text that is neither a string nor a list of words"].locations == ["a.jsonl:1", "a.jsonl:3"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.tsv", 'text\tyear\nfine\t1850\n"stray\t1850\nb\t1850\nc\t1850\nhe said "no"\t1850\nd\t1850\n'),
        ("a.tsv", 'text\tyear\nfine\t1850\n"stray\t1850\nb\t1850\nc\t1850\n"quoted"\t1850\nd\t1850\n'),
        ("a.csv", "text,year\nfine,1850\n\"stray,1850\n" + "b,1850\n" * 6 + 'end",1850\nd,1850\n'),
        ("a.csv", 'text,year\nfine,1850\n"stray,1850\nb,1850\n"quoted, text",1850\nd,1850\n'),
    ],
)  # fmt: skip
def test_a_stray_quote_costs_its_line_and_no_other(name, data, tmp_path):
    (tmp_path / name).write_text(data)
    store = read(tmp_path / name, tmp_path, time="year")
    assert store.problems["a quote that never closes"].locations == [f"{name}:3"]
    assert store.report.documents == data.count("\n") - 2


def test_a_text_of_many_lines_is_no_stray_quote(tmp_path):
    lines = ["a poem, with commas", "in some", "of its lines,", "not in all", "of them", "and so", "on, and on"]
    (tmp_path / "a.csv").write_text('text,year\n"' + "\n".join(lines) + '",1850\n')
    assert not read(tmp_path / "a.csv", tmp_path, time="year").problems


def test_python_gives_one_warning_with_numbers_and_examples():
    rows = [{"text": "river bank " * 3, "year": year} for year in (1850, 1851, None, "soon")] + [{"year": 1850}]
    with pytest.warns(UserWarning, match="no time") as caught:
        counts = ct.count(read_corpus(rows, time="year"), min_count=1)
    (warning,) = caught
    for part in ("1 row skipped: no time (records:3)", "such as 'soon' (records:4)", "no text (records:5)"):
        assert part in str(warning.message)
        assert part in "; ".join(counts.report.notes)
        assert part.replace("'", "&#x27;") in counts._repr_html_()
        assert part.replace("'", "&#x27;") in counts.report._repr_html_()
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        ct.count(read_corpus(rows[:2], time="year"), min_count=1)


def test_one_source_or_document_that_dominates_is_named(tmp_path):
    rows = [{"text": "river bank " * 600, "year": 1850, "source": "Times"}] * 3
    rows += [{"text": "old mill " * 600, "year": 1851, "source": name} for name in ("Times", "Globe", "Sun")]
    rows += [{"text": "deep sea " * 5000, "year": 1852, "source": "Sun"}, *rows[-3:-1]]
    store = read(rows, tmp_path, time="year", keep="source")
    assert store.report.notes == (
        "one document makes up more than half of the words of 1 condition: 1852 (records:7, 100%)",
        "one source makes up more than half of the words of 1 condition: 1850 (Times, 100%)",
    )
    for name in ("times", "sun"):
        pl.DataFrame([row for row in rows if row["source"] == name.title()]).write_csv(tmp_path / f"{name}.csv")
    notes = read(str(tmp_path / "*.csv"), tmp_path, time="year").report.notes
    assert "1850 (times.csv, 100%)" in notes[-1]


def test_the_command_line_reads_joins_and_chooses(folder, tmp_path, chronotope):
    given = ("prepare", folder, "-o", tmp_path / "run", "--time", "date", "--place", "place", "--min-count", 1)
    given += ("--keep", "folder, name", "--keep", "path")
    said = chronotope(*given, "--metadata", folder / "about.csv", "--key", "id", "--since", 1851).stderr
    assert "1851/York" in said
    assert "1 row left out by the filter" in said
    assert pl.read_parquet(tmp_path / "run" / "fields.parquet").row(0) == ("more", "Zoe\u0308", "more/Zoe\u0308.txt")
    xpath = ("--xpath", "date=.//year/@of", "--xpath", "text=.//words", "--time-unit", "excel")
    (tmp_path / "a.xml").write_text('<book><year of="36526"/><words>river bank</words></book>')
    given = ("prepare", tmp_path / "a.xml", "-o", tmp_path / "xml", "--time", "date", "--min-count", 1)
    assert "2000" in chronotope(*given, *xpath).stderr
    assert "write --xpath FIELD=PATH" in chronotope(*given, "--xpath", "date", code=2).stderr
