"""Test-pair and gold files: what is read, what is refused, and with which words."""

from __future__ import annotations

import pytest

from chronotope.errors import InputError
from chronotope.evaluation.gold import read_gold
from chronotope.evaluation.pairs import Labels, TestPair, read_pairs

LABELS = ["1995-1999", "1999", "1998-Q1", "east_africa", "1998/canada", "Hong-Kong", "Kong"]


@pytest.mark.parametrize(
    ("text", "word", "label"),
    [
        ("t-shirt-1999", "t-shirt", "1999"),
        ("t-shirt-1995-1999", "t-shirt", "1995-1999"),
        ("moi-EAST_africa", "moi", "east_africa"),
        ("ottawa-1998/Canada", "ottawa", "1998/canada"),
        ("tung-hong-kong", "tung", "Hong-Kong"),
        ("king-kong", "king", "Kong"),
        ("bank-1998-q1", "bank", "1998-Q1"),
        ("1999-1999", "1999", "1999"),
        ("-ing-1999", "-ing", "1999"),
        ("a-b-2050", "a-b", "2050"),
    ],
)
def test_the_condition_is_the_longest_known_label_or_follows_the_last_hyphen(text, word, label):
    assert Labels(LABELS).split(text) == (word, label)


def test_reading_skips_blank_lines_and_comments(tmp_path):
    text = "\ufeff# offices\r\n\r\n clinton-1999 , blair-1995-1999 ,leader\r\n  # more\nbush-1999,moi-East_Africa\n"
    (tmp_path / "tests.csv").write_bytes(text.encode())
    pairs = read_pairs(tmp_path / "tests.csv", LABELS)
    assert pairs.name == "tests.csv"
    wanted = TestPair("clinton", "1999", "blair", "1995-1999", "leader"), TestPair("bush", "1999", "moi", "east_africa")
    assert pairs.pairs == wanted
    assert read_pairs(text.replace("\ufeff", "").split("\n"), LABELS).pairs == wanted
    assert read_pairs(wanted, LABELS).pairs == wanted


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("clinton-1999", "found 1 fields"),
        ("clinton-1999,bush-1999,leader,more", "found 4 fields"),
        ("clinton,bush-1999", "'clinton' is not of the form word-condition"),
        ("clinton-,bush-1999", "'clinton-' has no condition after its hyphen"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, complaint):
    path = tmp_path / "tests.csv"
    path.write_text(f"# title\nclinton-1999,bush-1999\n{line}\n")
    with pytest.raises(InputError) as caught:
        read_pairs(path, LABELS)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert complaint in str(caught.value)
    with pytest.raises(InputError, match="must be a TestPair, or a line of text, not int"):
        read_pairs([1], LABELS)


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / "file"
    for content, message in (
        (None, "cannot read"),
        (b"\n# nothing\n", "has no"),
        ("müller-1999".encode("latin-1"), "not in UTF-8"),
    ):
        if content is not None:
            path.write_bytes(content)
        for read in (lambda: read_pairs(path, LABELS), lambda: read_gold(path)):
            with pytest.raises(InputError, match=message):
                read()


def test_a_file_for_another_corpus_is_refused():
    pairs = [TestPair("obama", str(year), "bush", "1999") for year in range(2009, 2017)]
    with pytest.raises(InputError) as caught:
        read_pairs(pairs, ["1998", "1999"])
    assert "they ask for 2009, 2010, 2011" in str(caught.value)
    assert "the model has 1998, 1999" in str(caught.value)
    assert len(read_pairs([*pairs, TestPair("bush", "1998", "bush", "1999")], ["1998", "1999"]).pairs) == 9


def test_gold_files(tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text("# graded\nplane\t0.88\n\ntree\t0\n")
    gold = read_gold(path)
    assert (gold.name, gold.scores, gold.metric) == ("gold.tsv", {"plane": 0.88, "tree": 0.0}, "spearman")
    assert read_gold({"plane": 1, "tree": 0}).metric == "auc"
    for line in ("plane", "plane 1", "plane\tmuch", "plane\tnan", "\t1"):
        path.write_text(f"tree\t0\n{line}\n")
        with pytest.raises(InputError, match=r"gold\.tsv:2: expected word<TAB>score"):
            read_gold(path)
    path.write_text("tree\t0\ntree\t1\n")
    with pytest.raises(InputError, match="'tree' occurs twice"):
        read_gold(path)
