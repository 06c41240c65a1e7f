"""A corpus: where the text is, and how to read it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from chronotope.config import CorpusSettings, from_dict
from chronotope.corpus.readers.joined import Joined, Metadata, read_metadata
from chronotope.corpus.readers.opening import open_readers
from chronotope.corpus.readers.pieces import Reader
from chronotope.corpus.selection import Selection
from chronotope.errors import InputError, SettingsError, did_you_mean
from chronotope.frames import MOST_ROWS, html
from chronotope.io.untrusted import printable


@dataclass(frozen=True)
class Corpus:
    """Text that was found and checked but not read yet; `read_corpus` returns it, `count` reads it."""

    readers: tuple[Reader, ...]  # one for each file, folder of text files, data frame or iterable of records
    settings: CorpusSettings
    tokenizer: Callable[[str], list[str]] | None = None  # the user's function from a text to its tokens
    empty: tuple[int, ...] = ()  # the positions of readers without rows
    metadata: Metadata | None = None  # the table that was joined
    notes: tuple[str, ...] = ()  # lines about files that are left out
    lemmatizer: Callable[[str], Any] | None = None  # the user's function from a word to its lemma

    def __repr__(self) -> str:
        names = self.names
        shown = ", ".join(names[:3]) + (f" … ({len(names):,} files)" if len(names) > 3 else "")
        settings = self.settings
        fields = [f"{name}={value!r}" for name in ("text", "time", "place") if (value := getattr(settings, name))]
        return f"<Corpus: {shown}; {', '.join(fields)}>"

    def _repr_html_(self) -> str:
        defaults = CorpusSettings()
        chosen = {
            field.name.replace("_", " "): getattr(self.settings, field.name)
            for field in fields(self.settings)
            if getattr(self.settings, field.name) != getattr(defaults, field.name)
        }
        rows = [(name,) for name in self.names[:MOST_ROWS]]
        left_out = len(self.names) - len(rows)
        return html("Corpus, not read yet", chosen, ("source",), rows, left_out=left_out, note="; ".join(self.notes))

    @property
    def names(self) -> list[str]:
        """The base names of the files, in the order of their numbers."""
        return [name for reader in self.readers for name in reader.names]

    @property
    def size(self) -> int:
        """The size in bytes, of frames and records in rows; 0 if unknown."""
        return sum(reader.size for reader in self.readers)

    def fingerprint(self) -> list[dict[str, Any]]:
        """Return the name, bytes and checksum of each file.

        The name is the base name, but for text files the path, since their folders are data. The checksum of a frame
        or of a list of records covers the requested fields; a generator has no checksum. The user's tokenizer is not
        covered. Metadata come last.
        """
        fields = Selection(self.settings).fields
        metadata = self.metadata.fingerprint if self.metadata else []
        return [entry for reader in self.readers for entry in reader.fingerprint(fields)] + metadata

    @property
    def tokenizer_name(self) -> str | None:
        """The modules and names of the user's tokenizer and lemmatizer, if any."""
        own = [function for function in (self.tokenizer, self.lemmatizer) if function is not None]
        named = [function if hasattr(function, "__qualname__") else type(function) for function in own]
        return (
            ", ".join(f"{getattr(one, '__module__', None) or 'builtins'}.{one.__qualname__}" for one in named) or None
        )


def read_corpus(
    source: Any,
    *,
    text: str = "text",
    time: str | None = None,
    every: str | None = None,
    place: str | None = None,
    metadata: Any = None,
    tokenizer: str | Callable[[str], list[str]] = "words",
    lemmas: str | Callable[[str], Any] | None = None,
    settings: CorpusSettings | None = None,
    **options: Any,
) -> Corpus:
    """Find and check a corpus of dated or placed text; nothing is read yet.

    Parameters
    ----------
    source
        A path (JSONL, JSON, CSV, TSV, Parquet, XLSX, text, TEI, DOCX or PDF), a glob, a list of paths, a folder, a
        frame of polars or pandas, a table of pyarrow, a Hugging Face dataset, a mapping of names to lists, or any
        iterable of mappings. A file of text, TEI, DOCX or PDF is one document with the fields text, name, folder, date
        and path, taken from its name: time="date", place="folder". TEI has date, place, title and author in its header.
    text
        The field with the text: a string, or a list of tokens.
    time, every
        The field with the time, and the length of the time bins (1y, 10y, 1q, 1mo, 1w, 1d; default 1y).
    place
        The field with the place, or with any other label; "country/region" nests places. Without time and place the
        whole corpus is one condition, 'all'.
    metadata
        A table (a path, a frame, records) of dates, places and other fields. The option `key` is its column with the
        names of the text files, with or without folder and ending, or the field that records share with it. A field of
        the metadata takes precedence over one of the text.
    tokenizer
        'words', 'whitespace' (for tokenized text), or a function from a text to its tokens.
    lemmas
        Count inflected forms as one word: a language ('en', with simplemma), a function from a word to its lemma, or a
        pipeline of spaCy. It is asked once for each distinct word.
    settings
        All settings as one object, instead of the others here.
    **options
        Any other field of `CorpusSettings`: bins, since, until, where, key, keep, lowercase, phrases, holdout, strict …

    Examples
    --------
    >>> corpus = read_corpus([{"text": "A sunny day", "year": 1998}], time="year", since=1990)
    >>> corpus.names, corpus.settings.time
    (['records'], 'year')
    >>> read_corpus([{"text": "A sunny day", "year": 1998}], time="date")
    Traceback (most recent call last):
    chronotope.errors.InputError: records has no column 'date'; its columns are: text, year
    """
    own = None if isinstance(tokenizer, str) else tokenizer
    if own is not None and not callable(own):
        raise SettingsError("tokenizer must be words, whitespace, or a function from a text to a list of tokens")
    lemmatizer = lemmas if callable(lemmas) else None
    if settings is None:
        options |= {"text": text, "time": time, "every": every, "place": place}
        options |= {"tokenizer": "whitespace" if own else tokenizer, "lemmas": None if lemmatizer else lemmas}
        settings = from_dict(CorpusSettings, options)
    elif options or time or every or place:
        raise SettingsError("give either all settings as one object or each by its name, not both")
    fields = Selection(settings).fields.names
    joined, own_fields = None, fields
    if settings.key and metadata is None:
        raise SettingsError("key is the column of a table of metadata; give the table, too (--metadata FILE)")
    if metadata is not None:
        joined = read_metadata(open_readers(metadata, settings, ())[0], settings.key)
        own_fields = tuple(name for name in fields if name not in joined.fields)
    readers, lines = open_readers(source, settings, own_fields, skip=metadata)
    if joined:
        readers = [Joined(reader, joined) for reader in readers]
    empty = []
    for number, reader in enumerate(readers):
        columns = reader.columns()
        if columns is None:
            empty.append(number)
        elif columns:
            _check_columns(reader.names[0], columns, fields)
    if len(empty) == len(readers):
        raise InputError(f"{', '.join(reader.names[0] for reader in readers[:3])} holds no rows")
    return Corpus(tuple(readers), settings, own, tuple(empty), joined, tuple(lines), lemmatizer)


def _check_columns(name: str, columns: Sequence[str], fields: Sequence[str]) -> None:
    """Raise InputError if an input lacks one of the fields or has it twice."""
    for wanted in fields:
        if wanted not in columns:
            shown = ", ".join(printable(column)[:60] for column in columns[:20]) + (", …" if len(columns) > 20 else "")
            hint = did_you_mean(wanted, columns)
            raise InputError(f"{name} has no column '{wanted}'; its columns are: {shown}{hint}")
        if (count := columns.count(wanted)) > 1:
            raise InputError(f"{name} has {count} columns named '{wanted}'; rename all but the one that is meant")
