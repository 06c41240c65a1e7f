"""`align`: rotate models of single conditions into one space, as embeddings for every analysis."""

import hashlib
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import SEPARATOR, Conditions
from chronotope.config import one_of
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.formats import files_and_names, only_condition, read_vectors
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import InputError, SettingsError, first_line, number_of
from chronotope.io.provenance import versions
from chronotope.methods.word2vec import procrustes
from chronotope.runtime.progress import Progress

KINDS = ("time", "place", "time × place")
# Count of every word if none is known: above every default of `min_count`.
UNKNOWN_COUNT = 100
SHRINKAGE = 100.0
_YEAR = re.compile(r"[+-]?\d{3,5}(?!\d)")


def align(
    models: Iterable[Any] | str | PathLike[str],
    names: Sequence[str] | None = None,
    *,
    kind: str | None = None,
    landmarks: Iterable[str] | None = None,
    center: bool = False,
    limit: int | None = None,
    progress: Progress | None = None,
) -> ConditionedEmbeddings:
    """Rotate models of single conditions into one space.

    Rotations keep all cosines, so the neighbors of a word within a condition are those of the original model. Each time
    bin is rotated to the previous one, each place to the place with the most words. A word is absent from a condition
    if its model lacks the word or has a zero vector for it.

    Counts come from gensim's objects and from `.vocab` files beside the vectors. If one model has no counts, none are
    used: every word gets the count 100 (`embeddings.counted` is False and the signature says 'no counts'), all words
    have the same weight in the rotations, and answers based on frequency are meaningless.

    Parameters
    ----------
    models
        Files that `read_vectors` reads, `WordVectors`, `KeyedVectors` or `Word2Vec` of gensim, embeddings of one
        condition, mappings from words to vectors, or pairs (words, vectors); all with the same number of dimensions. Or
        a folder: an export, or the decades of HistWords.
    names
        The label of each condition; by default the names of the files.
    kind
        'time', 'place' or 'time × place' (labels such as 1998/canada). By default inferred from the names: with a
        slash in each, time × place; with a year at the start of each, time; else place. Times that start with a year
        are sorted, others keep their order.
    landmarks
        The words that the rotations are fitted to, for instance words that keep their meaning; by default all shared
        words of two conditions. Unknown words are ignored.
    center
        Subtract the mean vector of each condition.
    limit
        Number of words to read from each file.
    progress
        Called with 'reading', the number of models read, and their total number.

    Examples
    --------
    >>> words = ["river", "water", "money"]
    >>> before = WordVectors(words, [[1, 0], [0.8, 0.6], [0, 1]], name="1990")
    >>> turned = WordVectors([*words, "euro"], [[0, 1], [-0.6, 0.8], [-1, 0], [-0.9, 0.1]], name="2000")
    >>> embeddings = align([before, turned])
    >>> embeddings
    <ConditionedEmbeddings: 4 words, 2 conditions (time, 1990 … 2000), 2 dimensions>
    >>> embeddings.equivalents("money", at="1990", to="2000", top=2)[1].word
    'euro'
    """
    read = _read_all(models, names, limit, progress)
    conditions, order = _conditions([model.name for model in read], kind)
    read = [read[number] for number in order]
    sizes = {model.name: model.vector_size for model in read}
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{name} has {size:,}" for name, size in list(sizes.items())[:6])
        raise InputError(f"models of different dimensions cannot be rotated into one space: {shown}")
    counted = all(model.counts is not None for model in read)
    words = _ranked_words(read, counted)
    support, vectors = _pairs(read, words, counted)
    marked = _landmarks(landmarks, words)
    shrinkage, dimensions = SHRINKAGE if counted else 0.0, vectors.shape[1]
    return ConditionedEmbeddings(
        words,
        conditions,
        support,
        procrustes.align(vectors, support, conditions, len(words), shrinkage, marked, min_shared=dimensions),
        center=None if center else np.zeros((len(conditions), dimensions)),
        provenance={
            "method": "align",
            "settings": {
                "center": center,
                "shrinkage": shrinkage,
                "landmarks": None if marked is None else int(marked.sum()),
            },
            "models": [{"name": model.name, "words": len(model), "checksum": _checksum(model)} for model in read],
            "counted": counted,
            "device": "cpu",
            "versions": versions(),
        },
    )


def as_word_vectors(model: Any, limit: int | None = None) -> WordVectors:
    """Convert a model of any kind that `align` accepts to word vectors; warn of repaired or skipped words of a file."""
    if isinstance(model, str | PathLike):
        vectors = read_vectors(Path(model), limit=limit)
        for note in vectors.notes:
            warnings.warn(f"{model}: {note}", stacklevel=4)
        return vectors
    if isinstance(model, WordVectors):
        return model
    if isinstance(model, ConditionedEmbeddings):
        return only_condition(model)
    model = getattr(model, "wv", model)
    if hasattr(model, "index_to_key") and hasattr(model, "vectors"):
        return WordVectors(list(map(str, model.index_to_key)), model.vectors, _gensim_counts(model))
    if isinstance(model, Mapping):
        model = list(model), list(model.values())
    if not (isinstance(model, tuple) and len(model) == 2):
        raise InputError(f"cannot align a {type(model).__name__}; give files, KeyedVectors, or pairs (words, vectors)")
    try:
        return WordVectors(list(map(str, model[0])), model[1])
    except ValueError as error:
        raise InputError(f"cannot read words and vectors: {first_line(error)}") from None


def _gensim_counts(model: Any) -> NDArray[np.int64] | None:
    """Return the counts of gensim's object; None if it has none, or the placeholders that gensim sets for files."""
    counts = getattr(model, "expandos", {}).get("count")
    if counts is None or len(counts) != len(model.index_to_key):
        return None
    counts = np.asarray(counts, dtype=np.int64)
    placeholders = np.array_equal(counts, np.arange(len(counts), 0, -1)) and len(counts) > 1
    return None if placeholders or (counts < 1).any() else counts


def _read_all(
    models: Iterable[Any] | str | PathLike[str],
    names: Sequence[str] | None,
    limit: int | None,
    progress: Progress | None,
) -> list[WordVectors]:
    """Read all models and set their names."""
    if isinstance(models, list | tuple) and len(models) == 1 and isinstance(models[0], str | PathLike):
        models = models[0]  # a folder, as on the command line
    if isinstance(models, str | PathLike):
        files = files_and_names(Path(models))
        models, names = [file for file, _ in files], names or [name for _, name in files]
    if isinstance(models, Mapping | WordVectors | ConditionedEmbeddings):
        raise InputError("align takes a list of models, or a folder of them")
    models = list(models)
    if names is not None and len(names) != len(models):
        there, given = number_of(len(models), "models"), number_of(len(names), "names")
        raise SettingsError(f"{there} but {given}; give one name for each model")
    if len(models) < 2:
        raise InputError(f"align takes two models at least, not {len(models)}")
    read = []
    progress = progress or (lambda *_: None)
    for number, model in enumerate(models):
        progress("reading", number, len(models))
        vectors = as_word_vectors(model, limit)
        name = str(names[number]).strip() if names is not None else vectors.name
        if not name:
            raise SettingsError(f"model {number + 1} has no name; give names, one for each model")
        read.append(_clean(vectors, name))
    progress("reading", len(models), len(models))
    return read


def _clean(model: WordVectors, name: str) -> WordVectors:
    """Return a model under a name, without zero vectors, repeated words, and line ends in words."""
    if not np.isfinite(model.vectors).all():
        raise InputError(f"the vectors of {name} hold values that are not numbers")
    kept: dict[str, int] = {}
    for number, nonzero in enumerate(np.asarray(model.vectors.any(axis=1)).tolist()):
        if nonzero:
            kept.setdefault(model.index_to_key[number].replace("\n", " "), number)
    if not kept:
        raise InputError(f"{name} has only zero vectors")
    rows = list(kept.values())
    counts = None if model.counts is None else model.counts[rows]
    vectors = model.vectors if len(rows) == len(model) else model.vectors[rows]
    return WordVectors(list(kept), vectors, counts, name=name)


def _conditions(names: list[str], kind: str | None) -> tuple[Conditions, list[int]]:
    """Return the conditions, and the numbers of the models in their order."""
    if len({name.casefold() for name in names}) < len(names):
        raise SettingsError(f"two models have the same name: {', '.join(names[:12])}; give names, one for each")
    slashed = all(name.count(SEPARATOR) == 1 for name in names)
    if kind is None:
        kind = "time × place" if slashed else "time" if all(map(_YEAR.match, names)) else "place"
    one_of("kind", kind, KINDS)
    order = list(range(len(names)))
    if kind == "place":
        return Conditions.of_places(names), order
    if kind == "time":
        times = _sorted_times(names)
        return Conditions.of_times(times), [names.index(time) for time in times]
    if not slashed:
        raise SettingsError("with time × place every name is a time, a slash and a place: 1998/canada")
    pairs = [name.split(SEPARATOR) for name in names]
    times, places = (list(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
    times = _sorted_times(times)
    numbers = [(times.index(time), places.index(place)) for time, place in pairs]
    order.sort(key=lambda number: numbers[number])
    time_of, place_of = zip(*(numbers[number] for number in order), strict=True)
    return Conditions(tuple(times), tuple(places), time_of, place_of), order


def _sorted_times(names: list[str]) -> list[str]:
    """Sort time bins by year if each starts with one."""
    years = {name: int(match[0]) for name in names if (match := _YEAR.match(name))}
    return sorted(names, key=lambda name: (years[name], name)) if len(years) == len(names) else names


def _ranked_words(models: Sequence[WordVectors], counted: bool) -> list[str]:
    """Return all words, most frequent first; without counts, by their ranks in the models."""
    weight: dict[str, float] = {}
    for model in models:
        own = model.counts if counted and model.counts is not None else 1 / np.arange(1, len(model) + 1)
        for word, number in zip(model.index_to_key, own.tolist(), strict=True):
            weight[word] = weight.get(word, 0) + number
    return sorted(weight, key=lambda word: -weight[word])


def _pairs(models: Sequence[WordVectors], words: list[str], counted: bool) -> tuple[Support, NDArray[np.float32]]:
    """Return the words of each condition with their counts, and their vectors."""
    index = {word: number for number, word in enumerate(words)}
    numbers, counts, vectors = [], [], []
    for model in models:
        own = np.array([index[word] for word in model.index_to_key], dtype=np.int32)
        count = model.counts if counted and model.counts is not None else np.full(len(own), UNKNOWN_COUNT)
        order = np.argsort(own)
        numbers.append(own[order])
        vectors.append(model.vectors[order])
        counts.append(np.maximum(count[order], 1).astype(np.int64))
    start = np.append(0, np.cumsum([len(own) for own in numbers]))
    return Support(start, np.concatenate(numbers), np.concatenate(counts)), np.concatenate(vectors)


def _landmarks(landmarks: Iterable[str] | None, words: list[str]) -> NDArray[np.bool_] | None:
    """(W,) whether each word is a landmark; None for all."""
    if landmarks is None:
        return None
    chosen = {landmarks} if isinstance(landmarks, str) else set(landmarks)
    marked = np.array([word in chosen for word in words])
    if not marked.any():
        raise InputError(f"none of the {len(chosen):,} landmarks is in any of the models")
    return marked


def _checksum(model: WordVectors) -> str:
    """Return the checksum of words and vectors."""
    digest = hashlib.blake2b("\n".join(model.index_to_key).encode("utf-8", "replace"), digest_size=16)
    digest.update(np.ascontiguousarray(model.vectors).data)
    return digest.hexdigest()
