"""The settings of the training methods, and the presets of `cw2v`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from chronotope.config.checks import Count, Rate, Seed, Settings, Weight, one_of, only
from chronotope.errors import SettingsError


@dataclass(frozen=True)
class ConditionedSettings(Settings):
    """The settings of CW2V, the model of the paper; the defaults predict held-out text best.

    Attributes
    ----------
    epochs
        Passes over the cells.
    start
        Initial vectors: along the main 'directions' of the mutual information, or 'random'.
    smoothness
        α: the pull between the vectors of neighboring conditions; None: 1.5 with time, 1.0 for places alone.
    deviation_penalty
        β: the pull of a word's own deviations toward zero.
    target
        What a cell is fitted to: the 'log' of its scaled count X, or 'log1p', log(1 + X).
    weight_cap, weight_power
        The weight of a cell is min(1, (X / cap) ** power); a cap of 0 gives every cell the weight 1.
    penalties
        'once': as the loss says; 'each-cell': added at every visited cell, as the authors' program does.
    scaling
        Scale all conditions to the same number of 'pairs' or of 'tokens'.
    rate, accumulator
        The learning rate of AdaGrad, and the initial value of its accumulators.
    centering
        The mean that is subtracted from the vectors: over the words 'observed' in a condition, or the 'vocabulary'.
    vectors
        The vector of a word: its 'word' vector, or 'both', its word and context vector concatenated (twice
        `dimensions`). Counts are symmetric, so both vectors describe the contexts of the word.
    deviations
        Whether a word has a deviation of its own in each condition. Without deviations a word is `word ⊙ condition`:
        no word changes by itself, only the condition as a whole.
    condition_vectors
        Whether condition vectors are learned. Otherwise they stay 1, and a word is `word + deviation`.
    zeros
        Whether to fit the vectors to the mutual information of all pairs of words, zeros included, by exact steps. A
        word then moves away from contexts that it no longer has. `target`, weights, `penalties`, `scaling`, `rate` and
        `accumulator` have no effect.
    """

    dimensions: Count = 50
    epochs: Count = 15
    seed: Seed = 1
    start: Literal["directions", "random"] = "directions"
    smoothness: Weight | None = None
    deviation_penalty: Weight = 8.0
    target: Literal["log", "log1p"] = "log"
    weight_cap: Weight = 10.0
    weight_power: Weight = 0.75
    penalties: Literal["once", "each-cell"] = "once"
    scaling: Literal["pairs", "tokens"] = "pairs"
    rate: Rate = 0.1
    accumulator: Weight = 0.1
    centering: Literal["observed", "vocabulary"] = "observed"
    vectors: Literal["word", "both"] = "both"
    deviations: bool = True
    condition_vectors: bool = True
    zeros: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.zeros and not (self.deviations and self.condition_vectors):
            raise SettingsError("zeros needs deviations and condition vectors, so only cw2v has this setting")
        if not (self.deviations or self.condition_vectors):
            raise SettingsError("without deviations and condition vectors nothing differs between conditions; keep one")


@dataclass(frozen=True)
class CovariateSettings(ConditionedSettings):
    """The settings of `covariate`: those of `cw2v` without deviations, the model of Tian et al. (2018).

    `deviation_penalty` has no effect; only the condition vectors change.
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
class GraphSettings(Settings):
    """The settings of `graph`, our own model.

    Attributes
    ----------
    dimensions
        The length of a vector; None: 200 with time, 300 for places alone, at most the number of words.
    epochs
        Maximum number of sweeps over the data; every sweep lowers the loss.
    tolerance
        Stop when a sweep lowers the loss by less than this share of it; 0: after `epochs` sweeps.
    smoothness
        τ: the pull between a word's vectors in consecutive time bins of a place, and in neighboring places if edges
        are given. None: 1, or less with fewer than ten time bins, so that a change from the first to the last bin is
        not smoothed away.
    deviation_penalty
        β: the pull of a word's vectors toward their mean; None: 0.1 with time, 0.05 for places alone.
    shrinkage
        κ: pseudo-count; a row with this many occurrences gets weight 0.5.
    context_power
        Exponent of the context frequencies in the mutual information.
    pmi_power
        Exponent of the mutual information; above 1 the most specific contexts count more.
    directional_contexts
        Whether a word before and the same word after are two contexts.
    marginals
        The context frequencies in the mutual information: each condition's 'own', or 'pooled' over all conditions,
        each with the same weight.
    """

    dimensions: Count | None = None
    epochs: Count = 10
    seed: Seed = 1
    tolerance: Weight = 0.001
    smoothness: Weight | None = None
    deviation_penalty: Weight | None = None
    shrinkage: Weight = 10.0
    context_power: Weight = 0.75
    pmi_power: Weight = 1.5
    directional_contexts: bool = True
    marginals: Literal["own", "pooled"] = "own"


@dataclass(frozen=True)
class SharedContextSettings(GraphSettings):
    """The settings of `shared-context`: those of `graph` without any pull between a word's vectors.

    Every (word, condition) is a row of positive mutual information over common contexts, and the sweeps compute a
    truncated singular value decomposition. This is the temporal referencing of Dubossarsky et al. (2019): words are
    marked by their condition, contexts are not.
    """

    smoothness: Weight | None = 0.0
    deviation_penalty: Weight | None = 0.0
    shrinkage: Weight = 0.0
    pmi_power: Weight = 1.0
    directional_contexts: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        only("shared-context", "smoothness", self.smoothness, 0, "graph")
        only("shared-context", "deviation_penalty", self.deviation_penalty, 0, "graph")


@dataclass(frozen=True)
class SampledSettings(Settings):
    """The settings of every method with negative sampling; the window and its weighting are those of the counts.

    Attributes
    ----------
    epochs
        Passes over the text. None: 5 as in word2vec; with little text more, up to 50, until a model has seen five
        million words.
    negative
        Number of negative samples for each pair.
    subsampling
        Occurrences of words that are more frequent than this share of the text are skipped at random.
    """

    dimensions: Count = 50
    epochs: Count | None = None
    seed: Seed = 1
    negative: Count = 5
    subsampling: Weight = 1e-3


@dataclass(frozen=True)
class Word2VecSettings(SampledSettings):
    """The settings of every method that trains word2vec by gensim.

    Attributes
    ----------
    algorithm
        'cbow', as in the comparison of Gong et al. (2020), or 'skipgram'.
    """

    algorithm: Literal["skipgram", "cbow"] = "cbow"


@dataclass(frozen=True)
class StaticSettings(Word2VecSettings):
    """The settings of `static`: one word2vec model of all the text; the fields are those of `Word2VecSettings`."""


@dataclass(frozen=True)
class AlignedSettings(Word2VecSettings):
    """The settings of `aligned`: word2vec in each condition, and rotations.

    Attributes
    ----------
    shrinkage
        Pseudo-count: a word with this many occurrences in the rarer of two conditions gets weight 0.5 in the rotation
        between them.
    anchors
        The words that the rotations are fitted to (Zhang et al. 2016): the most 'frequent' 5 % of the vocabulary, the
        most 'stable' 25 % after a first rotation, a list of words, or a file with one word per line; None: all.
    """

    shrinkage: Weight = 100.0
    anchors: str | tuple[str, ...] | None = None


@dataclass(frozen=True)
class LinearSettings(AlignedSettings):
    """The settings of `linear`: word2vec in each condition, and a linear map for each query.

    With `anchors` there is one linear map between two conditions instead, fitted to the anchors.

    Attributes
    ----------
    neighbors
        Number of nearest words of the query that the map is fitted to.
    ridge
        The ridge penalty of a map that is fitted to fewer words than dimensions. With `anchors` it always applies, and
        pulls the map toward a rotation.
    """

    neighbors: Count = 1000
    ridge: Weight = 1.0


@dataclass(frozen=True)
class CompassSettings(SampledSettings):
    """The settings of `compass`: one matrix of word2vec learned from all the text and frozen (Di Carlo et al. 2019).

    Attributes
    ----------
    epochs
        Passes over the whole text, and then over that of each condition. None: between 5 and 50 for each, by the number
        of words.
    rate
        The first learning rate; it falls to almost 0.
    start
        The initial vectors of a condition: those of the 'compass', so that rare words stay near them, or 'random', as
        in the authors' program.
    """

    negative: Count = 10
    rate: Rate = 0.025
    start: Literal["compass", "random"] = "compass"


@dataclass(frozen=True)
class DynamicSettings(Settings):
    """The settings of `dynamic`: the joint factorization of Yao et al. (2018), with their values.

    Attributes
    ----------
    epochs
        Sweeps over the data; every sweep lowers the loss.
    size_penalty
        λ: the pull of every vector toward zero.
    smoothness
        τ: the pull between a word's vectors in neighboring conditions.
    agreement
        γ: the pull between a word's two vectors in a condition, as word and as context.
    """

    dimensions: Count = 50
    epochs: Count = 5
    seed: Seed = 1
    size_penalty: Weight = 10.0
    smoothness: Weight = 50.0
    agreement: Weight = 100.0


@dataclass(frozen=True)
class BayesianSettings(Settings):
    """The settings of `bayesian`: the dynamic skip-gram of Bamler and Mandt (2017).

    Attributes
    ----------
    epochs
        Sweeps over the data; every sweep raises the bound on the likelihood.
    negative
        Number of negative counts for each positive one.
    diffusion
        Prior variance of the difference between the two conditions farthest apart in the graph, such as the first and
        the last time bin, in each dimension.
    prior_variance
        Prior variance of the mean of a word's vectors.
    """

    dimensions: Count = 50
    epochs: Count = 10
    seed: Seed = 1
    negative: Rate = 1.0
    diffusion: Rate = 0.2
    prior_variance: Rate = 1.0


@dataclass(frozen=True)
class ContinuousSettings(SampledSettings):
    """The settings of `continuous`: a network over word and time (Rosenfeld and Erk 2018).

    Attributes
    ----------
    epochs
        Passes over the co-occurring pairs. None: between 1 and 50, until the network has seen twenty million.
    hidden
        The size of the two hidden layers that encode the time.
    rate, batch
        The learning rate of Adam, and the number of pairs in a batch.
    """

    hidden: Count = 32
    rate: Rate = 0.01
    batch: Count = 8192


@dataclass(frozen=True)
class ContextualSettings(Settings):
    """The settings of `contextual`: mean vectors of an encoder.

    Attributes
    ----------
    encoder
        'hashing' (random vectors of the words around: no network, any language), the folder of an encoder (of
        `transformers`, or with `model.onnx` and `tokenizer.json`), its name on the Hugging Face hub, or in Python any
        callable (texts, spans) → (N, D), where a span is the range of characters of the word in its text.
    words
        The words to encode: a number of the most frequent words, a list, or a file with one word per line.
    per_pair
        Maximum number of usages of a word in a condition; a random sample is drawn from more.
    layer
        The layer of a model of `transformers`: -1 the last, 0 the embeddings below the first.
    dimensions
        The length of a vector of the hashing encoder; None: 200.
    """

    encoder: str | Callable[..., Any] = "hashing"
    words: int | str | tuple[str, ...] = 2000
    per_pair: Count = 100
    seed: Seed = 1
    layer: int = -1
    dimensions: Count | None = None


# The settings of the paper and of the authors' program; "time" applies to every axis with time. The paper does not give
# the start of the accumulators: 1, as in the authors' program and in GloVe. That program minimizes half the squared
# error, so its penalties (α 1.5 for time, 0.2 for places; β 0.2) are doubled in the units of our loss.
_COMMON = {"accumulator": 1.0, "epochs": 40, "centering": "vocabulary", "vectors": "word", "start": "random"}
_PAPER = {"deviation_penalty": 0.2, "weight_cap": 0.0, "rate": 0.05, **_COMMON}
_AUTHORS = {"deviation_penalty": 0.4, "target": "log1p", "penalties": "each-cell", "scaling": "tokens", **_COMMON}
PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "paper": {"time": {"smoothness": 1.5, **_PAPER}, "place": {"smoothness": 1.0, **_PAPER}},
    "authors": {
        "time": {"smoothness": 3.0, "weight_cap": 6.0, "rate": 0.04, **_AUTHORS},
        "place": {"smoothness": 0.4, "weight_cap": 4.0, "rate": 0.02, **_AUTHORS},
    },
}


def preset(name: str, axis: str) -> ConditionedSettings:
    """Return the CW2V settings of a preset for an axis: 'time', 'place' or 'time × place'."""
    one_of("preset", name, PRESETS)
    return ConditionedSettings(**PRESETS[name]["time" if "time" in axis else "place"])
