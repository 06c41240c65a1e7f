"""Embeddings drawn at random, with absent words and rare ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings


def support_from(counts: Any) -> Support:
    """The support that a (C, W) table of counts describes."""
    counts = np.asarray(counts)
    condition, word = np.nonzero(counts)
    start = np.searchsorted(condition, np.arange(len(counts) + 1))
    return Support(start.astype(np.int64), word.astype(np.int32), counts[condition, word].astype(np.int64))


def model_of(
    vectors: Any, conditions: Conditions | None = None, words: Sequence[str] = (), count: Any = 9, **more: Any
) -> ConditionedEmbeddings:
    """A model of (C, W, D) vectors; every word occurs nine times everywhere, or as often as a (C, W) table says.

    Without other names the conditions are years from 1990, and the words w0, w1, …
    """
    vectors = np.asarray(vectors)
    years = Conditions.of_times([str(1990 + at) for at in range(len(vectors))])
    support = support_from(np.broadcast_to(count, vectors.shape[:2]))
    names = list(words) or [f"w{i}" for i in range(vectors.shape[1])]
    return ConditionedEmbeddings(names, conditions or years, support, vectors[support.condition, support.word], **more)


def random_embeddings(
    words: int = 60, conditions: Conditions | None = None, dimensions: int = 7, seed: int = 0, **more: Any
) -> ConditionedEmbeddings:
    """About a third of the pairs is absent, and another third is rare."""
    rng = np.random.default_rng(seed)
    conditions = conditions or Conditions.of_times(["1990", "2000", "2010"])
    counts = rng.choice([0, 3, 50], (len(conditions), words)) * rng.integers(1, 9, (len(conditions), words))
    support = support_from(counts)
    vectors = rng.standard_normal((len(support.word), dimensions)) + 0.5
    return ConditionedEmbeddings([f"w{i}" for i in range(words)], conditions, support, vectors, **more)
