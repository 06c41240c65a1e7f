"""CW2V, the model of Gong, Bhat and Viswanath (2020), from counts to conditioned embeddings."""

from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from chronotope import config
from chronotope.conditions import Graph
from chronotope.config import ConditionedSettings
from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import DivergenceError, SettingsError
from chronotope.methods.base import Epoch, FitOptions, Method, TrainingRun, embeddings_of, training_run
from chronotope.methods.cw2v.cells import PARTS, STRATA, arrange_cells
from chronotope.methods.cw2v.parameters import (
    Parameters,
    from_tensors,
    initial_accumulators,
    initial_parameters,
    start_along_directions,
    to_tensors,
)
from chronotope.methods.cw2v.training import BLOCK_BYTES, Trainer, edge_matrix
from chronotope.methods.cw2v.zeros import fit_with_zeros
from chronotope.methods.heldout import Scores, held_out_scorer


@dataclass(frozen=True, repr=False)
class ConditionedModel(Method, ConditionedSettings):
    """CW2V: a word's vector in a condition is `word ⊙ condition + deviation`.

    The fields are those of `chronotope.config.ConditionedSettings`. Two known models are special cases: without
    `deviations` that of Tian et al. (2018), where no word changes by itself; without `condition_vectors` that of Bamman
    et al. (2014). The omitted part keeps its initial value, 0 or 1; training needs the same memory.

    Examples
    --------
    >>> ConditionedModel.preset("paper", axis="time").deviation_penalty
    0.2
    """

    supports = frozenset({"memory", "place_edges"})

    @property
    def method(self) -> str:
        """The name of the method with these settings."""
        return "cw2v" if self.deviations and self.condition_vectors else "additive" if self.deviations else "covariate"

    @classmethod
    def preset(cls, name: str, axis: str | Counts | None = None) -> Self:
        """Return the model of the 'paper', or with the settings of the 'authors' program.

        Settings depend on the axis: 'time', 'place', or that of the counts. Without an axis, `fit` sets the smoothness
        of 'paper', and 'authors' is refused, since more of its settings depend on the axis.
        """
        if axis is None:
            paper, other = (replace(config.preset(name, axis), smoothness=None) for axis in ("time", "place"))
            if paper != other:
                raise SettingsError(f"preset '{name}' differs between time and places: give axis='time', or the counts")
            return cls(**asdict(paper))
        return cls(**asdict(config.preset(name, axis.conditions.axis if isinstance(axis, Counts) else axis)))

    def _fit(self, counts: Counts, options: FitOptions) -> ConditionedEmbeddings:
        model = self._for_axis(counts.conditions.axis)
        folder = options.cells_folder(*memory_needed(counts, model))
        options.on_device("training on the CPU")
        provenance = model.provenance(counts, options)
        with training_run(options, provenance) as run:
            parameters = model._train(counts, options, run, folder)
            provenance["training"] = run.history
        return model._embeddings(parameters, counts, provenance)

    def _for_axis(self, axis: str) -> Self:
        """Return the model with its default smoothness filled in."""
        known = self.smoothness is not None
        return self if known else replace(self, smoothness=config.preset("paper", axis).smoothness)

    def _train(self, counts: Counts, options: FitOptions, run: TrainingRun, folder: Path | None) -> Parameters:
        held_out = held_out_scorer(counts)
        # Without smoothness edges are not needed: thousands of places have millions of them.
        graph = Graph(len(counts.conditions), np.empty((0, 2), dtype=np.int32))
        graph = counts.conditions.graph(options.place_edges) if self.smoothness else graph
        if self.zeros:

            def on_sweep(found: Parameters, loss: float) -> None:
                run.report(Epoch(len(run.history) + 1, self.epochs, loss, held_out(context_scores(found, counts))))
                options.on_step(len(run.history), self.epochs)

            neighbors = edge_matrix(graph, np.full(len(graph.edges), float(self.smoothness or 0.0)))
            return fit_with_zeros(self, counts, neighbors, run, folder is None, on_sweep)
        parameters, accumulators = self._start(counts)
        shapes = {name: tensor.shape for name, tensor in to_tensors(parameters, accumulators).items()}
        first, squared = 0, 0.0
        if loaded := run.load(shapes):
            parameters, accumulators = from_tensors(loaded[0])
            first, squared = loaded[1]["step"], loaded[1]["squared"]
        elif self.start == "directions":
            start_along_directions(parameters, counts, self.seed)
        cells = arrange_cells(counts, self, run.pool, folder)
        trainer = Trainer(self, cells, graph, parameters, accumulators, run.pool, run.threads)
        for step in range(first, self.epochs * STRATA):
            epoch, turn = divmod(step, STRATA)
            # The order of strata rotates, so that none is always the last.
            squared += trainer.move_stratum((turn + epoch) % STRATA)
            if not np.isfinite(squared) or not np.isfinite(parameters.condition).all():
                remedy = f"lower the rate (now {self.rate:g}) or raise the deviation penalty"
                raise DivergenceError(f"training diverged in epoch {epoch + 1}; {remedy}")
            if turn == STRATA - 1:
                likelihood = held_out(context_scores(parameters, counts))
                run.report(Epoch(epoch + 1, self.epochs, squared / cells.weight, likelihood))
                squared = 0.0
            run.save_if_due(to_tensors(parameters, accumulators), {"step": step + 1, "squared": squared})
            options.on_step(step + 1, self.epochs * STRATA)
        return parameters

    def _start(self, counts: Counts) -> tuple[Parameters, Parameters]:
        parameters = initial_parameters(counts, self.dimensions, self.seed)
        fixed: tuple[str, ...] = () if self.deviations else ("word_deviation", "context_deviation")
        fixed += () if self.condition_vectors else ("condition",)
        return parameters, initial_accumulators(parameters, self.accumulator, fixed)

    def _embeddings(self, parameters: Parameters, counts: Counts, provenance: dict[str, Any]) -> ConditionedEmbeddings:
        support = counts.vocabulary.support
        common, factors, vectors = parameters.word, parameters.condition, parameters.word_deviation
        if self.vectors == "both":
            common, factors = np.hstack([common, parameters.context]), np.hstack([factors, factors])
            vectors = np.hstack([vectors, parameters.context_deviation])
        if not self.deviations:
            vectors[:] = 0
        center = None
        if self.centering == "vocabulary":
            # The mean of v ⊙ q over all words, plus that of the deviations; absent words have none.
            own = np.zeros_like(factors)
            np.add.at(own, support.condition, vectors)
            center = common.mean(axis=0) * factors + own / len(counts.vocabulary)
        # The vectors replace the deviations in place, to save memory.
        for condition, (first, last) in enumerate(pairwise(support.start)):
            vectors[first:last] += common[support.word[first:last]] * factors[condition]
        return embeddings_of(counts, vectors, provenance, common=common, condition_factors=factors, center=center)


def memory_needed(counts: Counts, settings: ConditionedSettings) -> tuple[int, int]:
    """Return the bytes that training holds besides the cells, and the bytes of the cells."""
    words, conditions, pairs = len(counts.vocabulary), len(counts.conditions), len(counts.vocabulary.support.word)
    parameters = 8 * pairs * settings.dimensions + (2 * words + conditions * (1 + PARTS)) * 4 * settings.dimensions
    # Cells of one condition are arranged at a time. The start holds the mean matrix.
    largest = int(counts.cell_sizes.max())
    start = 16 * min(counts.size, words * words) * (settings.start == "directions")
    both = parameters * (settings.vectors == "both")
    return parameters + 100 * pairs + BLOCK_BYTES + max(60 * largest, start, both), 16 * counts.size


def context_scores(parameters: Parameters, counts: Counts) -> Scores:
    """Return the scores of contexts: products of the vectors.

    The model's biases would do worse: they are fitted to nonzero cells only.
    """
    support = counts.vocabulary.support

    def scores(condition: int, words: NDArray[np.int32]) -> NDArray[np.floating]:
        q = parameters.condition[condition]
        here = slice(support.start[condition], support.start[condition + 1])
        present = support.word[here]
        contexts = parameters.context * q
        contexts[present] += parameters.context_deviation[here]
        own = parameters.word_deviation[here][np.searchsorted(present, words)]
        return np.asarray((parameters.word[words] * q + own) @ contexts.T)

    return scores
