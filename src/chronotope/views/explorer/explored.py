"""What an explorer looks at: a model, and beside it the run that it was trained on and where its places are."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.embeddings.storage import run_folder
from chronotope.analysis.geography import Coordinates, read_coordinates
from chronotope.analysis.lookup import WordIndex
from chronotope.cooccurrence import Counts
from chronotope.corpus.text_store import TextStore
from chronotope.embeddings import ConditionedEmbeddings, load
from chronotope.errors import ChronotopeError, InputError
from chronotope.io.provenance import package_version

if TYPE_CHECKING:
    from collections.abc import Mapping

AVAILABLE = ("counts", "text", "bands", "coordinates", "one_space")
PAPER = (
    "Gong, H., Bhat, S. and Viswanath, P. (2020), Enriching Word Embeddings with Temporal and Spatial Information, "
    "CoNLL, doi:10.18653/v1/2020.conll-1.1"
)


@dataclass(frozen=True)
class Explored:
    """A model and what belongs to it.

    Attributes
    ----------
    embeddings
        The model.
    title
        What the page calls it.
    counts
        Its run, for frequencies and sentences; None where there is none.
    coordinates
        Where its places are; None where that is not known.
    missing
        Why something cannot be asked, in one sentence; the names are those of `AVAILABLE`.
    """

    embeddings: ConditionedEmbeddings = field(repr=False)
    title: str
    counts: Counts | None = field(default=None, repr=False)
    coordinates: Coordinates | None = field(default=None, repr=False)
    missing: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def words(self) -> WordIndex:
        """The words, to be searched."""
        return WordIndex(self.embeddings)

    @property
    def citation(self) -> str:
        """How an answer is cited: what made it, and the paper behind it."""
        return f"chronotope {package_version()}, {self.title} [{self.embeddings.signature}]; {PAPER}"

    def about(self) -> dict[str, Any]:
        """What the page needs to know before it asks anything."""
        embeddings = self.embeddings
        conditions, observed = embeddings.conditions, embeddings.observed
        return {
            "title": self.title,
            "signature": embeddings.signature,
            "citation": self.citation,
            "method": embeddings.provenance.get("method"),
            "dimensions": embeddings.dimensions,
            "words": len(embeddings),
            "counted": embeddings.counted,
            "axis": conditions.axis,
            "times": list(conditions.times),
            "places": list(conditions.places),
            "conditions": [
                {
                    "label": label,
                    "time": conditions.time_of[number] if conditions.times else None,
                    "place": conditions.place_of[number] if conditions.places else None,
                    "words": len(observed.words_in(number)),
                    "tokens": int(observed.counts_in(number).sum()),
                }
                for number, label in enumerate(conditions.labels)
            ],
            "available": {name: name not in self.missing for name in AVAILABLE},
            "missing": dict(self.missing),
            "static": False,
            "exactness": "exact",
            "sample": None,
            "version": package_version(),
        }


def open_explored(
    model: str | Path,
    run: str | Path | None = None,
    *,
    coordinates: str | Path | None = None,
    title: str | None = None,
) -> Explored:
    """A model with the run that it was trained on, where that can be found.

    Parameters
    ----------
    model
        A model file, or the run that holds one.
    run
        The run; by default the one in or beside which the model lies.
    coordinates
        A CSV file place,lat,lon.
    title
        What the page calls the model; by default the name of its folder or file.
    """
    model = Path(model)
    file = model / "model.ct" if model.is_dir() else model
    embeddings = load(model)
    counts, why_not = _counts(file, embeddings, Path(run) if run is not None else None)
    missing = {}
    if counts is None:
        missing["counts"] = missing["text"] = missing["bands"] = why_not
    elif not TextStore.is_in(counts.folder):
        missing["text"] = "the run was prepared without its text, so there are no sentences to show"
    if counts is not None and not len(embeddings.contexts):
        missing["bands"] = "this method keeps no contexts to place documents against that are drawn again"
    where = read_coordinates(coordinates) if coordinates is not None else None
    if where is None:
        missing["coordinates"] = "where the places are is not known; name a file place,lat,lon with --coordinates"
    if embeddings.query_mapping is not None:
        missing["one_space"] = "this method has a space of its own for each condition"
    # A file called model.ct says nothing; the folder around it does.
    name = file.absolute().parent.name if file.stem == "model" else file.stem
    return Explored(embeddings, title or name, counts, where, missing)


def _counts(file: Path, embeddings: ConditionedEmbeddings, run: Path | None) -> tuple[Counts | None, str]:
    """The run of a model, or why there is none; a run that is named must be the right one."""
    if run is None:
        try:
            return Counts.open(run_folder(file)), ""
        except ChronotopeError:
            if embeddings.provenance.get("run") is None:
                return (
                    None,
                    "this model was not made from text but from other models, so there are no sentences to show",
                )
            return None, "the run that the model was trained on is not beside it; name it with --run"
    counts = Counts.open(run)
    if embeddings.provenance.get("run") not in (None, counts.checksum):
        raise InputError(f"the model was not trained on {run}; name the run that it was made from")
    return counts, ""
