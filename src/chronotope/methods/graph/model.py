"""`graph`: from counts to conditioned embeddings by alternating two exact steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope import config
from chronotope.config import GraphSettings
from chronotope.cooccurrence import Association, Counts, count
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError
from chronotope.io.provenance import versions
from chronotope.methods.checkpoint import Checkpoint, stop_requests
from chronotope.methods.device import Choice, gpu_versions, train_on
from chronotope.methods.graph.gpu import GpuSolver, memory_needed
from chronotope.methods.graph.links import make_problem
from chronotope.methods.graph.matrix import mutual_information
from chronotope.methods.graph.objective import GraphProblem
from chronotope.methods.graph.solver import BLOCKS, Floats, best_contexts, solve_rows, start_contexts, sum_of_squares
from chronotope.methods.heldout import Scores, held_out_rows, log_context_distribution, log_likelihood
from chronotope.methods.progress import Epoch, OnStep
from chronotope.methods.stretches import HostNeed, cells_on_disk
from chronotope.runtime.blas import one_blas_thread
from chronotope.runtime.memory import Memory
from chronotope.runtime.resources import cores

# Where none are asked for: beyond these, renamed words are not clearly found better (docs/reproduce.md).
DIMENSIONS_WITH_TIME, DIMENSIONS_OF_PLACES = 200, 300
ROWS_AT_ONCE = 65_536


@dataclass(frozen=True)
class GraphModel(GraphSettings):
    """Mutual information with common contexts, a word's vectors smoothed along the graph of conditions.

    The fields are those of `chronotope.config.GraphSettings`. Without any pull between a word's vectors (smoothness and
    deviation penalty 0) it is the truncated singular value decomposition of all conditions over common contexts.

    Examples
    --------
    >>> GraphModel(dimensions=200).method
    'graph'
    """

    @property
    def association(self) -> Association:
        """How counts become mutual information."""
        return Association(self.context_power, self.emphasis, self.sides)

    @property
    def method(self) -> str:
        """The name of the method that these settings make."""
        return "shared-context" if self.smoothness == 0 and self.deviation_penalty == 0 else "graph"

    def fit(
        self,
        counts: Counts | Any,
        *,
        threads: int | None = None,
        device: str = "auto",
        memory: str | int | None = None,
        place_edges: Iterable[tuple[str, str]] | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        on_step: OnStep | None = None,
        on_epoch: Callable[[Epoch], None] | None = None,
        on_device: Callable[[str], None] | None = None,
    ) -> ConditionedEmbeddings:
        """Train, and return the embeddings; the parameters are those of `ConditionedModel.fit`.

        Here `place_edges` add links between a word's vectors in neighboring places; without them a word's vectors in
        all places are pulled toward their mean alone.
        """
        if not isinstance(counts, Counts):
            counts = count(counts)
        words = len(counts.vocabulary)
        if self.dimensions is not None and self.dimensions > words:
            raise SettingsError(f"{self.dimensions} dimensions are more than the {words} words; ask for fewer")
        model = self._for_counts(counts)
        edges = None if place_edges is None else list(place_edges)
        assert model.dimensions is not None
        pairs, sides = len(counts.vocabulary.support.word), 1 + self.sides
        need = memory_needed(pairs, sides * words, 2 * sides * counts.size, model.dimensions)

        def fit_on(choice: Choice) -> ConditionedEmbeddings:
            folder = None
            if choice.device == "cpu":
                host = host_need(counts, model.dimensions or 1, sides, chains_only=edges is None)
                folder = cells_on_disk(Memory.of(memory), host, checkpoint, on_device)
            return model._fit(counts, choice, threads or cores(), folder, edges, checkpoint, resume, on_step, on_epoch)

        return train_on(device, need, fit_on, on_device)

    def _for_counts(self, counts: Counts) -> GraphModel:
        """The model with the settings that depend on the corpus filled in."""
        time = "time" in counts.conditions.axis
        enough = DIMENSIONS_WITH_TIME if time else DIMENSIONS_OF_PLACES
        dimensions = self.dimensions or min(enough, len(counts.vocabulary))
        beta = (0.1 if time else 0.05) if self.deviation_penalty is None else self.deviation_penalty
        tau = default_smoothness(len(counts.conditions.times)) if self.smoothness is None else self.smoothness
        return replace(self, dimensions=dimensions, smoothness=tau, deviation_penalty=beta)

    def _fit(
        self,
        counts: Counts,
        choice: Choice,
        threads: int,
        folder: Path | None,
        place_edges: list[tuple[str, str]] | None,
        checkpoint: str | Path | None,
        resume: bool,
        on_step: OnStep | None,
        on_epoch: Callable[[Epoch], None] | None,
    ) -> ConditionedEmbeddings:
        assert self.dimensions is not None
        support = counts.vocabulary.support
        matrix = mutual_information(counts, self.association, marginals=self.marginals, threads=threads, folder=folder)
        problem = make_problem(
            matrix,
            support,
            len(counts.vocabulary),
            counts.conditions,
            smoothness=self.smoothness or 0.0,
            deviation_penalty=self.deviation_penalty or 0.0,
            half_trust=self.half_trust,
            place_edges=place_edges,
        )
        held_out = held_out_rows(counts) if counts.has_held_out else None
        base = log_context_distribution(counts) if held_out else None
        provenance = {
            "method": self.method,
            "settings": config.to_dict(self),
            "seed": self.seed,
            "run": counts.checksum,
            "min_count": counts.vocabulary.min_count,
            "window": counts.settings.window,
            "place_edges": place_edges,
            "device": choice.recorded,
            "versions": versions() | gpu_versions(choice),
        }
        saved = Checkpoint(checkpoint, provenance)
        sizes = {"rows": len(support.word), "contexts": matrix.contexts}
        found = saved.load({name: (size, self.dimensions) for name, size in sizes.items()}) if resume else None
        history: list[dict[str, float]] = found[1]["history"] if found else []
        with ThreadPoolExecutor(threads) as pool, stop_requests() as stop:
            constant = sum_of_squares(problem, pool)
            solver = (
                CpuSolver(problem, self.dimensions, pool)
                if choice.device == "cpu"
                else GpuSolver(problem, self.dimensions, streamed=choice.streamed)
            )
            if found:
                solver.rows, solver.contexts = found[0]["rows"], found[0]["contexts"]
            else:
                solver.start_contexts(self.seed)
            while len(history) < self.epochs:
                if history:
                    solver.best_contexts()
                loss = constant + solver.solve_rows()
                likelihood = None
                if held_out and base is not None:
                    likelihood = log_likelihood(held_out, context_scores(solver.rows, solver.contexts, base, counts))
                epoch = Epoch(len(history) + 1, self.epochs, loss / constant if constant else 0.0, likelihood)
                history.append(epoch.to_dict())
                if on_step:
                    on_step(epoch.number, epoch.of)
                if on_epoch:
                    on_epoch(epoch)
                if saved.due or stop.is_set():
                    saved.save({"rows": solver.rows, "contexts": solver.contexts}, {"history": history})
                if stop.is_set():
                    raise KeyboardInterrupt
            rows, contexts = solver.principal()
        return ConditionedEmbeddings(
            counts.vocabulary.words,
            counts.conditions,
            support,
            rows,
            contexts=contexts,
            provenance=provenance | {"training": history},
        )


def default_smoothness(bins: int) -> float:
    """As much as leaves ten elevenths of a steady change over all time bins; at least 0.1, and at most 1.

    Along a chain of n bins, what changes slowest is divided by 1 + τ (2 - 2 cos π/n). Ten bins and more are smoothed
    alike; two are each other's only neighbors, and with τ = 1 two thirds of their difference would be lost.

    Examples
    --------
    >>> [round(default_smoothness(bins), 2) for bins in (0, 2, 3, 5, 7, 10, 27)]
    [1.0, 0.1, 0.1, 0.26, 0.5, 1.0, 1.0]
    """
    return float(np.clip(0.1 / (2 - 2 * np.cos(np.pi / bins)), 0.1, 1.0)) if bins > 1 else 1.0


def host_need(counts: Counts, dimensions: int, sides: int, chains_only: bool) -> HostNeed:
    """The memory that training on the CPU takes."""
    words, pairs, largest = len(counts.vocabulary), len(counts.vocabulary.support.word), int(counts.cell_sizes.max())
    # The vectors of a pair (twice where its equations are solved by iteration), and where its cells are.
    kept = pairs * (4 * dimensions * (1 if chains_only else 2) + 80)
    # The contexts, a sum for each block, and some of double length to make them orthonormal.
    kept += sides * words * 4 * dimensions * (BLOCKS + 8)
    # A condition's counts, their mutual information, and its rows are made at a time.
    return HostNeed(kept + (24 + 24 * sides) * largest, 2 * 8 * sides * counts.size)


class CpuSolver:
    """The steps of `solver` with the rows and contexts they work on; `GpuSolver` is the same on a GPU."""

    def __init__(self, problem: GraphProblem, dimensions: int, pool: ThreadPoolExecutor) -> None:
        self._problem, self._dimensions, self._pool = problem, dimensions, pool
        self.rows: Floats = np.zeros((len(problem.weight), dimensions), dtype=np.float32)
        self.contexts: Floats = np.empty((problem.matrix.contexts, dimensions), dtype=np.float32)

    def start_contexts(self, seed: int) -> None:
        """Orthonormal contexts near the main directions of the data."""
        self.contexts = start_contexts(self._problem, self._dimensions, seed, self._pool)

    def best_contexts(self) -> None:
        """The best orthonormal contexts for the rows."""
        self.contexts = best_contexts(self.rows, self._problem, self._pool)

    def solve_rows(self) -> float:
        """The best rows for the contexts; the loss less its constant Σ w‖M‖²."""
        return solve_rows(self.contexts, self.rows, self._problem, self._pool)

    def principal(self) -> tuple[Floats, Floats]:
        """Rows and contexts, turned to the principal axes of the rows."""
        self.contexts = turn_to_principal_axes(self.rows, self.contexts, self._problem.weight)
        return self.rows, self.contexts


def turn_to_principal_axes(rows: Floats, contexts: Floats, weight: Floats) -> Floats:
    """Turn the rows so that the first dimension carries most of them, and so on; return the contexts turned so, too."""
    parts = [slice(first, first + ROWS_AT_ONCE) for first in range(0, len(rows), ROWS_AT_ONCE)]
    with one_blas_thread():
        squares = np.zeros((rows.shape[1], rows.shape[1]))
        for part in parts:
            own = rows[part].astype(np.float64)
            squares += own.T @ (own * weight[part, None])
        axes = np.linalg.eigh(squares)[1][:, ::-1]
        # The sign of an axis is arbitrary: the largest entry of each is made positive.
        axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
        for part in parts:
            rows[part] = rows[part] @ axes.astype(np.float32)
        return np.asarray(contexts @ axes.astype(np.float32))


def context_scores(rows: Floats, contexts: Floats, base: NDArray[np.float64], counts: Counts) -> Scores:
    """The predicted mutual information of every context of a word, over the distribution of contexts."""
    support = counts.vocabulary.support

    def scores(condition: int, words: NDArray[np.int32]) -> NDArray[np.floating]:
        positions = support.start[condition] + np.searchsorted(support.words_in(condition), words)
        given = rows[positions] @ contexts.T
        if contexts.shape[0] > len(base):  # either side, each with half of the word's frequency
            given = np.logaddexp(given[:, ::2], given[:, 1::2])
        return np.asarray(given + base)

    return scores
