"""Does a change come out again: the same model, trained on the same text with other seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.analysis.significance.judged import most_changed
from chronotope.analysis.significance.matched import Numbers
from chronotope.analysis.significance.measures import Measured
from chronotope.analysis.significance.resampling import Kept, Progress, Scores
from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError
from chronotope.methods import METHODS, Method, method_class

KIND = "seeds"


def scores_over_seeds(
    embeddings: ConditionedEmbeddings,
    counts: Counts,
    measured: Measured,
    measure: Callable[[ConditionedEmbeddings], Measured],
    seeds: int,
    *,
    identity: Mapping[str, Any],
    threads: int | None = None,
    progress: Progress | None = None,
    folder: Path | None = None,
) -> Scores:
    """(seeds, K) the score of each measured word in other models, of the seeds that follow the model's own.

    Parameters
    ----------
    embeddings, counts
        The model, and the run that it was trained on.
    measured, measure
        What was measured, and how that is done for another model.
    seeds
        How many other models.
    identity
        All that the scores depend on, as plain data.
    folder
        Where the scores of finished models are kept, so that asking again goes on from there; None: nowhere.
    """
    _check_trainable(embeddings, counts)
    kept = Kept(identity, (KIND,), len(measured.words), folder)
    done = kept.of(KIND, seeds)
    for number in range(len(done), seeds):
        model, seed = _with_other_seed(embeddings, number + 1)
        told = _Told(f"training with seed {seed}", progress)
        other = model.fit(counts, threads=threads, place_edges=embeddings.provenance.get("place_edges"), on_step=told)
        # The words and how often they occur are those of the run, so that the same words are measured.
        done.append(measure(other).scores.astype(np.float32))
        kept.save(KIND, done)
    return np.array(done, dtype=np.float32).reshape(seeds, len(measured.words))


def agreement(own: Numbers, others: Scores, noise: Numbers | None) -> tuple[Numbers, Numbers]:
    """(K,) and (K,) the share of models in which a word is among the most changed, and the spread of its score.

    Parameters
    ----------
    own, others
        (K,) and (N, K) the scores in the model, and in those of other seeds.
    noise
        (K,) where it is known, words are ranked by their scores less the noise, as `drift` ranks them.

    Examples
    --------
    >>> own, others = np.linspace(0, 1, 20), np.linspace(1, 0, 20)[None]
    >>> share, spread = agreement(own, others, None)
    >>> share[[0, 10, 19]].tolist(), spread[[0, 19]].round(2).tolist()
    ([0.5, 0.0, 0.5], [0.71, 0.71])
    """
    scores = np.vstack([own, others])
    ranked = scores if noise is None else scores - np.nan_to_num(noise, nan=np.inf)
    rank = np.argsort(np.argsort(-ranked, axis=1, kind="stable"), axis=1)
    return (rank < most_changed(len(own))).mean(axis=0), scores.std(axis=0, ddof=1)


def _check_trainable(embeddings: ConditionedEmbeddings, counts: Counts) -> None:
    """Refuse what cannot be trained again as it was."""
    made = embeddings.provenance
    method = made.get("method")
    if method not in METHODS or "extended" in made:
        what = f"of method {method}" if method not in METHODS else "extended"
        raise SettingsError(f"other seeds need a model that was trained on its run, and this one is {what}")
    if "seed" not in made["settings"]:
        raise SettingsError(f"{method} has no seed: it always gives the same vectors")
    if made.get("run") != counts.checksum:
        raise InputError(f"the model was trained on another run than {counts.folder}; train it again")


def _with_other_seed(embeddings: ConditionedEmbeddings, further: int) -> tuple[Method, int]:
    made = embeddings.provenance
    seed = int(made["settings"]["seed"]) + further
    model: Method = method_class(made["method"])(**{**made["settings"], "seed": seed})
    return model, seed


class _Told:
    """Progress under the name of a stage."""

    def __init__(self, stage: str, progress: Progress | None) -> None:
        self._stage, self._progress = stage, progress

    def __call__(self, done: int, total: int) -> None:
        if self._progress:
            self._progress(self._stage, done, total)
