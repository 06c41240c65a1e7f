"""`graph`: from counts to conditioned embeddings by alternating two exact steps."""

from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from chronotope.config import GraphSettings
from chronotope.cooccurrence import Association, Counts
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.methods.base import Epoch, FitOptions, Floats, Method, check_dimensions, embeddings_of, training_run
from chronotope.methods.device import Choice, train_on
from chronotope.methods.graph.links import make_problem
from chronotope.methods.graph.matrix import mutual_information
from chronotope.methods.graph.products import BLOCKS, CpuProducts, Products, gpu_memory
from chronotope.methods.graph.solver import Solver, sum_of_squares
from chronotope.methods.heldout import Scores, held_out_scorer

# Default dimensions; more of them do not clearly find more renamed words.
DIMENSIONS_WITH_TIME, DIMENSIONS_OF_PLACES = 200, 300


@dataclass(frozen=True, repr=False)
class GraphModel(Method, GraphSettings):
    """Mutual information with common contexts; a word's vectors are smoothed along the graph of conditions.

    The fields are those of `chronotope.config.GraphSettings`. With smoothness and deviation penalty 0 it is the
    truncated singular value decomposition of all conditions over common contexts. In `fit`, `place_edges` add links
    between a word's vectors in neighboring places; without them its vectors in all places are only pulled toward their
    mean.
    """

    supports = frozenset({"cuda", "memory", "place_edges"})

    @property
    def association(self) -> Association:
        """The settings of the mutual information."""
        return Association(self.context_power, self.pmi_power, self.directional_contexts)

    @property
    def method(self) -> str:
        """The name of the method with these settings."""
        return "shared-context" if self.smoothness == 0 and self.deviation_penalty == 0 else "graph"

    def _fit(self, counts: Counts, options: FitOptions) -> ConditionedEmbeddings:
        words, pairs = len(counts.vocabulary), len(counts.vocabulary.support.word)
        check_dimensions(self.dimensions or 1, words)
        model = self.with_defaults(counts)
        contexts = words * (1 + self.directional_contexts)

        def fit_on(choice: Choice) -> ConditionedEmbeddings:
            folder = None if choice.gpu else options.cells_folder(*host_memory(counts, model))
            return model._fit_on(counts, options, choice, folder)

        need = gpu_memory(pairs, contexts, model.dimensions or 1)
        return train_on(options.device, need, fit_on, options.on_device)

    def with_defaults(self, counts: Counts) -> Self:
        """Return the model with the settings that depend on the corpus filled in."""
        time = "time" in counts.conditions.axis
        enough = DIMENSIONS_WITH_TIME if time else DIMENSIONS_OF_PLACES
        dimensions = self.dimensions or min(enough, len(counts.vocabulary))
        beta = (0.1 if time else 0.05) if self.deviation_penalty is None else self.deviation_penalty
        tau = default_smoothness(len(counts.conditions.times)) if self.smoothness is None else self.smoothness
        return replace(self, dimensions=dimensions, smoothness=tau, deviation_penalty=beta)

    def _fit_on(
        self, counts: Counts, options: FitOptions, choice: Choice, folder: Path | None
    ) -> ConditionedEmbeddings:
        assert self.dimensions is not None
        vocabulary, edges = counts.vocabulary, options.place_edges
        matrix = mutual_information(
            counts, self.association, marginals=self.marginals, threads=options.threads, folder=folder
        )
        problem = make_problem(self, matrix, vocabulary.support, len(vocabulary), counts.conditions, edges)
        score = held_out_scorer(counts)
        provenance = self.provenance(counts, options, device=choice.recorded, packages=choice.packages)
        constant = sum_of_squares(problem)
        shapes = {"rows": (len(problem.weight), self.dimensions), "contexts": (matrix.contexts, self.dimensions)}
        with training_run(options, provenance) as run:
            gpu = ("cupy", "cupyx.scipy.sparse")
            products = Products(*map(import_module, gpu)) if choice.gpu else CpuProducts(run.pool)
            solver = Solver(problem, self.dimensions, products, folder)
            if saved := run.load(shapes):
                solver.restore(**saved[0])
            else:
                solver.start_contexts(self.seed)
            while not self.converged([epoch["loss"] for epoch in run.history]):
                if run.history:
                    solver.best_contexts()
                loss = (constant + solver.solve_rows()) / (constant or 1.0)
                tensors = {"rows": solver.rows, "contexts": solver.contexts}
                held_out = score(context_scores(**tensors, counts=counts))
                run.report(Epoch(len(run.history) + 1, self.epochs, loss, held_out))
                options.on_step(len(run.history), self.epochs)
                run.save_if_due(tensors, {})
            rows, contexts = solver.principal()
        return embeddings_of(counts, rows, provenance | {"training": run.history}, contexts=contexts)

    def converged(self, losses: list[float]) -> bool:
        """Return whether to stop: after `epochs` sweeps, or if the last one gained less than `tolerance`.

        Examples
        --------
        >>> model = GraphModel(epochs=3, tolerance=0.01)
        >>> [model.converged(losses) for losses in ([0.9], [0.9, 0.85], [0.9, 0.895], [0.9, 0.85, 0.8])]
        [False, False, True, True]
        """
        return len(losses) >= self.epochs or (len(losses) > 1 and losses[-2] - losses[-1] < self.tolerance * losses[-2])


def default_smoothness(bins: int) -> float:
    """Return the τ that keeps ten elevenths of a steady change over all time bins, between 0.1 and 1.

    Along a chain of n bins the slowest change is divided by 1 + τ (2 - 2 cos π/n). Between two bins, τ = 1 would remove
    two thirds of the difference.

    >>> [round(default_smoothness(bins), 2) for bins in (0, 2, 3, 5, 7, 10, 27)]
    [1.0, 0.1, 0.1, 0.26, 0.5, 1.0, 1.0]
    """
    return float(np.clip(0.1 / (2 - 2 * np.cos(np.pi / bins)), 0.1, 1.0)) if bins > 1 else 1.0


def host_memory(counts: Counts, model: GraphModel) -> tuple[int, int]:
    """Return the bytes that training on the CPU always holds in memory, and the bytes of the cells."""
    words, pairs, largest = len(counts.vocabulary), len(counts.vocabulary.support.word), int(counts.cell_sizes.max())
    dimensions, columns = model.dimensions or 1, 1 + model.directional_contexts
    # The vectors of each pair; its cells and equations.
    kept = pairs * (4 * dimensions + 120)
    # The contexts, a sum for each block, and copies of double length to make them orthonormal.
    kept += columns * words * 4 * dimensions * (BLOCKS + 8)
    # The counts of one condition, their mutual information, and its rows.
    kept += (24 + 24 * columns) * largest
    return kept, 2 * 12 * columns * counts.size


def context_scores(rows: Floats, contexts: Floats, counts: Counts) -> Scores:
    """Return a function that predicts the mutual information of all contexts of some words in a condition."""
    support, words = counts.vocabulary.support, len(counts.vocabulary)

    def scores(condition: int, asked: NDArray[np.int32]) -> NDArray[np.floating]:
        found = rows[support.start[condition] + np.searchsorted(support.words_in(condition), asked)] @ contexts.T
        # A directional context has two columns, each with half of the word's frequency.
        return np.asarray(found if len(contexts) == words else np.logaddexp(found[:, ::2], found[:, 1::2]))

    return scores
