"""Every setting, one frozen dataclass a stage; read from and written to one TOML file.

An unknown key is an error, so that a misspelt setting is never silently ignored.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import tomli_w

from chronotope.errors import SettingsError, did_you_mean


@dataclass(frozen=True)
class NamedBin:
    """A time bin with a name of its own: from the first moment of `start` to the last of `end`, both included."""

    name: str
    start: str
    end: str


@dataclass(frozen=True)
class CorpusSettings:
    """How text becomes (condition, tokens).

    Attributes
    ----------
    text, time, place
        The names of the fields; `text` may hold a string or a list of tokens.
    every
        The length of a time bin: 1y, 10y, 5y, 1q, 1mo, 6mo, 1w, 1d.
    bins
        Named bins instead of `every`; they may be uneven and leave gaps, not overlap.
    where
        An SQL condition on the fields of a row; other rows are left out.
    tokenizer
        'words' (Unicode words; links and markup left out) or 'whitespace' (text that is tokenized already).
    lowercase, strip_accents
        Whether case and accents are folded.
    phrases
        Sequences of words that count as one word, written with blanks: 'prime minister' becomes prime_minister.
    find_phrases
        Also join pairs of words that stand together far more often than chance would have it.
    variants
        Other forms of a word: the key is replaced by the value ('colour' by 'color').
    holdout
        The share of documents set aside to measure how well their contexts are predicted.
    strict
        Stop at the first bad row instead of counting and skipping it.
    """

    text: str = "text"
    time: str | None = None
    every: str | None = None
    bins: tuple[NamedBin, ...] = ()
    place: str | None = None
    where: str | None = None
    tokenizer: str = "words"
    lowercase: bool = True
    strip_accents: bool = False
    phrases: tuple[str, ...] = ()
    find_phrases: bool = False
    variants: Mapping[str, str] = field(default_factory=dict)
    holdout: float = 0.0
    strict: bool = False

    def __post_init__(self) -> None:
        one_of("tokenizer", self.tokenizer, ("words", "whitespace"))
        if not 0 <= self.holdout < 1:
            raise SettingsError(f"holdout is a share of the documents between 0 and 1, not {self.holdout}")
        if (self.every or self.bins) and not self.time:
            raise SettingsError("time bins were asked for, but no time field was named; add time= (or --time)")
        if self.every and self.bins:
            raise SettingsError("give either a length of the time bins (every) or named bins, not both")


@dataclass(frozen=True)
class CountSettings:
    """Which words are counted, and how.

    Attributes
    ----------
    min_count
        Words seen less often in all the text together are left out; None: a threshold that fits the corpus.
    max_words
        Keep at most so many words, the most frequent.
    window
        How many words on each side are context.
    weighting
        'harmonic': a context at distance d counts 1/d; 'flat': every context counts 1.
    """

    min_count: int | None = None
    max_words: int | None = None
    window: int = 5
    weighting: str = "harmonic"

    def __post_init__(self) -> None:
        one_of("weighting", self.weighting, ("harmonic", "flat"))
        at_least("window", self.window, 1)
        if self.min_count is not None:
            at_least("min_count", self.min_count, 1)
        if self.max_words is not None:
            at_least("max_words", self.max_words, 1)


@dataclass(frozen=True)
class ConditionedSettings:
    """The settings of CW2V, the model of the paper; the defaults are the ones that predict held-out text best.

    Attributes
    ----------
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
    """

    dimensions: int = 50
    epochs: int = 15
    seed: int = 1
    smoothness: float | None = None
    deviation_penalty: float = 8.0
    target: str = "log"
    weight_cap: float = 10.0
    weight_power: float = 0.75
    penalties: str = "once"
    scaling: str = "pairs"
    rate: float = 0.05
    accumulator: float = 0.1
    centering: str = "observed"

    def __post_init__(self) -> None:
        at_least("dimensions", self.dimensions, 1)
        at_least("epochs", self.epochs, 1)
        at_least("seed", self.seed, 0)
        for name in ("smoothness", "deviation_penalty", "weight_cap", "weight_power", "accumulator"):
            if getattr(self, name) is not None:
                at_least(name, getattr(self, name), 0)
        one_of("target", self.target, ("log", "log1p"))
        one_of("penalties", self.penalties, ("once", "each-cell"))
        one_of("scaling", self.scaling, ("pairs", "tokens"))
        one_of("centering", self.centering, ("observed", "vocabulary"))
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise SettingsError(f"rate must be a positive number, not {self.rate}")


@dataclass(frozen=True)
class GraphSettings:
    """The settings of `graph`, our own model.

    Attributes
    ----------
    dimensions
        The length of a vector; None: 200, or the number of words where that is less.
    epochs
        Sweeps over the data; every one lowers the loss.
    smoothness
        τ: the pull between a word's vectors in consecutive time bins (of one place), and in places that were given
        as neighbors.
    deviation_penalty
        β: the pull of a word's vectors toward their mean; None: 0.1 with time, 0.05 for places alone.
    half_trust
        κ: a row that rests on so many occurrences is trusted by half.
    context_power
        Context frequencies are raised to this power in the mutual information.
    """

    dimensions: int | None = None
    epochs: int = 10
    seed: int = 1
    smoothness: float = 1.0
    deviation_penalty: float | None = None
    half_trust: float = 10.0
    context_power: float = 0.75

    def __post_init__(self) -> None:
        at_least("epochs", self.epochs, 1)
        at_least("seed", self.seed, 0)
        if self.dimensions is not None:
            at_least("dimensions", self.dimensions, 1)
        for name in ("smoothness", "deviation_penalty", "half_trust", "context_power"):
            if getattr(self, name) is not None:
                at_least(name, getattr(self, name), 0)


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


@dataclass(frozen=True)
class Config:
    """All the settings of a run, as they stand in its TOML file."""

    corpus: CorpusSettings = field(default_factory=CorpusSettings)
    counting: CountSettings = field(default_factory=CountSettings)
    cw2v: ConditionedSettings = field(default_factory=ConditionedSettings)
    graph: GraphSettings = field(default_factory=GraphSettings)
    static: StaticSettings = field(default_factory=StaticSettings)
    linear: LinearSettings = field(default_factory=LinearSettings)
    aligned: AlignedSettings = field(default_factory=AlignedSettings)
    dynamic: DynamicSettings = field(default_factory=DynamicSettings)


# What the paper says, and what the authors' program does; `time` holds whatever has a time axis. The paper does not say
# where the accumulators start: they start at 1, as in the authors' program and in GloVe.
PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "paper": {
        "time": {
            "smoothness": 1.5, "deviation_penalty": 0.2, "weight_cap": 0.0, "epochs": 40, "accumulator": 1.0,
            "centering": "vocabulary",
        },
        "place": {
            "smoothness": 1.0, "deviation_penalty": 0.2, "weight_cap": 0.0, "epochs": 40, "accumulator": 1.0,
            "centering": "vocabulary",
        },
    },
    "authors": {
        "time": {
            "smoothness": 1.5, "deviation_penalty": 0.2, "target": "log1p", "weight_cap": 6.0, "penalties": "each-cell",
            "scaling": "tokens", "rate": 0.04, "accumulator": 1.0, "epochs": 40, "centering": "vocabulary",
        },
        "place": {
            "smoothness": 0.2, "deviation_penalty": 0.2, "target": "log1p", "weight_cap": 4.0, "penalties": "each-cell",
            "scaling": "tokens", "rate": 0.02, "accumulator": 1.0, "epochs": 40, "centering": "vocabulary",
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


Settings = TypeVar("Settings")


def from_dict(kind: type[Settings], data: Mapping[str, Any], where: str = "") -> Settings:
    """Settings of one kind from plain data; an unknown key or a wrong type is an error that names it."""
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for key, value in data.items():
        name = f"{where}.{key}" if where else key
        if key not in hints:
            raise SettingsError(f"unknown setting '{name}'{did_you_mean(key, hints)}")
        values[key] = _converted(hints[key], value, name)
    try:
        return kind(**values)
    except TypeError as error:
        raise SettingsError(f"[{where}] {error}") from None


def to_dict(settings: Any) -> dict[str, Any]:
    """Settings as plain data for TOML or JSON; what is None is left out."""
    return {key: value for key, value in dataclasses.asdict(settings).items() if value is not None}


def read_config(path: str | Path) -> Config:
    """The settings in a TOML file; what it leaves out has its default."""
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read {path}: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from None
    return from_dict(Config, data)


def write_config(config: Config, path: str | Path) -> None:
    """Write every setting to a TOML file that `read_config` reads back."""
    sections = {section.name: _plain(to_dict(getattr(config, section.name))) for section in dataclasses.fields(config)}
    Path(path).write_text(tomli_w.dumps(sections), encoding="utf-8")


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    """Settings as TOML can hold them: tables and lists, nothing else."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in data.items()}


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is not among the allowed ones."""
    if value not in allowed:
        raise SettingsError(f"{name} must be {' or '.join(allowed)}, not '{value}'{did_you_mean(str(value), allowed)}")


def at_least(name: str, value: float, least: float) -> None:
    """Refuse a number below the least sensible one, and what is no number."""
    if not value >= least or math.isinf(value):
        raise SettingsError(f"{name} must be a number of at least {least}, not {value}")


def _named_bin(item: Any, name: str) -> NamedBin:
    """A bin from TOML, where a year may be a number and a day a date."""
    if not isinstance(item, Mapping) or item.keys() != {"name", "start", "end"}:
        raise SettingsError(f"'{name}' must be tables with name, start and end, not {item!r}")
    return NamedBin(**{key: str(value) for key, value in item.items()})


def _converted(hint: Any, value: Any, name: str) -> Any:
    """A value from TOML or JSON as the type that a setting has."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, Mapping):
            raise SettingsError(f"'{name}' must be a table")
        return from_dict(hint, value, name)
    text = str(hint)
    if "tuple" in text:
        if not isinstance(value, list | tuple):
            raise SettingsError(f"'{name}' must be a list")
        if "NamedBin" in text:
            return tuple(item if isinstance(item, NamedBin) else _named_bin(item, name) for item in value)
        if not all(isinstance(item, str) for item in value):
            raise SettingsError(f"'{name}' must be a list of texts, not {value!r}")
        return tuple(value)
    allowed: list[type] = [
        kind for kind, word in ((bool, "bool"), (int, "int"), (float, "float"), (str, "str")) if word in text
    ]
    if "Mapping" in text:
        allowed = [dict]
        if isinstance(value, dict) and not all(isinstance(item, str) for item in value.values()):
            raise SettingsError(f"'{name}' must hold texts only, not {value!r}")
    if float in allowed and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) not in allowed and not (value is None and "None" in text):
        raise SettingsError(f"'{name}' must be {' or '.join(kind.__name__ for kind in allowed)}, not {value!r}")
    return value
