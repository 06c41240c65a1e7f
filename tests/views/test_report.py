"""The report: one page that shows what the questions answer, whatever stands in the text."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser

import chronotope as ct
import worlds

HOSTILE = "</p><script>alert(1)</script><img src=x onerror=alert(2)> & \"'"


class Page(HTMLParser):
    """The elements of a page, their attributes, and the text that a reader sees."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def check_closed(page):
    """The page loads nothing, runs nothing, and names no address but those of SVG and a DOI."""
    read = Page(page)
    assert not read.tags & {"script", "img", "link", "iframe", "object", "use", "a"}
    assert not {name for name in read.attributes if name.startswith("on") or name in ("src", "href")}
    assert not re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(?!#)\w+:""", page)
    assert "default-src 'none'" in page
    return read.text


def plain(text):
    """Without blanks and underscores: a chart breaks its notes into lines."""
    return "".join(text.replace("_", " ").split())


def test_it_shows_the_answers_and_how_they_were_made(runs, tmp_path):
    page = ct.report(runs["time"], tmp_path / "report.html", top=3, sentences=2, bootstrap=10, min_count=5)
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page
    changes = ct.drift(runs["time"], top=3, permutations=20, bootstrap=10, min_count=5)
    text = check_closed(page)
    for row in changes:
        word = row["word"]
        assert f"Neighbors: {', '.join(row['neighbors_before'])} → {', '.join(row['neighbors_after'])}." in text
        found = ct.evidence(runs["time"], word, at=changes["before"][0], against=changes["after"][0], top=2)
        assert all(sentence in text for sentence in found["text"])
        assert f"<mark>{word}</mark>" in page
    assert page.count("<svg") == 3
    assert len(set(names := re.findall(r'\bid="([^"]+)"', page))) == len(names), "charts share no names"
    for said in (changes.signature, *changes.notes, "Gong, H.", "pmi_power", "The corpus has 400 documents"):
        assert plain(said) in plain(text)
    assert "10 draws of half of the documents" in text


def test_intervals_are_there_by_default_or_it_says_why_not(runs, tmp_path):
    assert "share of 50 draws of documents" in check_closed(ct.report(runs["place"], top=1, min_count=5))
    shutil.copy(runs["time"] / "model.ct", tmp_path / "alone.ct")
    text = check_closed(ct.report(tmp_path / "alone.ct", top=2, min_count=5))
    assert "Without intervals: " in text
    assert "No text: " in text


def test_it_names_the_filters_and_the_sources_of_the_text():
    """Twelve speakers, of whom Ada speaks most; each document has a number of its own, which is no source."""
    records = worlds.planted_drift(documents=300).records
    rows = [
        row | {"speaker": "Ada" if number % 3 == 0 else f"speaker {number % 11}", "number": f"no. {number}"}
        for number, row in enumerate(records)
    ]
    counts = ct.count(ct.read_corpus(rows, time="time", every="5y", keep=("speaker", "number")), min_count=5)
    model = ct.GraphModel(dimensions=10, epochs=2).fit(counts)
    page = ct.report(model, bootstrap=0, min_count=5, no_numbers=True, exclude="stopwords:en", min_documents=7)
    text = check_closed(page)
    assert "The list is restricted by exclude stopwords:en, no_numbers, min_documents 7." in text
    assert "Documents by speaker. If these shares" in text
    assert "Documents by number" not in text
    for start in (1990, 1995):
        inside = [row["speaker"] for row in rows if start <= int(row["time"][:4]) < start + 5]
        shown = re.search(rf"Documents by speaker.*?<td[^>]*>{start}[^<]*</td>(.*?)</tr>", page, re.DOTALL)[1]
        wanted = [str(len(set(inside))), "Ada", str(inside.count("Ada"))]
        assert re.findall(r">([^<]+)</td>", shown) == wanted


def test_hostile_text_stays_text(tmp_path):
    word = "</text></svg><script>alert(1)</script>"
    rows = [
        {"text": f"{row['text']} {word} {HOSTILE}.", "time": row["time"], "who": f"{HOSTILE}{number % 2}"}
        for number, row in enumerate(worlds.planted_drift(documents=400).records)
    ]
    corpus = ct.read_corpus(rows, time="time", keep=("who",), tokenizer="whitespace")
    counts = ct.count(corpus, tmp_path / HOSTILE.replace("/", ""), min_count=5)
    model = ct.GraphModel(dimensions=10, epochs=2).fit(counts)
    text = check_closed(ct.report(model, title=HOSTILE, words=["bank", word], bootstrap=0, min_count=5))
    assert HOSTILE in text
    assert word in text
    assert "Documents by who. If these shares shift, words can seem to change." in text


def test_the_command_takes_the_options_of_drift(runs, chronotope, tmp_path):
    page = tmp_path / "report.html"
    options = ("--from", 1991, "--to", 1998, "--min-count", 5, "--bootstrap", 0, "--words", "bank", "--title", "Banks")
    done = chronotope("report", runs["time"], "-o", page, *options)
    assert (done.stdout, "report.html" in done.stderr) == ("", True)
    text = check_closed(page.read_text(encoding="utf-8"))
    assert "Banks: which words changed" in text
    assert "draws of documents" not in text
