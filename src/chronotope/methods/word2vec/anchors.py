"""Anchors: the words that vectors trained apart are aligned by (Zhang et al. 2016)."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chronotope.cooccurrence import Counts
from chronotope.embeddings.nearest import unit_rows
from chronotope.errors import InputError
from chronotope.methods.word2vec.procrustes import Floats, align

FREQUENT_SHARE = 0.05  # of the vocabulary, as in the original
STABLE_SHARE = 0.25


def anchor_words(
    anchors: str | tuple[str, ...] | None, counts: Counts, vectors: Floats, shrinkage: float
) -> NDArray[np.bool_] | None:
    """(W,) whether each word is an anchor; None for all words.

    Parameters
    ----------
    anchors
        'frequent', 'stable', words, or the path of a file with one word a line.
    vectors
        (P, D) the vectors of all conditions, not aligned.

    Raises
    ------
    InputError
        If the file cannot be read, or no anchor is in the vocabulary. Some unknown anchors are a warning.
    """
    vocabulary = counts.vocabulary
    words, dimensions = len(vocabulary), vectors.shape[1]
    chosen = np.zeros(words, dtype=bool)
    if anchors is None:
        return None
    if anchors == "frequent":
        chosen[: max(int(np.ceil(FREQUENT_SHARE * words)), 2 * dimensions)] = True  # the most frequent come first
        return chosen
    if anchors == "stable":
        score = stability(counts, align(vectors, vocabulary.support, counts.conditions, words, shrinkage))
        number = max(int(np.ceil(STABLE_SHARE * words)), 2 * dimensions)
        best = np.argsort(-score, kind="stable")[:number]
        chosen[best[score[best] >= 0]] = True
        return chosen
    listed = read_words(anchors) if isinstance(anchors, str) else anchors
    known = set(vocabulary.words)
    missing = [word for word in listed if word not in known]
    if len(missing) == len(listed):
        raise InputError("none of the anchors is in the vocabulary")
    if missing:
        warnings.warn(
            f"{len(missing)} of {len(listed)} anchors are not in the vocabulary: {missing[0]} …", stacklevel=2
        )
    chosen[[vocabulary.index(word) for word in listed if word in known]] = True
    return chosen


def stability(counts: Counts, aligned: Floats) -> NDArray[np.float64]:
    """(W,) the length of the mean of a word's unit vectors; −1 for words in fewer than half of the conditions."""
    support, words = counts.vocabulary.support, len(counts.vocabulary)
    total = np.zeros((words, aligned.shape[1]))
    np.add.at(total, support.word, unit_rows(aligned))
    conditions = np.bincount(support.word, minlength=words)
    score = np.linalg.norm(total, axis=1) / np.maximum(conditions, 1)
    return np.where(2 * conditions >= len(counts.conditions), score, -1.0)


def read_words(path: str) -> tuple[str, ...]:
    """Read a file with one word a line."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"anchors must be frequent, stable, or a file in UTF-8; cannot read {path}: {error}") from None
    return tuple(line.strip() for line in lines if line.strip())
