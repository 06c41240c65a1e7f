"""`align`: models that the user has already, turned into one space, as embeddings that everything else works on."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import SEPARATOR, Conditions
from chronotope.config import at_least, one_of
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.formats import files_and_names, read_vectors
from chronotope.embeddings.word_vectors import WordVectors
from chronotope.errors import InputError, SettingsError
from chronotope.io.provenance import versions
from chronotope.methods.word2vec.procrustes import Fit, align_pairs

KINDS = ("time", "place", "time × place")
# Stands for a count where none is known: enough for every default of `min_support`, and the same for all words.
PRESENT = 100
HALF_TRUST = 100.0
_YEAR = re.compile(r"[+-]?\d{3,5}(?!\d)")


def align(
    models: Iterable[Any] | str | PathLike[str],
    names: Sequence[str] | None = None,
    *,
    kind: str | None = None,
    landmarks: Iterable[str] | None = None,
    center: bool = False,
    limit: int | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> ConditionedEmbeddings:
    """Models of one condition each, turned into one space: what every analysis, chart and command works on.

    Rotations keep all cosines, so within a condition the neighbors of a word are those of the model that was given.
    Time bins are aligned along the chain, each to the one before it, places to the one with the most words. A word
    that some models lack is kept, and is absent from those conditions; so is a word whose vector is zero.

    Counts come from gensim's objects and from `.vocab` files beside the vectors. Where one model has none, none are
    used: then every word counts as seen 100 times (`embeddings.counted` is False and the signature says 'no counts'),
    all words weigh the same in the rotations, and what rests on frequency (support, per million, z among words of like
    frequency, minimal support) tells nothing.

    Parameters
    ----------
    models
        Files that `read_vectors` reads, `WordVectors`, `KeyedVectors` or `Word2Vec` of gensim, embeddings of one
        condition, mappings from words to vectors, or pairs (words, vectors); all with the same number of dimensions. Or
        a folder: an export, or the decades of HistWords.
    names
        The label of each condition; by default the names of the files.
    kind
        'time', 'place' or 'time × place' (labels such as 1998/canada). By default told by the names: with a slash in
        each time × place, with a year at the start of each time, else place. Times that start with a year are put in
        order, others stay in the order given.
    landmarks
        The words that the rotations are fitted to, for instance words that are known to keep their meaning; by default
        all that two conditions share. Those that no model has are left out.
    center
        Take the mean of its vectors off each condition; by default vectors stay as they are.
    limit
        Only the first so many words of each file.
    progress
        Called with 'reading', how many models are read, and of how many.

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
    given = _all_read(models, names, limit, progress)
    conditions, order = _conditions([model.name for model in given], kind)
    given = [given[number] for number in order]
    sizes = {model.name: model.vector_size for model in given}
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{name} has {size:,}" for name, size in list(sizes.items())[:6])
        raise InputError(f"models of different dimensions cannot be turned into one space: {shown}")
    counted = all(model.counts is not None for model in given)
    words = _ranked(given, counted)
    support, vectors = _pairs(given, words, counted)
    fit = Fit(HALF_TRUST if counted else 0.0, _marked(landmarks, words), vectors.shape[1])
    return ConditionedEmbeddings(
        words,
        conditions,
        support,
        align_pairs(vectors, support, conditions, len(words), fit),
        center=None if center else np.zeros((len(conditions), vectors.shape[1])),
        provenance={
            "method": "align",
            "settings": {
                "center": center,
                "half_trust": fit.half_trust,
                "landmarks": None if fit.landmarks is None else int(fit.landmarks.sum()),
            },
            "models": [{"name": model.name, "words": len(model), "checksum": _checksum(model)} for model in given],
            "counted": counted,
            "device": "cpu",
            "versions": versions(),
        },
    )


def as_word_vectors(model: Any, limit: int | None = None) -> WordVectors:
    """A model of any kind that `align` takes."""
    if isinstance(model, str | PathLike):
        return read_vectors(Path(model), limit=limit)
    if isinstance(model, WordVectors):
        return model
    if isinstance(model, ConditionedEmbeddings):
        labels = model.conditions.labels
        if len(labels) > 1:
            raise InputError(
                f"a model of {len(labels):,} conditions is in one space already; give one of them: "
                f"embeddings.at('{labels[0]}')"
            )
        return model.at(labels[0])
    model = getattr(model, "wv", model)
    if hasattr(model, "index_to_key") and hasattr(model, "vectors"):
        return WordVectors(list(map(str, model.index_to_key)), model.vectors, _gensim_counts(model))
    if isinstance(model, Mapping):
        return _checked(list(model), list(model.values()))
    if isinstance(model, tuple) and len(model) == 2:
        return _checked(list(model[0]), model[1])
    raise InputError(f"cannot align a {type(model).__name__}; give files, KeyedVectors, or pairs (words, vectors)")


def _checked(words: list[Any], vectors: Any) -> WordVectors:
    try:
        return WordVectors(list(map(str, words)), vectors)
    except ValueError as error:
        raise InputError(f"cannot read words and vectors: {str(error).splitlines()[0]}") from None


def _gensim_counts(model: Any) -> NDArray[np.int64] | None:
    """The counts of gensim's object; None where it has none, or made them up while it read a file without."""
    counts = getattr(model, "expandos", {}).get("count")
    if counts is None or len(counts) != len(model.index_to_key):
        return None
    counts = np.asarray(counts, dtype=np.int64)
    made_up = np.array_equal(counts, np.arange(len(counts), 0, -1)) and len(counts) > 1
    return None if made_up or (counts < 1).any() else counts


def _all_read(
    models: Iterable[Any] | str | PathLike[str],
    names: Sequence[str] | None,
    limit: int | None,
    progress: Callable[[str, int, int | None], None] | None,
) -> list[WordVectors]:
    """The models with their names, words once each, none with a zero vector."""
    if limit is not None:
        at_least("limit", limit, 1)
    if isinstance(models, str | PathLike):
        found = files_and_names(Path(models))
        models, names = [file for file, _ in found], names or [name for _, name in found]
    if isinstance(models, Mapping | WordVectors | ConditionedEmbeddings):
        raise InputError("align takes a list of models, or a folder of them")
    models = list(models)
    if names is not None and len(names) != len(models):
        raise SettingsError(f"there are {len(models):,} models and {len(names):,} names; give one for each")
    if len(models) < 2:
        raise InputError(f"align takes two models at least, not {len(models)}")
    given = []
    for number, model in enumerate(models):
        if progress:
            progress("reading", number, len(models))
        read = as_word_vectors(model, limit)
        name = str(names[number]).strip() if names is not None else read.name
        if not name:
            raise SettingsError(f"model {number + 1} has no name; give names, one for each model")
        given.append(_plain(read, name))
    if progress:
        progress("reading", len(models), len(models))
    return given


def _plain(model: WordVectors, name: str) -> WordVectors:
    """A model under its name, without zero vectors, words twice, and line ends in words."""
    if not np.isfinite(model.vectors).all():
        raise InputError(f"the vectors of {name} hold values that are not numbers")
    seen: set[str] = set()
    kept, words = [], []
    for number, nonzero in enumerate(np.asarray(model.vectors.any(axis=1)).tolist()):
        word = model.index_to_key[number].replace("\n", " ")
        if nonzero and word not in seen:
            seen.add(word)
            kept.append(number)
            words.append(word)
    if not kept:
        raise InputError(f"{name} holds no vector that is not zero")
    counts = None if model.counts is None else model.counts[kept]
    vectors = model.vectors if len(kept) == len(model) else model.vectors[kept]
    return WordVectors(words, vectors, counts, name=name, notes=model.notes)


def _conditions(names: list[str], kind: str | None) -> tuple[Conditions, list[int]]:
    """The conditions, and the models in their order."""
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
        order = _in_time(names)
        return Conditions.of_times([names[number] for number in order]), order
    if not slashed:
        raise SettingsError("with time × place every name is a time, a slash and a place: 1998/canada")
    pairs = [name.split(SEPARATOR) for name in names]
    times, places = (list(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
    times = [times[number] for number in _in_time(times)]
    order.sort(key=lambda number: (times.index(pairs[number][0]), places.index(pairs[number][1])))
    return Conditions(
        tuple(times),
        tuple(places),
        tuple(times.index(pairs[number][0]) for number in order),
        tuple(places.index(pairs[number][1]) for number in order),
    ), order


def _in_time(names: list[str]) -> list[int]:
    """The order of time bins: by year where each starts with one, else as given."""
    years = [_YEAR.match(name) for name in names]
    order = list(range(len(names)))
    if all(years):
        order.sort(key=lambda number: (int(years[number][0]), names[number]))  # type: ignore[index]
    return order


def _ranked(given: Sequence[WordVectors], counted: bool) -> list[str]:
    """All words, the most frequent first; without counts, those that stand near the top of the models."""
    weight: dict[str, float] = {}
    for model in given:
        if counted and model.counts is not None:
            own = model.counts.tolist()
        else:
            own = (1 / np.arange(1, len(model) + 1)).tolist()
        for word, number in zip(model.index_to_key, own, strict=True):
            weight[word] = weight.get(word, 0) + number
    return sorted(weight, key=lambda word: -weight[word])


def _pairs(given: Sequence[WordVectors], words: list[str], counted: bool) -> tuple[Support, NDArray[np.float32]]:
    """Which words occur where, how often, and their vectors."""
    number = {word: at for at, word in enumerate(words)}
    start, numbers, counts, vectors = [0], [], [], []
    for model in given:
        own = np.array([number[word] for word in model.index_to_key], dtype=np.int32)
        order = np.argsort(own)
        start.append(start[-1] + len(own))
        numbers.append(own[order])
        vectors.append(model.vectors[order])
        known = counted and model.counts is not None
        counts.append(np.maximum(model.counts[order], 1) if known else np.full(len(own), PRESENT, dtype=np.int64))  # type: ignore[index]
    return Support(np.array(start), np.concatenate(numbers), np.concatenate(counts)), np.concatenate(vectors)


def _marked(landmarks: Iterable[str] | None, words: list[str]) -> NDArray[np.bool_] | None:
    """(W,) which words are landmarks; None for all."""
    if landmarks is None:
        return None
    chosen = {landmarks} if isinstance(landmarks, str) else set(landmarks)
    marked = np.array([word in chosen for word in words])
    if not marked.any():
        raise InputError(f"none of the {len(chosen):,} landmarks is in any of the models")
    return marked


def _checksum(model: WordVectors) -> str:
    """Of the words and their vectors, whatever file or object they came from."""
    digest = hashlib.blake2b("\n".join(model.index_to_key).encode("utf-8", "replace"), digest_size=16)
    digest.update(np.ascontiguousarray(model.vectors).data)
    return digest.hexdigest()
