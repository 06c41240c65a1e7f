"""The settings of our models, `cw2v` and `graph`, of the methods that are special cases of them, and the presets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from chronotope.config.checks import at_least, one_of, only
from chronotope.errors import SettingsError


@dataclass(frozen=True)
class ConditionedSettings:
    """The settings of CW2V, the model of the paper; the defaults are the ones that predict held-out text best.

    Attributes
    ----------
    epochs
        Passes over the cells.
    start
        Where words and contexts start: along the main 'directions' of the mutual information, or at 'random'.
    smoothness
        α: the pull between the vectors of neighboring conditions; None: 1.5 with time, 1.0 for places alone.
    deviation_penalty
        β: the pull of a word's own deviations toward zero.
    target
        What the model predicts: 'log' of the scaled count, or 'log1p', the log of one plus it.
    weight_cap, weight_power
        A cell counts min(1, (X / cap) ** power); a cap of 0 gives every cell the weight 1.
    penalties
        'once': as the loss says; 'each-cell': added at every visited cell, as the authors' program does.
    scaling
        Conditions are scaled to equal numbers of 'pairs' or of 'tokens'.
    rate, accumulator
        AdaGrad's step, and the value that its accumulators start from.
    centering
        The mean that is taken off the vectors: over the words 'observed' in a condition, or the 'vocabulary'.
    vectors
        What stands for a word: its vector as a 'word', or 'both', followed by its vector as a context, so that it is
        twice `dimensions` long. Counts are symmetric: both sides say what company the word keeps.
    deviations
        Whether a word has a part of its own in each condition. Without it a word is `word ⊙ condition`: it moves only
        as the whole condition moves, and no word changes by itself.
    condition_vectors
        Whether condition vectors are learned. Without it they stay 1, and a word is `word + deviation`.
    """

    dimensions: int = 50
    epochs: int = 15
    seed: int = 1
    start: str = "directions"
    smoothness: float | None = None
    deviation_penalty: float = 8.0
    target: str = "log"
    weight_cap: float = 10.0
    weight_power: float = 0.75
    penalties: str = "once"
    scaling: str = "pairs"
    rate: float = 0.1
    accumulator: float = 0.1
    centering: str = "observed"
    vectors: str = "both"
    deviations: bool = True
    condition_vectors: bool = True

    def __post_init__(self) -> None:
        at_least("dimensions", self.dimensions, 1)
        at_least("epochs", self.epochs, 1)
        at_least("seed", self.seed, 0)
        one_of("start", self.start, ("directions", "random"))
        for name in ("smoothness", "deviation_penalty", "weight_cap", "weight_power", "accumulator"):
            if getattr(self, name) is not None:
                at_least(name, getattr(self, name), 0)
        one_of("target", self.target, ("log", "log1p"))
        one_of("penalties", self.penalties, ("once", "each-cell"))
        one_of("scaling", self.scaling, ("pairs", "tokens"))
        one_of("centering", self.centering, ("observed", "vocabulary"))
        one_of("vectors", self.vectors, ("word", "both"))
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise SettingsError(f"rate must be a positive number, not {self.rate}")
        if not (self.deviations or self.condition_vectors):
            raise SettingsError("without deviations and condition vectors nothing differs between conditions; keep one")


@dataclass(frozen=True)
class CovariateSettings(ConditionedSettings):
    """The settings of `covariate`: those of `cw2v` without deviations, the model of Tian et al. (2018).

    The pull on deviations has no effect; condition vectors carry all that changes.
    """

    deviations: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        only("covariate", "deviations", self.deviations, False, "cw2v")


@dataclass(frozen=True)
class AdditiveSettings(ConditionedSettings):
    """The settings of `additive`: those of `cw2v` with condition vectors of 1, the model of Bamman et al. (2014).

    The smoothness has no effect: it is a pull between condition vectors.
    """

    condition_vectors: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        only("additive", "condition_vectors", self.condition_vectors, False, "cw2v")


@dataclass(frozen=True)
class GraphSettings:
    """The settings of `graph`, our own model.

    Attributes
    ----------
    dimensions
        The length of a vector; None: 200 with time, 300 for places alone, or the number of words where that is less.
    epochs
        The most sweeps over the data; every one lowers the loss.
    tolerance
        Training stops when a sweep lowers the loss by less than this share of it; 0: after `epochs` sweeps.
    smoothness
        τ: the pull between a word's vectors in consecutive time bins (of one place), and in places that were given
        as neighbors; None: 1, or less with fewer than ten time bins, so that a change from the first to the last is
        not smoothed away.
    deviation_penalty
        β: the pull of a word's vectors toward their mean; None: 0.1 with time, 0.05 for places alone.
    half_trust
        κ: a row that rests on so many occurrences is trusted by half.
    context_power
        Context frequencies are raised to this power in the mutual information.
    emphasis
        The mutual information is raised to this power, so that the most telling contexts count more.
    sides
        Whether a word before and the same word after are two contexts.
    marginals
        The frequencies of contexts that the mutual information is measured against: each condition's 'own', or
        'pooled', those of all conditions together, each with the same weight.
    """

    dimensions: int | None = None
    epochs: int = 10
    seed: int = 1
    tolerance: float = 0.001
    smoothness: float | None = None
    deviation_penalty: float | None = None
    half_trust: float = 10.0
    context_power: float = 0.75
    emphasis: float = 1.5
    sides: bool = True
    marginals: str = "own"

    def __post_init__(self) -> None:
        at_least("epochs", self.epochs, 1)
        at_least("seed", self.seed, 0)
        one_of("marginals", self.marginals, ("own", "pooled"))
        if self.dimensions is not None:
            at_least("dimensions", self.dimensions, 1)
        for name in ("tolerance", "smoothness", "deviation_penalty", "half_trust", "context_power", "emphasis"):
            if getattr(self, name) is not None:
                at_least(name, getattr(self, name), 0)


@dataclass(frozen=True)
class SharedContextSettings(GraphSettings):
    """The settings of `shared-context`: those of `graph` without any pull between a word's vectors.

    Every (word, condition) is a row of positive mutual information over common contexts, and the sweeps are those of
    a truncated singular value decomposition. A word that is marked by its condition while the contexts are not is the
    temporal referencing of Dubossarsky et al. (2019).
    """

    smoothness: float | None = 0.0
    deviation_penalty: float | None = 0.0
    half_trust: float = 0.0
    emphasis: float = 1.0
    sides: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        only("shared-context", "smoothness", self.smoothness, 0, "graph")
        only("shared-context", "deviation_penalty", self.deviation_penalty, 0, "graph")


# What the paper says, and what the authors' program does; `time` holds whatever has a time axis. The paper does not say
# where the accumulators start: they start at 1, as in the authors' program and in GloVe. That program descends half the
# squared error, so that its penalties (α 1.5 for time, 0.2 for places; β 0.2) count double in the units of our loss.
PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "paper": {
        "time": {
            "smoothness": 1.5, "deviation_penalty": 0.2, "weight_cap": 0.0, "rate": 0.05, "accumulator": 1.0,
            "epochs": 40, "centering": "vocabulary", "vectors": "word", "start": "random",
        },
        "place": {
            "smoothness": 1.0, "deviation_penalty": 0.2, "weight_cap": 0.0, "rate": 0.05, "accumulator": 1.0,
            "epochs": 40, "centering": "vocabulary", "vectors": "word", "start": "random",
        },
    },
    "authors": {
        "time": {
            "smoothness": 3.0, "deviation_penalty": 0.4, "target": "log1p", "weight_cap": 6.0, "penalties": "each-cell",
            "scaling": "tokens", "rate": 0.04, "accumulator": 1.0, "epochs": 40, "centering": "vocabulary",
            "vectors": "word", "start": "random",
        },
        "place": {
            "smoothness": 0.4, "deviation_penalty": 0.4, "target": "log1p", "weight_cap": 4.0, "penalties": "each-cell",
            "scaling": "tokens", "rate": 0.02, "accumulator": 1.0, "epochs": 40, "centering": "vocabulary",
            "vectors": "word", "start": "random",
        },
    },
}  # fmt: skip


def preset(name: str, axis: str) -> ConditionedSettings:
    """The settings of CW2V under a name, for conditions along `axis`.

    Examples
    --------
    >>> preset("paper", "place").smoothness
    1.0
    """
    one_of("preset", name, tuple(PRESETS))
    return ConditionedSettings(**PRESETS[name]["time" if "time" in axis else "place"])
