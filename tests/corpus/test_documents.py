"""Files of researchers: TEI, DOCX, PDF, spreadsheets, JSON, and text that is not UTF-8."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from chronotope.corpus.source import read_corpus
from chronotope.errors import InputError, SettingsError
from worlds import documents, tokenize, write

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>
 <fileDesc><titleStmt><title>A letter</title></titleStmt><publicationStmt><date when="2015"/></publicationStmt>
 <sourceDesc><bibl><pubPlace>Leeds</pubPlace><date when="1850-05-01">May Day</date></bibl></sourceDesc></fileDesc>
</teiHeader><text><body><head>Heading</head>
 <p>The <hi rend="i">ri</hi>ver bank<note>Footnote</note> of demo-<lb break="no"/>cracy</p><p>flows</p>
 <l>one</l><l>two</l> <choice><sic>teh</sic><corr>the</corr></choice> <w>old</w><w>mill</w></body></text></TEI>"""
BOMB = '<!DOCTYPE TEI [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><TEI><text><body>&b;</body></text></TEI>'
EXTERNAL = '<!DOCTYPE TEI [<!ENTITY x SYSTEM "file:///etc/hostname">]><TEI><text><body>&x;</body></text></TEI>'


def docx(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>')
    return path


def pdf(path: Path, *lines: str) -> Path:
    shown = " ".join(f"BT /F1 12 Tf 20 {700 - 20 * n} Td ({line}) Tj ET" for n, line in enumerate(lines))
    parts = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(shown)}>>stream\n{shown}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    data, offsets = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        offsets.append(len(data))
        data += f"{number} 0 obj{part}endobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    data += f"xref\n0 6\n0000000000 65535 f \n{table}trailer<</Size 6/Root 1 0 R>>\nstartxref\n{len(data)}\n%%EOF"
    return write(path, data)


def words(store):
    return " ".join(map(" ".join, documents(store)))


def test_tei_is_read_without_notes_and_headings_and_dated_by_its_source(tmp_path):
    path = write(tmp_path / "in" / "letter.xml", TEI)
    store = tokenize(read_corpus(path, time="date", place="place", keep="title, author"), tmp_path / "s")
    assert words(store) == "the river bank of democracy flows one two the old mill"
    assert store.conditions.labels == ("1850/Leeds",)
    store = tokenize(read_corpus(path, time="date", tei_notes=True), tmp_path / "t")
    assert words(store).startswith("heading the river bank footnote of democracy")
    xpath = {"date": "//tei:publicationStmt/tei:date/@when", "text": ".//l", "title": ".//tei:title/text()"}
    store = tokenize(read_corpus(path, time="date", xpath=xpath), tmp_path / "u")
    assert (words(store), store.conditions.labels) == ("one two", ("2015",))
    with pytest.raises(InputError, match=r"no date in the header or the name .* dates come from --xpath date=PATH"):
        tokenize(read_corpus(path, time="date", xpath={"date": ".//revisionDesc/@when"}), tmp_path / "v")


def test_the_last_extension_is_the_format(tmp_path):
    """Converters of DOCX to TEI write letter.docx.xml."""
    store = tokenize(read_corpus(write(tmp_path / "letter.docx.xml", TEI), time="date"), tmp_path / "s")
    assert words(store).startswith("the river bank")


def test_each_tei_of_a_corpus_is_a_document(tmp_path):
    both = "<teiCorpus>" + (TEI + TEI.replace("1850", "1851")).replace('<?xml version="1.0" encoding="UTF-8"?>', "")
    path = write(tmp_path / "all.xml", both + "</teiCorpus>")
    store = tokenize(read_corpus(path, time="date"), tmp_path / "s")
    assert store.conditions.labels == ("1850", "1851")


def test_xml_is_harmless_and_a_broken_file_costs_that_file(tmp_path):
    for name, data in (("bomb", BOMB), ("external", EXTERNAL), ("cut", TEI[:-20]), ("html", "<html><p>x</p></html>")):
        write(tmp_path / "in" / f"{name}.xml", data)
    write(tmp_path / "in" / "deep.xml", "<TEI><body>" + "<p>" * 50_000 + "</p>" * 50_000 + "</body></TEI>")
    write(tmp_path / "in" / "good.xml", TEI)
    store = tokenize(read_corpus(tmp_path / "in", time="date"), tmp_path / "s")
    assert store.report.documents == 1
    assert {kind.split(";")[0]: problem.locations for kind, problem in store.problems.items()} == {
        "XML that declares entities": ["bomb.xml", "external.xml"],
        "broken XML": ["cut.xml:7"],
        "XML that is nested too deeply": ["deep.xml"],
        "no <body> of TEI": ["html.xml"],
    }
    with pytest.raises(SettingsError, match="cannot read the XPath"):
        read_corpus(tmp_path / "in", time="date", xpath={"date": ".//[@x"})


def test_docx_and_pdf(tmp_path):
    docx(tmp_path / "in" / "1850 memo.docx", "<w:p><w:r><w:t>river</w:t></w:r><w:r><w:t>side</w:t></w:r></w:p>" * 2)
    pdf(tmp_path / "in" / "1851.pdf", "the demo-", "cracy of Rome")
    pdf(tmp_path / "in" / "1852 scan.pdf")
    write(tmp_path / "in" / "1853.pdf", b"%PDF-1.4 no")
    write(tmp_path / "in" / "1854.docx", b"PK no")
    store = tokenize(read_corpus(tmp_path / "in", time="date"), tmp_path / "s")
    assert words(store) == "riverside riverside the democracy of rome"
    assert store.conditions.labels == ("1850", "1851")
    assert [location for problem in store.problems.values() for location in problem.locations] == [
        "1852 scan.pdf", "1853.pdf", "1854.docx",
    ]  # fmt: skip
    assert "ocrmypdf" in store.problems.lines()[0]


def test_a_spreadsheet_is_read_by_its_first_sheet(tmp_path):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(tmp_path / "a.xlsx", {"default_date_format": "yyyy-mm-dd"}) as book:
        sheet = book.add_worksheet("Letters")
        rows = [["text", "date"], ["river bank", "1850-05-01"], [], ["old mill", 18_629], ["new mill", "1851"]]
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
        book.add_worksheet("Notes")
    store = tokenize(read_corpus(tmp_path / "a.xlsx", time="date"), tmp_path / "s")
    assert words(store) == "river bank new mill"
    assert store.problems["time that looks like a count of days or seconds"].locations == ["a.xlsx:4"]
    assert "only the sheet 'Letters' of a.xlsx was read, not Notes" in store.report.notes
    with pytest.raises(InputError, match=r"cannot read b\.xlsx"):
        read_corpus(write(tmp_path / "b.xlsx", b"no"))


def test_json_files(tmp_path):
    rows = [{"text": "river bank", "year": 1850}, {"text": ["old", "mill"], "year": 1851}]
    array = json.dumps(rows, indent=1)
    lines = "\n".join(map(json.dumps, rows))
    for name, data in (("array", array), ("lines", lines), ("mark", "\ufeff" + array)):
        store = tokenize(read_corpus(write(tmp_path / f"{name}.json", data), time="year"), tmp_path / name)
        assert (words(store), store.conditions.labels) == ("river bank old mill", ("1850", "1851"))
    for number, row in enumerate(rows):
        write(tmp_path / "in" / f"{number}.json", json.dumps(row, indent=1))
    write(tmp_path / "in" / "settings.json", '{"name": "x"}')
    store = tokenize(read_corpus(tmp_path / "in", time="year"), tmp_path / "s")
    assert words(store) == "river bank old mill"
    assert any("settings.json" in note for note in store.report.notes)
    for data, message in (("[1, 2]", "holds no objects"), ("[{]", r"bad\.json:1: broken JSON"), ("5", "holds no obj")):
        with pytest.raises(InputError, match=message):
            read_corpus(write(tmp_path / "bad.json", data))


LATIN = "Der Fluß und die Brücke\nüber café, “naïve” – it’s 5° warm\n"


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["1850.txt", "a.csv", "a.jsonl"])
def test_text_that_is_not_utf_8_is_converted_and_said(name, encoding, tmp_path):
    given = {
        "1850.txt": LATIN,
        "a.csv": 'date,text\n1850,"' + LATIN + '"\n',
        "a.jsonl": json.dumps({"date": 1850, "text": LATIN}, ensure_ascii=False) + "\n",
    }[name]
    expected = tokenize(read_corpus([{"text": LATIN, "date": 1850}], time="date"), tmp_path / "s")
    corpus = read_corpus(write(tmp_path / "in" / name, given.encode(encoding)), time="date", strict=True)
    store = tokenize(corpus, tmp_path / "t")
    assert words(store) == words(expected)
    shown = "Windows-1252 (Latin-1)" if encoding == "cp1252" else "UTF-16"
    assert store.report.notes == (f"1 file not in UTF-8, read as {shown} ({name})",)
    assert store.report.rows == 1


@pytest.mark.parametrize("encoding", ["cp1251", "cp1250", "cp850", "koi8-r", "mac-roman"])
def test_other_encodings_are_not_taken_for_latin_1(encoding, tmp_path):
    text = "Вечер на реке" if encoding in ("cp1251", "koi8-r") else "été à l'école, où l'élève"
    text = "łąka i żółty kwiat ósmy" if encoding == "cp1250" else text
    path = write(tmp_path / "a.txt", text.encode(encoding))
    with pytest.raises(InputError, match="wrong encoding, not UTF-8"):
        tokenize(read_corpus(path), tmp_path / "s")


def test_a_missing_library_is_named_with_the_line_that_installs_it(tmp_path):
    pdf(tmp_path / "1850.pdf", "text")
    code = "import sys; sys.modules['pypdf'] = None; import chronotope as ct; ct.read_corpus(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "1850.pdf"], capture_output=True, text=True)
    assert "pip install 'chronotope[documents]'" in done.stderr
