"""Test-pair files: what is read, what is refused, and with which words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import worlds
from chronotope.errors import InputError
from chronotope.evaluation.pairs import Labels, TestPair, read_pairs, refuse_unknown

LABELS = ["1995-1999", "1999", "1998-Q1", "east_africa", "1998/canada", "Hong-Kong", "Kong"]


@pytest.fixture
def file(tmp_path):
    def written(text: str, encoding: str = "utf-8"):
        path = tmp_path / "tests.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return written


@pytest.mark.parametrize(
    ("text", "word", "label"),
    [
        ("clinton-1999", "clinton", "1999"),
        ("clinton-1995-1999", "clinton", "1995-1999"),
        ("t-shirt-1999", "t-shirt", "1999"),
        ("t-shirt-1995-1999", "t-shirt", "1995-1999"),
        ("moi-EAST_africa", "moi", "east_africa"),
        ("ottawa-1998/Canada", "ottawa", "1998/canada"),
        ("tung-hong-kong", "tung", "Hong-Kong"),
        ("king-kong", "king", "Kong"),
        ("bank-1998-q1", "bank", "1998-Q1"),
        ("1999-1999", "1999", "1999"),
        ("-ing-1999", "-ing", "1999"),
    ],
)
def test_the_condition_is_the_longest_known_label(text: str, word: str, label: str) -> None:
    assert Labels(LABELS).split(text) == (word, label)


@pytest.mark.parametrize(("text", "word", "label"), [("a-b-2050", "a-b", "2050"), ("obama-2012", "obama", "2012")])
def test_an_unknown_label_is_what_follows_the_last_hyphen(text: str, word: str, label: str) -> None:
    assert Labels(LABELS).split(text) == (word, label)


part = st.text(st.characters(categories=["Ll", "Nd"]), min_size=1, max_size=4)
hyphenated = st.lists(part, min_size=1, max_size=3).map("-".join)


@given(hyphenated, st.lists(hyphenated, min_size=1, max_size=5), st.data())
def test_no_longer_label_was_possible(word: str, labels: list[str], data: st.DataObject) -> None:
    """Against the plain definition: of all the ways to cut at a hyphen, the one with the longest known label."""
    text = f"{word}-{data.draw(st.sampled_from(labels))}"
    pieces = text.split("-")
    cuts = [("-".join(pieces[:cut]), "-".join(pieces[cut:])) for cut in range(1, len(pieces))]
    known = [(before, after) for before, after in cuts if after.casefold() in {label.casefold() for label in labels}]
    assert Labels(labels).split(text) == max(known, key=lambda pair: len(pair[1]))


def test_reading_skips_blank_lines_and_comments(file) -> None:
    path = file(
        "\ufeff# the offices\r\n\r\n clinton-1999 , blair-1995-1999 ,leader\r\n  # more\nbush-1999,moi-East_Africa\n"
    )
    pairs = read_pairs(path, LABELS)
    assert pairs.name == "tests.csv"
    assert pairs.pairs == (
        TestPair("clinton", "1999", "blair", "1995-1999", "leader"),
        TestPair("bush", "1999", "moi", "east_africa", ""),
    )


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("clinton-1999", "found 1 fields"),
        ("clinton-1999,bush-1999,leader,more", "found 4 fields"),
        ("clinton,bush-1999", "'clinton' is not of the form word-condition"),
        ("clinton-1999,-1999", "'-1999' is not of the form word-condition"),
        ("clinton-,bush-1999", "'clinton-' has no condition after its hyphen"),
        (",", "'' is not of the form word-condition"),
    ],
)
def test_a_malformed_line_is_named(file, line: str, complaint: str) -> None:
    path = file(f"# title\nclinton-1999,bush-1999\n{line}\n")
    with pytest.raises(InputError) as caught:
        read_pairs(path, LABELS)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert complaint in str(caught.value)


def test_files_that_cannot_be_read(file, tmp_path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_pairs(tmp_path / "missing.csv", LABELS)
    with pytest.raises(InputError, match="cannot read"):
        read_pairs(tmp_path, LABELS)
    with pytest.raises(InputError, match="has no test pairs"):
        read_pairs(file("\n# nothing\n"), LABELS)
    with pytest.raises(InputError, match="not UTF-8"):
        read_pairs(file("müller-1999,bush-1999", "latin-1"), LABELS)


def test_a_file_for_another_corpus_is_refused() -> None:
    pairs = [TestPair("obama", str(year), "bush", "1999") for year in range(2009, 2017)]
    with pytest.raises(InputError) as caught:
        refuse_unknown(pairs, ["1998", "1999"])
    message = "none of the 8 test pairs is about two conditions of this model"
    assert str(caught.value) == f"{message}: they ask for 2009, 2010, 2011 … 2016 (8); the model has 1998, 1999"
    refuse_unknown([*pairs, TestPair("bush", "1998", "bush", "1999")], ["1998", "1999"])


@pytest.mark.parametrize("axis", ["time", "place", "time × place"])
def test_the_pairs_of_the_invented_world_are_read_as_they_were_planted(tmp_path, axis: str) -> None:
    world = worlds.time_and_place()
    shape = ("time" in axis, "place" in axis)
    planted = [pair for pair in world.equivalents if tuple(part is not None for part in pair.at) == shape]
    labels = {"/".join(filter(None, condition)) for pair in planted for condition in (pair.at, pair.to)}
    world.write_pairs(tmp_path / "pairs.csv", axis)
    found = read_pairs(tmp_path / "pairs.csv", labels).pairs
    assert [(pair.query, pair.answer, pair.category) for pair in found] == [
        (pair.word, pair.answer, pair.office) for pair in planted
    ]
    assert {pair.query_condition for pair in found} == labels
