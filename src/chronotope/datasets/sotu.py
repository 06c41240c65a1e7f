"""Real text to start with, from a Python package."""

from typing import Any

from chronotope.corpus.source import Corpus, read_corpus
from chronotope.errors import import_extra


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
    sotu = import_extra("sotu", "the State of the Union example", "demo")
    about = sotu.metadata().sort_values(["date", "fileid"])
    records = [
        {"text": sotu.raw(file), "time": str(date), "president": president}
        for file, date, president in zip(about["fileid"], about["date"], about["president_full"], strict=True)
    ]
    return read_corpus(records, time="time", every=every, **settings)
