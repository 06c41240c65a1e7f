"""TEI, DOCX and PDF files: one document per file, or per <TEI> element.

The fields are those of plain text files. TEI adds `place`, `title` and `author`, and its `date` comes from the header.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from chronotope.corpus.problems import EMPTY_FILE, NO_DATE, NO_HEADER_DATE, BadRow
from chronotope.corpus.readers.folders import FIELDS, TextFiles
from chronotope.corpus.readers.pieces import Batch, Fields, Piece
from chronotope.errors import InputError, SettingsError, import_extra
from chronotope.io.streaming import BLOCK_BYTES, CODECS, Stream

MOST_BYTES = 256 << 20
PDF_EXTRA = ("reading PDF files", "documents")
HEADER = {
    "date": ["correspAction[@type='sent']/date", "creation/date", "settingDesc//date", "sourceDesc//date"],
    "place": [
        "correspAction[@type='sent']/placeName", "correspAction[@type='sent']/settlement",
        "creation//placeName", "settingDesc//placeName", "sourceDesc//pubPlace",
    ],
    "title": ["titleStmt/title"],
    "author": ["titleStmt/author"],
}  # fmt: skip
_LEFT_OUT = {"teiHeader", "note", "head", "fw"}
_WORD_ENDS = re.compile(
    "ab|addrLine|body|byline|cb|cell|closer|dateline|div[1-7]?|gb|head|item|l|label|lb|lg|list|milestone|note|opener|p|pb|"
    "pc|q|quote|row|s|salute|seg|signed|sp|speaker|stage|table|text|titlePart|trailer|u|w"
)
# <choice> holds the original spelling, which is skipped, and an edited one.
_ORIGINAL_SPELLING = {"sic", "orig", "abbr"}


@dataclass(frozen=True)
class DocumentFiles(TextFiles):
    """Files with one document each; `xpath` maps fields of XML to ElementTree XPaths, which may end with /@name."""

    xpath: Mapping[str, str] = field(default_factory=dict)
    tei_notes: bool = False

    @property
    def undated(self) -> str:
        """The problem of a document without a date."""
        return NO_HEADER_DATE if any(_kind(path) == "xml" for path in self.paths) else NO_DATE

    def columns(self) -> list[str] | None:
        """Return the fields that every file has."""
        kinds = {_kind(path) for path in self.paths}
        if "pdf" in kinds:
            import_extra("pypdf", *PDF_EXTRA)
        for name, path in self.xpath.items():
            try:
                _find(ElementTree.Element("TEI"), path)
            except (SyntaxError, KeyError, ValueError) as error:
                raise SettingsError(f"cannot read the XPath {path} of '{name}': {error}") from None
        return list(dict.fromkeys([*FIELDS, *(HEADER if "xml" in kinds else ()), *self.xpath]))

    def pieces(self, fields: Fields, first: int) -> Iterator[Piece]:
        """Group files up to the size of a block."""
        group: list[tuple[int, Path]] = []
        size = done = 0
        for source, path in enumerate(self.paths, first):
            group.append((source, path))
            size += path.stat().st_size
            if size >= BLOCK_BYTES or source == first + len(self.paths) - 1:
                done += size
                yield Piece(partial(self._parse_files, group, fields), done)
                group, size = [], 0

    def _parse_files(self, group: list[tuple[int, Path]], fields: Fields) -> list[Batch]:
        rows, bad = [], []
        for source, path in group:
            try:
                found = {"xml": self._read_tei, "docx": _read_docx, "pdf": _read_pdf}[_kind(path)](_read_file(path))
            except ElementTree.ParseError as error:
                bad.append(BadRow("broken XML", source, error.position[0], str(error).partition(":")[0]))
                continue
            except InputError as error:
                bad.append(BadRow(str(error), source, 0))
                continue
            own = self._file_fields(path)
            for number, document in enumerate(found, 1):
                rows.append((source, number, own | {name: value for name, value in document.items() if value}))
        return self._batches(rows, bad, fields)

    def _read_tei(self, data: bytes) -> list[dict[str, str]]:
        root = _parse_xml(data)
        xpaths = {name: [f".//teiHeader//{path}" for path in paths] for name, paths in HEADER.items()}
        xpaths |= {name: [path] for name, path in self.xpath.items()}
        left_out = {"teiHeader"} if self.tei_notes else _LEFT_OUT
        documents = []
        for document in [*root.iter("TEI"), *root.iter("TEI.2")] or [root]:
            parts = _find(document, self.xpath["text"])[0] if "text" in self.xpath else list(document.iter("body"))
            fields = {name: _value(document, paths) for name, paths in xpaths.items() if name != "text"}
            if parts:
                documents.append({"text": "\n".join(_text_of(part, left_out) for part in parts), **fields})
        if not documents:
            raise InputError("no <body> of TEI; --xpath text=PATH names the elements that hold the text")
        return documents


def _kind(path: Path) -> str:
    """Return xml, docx or pdf."""
    endings = [ending for ending in path.name.lower().split(".") if f".{ending}" not in CODECS]
    return endings[-1] if endings[-1] in ("docx", "pdf") else "xml"


def _read_file(path: Path) -> bytes:
    with Stream(path) as stream:
        data = stream.read(MOST_BYTES + 1)
    if not data:
        raise InputError(EMPTY_FILE)
    if len(data) > MOST_BYTES:
        raise InputError(f"larger than {MOST_BYTES >> 20} MB")
    return data


def _parse_xml(data: bytes) -> ElementTree.Element:
    """Parse XML and drop its namespaces; refuse declared entities, and never read external ones."""
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise InputError("XML that declares entities; `xmllint --noent` writes them out")
    try:
        root = ElementTree.fromstring(data)
    except (ValueError, LookupError) as error:
        raise InputError(f"broken XML ({error})") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _find(element: ElementTree.Element, path: str) -> tuple[list[ElementTree.Element], str]:
    """Return the elements at a path, and the attribute at the end of the path, if any."""
    path, _, attribute = re.sub(r"\b[A-Za-z]\w*:(?=\w)|/text\(\)$", "", path).partition("/@")
    return element.findall("." + path if path.startswith("/") else path), attribute


def _value(document: ElementTree.Element, paths: list[str]) -> str:
    """Return the value of the first element that has one; dates are read from their attributes first."""
    for path in paths:
        elements, attribute = _find(document, path)
        names = [attribute] if attribute else ["when", "from", "notBefore"]
        for element in elements:
            own = next((value for name in names if (value := element.get(name))), "")
            if value := own or ("" if attribute else " ".join("".join(element.itertext()).split())):
                return value
    return ""


def _text_of(element: ElementTree.Element, left_out: set[str]) -> str:
    parts: list[str] = []

    def add(element: ElementTree.Element) -> None:
        parts.append(element.text or "")
        for child in element:
            skipped = child.tag in left_out or (element.tag == "choice" and child.tag in _ORIGINAL_SPELLING)
            gap = "\0" if child.get("break") == "no" else " " if _WORD_ENDS.fullmatch(child.tag) else ""
            parts.append(gap)
            if not skipped:
                add(child)
            parts.extend((gap, child.tail or ""))

    try:
        add(element)
    except RecursionError:
        raise InputError("XML that is nested too deeply") from None
    # A line break with break="no" does not end the word.
    return re.sub(r"[-¬\u00ad]?\s*\0+\s*", "", "".join(parts))


def _read_docx(data: bytes) -> list[dict[str, str]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            file = archive.getinfo("word/document.xml")
            if file.file_size > MOST_BYTES:
                raise InputError(f"larger than {MOST_BYTES >> 20} MB")
            root = _parse_xml(archive.read(file))
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, OSError, EOFError):
        raise InputError("damaged or encrypted DOCX") from None
    for parent in list(root.iter()):  # old copies of moved text, and second copies of text boxes
        for child in [*parent.findall("moveFrom"), *parent.findall("Fallback")]:
            parent.remove(child)
    signs = {"p": "\n", "br": "\n", "cr": "\n", "tab": "\t"}
    return [{"text": "".join(signs.get(part.tag) or (part.tag == "t" and part.text) or "" for part in root.iter())}]


def _read_pdf(data: bytes) -> list[dict[str, str]]:
    pypdf = import_extra("pypdf", *PDF_EXTRA)
    try:
        text = "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)
    except Exception:  # damaged files lead to errors of all kinds
        raise InputError("damaged or encrypted PDF") from None
    if not text.strip():
        raise InputError("PDF without a text layer; `ocrmypdf` adds one")
    return [{"text": re.sub(r"(?<=\w)[-\u00ad]\n(?=[a-zà-ÿ])", "", text)}]
