"""chronotope prepare: from text to counts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from chronotope.cli.console import progress_bars, stderr, talk
from chronotope.cli.options import Threads
from chronotope.config import Config, CorpusSettings, CountSettings, one_of, read_config
from chronotope.errors import ChronotopeError, SettingsError, number_of

if TYPE_CHECKING:
    from chronotope.cooccurrence import Counts
    from chronotope.cooccurrence.vocabulary import Vocabulary
    from chronotope.corpus.tokens import TokenStore

FEW = 50  # words; a smaller vocabulary is noted
CASES = {"lower": True, "smart": "smart", "keep": False}


def prepare_command(
    inputs: Annotated[list[str], Argument(metavar="INPUT…", help="Files, globs or a folder of text.")],
    run: Annotated[Path, Option("-o", "--output", metavar="RUN", help="Folder to write.")],
    format: Annotated[
        str | None, Option(help="Read a folder with gold scores, for `evaluate --gold`: semeval or dwug.")
    ] = None,
    text: Annotated[str | None, Option(help="Field with the text (default: text).")] = None,
    time: Annotated[str | None, Option(help="Field with the time.")] = None,
    every: Annotated[str | None, Option(help="Length of a time bin: 1y, 10y, 1q, 1mo, 1d (default: 1y).")] = None,
    place: Annotated[str | None, Option(help="Field with the place; nested places as country/region.")] = None,
    time_unit: Annotated[
        str | None, Option(help="Unit of numeric times: excel, days, seconds or milliseconds.")
    ] = None,
    since: Annotated[str | None, Option(metavar="DATE", help="Only rows from this date on: 1860, 1860-05-31.")] = None,
    until: Annotated[str | None, Option(metavar="DATE", help="Only rows up to and including this date.")] = None,
    where: Annotated[str | None, Option(help='Only rows that satisfy this condition: "date >= 1860".')] = None,
    metadata: Annotated[Path | None, Option(metavar="FILE", help="Table of dates, places and other fields.")] = None,
    key: Annotated[
        str | None, Option(metavar="FIELD", help="With --metadata: column with file names, or a field of both tables.")
    ] = None,
    xpath: Annotated[list[str] | None, Option(metavar="FIELD=PATH", help="XPath of a field; may be repeated.")] = None,
    tei_notes: Annotated[bool, Option("--tei-notes", help="Read notes and headings of TEI files, too.")] = False,
    min_count: Annotated[int | None, Option(min=1, help="Leave out rarer words (default: by corpus size).")] = None,
    max_words: Annotated[int | None, Option(min=1, help="Maximum size of the vocabulary.")] = None,
    window: Annotated[int | None, Option(min=1, max=31, help="Context words on each side (default: 5).")] = None,
    flat: Annotated[bool, Option("--flat", help="Weight every context 1 instead of 1/distance.")] = False,
    holdout: Annotated[float | None, Option(help="Share of documents to hold out (default: 0).")] = None,
    tokenizer: Annotated[str | None, Option(help="words, or whitespace for tokenized text.")] = None,
    case: Annotated[
        str | None, Option(metavar="lower|smart|keep", help="Case; smart keeps acronyms such as US (default: lower).")
    ] = None,
    strip_accents: Annotated[bool, Option("--strip-accents", help="Fold accented letters.")] = False,
    emoji: Annotated[bool, Option("--emoji", help="Count emoji as words.")] = False,
    lemmas: Annotated[str | None, Option(metavar="LANGUAGE", help="Count inflected forms as one: en, de, fr …")] = None,
    find_phrases: Annotated[bool, Option("--find-phrases", help="Join words often seen together: new_york.")] = False,
    phrase: Annotated[list[str] | None, Option(help="Phrase to count as one word; may be repeated.")] = None,
    strict: Annotated[bool, Option("--strict", help="Stop at the first bad row.")] = False,
    no_text: Annotated[bool, Option("--no-text", help="Keep no text; `evidence` then has no sentences.")] = False,
    keep: Annotated[
        list[str] | None, Option(metavar="FIELDS", help="Fields to keep of each document, such as title,speaker.")
    ] = None,
    force: Annotated[bool, Option("--force", help="Replace a run made from other input or settings.")] = False,
    threads: Threads = None,
    memory: Annotated[str | None, Option(metavar="SIZE", help="Memory limit: 2GB; the rest goes to disk.")] = None,
    workers: Annotated[int | None, Option(min=1, help="Number of processes on this machine, with Dask.")] = None,
    cluster: Annotated[str | None, Option(metavar="ADDRESS", help="Dask cluster: address of its scheduler.")] = None,
    spill: Annotated[str | None, Option(metavar="FOLDER", help="With --cluster: a shared folder or s3://….")] = None,
    config: Annotated[Path | None, Option(help="TOML file with settings.")] = None,
) -> None:
    """Read text, and count which words occur together in each time bin and place."""
    given = {name: None if value is False else value for name, value in locals().items()}
    settings = read_config(config) if config else Config()
    if case is not None:
        one_of("case", case, CASES)
        given["lowercase"] = CASES[case]
    given |= {"phrases": tuple(phrase or ()) or None, "xpath": _paths(xpath or []) or None}
    given |= {"keep": ",".join(keep or ()) or None, "keep_text": False if no_text else None}
    given |= {"weighting": "flat" if flat else None}
    reading, counted = (_updated(part, given) for part in (settings.corpus, settings.counting))
    if format:
        one_of("format", format, ("semeval", "dwug"))
        if metadata or len(inputs) > 1:
            raise SettingsError(f"--format {format} reads one folder and no --metadata")
    elif not (reading.time or reading.place):
        raise SettingsError("name the field that holds the time (--time) or the place (--place), or both")
    resources: Any = {name: given[name] for name in ("threads", "memory", "workers", "cluster", "spill")}
    from chronotope.cooccurrence import count
    from chronotope.corpus.source import read_corpus
    from chronotope.datasets.gold_folders import read_gold_corpus

    if format:
        corpus = read_gold_corpus(inputs[0], reading)
    else:
        corpus = read_corpus(inputs[0] if len(inputs) == 1 else inputs, settings=reading, metadata=metadata)
    made = False

    def report(store: TokenStore, vocabulary: Vocabulary) -> None:
        nonlocal made
        made = True
        _report(store, vocabulary, reading, counted)

    with progress_bars(lines=True) as bars:
        counts = count(corpus, run, settings=counted, progress=bars, on_report=report, force=force, **resources)
    if not made:
        talk("{} is up to date: it was made from this input with these settings; --force makes it again", run)
    words, conditions = number_of(len(counts.vocabulary), "words"), number_of(len(counts.conditions), "conditions")
    talk("{}: {} × {}, {}; {}", run, words, conditions, number_of(counts.size, "cells"), _what_next(run, counts))


def _updated(settings: Any, given: dict[str, Any]) -> Any:
    """Return settings with those that were given on the command line."""
    names = [field.name for field in fields(settings) if given.get(field.name) is not None]
    return replace(settings, **{name: given[name] for name in names})


def _paths(options: list[str]) -> dict[str, str]:
    """Return the XPath of each field."""
    for option in options:
        if not all(option.partition("=")[::2]):
            raise SettingsError(f"write --xpath FIELD=PATH, as in --xpath date=.//creation/date/@when, not '{option}'")
    return {field.strip(): path.strip() for field, _, path in (option.partition("=") for option in options)}


def _what_next(run: Path, counts: Counts) -> str:
    """Return what to do with the run: train, or train again if its model is of an earlier one."""
    if not (run / "model.ct").exists():
        return f"next: chronotope train {run}"
    from chronotope.embeddings import load

    with suppress(ChronotopeError, OSError):
        if load(run / "model.ct").provenance.get("run") == counts.checksum:
            return "its model is up to date"
    return f"its model was trained on an earlier run; next: chronotope train {run} --force"


def _report(store: TokenStore, vocabulary: Vocabulary, reading: CorpusSettings, counting: CountSettings) -> None:
    """Print the size of the corpus and of the vocabulary."""
    from chronotope.views import tables

    stderr.print(tables.corpus(store.report))
    for line in (*store.report.notes, *store.report.mixed_case):
        talk("[yellow]{}[/]", line)
    if reading.find_phrases:
        phrases = store.words.filter(store.words.is_in(store.report.phrases))
        shown = ", ".join(phrases[:5]) + (" …" if len(phrases) > 5 else "")
        talk("phrases: {}", f"{len(phrases):,} joined, most often {shown}" if len(phrases) else "none found")
    size, least = len(vocabulary), number_of(vocabulary.min_count, "times")
    # Counts descend: the first word that is left out shows which of the two limits applied.
    cut = size < len(store.words) and store.counts[size] >= vocabulary.min_count
    words = number_of(size, "words")
    kept = f"the most frequent {words} (--max-words)" if cut else f"{words} that occur {least} or more"
    dropped = number_of(vocabulary.dropped_words, "others" if cut else "rarer words")
    tokens = number_of(vocabulary.dropped_tokens, "tokens")
    talk("vocabulary: {}; {} ({}) left out", kept, dropped, tokens)
    if size < FEW and vocabulary.dropped_words and counting.min_count is None and not cut:
        occur = "one word occurs" if size == 1 else f"{size} words occur"
        talk("[yellow]only {} {} or more; lower the threshold with --min-count 2[/]", occur, least)
