"""The path of a word among its company over all conditions, in two dimensions.

As in the paper, the picture is a locally linear embedding (Roweis and Saul, 2000): each point is rebuilt from its
nearest points, and the plane keeps those weights. It preserves who is near whom, not distances; its axes have no unit.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.company import company
from chronotope.analysis.own_vectors import in_one_space, own_vectors
from chronotope.config import at_least, one_of
from chronotope.embeddings import ConditionedEmbeddings

METHODS = ("lle", "pca")
# From fewer points each point would be rebuilt from nearly all others, and the picture would be arbitrary.
FEWEST_FOR_LLE = 12
NEIGHBORS = 10
# Points that the others do not have among their neighbors make a part of the picture of their own if they are so many.
FEWEST_IN_A_PART = 3
# Two dots that are nearer to each other than this share of the picture are one to the eye.
APART = 0.01


@dataclass(frozen=True)
class PathPoint(Answer):
    """A word in a condition, and where it is drawn."""

    condition: str
    support: int
    x: float
    y: float


@dataclass(frozen=True)
class CompanyPoint(Answer):
    """A word of the company, where it is drawn, and the conditions in which it is among the nearest."""

    word: str
    x: float
    y: float
    near_in: tuple[str, ...]


@dataclass(frozen=True)
class Trajectory(Answer):
    """A word's path among its company.

    Attributes
    ----------
    word
        The word.
    axis
        What distinguishes the conditions: a path has an order over time, not over places.
    method
        How the picture was made: 'lle' or 'pca'.
    note
        Why it is not the method that was asked for; empty where it is.
    path
        The word in each condition in which it has enough support, in order.
    company
        The words that are near it somewhere, each once, where it stands on average in those conditions.
    signature
        How the embeddings were made.
    """

    word: str
    axis: str
    method: str
    note: str
    path: tuple[PathPoint, ...]
    company: tuple[CompanyPoint, ...]
    signature: str


def trajectory(
    embeddings: ConditionedEmbeddings,
    word: str,
    *,
    method: str = "lle",
    top: int = 3,
    limit: int = 24,
    min_count: int = 5,
) -> Trajectory:
    """A word and its company over all conditions in one plane.

    Parameters
    ----------
    embeddings
        The embeddings.
    word
        The word; it has enough support in two conditions at least.
    method
        'lle', locally linear embedding, or 'pca', principal axes.
    top
        How many neighbors each condition contributes.
    limit
        The most words of company.
    min_count
        A condition counts where the word occurs at least so often; so does a neighbor.
    """
    one_of("method", method, METHODS)
    at_least("limit", limit, 1)
    in_one_space(embeddings)
    own = own_vectors(embeddings, word, min_count, least=2)
    known = company(embeddings, word, top=top, among="each", limit=limit, min_count=min_count)
    around = [_mean_direction(embeddings, one.word, one.near_in) for one in known.companions]
    rows = np.concatenate([own.unit, np.reshape(around, (-1, own.unit.shape[1]))])
    plane, note = _lle(rows) if method == "lle" else (None, "")
    used = "pca" if plane is None else "lle"
    plane = _principal_axes(rows) if plane is None else plane
    labels = embeddings.conditions.labels
    path = tuple(
        PathPoint(labels[condition], embeddings.count(word, labels[condition]), x, y)
        for condition, (x, y) in zip(own.conditions, plane.tolist(), strict=False)
    )
    friends = tuple(
        CompanyPoint(one.word, x, y, one.near_in)
        for one, (x, y) in zip(known.companions, plane[len(own.unit) :].tolist(), strict=True)
    )
    return Trajectory(word, embeddings.conditions.axis, used, note, path, friends, embeddings.signature)


def _mean_direction(embeddings: ConditionedEmbeddings, word: str, labels: tuple[str, ...]) -> NDArray[np.float64]:
    """The mean of a word's unit vectors in some conditions, of length one."""
    rows = np.array([embeddings.project([word], label, label)[0] for label in labels], dtype=np.float64)
    mean = rows.mean(axis=0)
    return np.asarray(mean / (np.sqrt(np.square(mean).sum()) or 1))


def _lle(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64] | None, str]:
    """The locally linear embedding; or None where it would mean nothing, and why."""
    from sklearn.manifold import LocallyLinearEmbedding

    from chronotope.runtime.blas import one_blas_thread

    if len(rows) < FEWEST_FOR_LLE:
        return None, f"principal axes: {len(rows)} points are too few for LLE"
    # One thread and the dense solver: the same picture every time.
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        neighbors = _joining(rows)
        if neighbors is None:
            return None, "principal axes: the points fall into parts, which LLE cannot relate to each other"
        plane = LocallyLinearEmbedding(n_neighbors=neighbors, n_components=2, eigen_solver="dense").fit_transform(rows)
    if _collapsed(plane):
        return None, "principal axes: LLE would draw most points in one place"
    return _oriented(np.asarray(plane, dtype=np.float64)), ""


def _joining(rows: NDArray[np.float64]) -> int | None:
    """How many neighbors join all points, up to half of them; None where these do not."""
    from scipy.sparse.csgraph import connected_components
    from sklearn.neighbors import NearestNeighbors

    nearest = NearestNeighbors().fit(rows)
    for neighbors in range(NEIGHBORS, max(NEIGHBORS, len(rows) // 2) + 1):
        # Strongly: points that are near each other alone are not joined by others that have them as neighbors.
        graph = nearest.kneighbors_graph(n_neighbors=neighbors)
        parts = np.bincount(connected_components(graph, connection="strong")[1])
        if np.count_nonzero(parts >= FEWEST_IN_A_PART) <= 1:
            return neighbors
    return None


def _collapsed(plane: NDArray[np.float64]) -> bool:
    """Whether most points of a plane lie on another one."""
    scaled = plane / (np.ptp(plane, axis=0).max() or 1)
    gaps = np.sqrt(np.square(scaled[:, None] - scaled[None]).sum(axis=2))
    np.fill_diagonal(gaps, np.inf)
    return bool(np.median(gaps.min(axis=1)) < APART)


def _principal_axes(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    from chronotope.runtime.blas import one_blas_thread

    centered = rows - rows.mean(axis=0)
    with one_blas_thread():
        left, sizes, _ = np.linalg.svd(centered, full_matrices=False)
    plane = np.zeros((len(rows), 2))
    kept = min(2, len(sizes))
    plane[:, :kept] = left[:, :kept] * sizes[:kept]
    return _oriented(plane)


def _oriented(plane: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same plane, each axis turned so that its largest value is positive, the larger axis across."""
    plane = plane - plane.mean(axis=0)
    plane = plane[:, np.argsort(-np.ptp(plane, axis=0), kind="stable")]
    signs = np.sign(plane[np.abs(plane).argmax(axis=0), [0, 1]])
    return np.asarray(plane * np.where(signs == 0, 1, signs) + 0.0)
