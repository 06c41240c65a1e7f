"""The parameters of questions, defined once: type, limits, help and completion for Python, command line and API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings, load
from chronotope.embeddings.storage import run_folder
from chronotope.errors import DamagedFileError, InputError


@dataclass(frozen=True)
class Param:
    """What a parameter means, and where it may be used."""

    help: str  # one line for `--help`, the API and the reference
    least: float | None = None
    most: float | None = None
    option: str | None = None  # name on the command line, if it is not the name in Python with hyphens
    argument: bool = False  # positional on the command line
    metavar: str | None = None  # placeholder in `--help`
    complete: Literal["conditions", "places"] | None = None  # by the shell
    longest: int = 500  # characters of a string, or of each string of a list
    local: bool = False  # makes sense only on this machine (threads, files): the API does not offer it


def condition_param(help: str, option: str | None = None) -> Param:
    """Return the description of a parameter that names a condition."""
    return Param(help, option=option, complete="conditions", longest=200)


# The first parameter of a question; strings and paths are opened.
Model = Annotated[ConditionedEmbeddings, Param("Model file, or the run that contains model.ct.")]
Run = Annotated[Counts, Param("Folder that `prepare` wrote, or a model beside it.")]

Word = Annotated[str, Param("Word to ask about.", argument=True, longest=200)]
Words = Annotated[str | Sequence[str], Param("Word or words to ask about.", argument=True, longest=200)]
Formula = Annotated[str, Param("Axis of words: 'fruit - company', '(fruit + pie) - company'.", argument=True)]
AnyFormula = Annotated[str | None, Param("Measure along an axis of words: 'fruit - company'.")]

At = Annotated[str, condition_param("Condition: 1998, 1990s, 1998-03, canada, 1998/canada.")]
AnyAt = Annotated[str | None, condition_param("Condition, or `all` for each (default: all together).")]
To = Annotated[str | None, condition_param("Condition to look in (default: every condition).")]
From = Annotated[str | None, condition_param("First condition.", option="--from")]
Until = Annotated[str | None, condition_param("Last condition.", option="--to")]
Place = Annotated[str | None, Param("With time × place: the place to follow.", complete="places", longest=200)]
Against = Annotated[str, condition_param("Compare with: first, previous, overall (all others), or a condition.")]

Top = Annotated[int, Param("Number of results.", least=1, most=100_000)]
MinCount = Annotated[int, Param("Minimum count in a condition; rarer words are left out.", least=1, most=10**9)]
Retrieval = Annotated[Literal["csls", "cosine"], Param("Ranking: csls (penalizes hubs) or cosine.")]
RetrievalBetween = Annotated[
    Literal["csls", "cosine", "references"],
    Param("Ranking: csls (penalizes hubs), cosine, or references (cosine, refined by words near the query)."),
]
Fallback = Annotated[bool, Param("Answer for an absent word from its other conditions, and mark it.")]
RoleMap = Annotated[bool | None, Param("Map the query by a role map (default: only between two places).")]
Fixed = Annotated[bool, Param("Use the mean vector of each seed over all conditions, not its vector in each.")]
Chance = Annotated[float, Param("False-match rate of words without a counterpart.", least=1e-6, most=1.0)]
Alpha = Annotated[float, Param("Significance level: accept a change if p is at most this.", least=1e-6, most=0.5)]
Confidence = Annotated[float, Param("Confidence level of the intervals.", least=0.5, most=0.9999)]

Bootstrap = Annotated[int, Param("Draws of documents, for 95 % intervals; 100 is usual.", least=0, most=10_000)]
Permutations = Annotated[int, Param("Permutations of documents, for p and q; 200 is usual.", least=0, most=100_000)]
Shuffles = Annotated[int, Param("Number of random permutations.", least=19, most=100_000)]
Within = Annotated[str | None, Param("Permute and draw documents within the values of this field.", metavar="FIELD")]
Seed = Annotated[int, Param("Seed of the random numbers.", least=0, most=2**64 - 1)]
Seeds = Annotated[int, Param("Models to train with other seeds, for seed stability.", least=0, most=100, local=True)]
Threads = Annotated[int | None, Param("Cores to use (default: all); results do not depend on it.", least=1, local=True)]

# Set by the command line and the explorer, not by their users.
Progress = Annotated[
    Callable[[str, int, int | None], None] | None, Param("Called with the stage, the steps done, and their number.")
]
KeepIn = Annotated[str | Path | None, Param("Folder for finished resamples, to resume an interrupted question.")]
INTERNAL = ("progress", "keep_in")

Listed = str | Sequence[str] | Path | None
WordList = Annotated[Listed, Param("Only these words: w1,w2,… or a file, one word a line.", metavar="WORDS|FILE")]
Exclude = Annotated[Listed, Param("Leave out these words: w1,w2,…, a file, or stopwords:en.", metavar="WORDS|FILE")]
NoNames = Annotated[bool, Param("Leave out words that are mostly capitalized inside sentences.")]
NoNumbers = Annotated[bool, Param("Leave out words that begin with a digit.")]
MinDocuments = Annotated[int, Param("Minimum number of documents with the word there.", least=1, most=10**9)]
Coordinates = Annotated[Any, Param("CSV file place,lat,lon, GeoJSON, or a frame.", metavar="FILE", local=True)]
Edges = Annotated[Any, Param("Neighboring places: CSV file with lines `place,place`.", metavar="FILE", local=True)]


def run_of(source: ConditionedEmbeddings | Counts) -> Counts | None:
    """Return a run, or the one that a model was trained on; None if it is not available."""
    try:
        return source if isinstance(source, Counts) else trained_on(source)
    except (InputError, DamagedFileError):
        return None


def trained_on(model: ConditionedEmbeddings) -> Counts:
    """Return the run that a model was trained on; raise InputError if it is missing or was made again."""
    counts = model.counts
    if model.provenance.get("run") != counts.checksum:
        raise InputError(f"the model was trained on another run than {counts.folder}; train it again")
    return counts


def open_source(source: Any, wanted: Any) -> Any:
    """Return `ConditionedEmbeddings` or `Counts`, as wanted, from an object or a path; else raise InputError."""
    if isinstance(source, str | Path):
        return load(source) if wanted is ConditionedEmbeddings else Counts.open(run_folder(Path(source)))
    if isinstance(source, ConditionedEmbeddings) and wanted is Counts:
        return source.counts
    if not isinstance(source, wanted):
        raise InputError(f"expected {wanted.__name__} or the path of one, not {type(source).__name__}")
    return source
