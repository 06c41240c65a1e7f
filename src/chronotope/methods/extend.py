"""Add new periods or places to a trained model.

The contexts are fixed, so each new row has a closed form: a weighted mean of the fit to its mutual information, the
word's vector in the previous bin, and its common vector. Adding bins together or one by one gives the same result.
"""

from itertools import pairwise
from pathlib import Path

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

    Answers about old conditions stay the same: `neighbors` and `similarity` with `at`, `equivalents`, `matrix`, `drift`
    with `start` and `end`, and the old rows of `series` unless `against` is 'overall'. Answers about all conditions
    include the new ones: `stable`, `drift` without ends, `neighbors` without `at`, `changepoints`, `axis` with seeds of
    all conditions.

    Words that the model does not know are left out, and the contexts do not change. If a new period brings many new
    words, train again.

    Parameters
    ----------
    embeddings
        A model with common contexts (`graph` or `shared-context`), or its file.
    counts
        The counts of the new text, with the settings of the model's text; a low min_count keeps all its words.

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

    time_of, place_of = conditions.coordinates
    # The latest vector of each word in each place, and its time bin; untouched pages of zeros take no memory.
    latest = np.zeros((place_of.max() + 1, words, embeddings.dimensions), dtype=np.float32)
    latest_time = np.full(latest.shape[:2], -1)
    old = embeddings.observed
    for condition, (low, high) in enumerate(pairwise(old.start)):
        where = place_of[condition], old.word[low:high]
        latest[where], latest_time[where] = embeddings.vectors[low:high], time_of[condition]
    added = []
    for condition in range(len(counts.conditions)):
        own = number[support.words_in(condition)]
        order = np.argsort(own, kind="stable")[: int((own < words).sum())]
        word, count = own[order].astype(np.int32), support.counts_in(condition)[order]
        matrix = pmi_matrix(renumber(counts.cells(condition), number, words), words, model.association)
        weight = (count / (count + model.shrinkage))[:, None]
        at = len(embeddings.conditions) + condition
        where = place_of[at], word
        gap = np.maximum(time_of[at] - latest_time[where], 1)
        pull = np.where(latest_time[where] >= 0, (model.smoothness or 0.0) / gap, 0.0)[:, None]
        vectors = weight * (matrix[word] @ embeddings.contexts.astype(np.float64)) + pull * latest[where]
        vectors += beta * embeddings.common[word]
        vectors = (vectors / np.maximum(weight + pull + beta, 1e-12)).astype(np.float32)
        latest[where], latest_time[where] = vectors, time_of[at]
        added.append((word, count, vectors))

    sizes = np.cumsum([len(word) for word, _, _ in added])
    word, count, vectors = (np.concatenate(part) for part in zip(*added, strict=True))
    start = np.append(old.start, old.start[-1] + sizes)
    center = centers(Support(np.append(0, sizes), word, count), vectors)
    entry = {"run": counts.checksum, "conditions": list(counts.conditions.labels)}
    return ConditionedEmbeddings(
        embeddings.words,
        conditions,
        Support(start, np.append(old.word, word), np.append(old.count, count)),
        np.concatenate([embeddings.vectors, vectors]),
        common=embeddings.common,
        condition_factors=np.concatenate([embeddings.condition_factors, np.ones((len(added), embeddings.dimensions))]),
        center=np.concatenate([embeddings.center, center]),
        contexts=embeddings.contexts,
        provenance=embeddings.provenance | {"extended": [*embeddings.provenance.get("extended", []), entry]},
    )


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


def _model_of(embeddings: ConditionedEmbeddings, counts: Counts) -> GraphModel:
    """Return the settings that the model was trained with."""
    provenance = embeddings.provenance
    if not len(embeddings.contexts):
        raise SettingsError(f"{provenance.get('method', 'this model')} has no common contexts; extend a model of graph")
    model = from_dict(GraphModel, provenance["settings"])
    if model.marginals != "own":
        raise SettingsError(
            "a model with pooled marginals cannot be extended, since new text changes them; train again"
        )
    if provenance["window"] != counts.settings.window:
        raise SettingsError(f"the model has a window of {provenance['window']}, not {counts.settings.window}")
    return model
