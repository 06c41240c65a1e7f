"""The subject of an explorer: a model, the index of its words, its run, and the coordinates of its places."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from pydantic import BaseModel, Field

from chronotope.analysis.geography import Coordinates, read_coordinates
from chronotope.analysis.own_vectors import full_bins
from chronotope.cooccurrence import Counts
from chronotope.corpus.text_store import TextStore
from chronotope.embeddings import ConditionedEmbeddings, load
from chronotope.embeddings.storage import run_folder
from chronotope.errors import ChronotopeError, InputError
from chronotope.io.provenance import package_version

COMPARED, PROPOSED = 20_000, 5  # the most frequent words, searched for similar spelling; suggestions
AVAILABLE = ("counts", "text", "bands", "coordinates", "one_space")
PAPER = (
    "Gong, H., Bhat, S. and Viswanath, P. (2020), Enriching Word Embeddings with Temporal and Spatial Information, "
    "CoNLL, doi:10.18653/v1/2020.conll-1.1"
)


@dataclass(frozen=True)
class FoundWord:
    """A word, its count over all conditions, and the number of conditions in which it occurs."""

    word: str
    count: int
    conditions: int


@dataclass(frozen=True)
class Lookup:
    """The words found for some letters."""

    query: str
    total: int  # words that contain the letters
    matches: tuple[FoundWord, ...]  # words that begin with the letters, then the others, most frequent first
    did_you_mean: tuple[FoundWord, ...]  # words of similar spelling, if no word contains the letters


class WordIndex:
    """The words of a model, for search while typing.

    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 3]), np.arange(3), np.array([9, 7, 5]))
    >>> year = Conditions.of_times(["1990"])
    >>> index = WordIndex(ConditionedEmbeddings(["Bank", "embank", "river"], year, support, np.eye(3)))
    >>> [match.word for match in index.find("ban").matches]
    ['Bank', 'embank']
    """

    def __init__(self, embeddings: ConditionedEmbeddings) -> None:
        words, observed = len(embeddings), embeddings.observed
        total = np.bincount(observed.word, observed.count, words).astype(np.int64)
        count = (total // embeddings.conditions.levels).tolist()  # a text counts once in each level of its place
        rows = map(FoundWord, embeddings.words, count, np.bincount(observed.word, minlength=words).tolist())
        # Most frequent first, so that the first matches are the best.
        self._words = [(row.word.casefold(), row) for row in sorted(rows, key=lambda row: -row.count)]

    def find(self, query: str, limit: int = 10) -> Lookup:
        """Return up to `limit` words that contain the letters, ignoring case; without letters, the most frequent."""
        letters = query.strip().casefold()
        found = [(word, row) for word, row in self._words if letters in word]
        found.sort(key=lambda one: (one[0] != letters, not one[0].startswith(letters)))
        return Lookup(query, len(found), tuple(row for _, row in found[:limit]), () if found else self.alike(query))

    def alike(self, word: str) -> tuple[FoundWord, ...]:
        """Return words of similar spelling, most frequent first."""
        letters = word.strip().casefold()
        near = [(word, row) for word, row in self._words[:COMPARED] if abs(len(word) - len(letters)) <= 2]
        close = difflib.get_close_matches(letters, [word for word, _ in near], PROPOSED, 0.7)
        return tuple(row for word, row in near if word in close)[:PROPOSED]


class ConditionAbout(BaseModel):
    """A condition: the positions of its time and place, and its numbers of words and tokens."""

    label: str
    time: int | None
    place: int | None
    words: int
    tokens: int


class About(BaseModel):
    """The description of a model that a page reads first."""

    title: str
    signature: str
    citation: str
    method: str | None
    dimensions: int
    words: int
    counted: bool = Field(description="whether the counts of words are known")
    axis: str
    times: list[str]
    places: list[str]
    levels: int = Field(description="levels of nested places; every text counts once in each")
    default_time: str | None = Field(description="the last time bin that is full; null if there are no times")
    conditions: list[ConditionAbout]
    available: dict[str, bool]
    missing: dict[str, str] = Field(description="why something is not available")
    static: bool = Field(description="whether this is a folder without a server")
    precomputed: dict[str, int] = Field(description="without a server: number of words with an answer, by question")
    exactness: str
    sample: int | None = Field(description="sentences listed for each word and condition, if they are a sample")
    version: str


@dataclass(frozen=True)
class Explored:
    """A model, its title, its run, and the coordinates of its places.

    `missing` gives the reason for each name of `AVAILABLE` that is not there.
    """

    embeddings: ConditionedEmbeddings = field(repr=False)
    title: str
    counts: Counts | None = field(default=None, repr=False)
    coordinates: Coordinates | None = field(default=None, repr=False)
    missing: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def words(self) -> WordIndex:
        """The index of the words."""
        return WordIndex(self.embeddings)

    def why_not(self, what: str) -> str | None:
        """Return why the model lacks 'times', 'places' or one of `AVAILABLE`; None if it is there."""
        conditions = self.embeddings.conditions
        if what in ("times", "places") and not getattr(conditions, what):
            return f"this needs {what}; the conditions of this model are {conditions.axis}s"
        return self.missing.get(what)

    def about(self) -> dict[str, Any]:
        """Return the description of the model that a page reads first, as plain data."""
        embeddings = self.embeddings
        conditions, observed = embeddings.conditions, embeddings.observed
        signature, version = embeddings.signature, package_version()
        full = [conditions.time_of[at] for at in full_bins(embeddings)] if conditions.times else []
        described = [
            {"label": conditions.labels[number], "time": conditions.time_of[number] if conditions.times else None}
            | {"place": conditions.place_of[number] if conditions.places else None}
            | {"words": len(observed.words_in(number)), "tokens": int(observed.counts_in(number).sum())}
            for number in range(len(conditions))
        ]
        about = (
            {"title": self.title, "signature": signature, "method": embeddings.provenance.get("method")}
            | {"citation": f"chronotope {version}, {self.title} [{signature}]; {PAPER}", "version": version}
            | {"dimensions": embeddings.dimensions, "words": len(embeddings), "counted": embeddings.counted}
            | {"axis": conditions.axis, "times": conditions.times, "places": conditions.places}
            | {"levels": conditions.levels}
            | {"default_time": conditions.times[max(full, default=-1)] if conditions.times else None}
            | {"conditions": described}
            | {"available": {name: name not in self.missing for name in AVAILABLE}, "missing": dict(self.missing)}
            | {"static": False, "precomputed": {}, "exactness": "exact", "sample": None}
        )
        return About.model_validate(about).model_dump()


AnyPath: TypeAlias = str | Path | None


def open_explored(
    model: str | Path, run: AnyPath = None, *, coordinates: AnyPath = None, title: str | None = None
) -> Explored:
    """Open a model file, or the run that contains one, together with the run that it was trained on, if that is found.

    By default, `run` is the folder of the model, and `title` the name of its folder or file. `coordinates` is a CSV
    file place,lat,lon.
    """
    model = Path(model)
    file = model / "model.ct" if model.is_dir() else model
    embeddings, counts, missing = load(model), None, {}
    trained_on = embeddings.provenance.get("run")
    try:
        counts = embeddings.trained_on = Counts.open(run_folder(file) if run is None else run)
    except ChronotopeError:
        if run is not None:
            raise
        why_not = "the run that the model was trained on is not beside it; name it with --run"
        if trained_on is None:
            why_not = "this model was made from other models, not from text, so there are no sentences to show"
        missing = dict.fromkeys(("counts", "text", "bands"), why_not)
    if counts is not None:
        if run is not None and trained_on not in (None, counts.checksum):
            raise InputError(f"the model was not trained on {run}; name the run that it was trained on")
        if not TextStore.is_in(counts.folder):
            missing["text"] = "the run was prepared without its text, so there are no sentences to show"
        if not len(embeddings.contexts):
            missing["bands"] = "this method keeps no context vectors, so documents cannot be resampled"
    where = read_coordinates(coordinates) if coordinates is not None else None
    if where is None:
        missing["coordinates"] = "the coordinates of the places are unknown; give a file place,lat,lon (--coordinates)"
    if embeddings.query_mapping is not None:
        missing["one_space"] = "this method has a separate space for each condition"
    # The folder of a file model.ct has the better name.
    name = file.absolute().parent.name if file.stem == "model" else file.stem
    return Explored(embeddings, title or name, counts, where, missing)
