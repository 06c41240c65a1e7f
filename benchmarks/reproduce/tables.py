"""The tables as data: text, thresholds, test pairs, methods, ablation choices, and the paper's own figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from chronotope.config import PRESETS, preset
from chronotope.errors import SettingsError, did_you_mean
from chronotope.methods import METHODS, default_settings

HELD_OUT = 0.2
# CW2V predicts held-out text best with this many dimensions, which is not its default.
CW2V_BEST_DIMENSIONS = 200


@dataclass(frozen=True)
class Judgment:
    """A column of a file of gold: how much words changed from one time bin to another; `sign` −1: high is unchanged."""

    title: str
    column: str
    start: str
    end: str
    sign: int = 1


@dataclass(frozen=True)
class Table:
    """An experiment: every method is trained on the same counts and asked the same pairs.

    `pairs` maps a file of test pairs to the name of the paper's figures on it, or None. `tokens_per_place` caps the
    text of a place; whole documents are drawn. `renamings_of` names the table whose counts are reused with renamed
    words; the pairs then ask for the new names. `gold` is a file with human judgments of change, a column for each of
    `judgments`.
    """

    name: str
    title: str
    file: str
    corpus: Mapping[str, Any]
    counting: Mapping[str, Any]
    pairs: Mapping[str, str | None] = field(default_factory=dict)
    tokens_per_place: int | None = None
    renamings_of: str | None = None
    gold: str | None = None
    judgments: tuple[Judgment, ...] = ()

    @property
    def axis(self) -> str:
        return "time" if "time" in self.corpus else "place"


# The test pairs are lower case without accents.
BY_PLACE = {"place": "place", "strip_accents": True}
BY_YEAR = {"time": "time", "every": "1y", "strip_accents": True}

PLACES = Table(
    name="places",
    title="Places: nine varieties of English, open texts, at most a million words each",
    file="ice9_open.jsonl.zst",
    corpus=BY_PLACE,
    counting={"min_count": 5},
    pairs={"tests/ice_equivalents.csv": "spatial"},
    tokens_per_place=1_000_000,
)
TIME = Table(
    name="time",
    title="Time: United Nations General Debate, 1990–2016 by year",
    file="ungdc.jsonl.zst",
    corpus=BY_YEAR | {"where": "time >= 1990 AND time <= 2016"},
    counting={"min_count": 100},
    pairs={"tests/ungdc_roles.csv": None},
)
NEWS = Table(
    name="news",
    title="Time: speeches, briefings, court opinions and abstracts, 1990–2016 by year",
    file="pool_1990_2016.jsonl.zst",
    corpus=BY_YEAR,
    counting={"min_count": 200},
    pairs={"tests/yao_1.csv": "temporal 1", "tests/yao_2.csv": "temporal 2"},
)
# The examples need rarer words than the table does: apple occurs 153 times in 27 years.
EXAMPLES = replace(NEWS, name="examples", title="Examples over time", counting={"min_count": 50}, pairs={})


def _judged(
    name: str, title: str, file: str, bins: Mapping[str, tuple[int, int]], least: int, *judgments: Any
) -> Table:
    named = [(label, str(first), str(last)) for label, (first, last) in bins.items()]
    uses, gold = f"gold/{name}/uses.jsonl.zst", f"gold/{name}/{file}"
    corpus, counting = {"time": "time", "bins": named}, {"min_count": least}
    return Table(name, title, uses, corpus, counting, gold=gold, judgments=judgments)


def _norwegian(number: int, first: tuple[int, int], last: tuple[int, int]) -> Table:
    name, title = f"nordiachange_{number}", f"Norwegian {number}"
    bins = {"{}–{}".format(*years): years for years in (first, last)}
    return _judged(name, title, "gold.tsv", bins, 2, Judgment(title, "change_graded", *bins))


ERAS = {"pre-Soviet": (1700, 1916), "Soviet": (1918, 1990), "post-Soviet": (1992, 2016)}
STEPS = (("pre-Soviet", "Soviet"), ("Soviet", "post-Soviet"), ("pre-Soviet", "post-Soviet"))
COMPARED = [Judgment(f"Russian, {a} to {b}", f"{a}:{b}", a, b, sign=-1) for a, b in STEPS]
GOLD = (
    _judged("rushifteval", "Russian", "gold_compare.tsv", ERAS, 5, *COMPARED),
    _norwegian(1, (1929, 1965), (1970, 2015)),
    _norwegian(2, (1980, 1990), (2012, 2019)),
)


def held_out(table: Table, *, flat: bool, renamed: bool) -> Table:
    """Return the ablation's form of a table: a fifth of the documents set aside, perhaps with renamed words."""
    name = f"ablation-{table.name}{'-flat' if flat else ''}"
    made = replace(
        table,
        name=name,
        corpus={**table.corpus, "holdout": HELD_OUT},
        counting={**table.counting, "weighting": "flat"} if flat else table.counting,
    )
    return replace(made, name=f"{name}-renamed", pairs={}, renamings_of=name) if renamed else made


@dataclass(frozen=True)
class Contender:
    """A method with all its settings except the seed, and its name in the table."""

    name: str
    method: str
    settings: Mapping[str, Any]


def contenders(axis: str, dimensions: int, chosen: Sequence[str] | None = None) -> list[Contender]:
    """Return every method at its default and at `dimensions`, CW2V also with its presets; or only those `chosen`."""
    known = [contender for method in METHODS for contender in _forms(method, axis, dimensions)]
    if chosen is None:
        return known
    _check("method", chosen, [name for contender in known for name in (contender.name, contender.method)])
    return [contender for contender in known if contender.name in chosen or contender.method in chosen]


def _forms(method: str, axis: str, dimensions: int) -> list[Contender]:
    default = default_settings(method)
    forms = {method: default}
    if default.get("dimensions", dimensions) != dimensions:
        forms = {f"{method}-{dimensions}": default | {"dimensions": dimensions}} | forms
    if method == "cw2v":
        forms[f"cw2v-{CW2V_BEST_DIMENSIONS}"] = default | {"dimensions": CW2V_BEST_DIMENSIONS}
        forms |= {f"cw2v-{name}": asdict(preset(name, axis)) | {"dimensions": dimensions} for name in PRESETS}
    return [Contender(name, method, _without_seed(settings)) for name, settings in forms.items()]


@dataclass(frozen=True)
class Choice:
    """A model with some settings changed, or trained on unweighted windows; `axis`: only meaningful there."""

    method: str
    changed: Mapping[str, Any]
    flat: bool = False
    axis: str | None = None

    @property
    def name(self) -> str:
        changed = (f"{key}={value if isinstance(value, str | bool) else f'{value:g}'}"
                   for key, value in self.changed.items())  # fmt: skip
        return " ".join([self.method, *changed, *(["flat counts"] if self.flat else [])])

    def contender(self) -> Contender:
        return Contender(self.name, self.method, _without_seed(default_settings(self.method)) | dict(self.changed))


CHOICES = (
    Choice("graph", {}),
    Choice("graph", {"smoothness": 0.0}, axis="time"),
    Choice("graph", {"deviation_penalty": 0.0}),
    Choice("graph", {"smoothness": 0.0, "deviation_penalty": 0.0}, axis="time"),
    Choice("graph", {"shrinkage": 0.0}),
    Choice("graph", {"marginals": "pooled"}),
    Choice("graph", {"context_power": 1.0}),
    Choice("graph", {"pmi_power": 1.0}),
    Choice("graph", {"directional_contexts": False}),
    Choice("graph", {"pmi_power": 1.0, "directional_contexts": False}),
    Choice("graph", {}, flat=True),
    Choice("graph", {"dimensions": 50}),
    Choice("graph", {"dimensions": 100}),
    Choice("graph", {"dimensions": 200}, axis="place"),  # over time it is the default
    Choice("graph", {"dimensions": 400}),
    Choice("cw2v", {}),
    Choice("cw2v", {"target": "log1p"}),
    Choice("cw2v", {"weight_cap": 0.0}),
    Choice("cw2v", {"weight_cap": 100.0}),
    Choice("cw2v", {"deviation_penalty": 0.2}),
    Choice("cw2v", {"deviation_penalty": 0.2, "penalties": "each-cell"}),
    Choice("cw2v", {"deviation_penalty": 2.0}),
    Choice("cw2v", {"deviation_penalty": 30.0}),
    Choice("cw2v", {"smoothness": 0.0}),
    Choice("cw2v", {"deviations": False}),
    Choice("cw2v", {"condition_vectors": False}),
    Choice("cw2v", {"start": "random"}),
    Choice("cw2v", {"epochs": 4}),
    Choice("cw2v", {"epochs": 8}),
    Choice("cw2v", {"epochs": 40}),
    Choice("cw2v", {}, flat=True),
    Choice("cw2v", {"vectors": "word"}),
    Choice("cw2v", {"dimensions": 100}),
    Choice("cw2v", {"dimensions": 200}),
)


def choices(names: Sequence[str] | None = None) -> list[Choice]:
    """Return all choices, or those of some methods, or single ones together with the default they differ from."""
    if names is None:
        return list(CHOICES)
    _check("choice", names, [choice.name for choice in CHOICES])
    methods = {choice.method for choice in CHOICES if choice.name in names}
    return [
        choice
        for choice in CHOICES
        if choice.name in names or choice.method in names or (choice.name in methods and not choice.changed)
    ]


def _without_seed(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != "seed"}


def _check(kind: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            options = ", ".join(dict.fromkeys(known))
            raise SettingsError(f"unknown {kind} '{name}'; choose from {options}{did_you_mean(name, known)}")


# The paper's names of the methods, and its figures: MRR, MP@1, MP@3, MP@5, MP@10.
PAPER_NAMES = {"static": "BW2V", "linear": "TW2V", "aligned": "AW2V", "dynamic": "DW2V", "cw2v": "CW2V"}
PAPER_FIGURES: dict[str, dict[str, tuple[float, ...]]] = {
    "temporal 1": {
        "BW2V": (0.36, 0.27, 0.42, 0.48, 0.56),
        "TW2V": (0.09, 0.05, 0.12, 0.15, 0.19),
        "AW2V": (0.16, 0.11, 0.18, 0.22, 0.30),
        "DW2V": (0.42, 0.33, 0.49, 0.55, 0.62),
        "CW2V": (0.43, 0.34, 0.51, 0.55, 0.62),
    },
    "temporal 2": {
        "BW2V": (0.05, 0.00, 0.08, 0.08, 0.20),
        "TW2V": (0.07, 0.04, 0.08, 0.10, 0.14),
        "AW2V": (0.05, 0.02, 0.05, 0.08, 0.14),
        "DW2V": (0.14, 0.08, 0.16, 0.22, 0.38),
        "CW2V": (0.13, 0.08, 0.16, 0.19, 0.27),
    },
    "spatial": {
        "BW2V": (0.25, 0.20, 0.27, 0.29, 0.35),
        "TW2V": (0.00, 0.00, 0.00, 0.00, 0.00),
        "AW2V": (0.17, 0.11, 0.18, 0.24, 0.33),
        "DW2V": (0.12, 0.11, 0.11, 0.13, 0.14),
        "CW2V": (0.31, 0.24, 0.35, 0.39, 0.46),
    },
}
