"""One place alone: its time line, as a model of its own."""

from __future__ import annotations

import numpy as np

from chronotope.analysis.own_vectors import timeline
from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings


def of_place(embeddings: ConditionedEmbeddings, place: str) -> ConditionedEmbeddings:
    """The time bins of a place, of embeddings over time × place: the same vectors, and no others.

    Examples
    --------
    >>> both = Conditions(("1998", "1999"), ("canada", "india"), (0, 0, 1), (0, 1, 1))
    >>> support = Support(np.arange(4), np.array([0, 1, 0]), np.array([7, 8, 9]))
    >>> india = of_place(ConditionedEmbeddings(["river", "bank"], both, support, [[1, 0], [0, 1], [1, 1]]), "India")
    >>> india.conditions.labels, india.count("river")
    (('1998', '1999'), {'1998': 0, '1999': 9})
    """
    conditions, observed = embeddings.conditions, embeddings.observed
    chosen = timeline(conditions, place)
    pairs = np.concatenate([np.arange(observed.start[c], observed.start[c + 1]) for c in chosen])
    start = np.concatenate([[0], np.cumsum(np.diff(observed.start)[chosen])])
    return ConditionedEmbeddings(
        embeddings.words,
        Conditions.of_times([conditions.times[conditions.time_of[c]] for c in chosen]),
        Support(start, observed.word[pairs], observed.count[pairs]),
        embeddings.vectors[pairs],
        common=embeddings.common,
        condition_factors=embeddings.condition_factors[chosen],
        center=embeddings.center[chosen],
        contexts=embeddings.contexts,
        query_mapping=embeddings.query_mapping,
        provenance=embeddings.provenance,
    )
