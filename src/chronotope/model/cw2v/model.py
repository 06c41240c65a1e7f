"""CW2V, the model of Gong, Bhat and Viswanath (2020), from counts to conditioned embeddings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope import config
from chronotope.conditions import Graph
from chronotope.config import ConditionedSettings
from chronotope.cooccurrence import Counts, count
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.model.checkpoint import Checkpoint, stop_requests
from chronotope.model.cw2v.layout import Layout, make_layout
from chronotope.model.cw2v.parameters import Parameters, initial_accumulators, initial_parameters
from chronotope.model.cw2v.training import Penalties, State, train_epoch
from chronotope.model.heldout import Scores, held_out_rows, log_context_distribution, log_likelihood
from chronotope.model.progress import Epoch
from chronotope.provenance import versions


@dataclass(frozen=True)
class ConditionedModel(ConditionedSettings):
    """CW2V: a word's vector in a condition is `word ⊙ condition + deviation`.

    The fields are those of `chronotope.config.ConditionedSettings`.

    Examples
    --------
    >>> ConditionedModel(dimensions=50, seed=1).dimensions
    50
    >>> ConditionedModel.preset("paper", axis="time").deviation_penalty
    0.2
    """

    @classmethod
    def preset(cls, name: str, axis: str = "time") -> ConditionedModel:
        """The model as the 'paper' describes it, or with what the 'authors' program does instead."""
        return cls(**asdict(config.preset(name, axis)))

    def fit(
        self,
        counts: Counts | Any,
        *,
        threads: int | None = None,
        place_edges: Iterable[tuple[str, str]] | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        on_step: Callable[[int, int], None] | None = None,
        on_epoch: Callable[[Epoch], None] | None = None,
    ) -> ConditionedEmbeddings:
        """Train, and return the embeddings.

        Parameters
        ----------
        counts
            From `chronotope.count`, or a corpus, which is counted with the default settings.
        threads
            How many cores to use; the result does not depend on it.
        place_edges
            Which places are neighbors; None: all of them.
        checkpoint, resume
            A file to save the state of training in, and whether to go on from it. Ctrl-C saves it and stops.
        on_step, on_epoch
            Called with (done, total) as training goes on, and with an `Epoch` after each.
        """
        if not isinstance(counts, Counts):
            counts = count(counts)
        model = self._for_axis(counts.conditions.axis)
        edges = None if place_edges is None else list(place_edges)
        return model._fit(counts, threads or os.cpu_count() or 1, edges, checkpoint, resume, on_step, on_epoch)

    def _for_axis(self, axis: str) -> ConditionedModel:
        """The model with the setting that depends on the conditions filled in."""
        return self if self.smoothness is not None else replace(self, smoothness=1.5 if "time" in axis else 1.0)

    def _fit(
        self,
        counts: Counts,
        threads: int,
        place_edges: list[tuple[str, str]] | None,
        checkpoint: str | Path | None,
        resume: bool,
        on_step: Callable[[int, int], None] | None,
        on_epoch: Callable[[Epoch], None] | None,
    ) -> ConditionedEmbeddings:
        graph = counts.conditions.graph(place_edges)
        layout = make_layout(counts, self)
        penalties = Penalties.of(*penalties_of(self, layout, graph), layout, graph)
        rows = held_out_rows(counts) if counts.has_held_out else None
        provenance = self._provenance(counts, place_edges)
        saved = Checkpoint(checkpoint, provenance)
        found = saved.load() if resume else None
        state = State.restored(*found) if found else self._start(counts, layout)
        blocks = round((len(layout.block_start) - 1) ** 0.5)

        with ThreadPoolExecutor(threads) as pool, stop_requests() as stop:

            def after_stratum() -> None:
                if stop.is_set():
                    saved.save(state.tensors(), state.about())
                    raise KeyboardInterrupt
                if saved.due:
                    saved.save(state.tensors(), state.about())
                if on_step:
                    on_step(state.epoch * blocks + state.stratum, self.epochs * blocks)

            while state.epoch < self.epochs:
                squared = train_epoch(
                    state, layout, penalties, seed=self.seed, rate=self.rate, pool=pool, after_stratum=after_stratum
                )
                epoch = Epoch(
                    number=state.epoch,
                    of=self.epochs,
                    loss=squared / float(layout.weight.sum(dtype=np.float64)),
                    held_out=log_likelihood(rows, context_scores(state.parameters, counts)) if rows else None,
                )
                state.history.append(epoch.to_dict())
                if on_epoch:
                    on_epoch(epoch)
        return self._embeddings(state.parameters, counts, provenance | {"training": state.history})

    def _provenance(self, counts: Counts, place_edges: list[tuple[str, str]] | None) -> dict[str, Any]:
        """All that the embeddings depend on."""
        return {
            "method": "cw2v",
            "settings": config.to_dict(self),
            "seed": self.seed,
            "run": counts.checksum,
            "min_count": counts.vocabulary.min_count,
            "window": counts.settings.window,
            "place_edges": place_edges,
            "device": "cpu",
            "versions": versions(),
        }

    def _start(self, counts: Counts, layout: Layout) -> State:
        parameters = initial_parameters(
            len(counts.vocabulary), len(counts.conditions), len(layout.pair_word), self.dimensions, self.seed
        )
        return State(parameters, initial_accumulators(parameters, self.accumulator))

    def _embeddings(self, parameters: Parameters, counts: Counts, provenance: dict[str, Any]) -> ConditionedEmbeddings:
        support = counts.vocabulary.support
        vectors = parameters.word[support.word] * parameters.condition[support.condition] + parameters.word_deviation
        center = None
        if self.centering == "vocabulary":
            # The mean over all words is that of v ⊙ q, plus that of the deviations, which absent words do not have.
            own = np.zeros_like(parameters.condition)
            np.add.at(own, support.condition, parameters.word_deviation)
            center = parameters.word.mean(axis=0) * parameters.condition + own / len(counts.vocabulary)
        return ConditionedEmbeddings(
            counts.vocabulary.words,
            counts.conditions,
            support,
            vectors,
            common=parameters.word,
            condition_factors=parameters.condition,
            center=center,
            provenance=provenance,
        )


def penalties_of(
    settings: ConditionedSettings, layout: Layout, graph: Graph
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """β of each pair and α of each edge, as they stand in the loss."""
    beta = np.full(len(layout.pair_word), settings.deviation_penalty)
    alpha = np.full(len(graph.edges), settings.smoothness)
    if settings.penalties == "each-cell":
        beta *= layout.pair_cells
        alpha *= layout.condition_cells[graph.edges].mean(axis=1)
    return beta, alpha


def context_scores(parameters: Parameters, counts: Counts) -> Scores:
    """What the model says of every context of a word: its vector's product with the context's, over a common base.

    The base is the distribution of contexts in all conditions together, as for every other method. The model's own
    biases would do worse: they are fitted to cells that are not zero, and know nothing of the contexts in between.
    """
    support = counts.vocabulary.support
    base = log_context_distribution(counts)

    def scores(condition: int, words: NDArray[np.int32]) -> NDArray[np.floating]:
        q = parameters.condition[condition]
        here = slice(support.start[condition], support.start[condition + 1])
        present = support.word[here]
        contexts = parameters.context * q
        contexts[present] += parameters.context_deviation[here]
        own = parameters.word_deviation[here][np.searchsorted(present, words)]
        return np.asarray((parameters.word[words] * q + own) @ contexts.T + base)

    return scores
