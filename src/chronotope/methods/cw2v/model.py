"""CW2V, the model of Gong, Bhat and Viswanath (2020), from counts to conditioned embeddings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope import config
from chronotope.conditions import Graph
from chronotope.config import ConditionedSettings
from chronotope.cooccurrence import Counts, count
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.io.provenance import versions
from chronotope.methods.checkpoint import Checkpoint, stop_requests
from chronotope.methods.cw2v.kernels.cpu import width_of
from chronotope.methods.cw2v.kernels.gpu import memory_needed
from chronotope.methods.cw2v.layout import PARTS
from chronotope.methods.cw2v.parameters import Parameters, initial_accumulators, initial_parameters
from chronotope.methods.cw2v.start import start_along_directions
from chronotope.methods.cw2v.trainers import CpuTrainer, GpuTrainer, Trainer
from chronotope.methods.cw2v.training import State
from chronotope.methods.device import Choice, gpu_versions, train_on
from chronotope.methods.graph.gpu import memory_needed as graph_memory_needed
from chronotope.methods.graph.model import host_need as graph_need
from chronotope.methods.heldout import Scores, held_out_rows, log_context_distribution, log_likelihood
from chronotope.methods.progress import Epoch
from chronotope.methods.stretches import HostNeed, cells_on_disk
from chronotope.runtime.memory import Memory
from chronotope.runtime.resources import cores


@dataclass(frozen=True)
class ConditionedModel(ConditionedSettings):
    """CW2V: a word's vector in a condition is `word ⊙ condition + deviation`.

    The fields are those of `chronotope.config.ConditionedSettings`. Two known models are settings of it: without
    `deviations` the one of Tian et al. (2018), where conditions move as a whole and no word has a change of its own;
    without `condition_vectors` the one of Bamman et al. (2014). What is left out stays as it starts, at 0 or at 1; it
    saves no memory in training.

    Examples
    --------
    >>> ConditionedModel(dimensions=50, seed=1).dimensions
    50
    >>> ConditionedModel.preset("paper", axis="time").deviation_penalty
    0.2
    """

    @property
    def method(self) -> str:
        """The name of the method that these settings make."""
        return "cw2v" if self.deviations and self.condition_vectors else "additive" if self.deviations else "covariate"

    @classmethod
    def preset(cls, name: str, axis: str = "time") -> ConditionedModel:
        """The model as the 'paper' describes it, or with what the 'authors' program does instead."""
        return cls(**asdict(config.preset(name, axis)))

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
        on_step: Callable[[int, int], None] | None = None,
        on_epoch: Callable[[Epoch], None] | None = None,
        on_device: Callable[[str], None] | None = None,
    ) -> ConditionedEmbeddings:
        """Train, and return the embeddings.

        Parameters
        ----------
        counts
            From `chronotope.count`, or a corpus, which is counted with the default settings.
        threads
            How many cores to use; the result does not depend on it.
        device
            'cpu', 'cuda' (a GPU), or 'auto': the GPU if there is one. Each always gives the same bytes, but not the
            other's.
        memory
            At most so much memory is held while training on the CPU ('2GB', or a number of bytes): where the counts do
            not fit beside what is learned, they are read from disk all the time. The result does not depend on it.
        place_edges
            Which places are neighbors; None: all of them.
        checkpoint, resume
            A file to save the state of training in, and whether to go on from it. Ctrl-C saves it and stops.
        on_step, on_epoch
            Called with (done, total) as training goes on, and with an `Epoch` after each.
        on_device
            Called with a line that says where training runs, and why.
        """
        if not isinstance(counts, Counts):
            counts = count(counts)
        model = self._for_axis(counts.conditions.axis)
        edges = None if place_edges is None else list(place_edges)
        pairs, words, cells = len(counts.vocabulary.support.word), len(counts.vocabulary), 2 * counts.size
        need = memory_needed(pairs, words, len(counts.conditions), cells, self.dimensions)
        if self.start == "directions":
            need = need.or_more(graph_memory_needed(pairs, words, cells, self.dimensions))

        def fit_on(choice: Choice) -> ConditionedEmbeddings:
            folder = None
            if choice.device == "cpu":
                folder = cells_on_disk(
                    Memory.of(memory),
                    host_need(counts, self),
                    checkpoint,
                    on_device,
                )
            return model._fit(counts, choice, threads or cores(), folder, edges, checkpoint, resume, on_step, on_epoch)

        return train_on(device, need, fit_on, on_device)

    def _for_axis(self, axis: str) -> ConditionedModel:
        """The model with the settings that depend on the conditions filled in."""
        return replace(self, smoothness=1.5 if "time" in axis else 1.0) if self.smoothness is None else self

    def _fit(
        self,
        counts: Counts,
        choice: Choice,
        threads: int,
        folder: Path | None,
        place_edges: list[tuple[str, str]] | None,
        checkpoint: str | Path | None,
        resume: bool,
        on_step: Callable[[int, int], None] | None,
        on_epoch: Callable[[Epoch], None] | None,
    ) -> ConditionedEmbeddings:
        epochs = self.epochs
        # Without a pull between neighbors there is no need to know them: thousands of places have millions of pairs.
        graph = counts.conditions.graph(place_edges) if self.smoothness else Graph.without_edges(len(counts.conditions))
        rows = held_out_rows(counts) if counts.has_held_out else None
        base = log_context_distribution(counts) if rows else None
        provenance = self._provenance(counts, choice, place_edges)
        saved = Checkpoint(checkpoint, provenance)
        state = self._start(counts)
        found = saved.load({name: array.shape for name, array in state.tensors().items()}) if resume else None
        if found:
            state = State.restored(*found)

        with ThreadPoolExecutor(threads) as pool, stop_requests() as stop:
            if self.start == "directions" and not found:
                start_along_directions(state.parameters, counts, self.seed, choice, pool, threads, folder)
            trainer: Trainer = (
                CpuTrainer(self, counts, graph, state, pool, threads, folder)
                if choice.device == "cpu"
                else GpuTrainer(self, counts, graph, state, choice.streamed)
            )

            def after_stratum() -> None:
                if stop.is_set() or saved.due:
                    saved.save(trainer.fetch().tensors(), state.about())
                if stop.is_set():
                    raise KeyboardInterrupt
                if on_step:
                    on_step(state.epoch * trainer.strata + state.stratum, epochs * trainer.strata)

            while state.epoch < epochs:
                squared = trainer.epoch(after_stratum)
                likelihood = None
                if rows and base is not None:
                    likelihood = log_likelihood(rows, context_scores(trainer.fetch().parameters, base, counts))
                epoch = Epoch(state.epoch, epochs, squared / trainer.weight, likelihood)
                state.history.append(epoch.to_dict())
                if on_epoch:
                    on_epoch(epoch)
        return self._embeddings(trainer.fetch().parameters, counts, provenance | {"training": state.history})

    def _provenance(self, counts: Counts, choice: Choice, place_edges: list[tuple[str, str]] | None) -> dict[str, Any]:
        """All that the embeddings depend on."""
        return {
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

    def _start(self, counts: Counts) -> State:
        pairs = len(counts.vocabulary.support.word)
        parameters = initial_parameters(
            len(counts.vocabulary), len(counts.conditions), pairs, self.dimensions, self.seed
        )
        fixed = (() if self.deviations else ("word_deviation", "context_deviation")) + (
            () if self.condition_vectors else ("condition",)
        )
        return State(parameters, initial_accumulators(parameters, self.accumulator, fixed))

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
            # The mean over all words is that of v ⊙ q, plus that of the deviations, which absent words do not have.
            own = np.zeros_like(factors)
            np.add.at(own, support.condition, vectors)
            center = common.mean(axis=0) * factors + own / len(counts.vocabulary)
        # The vectors take the place of the deviations: another array of this size would cost as much memory again.
        for condition, (first, last) in enumerate(pairwise(support.start)):
            vectors[first:last] += common[support.word[first:last]] * factors[condition]
        return ConditionedEmbeddings(
            counts.vocabulary.words,
            counts.conditions,
            support,
            vectors,
            common=common,
            condition_factors=factors,
            center=center,
            provenance=provenance,
        )


def host_need(counts: Counts, settings: ConditionedSettings) -> HostNeed:
    """The memory that training on the CPU takes."""
    words, conditions, pairs = len(counts.vocabulary), len(counts.conditions), len(counts.vocabulary.support.word)
    largest, dimensions = int(counts.cell_sizes.max()), settings.dimensions
    # Of each pair two deviations and biases with their accumulators, and where its cells are.
    kept = pairs * (8 * dimensions + 80) + (2 * words + conditions * (1 + PARTS)) * 4 * dimensions
    # In the end both sides of each pair are put together, if they are asked for.
    kept += 8 * pairs * dimensions * (settings.vectors == "both")
    # A condition is arranged at a time, in both directions; later the vectors of one or two are written out.
    written = 8 * width_of(dimensions) * int(np.diff(counts.vocabulary.support.start).max())
    need = HostNeed(kept + max(8 * largest, written), 8 * counts.size)
    if settings.start == "random":
        return need
    start = graph_need(counts, dimensions, sides=1, chains_only=True)
    return HostNeed(max(need.kept, start.kept), max(need.cells, start.cells))


def context_scores(parameters: Parameters, base: NDArray[np.float64], counts: Counts) -> Scores:
    """What the model says of every context of a word: its vector's product with the context's, over a common base.

    The base is the distribution of contexts in all conditions together, as for every other method. The model's own
    biases would do worse: they are fitted to cells that are not zero, and know nothing of the contexts in between.
    """
    support = counts.vocabulary.support

    def scores(condition: int, words: NDArray[np.int32]) -> NDArray[np.floating]:
        q = parameters.condition[condition]
        here = slice(support.start[condition], support.start[condition + 1])
        present = support.word[here]
        contexts = parameters.context * q
        contexts[present] += parameters.context_deviation[here]
        own = parameters.word_deviation[here][np.searchsorted(present, words)]
        return np.asarray((parameters.word[words] * q + own) @ contexts.T + base)

    return scores
