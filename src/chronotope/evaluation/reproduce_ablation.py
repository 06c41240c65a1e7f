"""What each choice does: our models with one setting changed at a time, on time and on places.

Every model is trained on four fifths of the documents. Beside its score on the test pairs stands how well it predicts
the other fifth and how well it finds words that were renamed: these two scores chose the settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.errors import SettingsError, did_you_mean
from chronotope.evaluation.compare import Difference, differences
from chronotope.evaluation.metrics import reciprocal_ranks
from chronotope.evaluation.reproduce import Reproduction, Say, reproduce
from chronotope.evaluation.reproduce_contenders import Contender, without_seed
from chronotope.evaluation.reproduce_data import Progress, data_folder
from chronotope.evaluation.reproduce_results import WAYS, Fit, Way
from chronotope.evaluation.reproduce_tables import TABLES, Table
from chronotope.methods import default_settings

HELD_OUT = 0.2
ON = (TABLES["time"], TABLES["places"])
COSINE = next(way for way in WAYS if way == Way("cosine", WAYS[0].min_support))


@dataclass(frozen=True)
class Choice:
    """A model with something changed.

    Attributes
    ----------
    method
        The model.
    changed
        The settings that are not its default; none: the model as it is.
    flat
        Whether every context of a window counts 1, instead of 1 over its distance.
    axis
        Where it makes a difference: 'time', 'place', or None for both.
    """

    method: str
    changed: Mapping[str, Any]
    flat: bool = False
    axis: str | None = None

    @property
    def name(self) -> str:
        """What stands in the table.

        Examples
        --------
        >>> Choice("graph", {"smoothness": 0.0}).name
        'graph smoothness=0'
        """
        parts = [
            f"{key}={value if isinstance(value, str | bool) else f'{value:g}'}" for key, value in self.changed.items()
        ]
        return " ".join([self.method, *parts, *(["flat counts"] if self.flat else [])])


CHOICES = (
    Choice("graph", {}),
    # Without a chain of time bins there is nothing to be smooth along.
    Choice("graph", {"smoothness": 0.0}, axis="time"),
    Choice("graph", {"deviation_penalty": 0.0}),
    Choice("graph", {"smoothness": 0.0, "deviation_penalty": 0.0}, axis="time"),
    Choice("graph", {"half_trust": 0.0}),
    Choice("graph", {"marginals": "pooled"}),
    Choice("graph", {"context_power": 1.0}),
    Choice("graph", {"emphasis": 1.0}),
    Choice("graph", {"sides": False}),
    Choice("graph", {"emphasis": 1.0, "sides": False}),
    Choice("graph", {}, flat=True),
    Choice("graph", {"dimensions": 50}),
    Choice("graph", {"dimensions": 100}),
    Choice("graph", {"dimensions": 200}, axis="place"),  # over time it is the model as it is
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


@dataclass(frozen=True)
class Figures:
    """What a choice came to on one table, over all seeds.

    Attributes
    ----------
    held_out
        The mean log-likelihood of a held-out context; None where the contexts are weighed otherwise, so that the
        scores cannot be compared.
    renamings, renamings_difference
        The MRR on words that were renamed, and its difference to that of the model as it is; None where they were not
        asked, and for that model itself.
    mrr, cosine
        The MRR with CSLS, and with the plain cosine; candidates occur at least 5 times in the condition of the answer.
    difference
        In MRR to the model as it is, from the same resamples; None for that model itself.
    seconds, peak_bytes
        What a fit took: the mean time, and the most memory.
    seeds
        The seeds.
    """

    held_out: float | None
    mrr: float
    cosine: float
    difference: Difference | None
    seconds: float
    peak_bytes: int | None
    seeds: tuple[int, ...]
    renamings: float | None = None
    renamings_difference: Difference | None = None


@dataclass(frozen=True)
class AblationRow:
    """A choice, and what it came to on each table; a table where it makes no difference, or failed, is not there."""

    choice: Choice
    figures: Mapping[str, Figures]


@dataclass(frozen=True)
class Ablation:
    """What each choice does.

    Attributes
    ----------
    rows
        The choices.
    tables
        On which tables, by name; their titles.
    skipped
        Choices that could not be trained, and why.
    """

    rows: tuple[AblationRow, ...]
    tables: Mapping[str, str]
    skipped: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {
            "tables": dict(self.tables),
            "rows": [
                {
                    "choice": row.choice.name,
                    "method": row.choice.method,
                    "changed": dict(row.choice.changed),
                    "flat": row.choice.flat,
                    "figures": {table: asdict(figures) for table, figures in row.figures.items()},
                }
                for row in self.rows
            ],
            "skipped": dict(self.skipped),
        }


def choose(names: Sequence[str] | None = None, choices: Sequence[Choice] = CHOICES) -> list[Choice]:
    """All choices, or those of some methods, or single ones, always with the model as it is that they belong to.

    Examples
    --------
    >>> [choice.name for choice in choose(["graph marginals=pooled"])]
    ['graph', 'graph marginals=pooled']
    """
    if names is None:
        return list(choices)
    known = [choice.name for choice in choices]
    for name in names:
        if name not in known:
            raise SettingsError(
                f"there is no choice '{name}'; the choices: {', '.join(known)}{did_you_mean(name, known)}"
            )
    methods = {choice.method for choice in choices if choice.name in names}
    # The name of a method stands for all its choices; the name of one of them for that one alone.
    return [
        choice
        for choice in choices
        if choice.name in names or choice.method in names or (choice.name in methods and not choice.changed)
    ]


def ablation(
    folder: str | Path,
    choices: Sequence[Choice] = CHOICES,
    *,
    tables: Sequence[Table] = ON,
    data: str | Path | None = None,
    seeds: Iterable[int] = (1,),
    threads: int | None = None,
    progress: Progress | None = None,
    say: Say | None = None,
) -> Ablation:
    """Train every choice on four fifths of the text, ask it the pairs, and sum up; what is done is not done again.

    The parameters are those of `reproduce`. Models are not kept: there are many, and `results.jsonl` has their ranks.
    """
    seeds = list(seeds)
    for table in tables:
        data_folder(data, table)
    skipped: dict[str, str] = {}
    figures: dict[str, dict[str, Figures]] = {choice.name: {} for choice in choices}
    for table in tables:
        here = [choice for choice in choices if choice.axis in (None, table.axis)]

        def made(choices: Sequence[Choice], table: Table = table, *, renamed: bool) -> list[Reproduction]:
            return [
                reproduce(
                    _held_out_table(table, flat, renamed), folder,
                    [_contender(choice) for choice in choices if choice.flat == flat],
                    data=data, seeds=seeds, threads=threads, progress=progress, say=say, keep_models=False,
                )
                for flat in sorted({choice.flat for choice in choices})
            ]  # fmt: skip

        plain = made(here, renamed=False)
        for one in plain:
            skipped |= {f"{name}, {table.name}": reason for name, reason in one.skipped.items()}
        trained = {fit.contender for one in plain for fit in one.fits}
        again = [choice for choice in here if choice.name in trained]
        for name, found in _figures(here, plain, made(again, renamed=True)).items():
            figures[name][table.name] = found
    return Ablation(
        rows=tuple(AblationRow(choice, figures[choice.name]) for choice in choices),
        tables={table.name: table.title for table in tables},
        skipped=skipped,
    )


def _held_out_table(table: Table, flat: bool, renamed: bool) -> Table:
    name = f"ablation-{table.name}{'-flat' if flat else ''}"
    held_out = replace(
        table,
        name=name,
        corpus=replace(table.corpus, holdout=HELD_OUT),
        counting=replace(table.counting, weighting="flat") if flat else table.counting,
    )
    return replace(held_out, name=f"{name}-renamed", pairs=(), renamings_of=name) if renamed else held_out


def _contender(choice: Choice) -> Contender:
    return Contender(choice.name, choice.method, without_seed(default_settings(choice.method)) | dict(choice.changed))


class _Asked:
    """What every choice answered to the pairs of a table, those of its first file."""

    def __init__(self, made: Sequence[Reproduction]) -> None:
        self._pairs = made[0].pairs[0]
        self.fits: dict[str, list[Fit]] = {}
        for fit in (fit for one in made for fit in one.fits):
            self.fits.setdefault(fit.contender, []).append(fit)

    def gains(self, name: str, way: Way = WAYS[0]) -> NDArray[np.float64]:
        """(N,) the reciprocal rank of each right answer, the mean over seeds."""
        ranks = (fit.answers_to(self._pairs, way).ranks for fit in self.fits[name])
        return np.asarray(np.mean([reciprocal_ranks(one) for one in ranks], axis=0))

    def difference(self, choice: Choice) -> Difference | None:
        """The difference in MRR to the model as it is; None for that model, and where it could not be trained."""
        if choice.name == choice.method or choice.method not in self.fits:
            return None
        both = np.column_stack([self.gains(choice.method), self.gains(choice.name)])
        return differences(both, [pair.query for pair in self._pairs.pairs], [(0, 1)])[0]


def _figures(
    choices: Sequence[Choice], made: Sequence[Reproduction], made_renamed: Sequence[Reproduction]
) -> dict[str, Figures]:
    """For each choice that was trained what it came to."""
    asked = _Asked(made)
    found = {}
    for choice in (choice for choice in choices if choice.name in asked.fits):
        own = asked.fits[choice.name]
        held_out = [fit.held_out for fit in own if fit.held_out is not None and not choice.flat]
        found[choice.name] = Figures(
            held_out=float(np.mean(held_out)) if held_out else None,
            mrr=float(asked.gains(choice.name).mean()),
            cosine=float(asked.gains(choice.name, COSINE).mean()),
            difference=asked.difference(choice),
            seconds=float(np.mean([fit.seconds for fit in own])),
            peak_bytes=max((fit.peak_bytes for fit in own if fit.peak_bytes is not None), default=None),
            seeds=tuple(fit.seed for fit in own),
        )
    for one in made_renamed:
        # Flat counts are other counts, but hold the same words: the names and the pairs are the same.
        assert one.pairs == made_renamed[0].pairs
    if made_renamed:
        names = _Asked(made_renamed)
        for choice in (choice for choice in choices if choice.name in found and choice.name in names.fits):
            found[choice.name] = replace(
                found[choice.name],
                renamings=float(names.gains(choice.name).mean()),
                renamings_difference=names.difference(choice),
            )
    return found
