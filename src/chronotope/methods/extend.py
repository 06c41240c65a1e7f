"""Add new periods or places to a trained model.

The contexts are fixed, so each new row has a closed form: a weighted mean of the fit to its mutual information, the
word's vector in the previous bin, and its common vector. Bins added at once or one by one give the same result.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.config import from_dict
from chronotope.cooccurrence import CellArrays, Counts
from chronotope.cooccurrence.association import pmi_matrix
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings, load
from chronotope.embeddings.arrays import centers
from chronotope.errors import InputError, SettingsError, number_of
from chronotope.methods.graph.model import GraphModel


def extend(embeddings: ConditionedEmbeddings | str | Path, counts: Counts) -> ConditionedEmbeddings:
    """Return the embeddings with the conditions of new text added; the old vectors keep every bit.

    Answers about named old conditions stay the same: `neighbors` and `similarity` there, `equivalents` from one to
    another, `matrix`, `drift` with `start` and `end`, and in `series` the old rows unless `against` is 'overall'.
    Answers over all conditions take in the new ones: `stable`, `drift` without ends, `neighbors` without `at`,
    `changepoints`, `axis` with seeds of all conditions.

    Words that the model does not know are left out, and the contexts do not change. If a new period brings many new
    words, train again.

    Parameters
    ----------
    embeddings
        A model with common contexts (`graph` or `shared-context`), or its file.
    counts
        The counts of the new text, read and counted as the text of the model was; a low min_count keeps all its words.

    Examples
    --------
    >>> import chronotope as ct
    >>> records = ct.invented_world(documents=400).records
    >>> old, new = ([r for r in records if (r["time"] < "1997") == early] for early in (True, False))
    >>> embeddings = ct.GraphModel(dimensions=20).fit(ct.count(ct.read_corpus(old, time="time"), min_count=5))
    >>> ct.extend(embeddings, ct.count(ct.read_corpus(new, time="time"), min_count=1)).conditions.times[-2:]
    ('1998', '1999')
    """
    if isinstance(embeddings, str | Path):
        embeddings = load(embeddings)
    if not isinstance(counts, Counts):
        raise InputError(f"extend takes the counts of the new text (chronotope.count), not {type(counts).__name__}")
    model = _model_of(embeddings, counts)
    beta = model.deviation_penalty or 0.0
    conditions = append_conditions(embeddings.conditions, counts.conditions)
    words, support = len(embeddings.words), counts.vocabulary.support
    known = {word: number for number, word in enumerate(embeddings.words)}
    number = np.array([known.get(word, words) for word in counts.vocabulary.words])
    if (number == words).all():
        raise InputError("no word of the new text is known to the model; train a new one")

    latest = _Latest(conditions, words, embeddings.dimensions)
    for condition, (low, high) in enumerate(pairwise(embeddings.observed.start)):
        latest.put(condition, embeddings.observed.word[low:high], embeddings.vectors[low:high])
    found = []
    for condition in range(len(counts.conditions)):
        own = number[support.words_in(condition)]
        order = np.argsort(own, kind="stable")[: int((own < words).sum())]
        word, count = own[order].astype(np.int32), support.counts_in(condition)[order]
        matrix = pmi_matrix(renumber(counts.cells(condition), number, words), words, model.association)
        weight = (count / (count + model.shrinkage))[:, None]
        at = len(embeddings.conditions) + condition
        before, pull = latest.of(at, word, model.smoothness or 0.0)
        vectors = weight * (matrix[word] @ embeddings.contexts.astype(np.float64)) + pull * before
        vectors += beta * embeddings.common[word]
        vectors = (vectors / np.maximum(weight + pull + beta, 1e-12)).astype(np.float32)
        latest.put(at, word, vectors)
        found.append((word, count, vectors))
    return _with(embeddings, counts, conditions, found)


def append_conditions(old: Conditions, new: Conditions) -> Conditions:
    """Return the old conditions, then the new ones; these must be new and must not lie before the old ones."""
    if old.axis != new.axis:
        raise InputError(f"the model has conditions by {old.axis}, the new text by {new.axis}")
    if old.levels != new.levels:
        raise InputError(f"places have {number_of(old.levels, 'levels')} in the model and {new.levels} in the new text")
    if again := [label for label in new.labels if label in old.labels]:
        raise InputError(f"the model has {again[0]} already; extend takes only new conditions, or train again")
    times = old.times + tuple(time for time in new.times if time not in old.times)
    places = old.places + tuple(place for place in new.places if place not in old.places)
    added = times[len(old.times) :]
    if added and old.times and added[0][:4].isdigit() and added[0] < old.times[-1]:
        raise InputError(f"{added[0]} lies before {old.times[-1]}; extend goes forward in time: train again")
    return Conditions(
        times,
        places,
        old.time_of + tuple(times.index(new.times[time]) for time in new.time_of),
        old.place_of + tuple(places.index(new.places[place]) for place in new.place_of),
        old.levels,
    )


def renumber(cells: CellArrays, number: NDArray[np.int64], words: int) -> CellArrays:
    """Return the cells with new word numbers, without words whose number is `words` or more.

    >>> [column.tolist() for column in renumber(CellArrays.of([0], [1], [2], [2]), np.array([7, 3]), 9)]
    [[3], [7], [2], [0]]
    """
    word, context = number[cells.word], number[cells.context]
    kept = (word < words) & (context < words)
    word, context, count, after = word[kept], context[kept], cells.count[kept], cells.after[kept]
    after = np.where(word > context, count - after, after)
    low, high = np.minimum(word, context), np.maximum(word, context)
    order = np.lexsort((high, low))
    return CellArrays(low[order].astype(np.int32), high[order].astype(np.int32), count[order], after[order])


class _Latest:
    """The latest vector of each word in each place, and its time bin."""

    def __init__(self, conditions: Conditions, words: int, dimensions: int) -> None:
        places = max(len(conditions.places), 1)
        self._conditions = conditions
        # Untouched pages of zeros take no memory.
        self._vector = np.zeros((places, words, dimensions), dtype=np.float32)
        self._time = np.full((places, words), -1)

    def of(self, condition: int, word: NDArray[np.int32], smoothness: float) -> tuple[Any, Any]:
        """Return the previous vectors, (R, D), and the weight of each, (R, 1); 0 if there is none."""
        if not self._conditions.times:
            return np.zeros((len(word), self._vector.shape[2])), np.zeros((len(word), 1))
        place = self._place(condition)
        gap = self._conditions.time_of[condition] - self._time[place, word]
        pull = np.where(self._time[place, word] >= 0, smoothness / np.maximum(gap, 1), 0.0)
        return self._vector[place, word], pull[:, None]

    def put(self, condition: int, word: NDArray[np.int32], vectors: NDArray[np.float32]) -> None:
        """Store the vectors of a condition."""
        if self._conditions.times:
            place = self._place(condition)
            self._vector[place, word], self._time[place, word] = vectors, self._conditions.time_of[condition]

    def _place(self, condition: int) -> int:
        return self._conditions.place_of[condition] if self._conditions.places else 0


def _model_of(embeddings: ConditionedEmbeddings, counts: Counts) -> GraphModel:
    """Return the settings that the model was trained with."""
    provenance = embeddings.provenance
    if not len(embeddings.contexts):
        raise SettingsError(f"{provenance.get('method', 'this model')} has no common contexts; extend a model of graph")
    model = from_dict(GraphModel, provenance["settings"])
    if model.marginals != "own":
        raise SettingsError("a model with pooled marginals cannot be extended: these would change; train again")
    if provenance["window"] != counts.settings.window:
        raise SettingsError(f"the model has a window of {provenance['window']}, not {counts.settings.window}")
    return model


def _with(
    embeddings: ConditionedEmbeddings,
    counts: Counts,
    conditions: Conditions,
    found: list[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float32]]],
) -> ConditionedEmbeddings:
    old = embeddings.observed
    sizes = np.cumsum([len(word) for word, _, _ in found])
    word, count, vectors = (np.concatenate(part) for part in zip(*found, strict=True))
    start = np.append(old.start, old.start[-1] + sizes)
    support = Support(start, np.append(old.word, word), np.append(old.count, count))
    center = centers(Support(np.append(0, sizes), word, count), vectors)
    added = {"run": counts.checksum, "conditions": list(counts.conditions.labels)}
    return ConditionedEmbeddings(
        embeddings.words,
        conditions,
        support,
        np.concatenate([embeddings.vectors, vectors]),
        common=embeddings.common,
        condition_factors=np.concatenate([embeddings.condition_factors, np.ones((len(found), embeddings.dimensions))]),
        center=np.concatenate([embeddings.center, center]),
        contexts=embeddings.contexts,
        provenance=embeddings.provenance | {"extended": [*embeddings.provenance.get("extended", []), added]},
    )
