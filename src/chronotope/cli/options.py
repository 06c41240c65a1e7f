"""The arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Sized
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronotope.cli.completing import conditions
from chronotope.cli.console import talk, tell_no_counts
from chronotope.errors import SettingsError, number_of, some_of

if TYPE_CHECKING:
    from chronotope.cooccurrence import Counts
    from chronotope.embeddings import ConditionedEmbeddings

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, or the run that holds one.")]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder that prepare wrote.")]
Word = Annotated[str, typer.Argument(metavar="WORD", help="The word to ask about.")]
At = Annotated[
    str | None,
    typer.Option(
        "--at",
        autocompletion=conditions,
        help="The condition: 1998, 1990s, 1998-03, canada, 1998/canada; without it, those that there are are named.",
    ),
]
Top = Annotated[int, typer.Option("--top", min=1, help="How many answers.")]
MinCount = Annotated[int, typer.Option("--min-count", min=0, help="How often a word must occur to be an answer.")]
Evidence = Annotated[int, typer.Option("--min-count", min=1, help="How often a word must occur to be judged.")]
Retrieval = Annotated[str, typer.Option("--retrieval", help="How answers are ranked: csls or cosine.")]
Against = Annotated[
    str, typer.Option("--against", help="Compare with: first, previous, overall (all others), or a condition.")
]
Place = Annotated[str | None, typer.Option("--place", help="With times × places: the place whose time line is meant.")]
Formula = Annotated[
    str | None, typer.Option("--formula", help="Measure along an axis of words: 'fruit - company', '(a + b) - c'.")
]
Fixed = Annotated[
    bool, typer.Option("--fixed", help="Take the seeds as used over all conditions, not as used in each.")
]
Coordinates = Annotated[
    Path | None, typer.Option("--coordinates", metavar="FILE", help="Where places are: a CSV file place,lat,lon.")
]
Edges = Annotated[Path | None, typer.Option("--edges", metavar="FILE", help="Neighboring places: lines `place,place`.")]
Nearest = Annotated[int, typer.Option("--nearest", min=1, help="How many neighbors a place has by coordinates.")]
Level = Annotated[float, typer.Option("--level", help="A change counts where p is at most this.")]
Permutations = Annotated[int, typer.Option("--permutations", min=19, help="Random orders to compare with.")]
Bootstrap = Annotated[
    int, typer.Option("--bootstrap", min=0, help="Random halves of the documents, for 95 % intervals; 100 will do.")
]
Exchanges = Annotated[
    int, typer.Option("--permutations", min=0, help="Random exchanges of documents to compare with: p and q.")
]
Within = Annotated[
    str | None,
    typer.Option("--within", metavar="FIELD", help="Exchange only documents with the same value of this field."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The seed of what is drawn at random.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, help="Cores to use (all); the result does not depend on it.")
]


def open_model(path: Path, *, verify: bool = False) -> ConditionedEmbeddings:
    """The embeddings in a model file, or in the `model.ct` of a run; `verify` reads it whole and compares checksums."""
    from chronotope.embeddings import load

    embeddings = load(path, verify=verify)
    if path.is_dir():
        warn_if_earlier(path, embeddings)
    elif not embeddings.counted:
        tell_no_counts(path)
    return embeddings


def warn_if_earlier(path: Path, embeddings: ConditionedEmbeddings) -> None:
    """Say so where the run that holds a model is not the one that it was trained on."""
    from chronotope.io.run_folder import read_run

    if (path / "run.json").exists() and embeddings.provenance.get("run") != read_run(path)["checksum"]:
        talk("[yellow]the model in {} was trained on an earlier run; train it again with --force[/]", path)


def open_run(model: Path, needed: int = 1) -> Counts | None:
    """The run that a model was trained on, where it is needed."""
    if not needed:
        return None
    from chronotope.embeddings.storage import run_folder
    from chronotope.cooccurrence import Counts

    return Counts.open(run_folder(model))


def needed_condition(embeddings: ConditionedEmbeddings, at: str | None) -> str:
    """The condition that was named; where none was, the error names those that there are."""
    if at is None:
        labels = embeddings.conditions.labels
        raise SettingsError(f"in which condition? add --at with one of the {len(labels):,}: {some_of(labels)}")
    return at


# A word that occurs less often in a condition says little about it.
LITTLE = 5


def warn_if_rare(embeddings: ConditionedEmbeddings, word: str, at: str) -> None:
    """Say so where an answer cannot rest on the word's own use in the condition."""
    support = embeddings.count(word, at)
    if support == 0:
        talk("[yellow]{} does not occur in {}; the answer rests on its other conditions alone[/]", word, at)
    elif support < LITTLE and embeddings.counted:
        talk("[yellow]{} occurs only {} in {}; the answer is a guess[/]", word, number_of(support, "times"), at)


def say_if_none(found: Sized, where: str, min_count: int) -> None:
    """Say why there is no answer: no other word is frequent enough."""
    if not found:
        enough = number_of(min_count, "times")
        talk("[yellow]no other word occurs {} or more in {}; lower --min-count[/]", enough, where)
