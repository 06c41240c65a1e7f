"""The path of a word among its neighbors over all conditions, in two dimensions.

As in the paper, the picture is a locally linear embedding (Roweis and Saul, 2000): each point is a weighted mean of its
nearest points, and the plane keeps those weights. It preserves neighbors, not distances; its axes have no unit.
"""

from __future__ import annotations

import warnings
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Plane
from chronotope.analysis.own_vectors import in_one_space, own_vectors, unit_vectors
from chronotope.analysis.params import MinCount, Model, Param, Place, Word
from chronotope.analysis.series import conditions_of, hidden_conditions
from chronotope.errors import number_of
from chronotope.runtime.blas import one_blas_thread

MIN_POINTS = 12  # with fewer, each would be a mean of nearly all others
NEIGHBORS = 10
MIN_GROUP = 3  # points; smaller separate groups do not count
APART = 0.01  # share of the picture; points that are nearer look like one


@question(
    "trajectory",
    group="A word",
    columns="word kind label x y count near_in",
    chart=Plane(x="x", y="y", label="label", kind="kind"),
)
def trajectory(
    model: Model,
    word: Word,
    *,
    place: Place = None,
    method: Annotated[Literal["lle", "pca"], Param("Locally linear embedding or principal components.")] = "lle",
    top: Annotated[int, Param("Number of neighbors from each condition.", least=1, most=1000)] = 3,
    limit: Annotated[int, Param("Maximum number of neighbors in all.", least=1, most=1000)] = 24,
    min_count: MinCount = 5,
) -> Answer:
    """Which path does a word take among its neighbors?

    Rows of kind 'path' are the word in each condition, in order. Rows of kind 'neighbor' are the words that are near it
    somewhere, each drawn once, at its mean direction in the conditions where it is near.
    """
    in_one_space(model)
    word = model.words[model.index(word)]
    among = conditions_of(model.conditions, place)
    own = own_vectors(model, word, min_count, among, least=2)
    labels = [model.conditions.labels[condition] for condition in own.conditions]
    near_in: dict[str, list[str]] = {}
    for label in labels:
        for match in model.neighbors(word, label, top, min_count=min_count):
            near_in.setdefault(match.word, []).append(label)
    names = sorted(near_in, key=lambda name: -len(near_in[name]))[:limit]
    around = [
        unit_vectors(np.mean([model.project([name], label, label)[0] for label in near_in[name]], axis=0))
        for name in names
    ]
    points = np.concatenate([own.unit, np.reshape(around, (-1, own.unit.shape[1]))])
    plane, note = _lle(points) if method == "lle" else (None, "")
    line = [model.conditions.labels[condition] for condition in among]
    facts = {"method": "pca" if plane is None else "lle", "min_count": min_count, "conditions": line}
    plane = _principal_axes(points) if plane is None else plane
    rows: list[dict[str, Any]] = [
        {"kind": "path", "label": label, "count": model.count(word, label)} for label in labels
    ]
    rows += [{"kind": "neighbor", "label": name, "near_in": near_in[name]} for name in names]
    notes = hidden_conditions(model, [word], among, min_count) + [note] * bool(note)
    if hidden := len(near_in) - len(names):
        notes.append(f"Left out: {number_of(hidden, 'neighbors')}, near in the fewest conditions.")
    rows = [{"word": word, **row, "x": x, "y": y} for row, (x, y) in zip(rows, plane.tolist(), strict=True)]
    return Answer(rows, title=f"{word}: its path among its neighbors", notes=notes, facts=facts)


def _lle(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64] | None, str]:
    """Return the locally linear embedding, or None and the reason why it would be meaningless."""
    from sklearn.manifold import LocallyLinearEmbedding

    if len(rows) < MIN_POINTS:
        return None, f"Drawn by principal components, since {len(rows)} points are too few for LLE."
    # One thread and the dense solver: the same picture every time.
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        neighbors = _connecting(rows)
        if neighbors is None:
            return None, "Drawn by principal components, since the points form separate groups, which LLE cannot place."
        plane = LocallyLinearEmbedding(n_neighbors=neighbors, n_components=2, eigen_solver="dense").fit_transform(rows)
    if _collapsed(plane):
        return None, "Drawn by principal components, since LLE would draw most points in one place."
    return _oriented(np.asarray(plane, dtype=np.float64)), ""


def _connecting(rows: NDArray[np.float64]) -> int | None:
    """Return the number of neighbors that connects all points; None if half of the points are not enough."""
    from scipy.sparse.csgraph import connected_components
    from sklearn.neighbors import NearestNeighbors

    nearest = NearestNeighbors().fit(rows)
    for neighbors in range(NEIGHBORS, max(NEIGHBORS, len(rows) // 2) + 1):
        # Strongly connected: a group is separate if its points have neighbors only in the group.
        graph = nearest.kneighbors_graph(n_neighbors=neighbors)
        groups = np.bincount(connected_components(graph, connection="strong")[1])
        if np.count_nonzero(groups >= MIN_GROUP) <= 1:
            return neighbors
    return None


def _collapsed(plane: NDArray[np.float64]) -> bool:
    """Return whether most points coincide with another point."""
    from scipy.spatial import KDTree

    gaps = np.asarray(KDTree(plane).query(plane, k=2)[0])[:, 1]
    return bool(np.median(gaps) < APART * (np.ptp(plane, axis=0).max() or 1))


def _principal_axes(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    with one_blas_thread():
        left, sizes, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    plane = left[:, :2] * sizes[:2]
    return _oriented(np.pad(plane, ((0, 0), (0, 2 - plane.shape[1]))))


def _oriented(plane: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the plane with the longer axis across, and each axis turned so that its largest value is positive."""
    plane = plane - plane.mean(axis=0)
    plane = plane[:, np.argsort(-np.ptp(plane, axis=0), kind="stable")]
    signs = np.sign(plane[np.abs(plane).argmax(axis=0), [0, 1]])
    return np.asarray(plane * np.where(signs == 0, 1, signs) + 0.0)
