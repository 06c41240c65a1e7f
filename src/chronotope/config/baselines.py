"""The settings of the baselines."""

from __future__ import annotations

import math
from dataclasses import dataclass

from chronotope.config.checks import at_least, one_of
from chronotope.errors import SettingsError


@dataclass(frozen=True)
class Word2VecSettings:
    """What every method that trains word2vec has; the window and its weighting are those of the counts.

    Attributes
    ----------
    epochs
        Passes over the text. None: the 5 of word2vec, and more where one model has little text, so that it sees five
        million words, but at most 50.
    algorithm
        'cbow', as in the comparison of Gong et al. (2020), or 'skipgram'.
    negative
        How many words that are not there are set against each that is.
    subsampling
        Words more frequent than this share of the text are often passed over.
    """

    dimensions: int = 50
    epochs: int | None = None
    seed: int = 1
    algorithm: str = "cbow"
    negative: int = 5
    subsampling: float = 1e-3

    def __post_init__(self) -> None:
        at_least("dimensions", self.dimensions, 1)
        if self.epochs is not None:
            at_least("epochs", self.epochs, 1)
        at_least("seed", self.seed, 0)
        one_of("algorithm", self.algorithm, ("skipgram", "cbow"))
        at_least("negative", self.negative, 1)
        at_least("subsampling", self.subsampling, 0)


@dataclass(frozen=True)
class StaticSettings(Word2VecSettings):
    """The settings of `static`: one word2vec model of all the text; the fields are those of `Word2VecSettings`."""


@dataclass(frozen=True)
class AlignedSettings(Word2VecSettings):
    """The settings of `aligned`: word2vec in each condition, and rotations.

    Attributes
    ----------
    half_trust
        A word that occurs so often in the rarer of two conditions counts half in the rotation between them.
    """

    half_trust: float = 100.0

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least("half_trust", self.half_trust, 0)


@dataclass(frozen=True)
class LinearSettings(AlignedSettings):
    """The settings of `linear`: word2vec in each condition, and a linear map for each query.

    Attributes
    ----------
    neighbors
        How many of the query's nearest words the map is fitted to.
    ridge
        The pull of the map toward none at all where it is fitted to fewer words than there are dimensions.
    """

    neighbors: int = 1000
    ridge: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least("neighbors", self.neighbors, 1)
        at_least("ridge", self.ridge, 0)


@dataclass(frozen=True)
class CompassSettings:
    """The settings of `compass`: one side of word2vec learned from all the text and frozen (Di Carlo et al. 2019).

    Attributes
    ----------
    epochs
        Passes over the text, over all of it first and then over each condition. None: for each of the two as many as
        `Word2VecSettings` would have, at least 5 and at most 50.
    negative
        How many words that are not there are set against each that is.
    subsampling
        Words more frequent than this share of the text are often passed over.
    rate
        The size of the first step; the last is almost 0.
    start
        Where the vectors of a condition start: at those of the 'compass', so that a word with little text stays near
        them, or at 'random' ones, as in the authors' program.
    """

    dimensions: int = 50
    epochs: int | None = None
    seed: int = 1
    negative: int = 10
    subsampling: float = 1e-3
    rate: float = 0.025
    start: str = "compass"

    def __post_init__(self) -> None:
        at_least("dimensions", self.dimensions, 1)
        if self.epochs is not None:
            at_least("epochs", self.epochs, 1)
        at_least("seed", self.seed, 0)
        at_least("negative", self.negative, 1)
        at_least("subsampling", self.subsampling, 0)
        one_of("start", self.start, ("compass", "random"))
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise SettingsError(f"rate must be a positive number, not {self.rate}")


@dataclass(frozen=True)
class DynamicSettings:
    """The settings of `dynamic`: the joint factorization of Yao et al. (2018), with their values.

    Attributes
    ----------
    epochs
        Sweeps over the data; every one lowers the loss.
    size_penalty
        λ: the pull of every vector toward zero.
    smoothness
        τ: the pull between a word's vectors in neighboring conditions.
    agreement
        γ: the pull between a word's two vectors in a condition, as word and as context.
    """

    dimensions: int = 50
    epochs: int = 5
    seed: int = 1
    size_penalty: float = 10.0
    smoothness: float = 50.0
    agreement: float = 100.0

    def __post_init__(self) -> None:
        at_least("dimensions", self.dimensions, 1)
        at_least("epochs", self.epochs, 1)
        at_least("seed", self.seed, 0)
        for name in ("size_penalty", "smoothness", "agreement"):
            at_least(name, getattr(self, name), 0)
