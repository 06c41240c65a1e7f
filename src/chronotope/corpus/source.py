"""A corpus: where the text is, and how to read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from chronotope.config import CorpusSettings, NamedBin
from chronotope.corpus.readers import Reader, open_readers
from chronotope.corpus.selection import Selection
from chronotope.errors import InputError, SettingsError, did_you_mean
from chronotope.frames import MOST_ROWS, html
from chronotope.io.untrusted import printable


@dataclass(frozen=True)
class Corpus:
    """Text that was found and checked but not read yet; `read_corpus` makes it, `tokenize` and `count` read it.

    Attributes
    ----------
    readers
        One for each file, folder of text files, data frame or iterable of records.
    settings
        How to read it.
    tokenizer
        The user's function from a text to its tokens, if any.
    empty
        The positions of readers without rows.
    """

    readers: tuple[Reader, ...]
    settings: CorpusSettings
    tokenizer: Callable[[str], list[str]] | None = None
    empty: tuple[int, ...] = ()

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
        return html("Corpus, not read yet", chosen, ("source",), rows, left_out=len(self.names) - len(rows))

    @property
    def names(self) -> list[str]:
        """The base names of the files, in the order of their numbers."""
        return [name for reader in self.readers for name in reader.names]

    @property
    def size(self) -> int:
        """The number of bytes (rows of frames and records); 0 if unknown."""
        return sum(reader.size for reader in self.readers)

    def fingerprint(self) -> list[dict[str, Any]]:
        """Return the name, bytes and checksum of each file.

        The name is a base name, but a path for plain text files, whose folders are data. The checksum of a frame or of
        a list of records covers the fields to read; a generator has none. A tokenizer of the user is not covered.
        """
        fields = Selection(self.settings).fields
        return [entry for reader in self.readers for entry in reader.fingerprint(fields)]

    @property
    def tokenizer_name(self) -> str | None:
        """The module and name of the user's tokenizer, if any."""
        if self.tokenizer is None:
            return None
        named = self.tokenizer if hasattr(self.tokenizer, "__qualname__") else type(self.tokenizer)
        return f"{getattr(named, '__module__', None) or 'builtins'}.{named.__qualname__}"


def read_corpus(
    source: Any,
    *,
    text: str = "text",
    time: str | None = None,
    every: str | None = None,
    place: str | None = None,
    bins: Iterable[NamedBin | Mapping[str, Any] | Sequence[Any]] = (),
    where: str | None = None,
    tokenizer: str | Callable[[str], list[str]] = "words",
    lowercase: bool = True,
    strip_accents: bool = False,
    phrases: str | Iterable[str] = (),
    find_phrases: bool = False,
    variants: Mapping[str, str] | None = None,
    holdout: float = 0.0,
    strict: bool = False,
    keep_text: bool = True,
    keep: str | Iterable[str] = (),
    settings: CorpusSettings | None = None,
) -> Corpus:
    """Find and check a corpus of dated or placed text; nothing is read yet.

    Parameters
    ----------
    source
        A path (JSONL, CSV, TSV or Parquet; the text formats also as .gz and .zst), a glob, a list of paths, a folder of
        such files or of plain text files, a polars or pandas data frame, or any iterable of mappings. A plain text
        file is one document with the fields text, name, folder, date and path, taken from its name: time="date",
        place="folder".
    text
        The field with the text: a string, or a list of tokens.
    time, every, bins
        The field with the time (a year, a year and month, an ISO date or timestamp), and the length of the time bins
        (1y, 10y, 1q, 1mo, 1w, 1d; default 1y) or named bins instead: ("cold war", 1947, 1991), or a mapping with name,
        start and end.
    place
        The field with the place, or with any other label. Places that differ only in case are the same. Several
        fields, "country/region/city", nest places: each text counts for its city, its region and its country. Without
        time and place the whole corpus is one condition, 'all'.
    where
        An SQL condition on the fields. A field compared with a number is read as a number, any other as text.
    tokenizer
        'words', 'whitespace' (for tokenized text), or a function from a text to its tokens.
    lowercase, strip_accents
        Whether to fold case and accents.
    phrases, find_phrases
        Sequences of words, separated by blanks, that count as one word; and whether to find such pairs.
    variants
        Forms of a word to replace: {"colour": "color"}.
    holdout
        The share of documents to hold out.
    strict
        Stop at the first bad row instead of counting and skipping bad rows.
    keep_text
        Whether the run keeps the compressed text, so that `evidence` can show sentences.
    keep
        Further fields to keep for each document; `drift` compares within them.
    settings
        All of these as one object instead.

    Examples
    --------
    >>> corpus = read_corpus([{"text": "A sunny day", "year": 1998}], time="year")
    >>> corpus.names, corpus.settings.time
    (['records'], 'year')
    >>> read_corpus([{"text": "A sunny day", "year": 1998}], time="date")
    Traceback (most recent call last):
    chronotope.errors.InputError: records has no column 'date'; its columns are: text, year
    """
    own = None if isinstance(tokenizer, str) else tokenizer
    if own is not None and not callable(own):
        raise SettingsError("tokenizer must be words, whitespace, or a function from a text to a list of tokens")
    if settings is None:
        settings = CorpusSettings(
            text=text,
            time=time,
            every=every,
            bins=tuple(_named_bin(item) for item in bins),
            place=place,
            where=where,
            tokenizer="whitespace" if own else str(tokenizer),  # type: ignore[arg-type]  # checked there
            lowercase=lowercase,
            strip_accents=strip_accents,
            phrases=(phrases,) if isinstance(phrases, str) else tuple(phrases),
            find_phrases=find_phrases,
            variants=dict(variants or {}),
            holdout=holdout,
            strict=strict,
            keep_text=keep_text,
            keep=(keep,) if isinstance(keep, str) else tuple(keep),
        )
    fields = Selection(settings).fields.names
    readers = open_readers(source, fields)
    empty = []
    for number, reader in enumerate(readers):
        columns = reader.columns()
        if columns is None:
            empty.append(number)
        elif columns:
            _check_columns(reader.names[0], columns, fields)
    if len(empty) == len(readers):
        raise InputError(f"{', '.join(reader.names[0] for reader in readers[:3])} holds no rows")
    return Corpus(tuple(readers), settings, own, tuple(empty))


def _named_bin(item: Any) -> NamedBin:
    """Make a named bin of a bin, a mapping or three values."""
    try:
        if isinstance(item, NamedBin):
            name, start, end = item.name, item.start, item.end
        elif isinstance(item, Mapping):
            name, start, end = NamedBin(**item).__dict__.values()
        else:
            name, start, end = item if isinstance(item, list | tuple) else ()
    except (TypeError, ValueError):
        raise SettingsError(f"a named bin needs a name, a start and an end, not {item!r:.60}") from None
    return NamedBin(str(name), str(start), str(end))


def _check_columns(name: str, columns: Sequence[str], fields: Sequence[str]) -> None:
    """Raise InputError if an input lacks one of the fields or has it twice."""
    for wanted in fields:
        if wanted not in columns:
            shown = ", ".join(printable(column)[:60] for column in columns[:20]) + (", …" if len(columns) > 20 else "")
            hint = did_you_mean(wanted, columns)
            raise InputError(f"{name} has no column '{wanted}'; its columns are: {shown}{hint}")
        if (count := columns.count(wanted)) > 1:
            raise InputError(f"{name} has {count} columns named '{wanted}'; rename all but the one that is meant")
