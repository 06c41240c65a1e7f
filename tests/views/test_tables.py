import csv
import io

from rich.console import Console

from chronotope.analysis import drift, stable
from chronotope.conditions import Conditions
from chronotope.embeddings import Match
from chronotope.views import tables
from embeddings.invented import random_embeddings


def shown(table, width=200):
    console = Console(width=width, file=io.StringIO())
    console.print(table)
    return console.file.getvalue()


def test_no_number_is_broken_in_a_narrow_terminal():
    years = tuple(str(year) for year in range(1990, 2010))
    rows = tuple((place, *(0.901 + number / 1000 for number in range(20))) for place in ("accra", "new york"))
    lines = shown(tables.Table(("place", *years), rows, "The use of gas", "noted below"), 80).splitlines()
    assert all(len(line.rstrip()) <= 80 for line in lines)
    for name, row in (("accra", rows[0]), ("new york", rows[1])):
        found = [
            number
            for line in lines
            if line.startswith(f" {name} ")
            for number in line.removeprefix(f" {name} ").split()
        ]
        assert found == [f"{number:.3f}" for number in row[1:]]
    assert [line.strip() for line in (lines[0], lines[-1])] == ["The use of gas", "noted below"]


def test_matches_show_csls_where_it_was_asked_for():
    embeddings = random_embeddings()
    assert tables.matches(embeddings.neighbors("w0", "1990")).columns == ("word", "similarity", "support")
    found = embeddings.equivalents("w0", "1990", "2010", top=3)
    table = tables.matches(found)
    assert table.columns == ("word", "csls", "similarity", "support")
    assert [row["word"] for row in csv.DictReader(io.StringIO(table.to_csv()))] == [match.word for match in found]


def test_a_word_with_brackets_or_bars_is_shown_as_it_is():
    table = tables.matches([Match("[red]a|b", 0.5, 0.5, 1234)], title="near")
    assert "[red]a|b" in shown(table)
    assert "1,234" in shown(table)
    assert r"| [red]a\|b | 0.500 | 1,234 |" in table.to_markdown()


def test_drift_tells_how_many_words_were_left_out():
    answer = drift(random_embeddings(), min_count=5)
    table = tables.drift(answer, top=3)
    assert table.title == "The words that changed most between 1990 and 2010"
    assert f"left out: {answer.left_out} words with fewer than 5 occurrences" in table.note
    assert "with fewer than 1 occurrence;" in f"{tables.drift(drift(random_embeddings(), min_count=1)).note};"
    assert table.note in shown(table)
    assert [row[0] for row in table.rows] == [row.word for row in answer.top(3)]


def test_drift_over_places_names_the_places():
    embeddings = random_embeddings(conditions=Conditions.of_places(["canada", "ghana", "india"]))
    table = tables.drift(drift(embeddings, min_count=5), top=2)
    assert table.columns[2:6] == ("z", "own", "typical", "unusual")
    assert {table.rows[0][4], table.rows[0][5]} < {"canada", "ghana", "india"}


def test_stable_words_as_a_table():
    rows = stable(random_embeddings()).most(2)
    assert [row[0] for row in tables.stable_words(rows).rows] == [row.word for row in rows]
    assert tables.stable_words([]).to_csv() == "word,stability,z,conditions,count\n"
