"""Corpora with human judgments of change: the folders of SemEval-2020 Task 1 and of word usage graphs (DWUG)."""

import csv
import gzip
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from chronotope.config import CorpusSettings, NamedBin
from chronotope.corpus.source import Corpus, read_corpus
from chronotope.errors import InputError

_TAG = re.compile(r"_(?:nn|vb|adj|adv)$")


def read_gold_corpus(folder: str | Path, settings: CorpusSettings | None = None) -> Corpus:
    """Find the texts of a folder with judgments of change; `evaluate(gold=folder)` reads the judgments.

    SemEval-2020 Task 1 has lemmatized sentences in two periods, corpus1 and corpus2. A word usage graph has sentences
    with a target word, which is replaced by its lemma, in groups by time (data/WORD/uses.csv). The folder determines
    fields, bins and places, whatever `settings` says.

    Raises
    ------
    InputError
        If the folder is neither.
    """
    folder = Path(folder)
    lemmatized = (folder / "corpus1" / "lemma").is_dir() and (folder / "corpus2" / "lemma").is_dir()
    rows = list(_semeval(folder) if lemmatized else _usage_graph(folder))
    if not rows:
        known = "SemEval-2020 Task 1 (corpus1/lemma and corpus2/lemma) or of DWUG (data/WORD/uses.csv)"
        raise InputError(f"{folder} is not a folder of {known}")
    # Groups need not be dates: years stand for their order.
    years = {name: f"{year:04d}" for year, name in enumerate(sorted({name for _, name in rows}, key=_in_time), 1)}
    settings = replace(settings or CorpusSettings(), text="text", time="period", every=None, place=None)
    settings = replace(settings, bins=tuple(NamedBin(name, year, year) for name, year in years.items()))
    settings = replace(settings, tokenizer="whitespace") if lemmatized else settings
    return read_corpus([{"text": text, "period": years[name]} for text, name in rows], settings=settings)


def _semeval(folder: Path) -> Iterator[tuple[str, str]]:
    for period in ("corpus1", "corpus2"):
        for path in sorted((folder / period / "lemma").glob("*.txt*")):
            with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
                yield from ((line.rstrip("\n"), period) for line in lines if line.strip())


def _usage_graph(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("data/*/uses.csv")):
        with path.open(encoding="utf-8", newline="") as lines:
            for number, use in enumerate(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), 2):
                try:
                    first, last = map(int, use["indexes_target_token"].split(":"))
                    text, name = use["context"], use["grouping"].strip()
                    yield f"{text[:first]}{without_tag(use['lemma'])}{text[last:]}", name
                except (KeyError, ValueError, AttributeError):
                    need = "lemma, grouping, context and indexes_target_token (first:last)"
                    raise InputError(f"{path}:{number}: expected the columns {need}") from None


def without_tag(lemma: str) -> str:
    """Return a lemma without its part of speech.

    >>> without_tag("attack_nn"), without_tag("distant_past")
    ('attack', 'distant_past')
    """
    return _TAG.sub("", lemma)


def _in_time(name: str) -> tuple[int, str]:
    """Sort groups by their first number: 2 before 10, 1810-1860 before 1960-2010."""
    number = re.search(r"\d+", name)
    return int(number[0]) if number else 0, name
