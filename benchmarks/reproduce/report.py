"""From ranks to tables: means over seeds, intervals, differences, and all of it as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from benchmarks.reproduce.run import WAYS, Fit, Result, answerable, checksum_of_pairs, copy_fit
from benchmarks.reproduce.tables import PAPER_FIGURES, PAPER_NAMES, Choice
from numpy.typing import NDArray

from chronotope.evaluation.pairs import TestPairs
from chronotope.evaluation.scores import METRICS, Difference, difference, gains, intervals, resampled_means

NOT_COMPARABLE = (
    "The paper's own figures, measured on other corpora (the New York Times; the International Corpus of English): "
    "not comparable with those above."
)
CHOICES_NOTE = (
    "One setting changed at a time; every model is trained on four fifths of the documents. Held-out: the mean "
    "log-likelihood of a context in the other fifth, higher is better. Renamings: the MRR on renamed words, with its "
    "difference to the default. These two chose the settings, the pairs did not. MRR: candidates occur at least 5 "
    "times in the condition of the answer, ranked by CSLS; difference: to the default, with a question mark where the "
    "95 % interval holds 0; cosine: the MRR without CSLS. Flat counts weigh held-out contexts differently, so their "
    "held-out score cannot be compared. An empty cell: the choice has no meaning there."
)
WAY_NAMES = tuple(
    f"{f'words seen ≥ {least} times there' if least else 'all words'}, {'CSLS' if retrieval == 'csls' else retrieval}"
    for retrieval, least in WAYS
)


def differences(
    values: NDArray[np.float64], queries: Sequence[str], pairs: Iterable[tuple[int, int]]
) -> list[Difference]:
    """Compare the means of two columns of (N, models) values, for each pair of columns."""
    resampled, means, several = resampled_means(values, queries), values.mean(axis=0), len(set(queries)) > 1
    return [difference([means[a], means[b]], [resampled[:, a], resampled[:, b]], several) for a, b in pairs]


def summarize(result: Result) -> list[dict[str, Any]]:
    """Return one section per file of pairs: its size and one line per contender, all as plain data."""
    return [_section(result, file, pairs) for file, pairs in result.pairs.items()]


def _section(result: Result, file: str, pairs: TestPairs) -> dict[str, Any]:
    queries = [pair.query for pair in pairs.pairs]
    same = np.array([pair.query == pair.answer for pair in pairs.pairs])
    groups = [*_by_contender(result.fits).values(), [copy_fit(result)]]
    per_seed = [np.stack([gains(_ranks(fit, pairs)) for fit in group]) for group in groups]  # (seeds, N, metrics)
    mean = [one.mean(axis=0) for one in per_seed]
    mrr = np.column_stack([one[:, 0] for one in mean])
    best = int(mrr.mean(axis=0).argmax())
    behind = differences(mrr, queries, [(best, number) for number in range(len(groups))])
    lines = []
    for number, group in enumerate(groups):
        overall = mean[number].mean(axis=0)
        spread = np.abs(per_seed[number].mean(axis=1) - overall).max(axis=0)
        lines.append(
            {
                "contender": group[0]["contender"],
                "paper_name": PAPER_NAMES.get(group[0]["method"]),
                "seeds": [fit["seed"] for fit in group],
                "mean": dict(zip(METRICS, overall.tolist(), strict=True)),
                "spread": dict(zip(METRICS, spread.tolist(), strict=True)),
                "interval": list(intervals(mean[number], queries)[0]),
                "behind": None if number == best else _difference(behind[number]),
                "kinds": [_kinds(group, pairs, way, same) for way in range(len(WAYS))],
                "seconds": float(np.mean([fit["seconds"] for fit in group])),
                "peak_bytes": max((fit["peak_bytes"] for fit in group if fit["peak_bytes"]), default=None),
            }
        )
    paper = PAPER_FIGURES.get(result.table.pairs[file] or "", {})
    return {
        "pairs": pairs.name,
        "size": len(queries),
        "queries": len(set(queries)),
        "same_word": int(same.sum()),
        "answerable": {str(least): int(answerable(result.counts, pairs, least).sum()) for least in (5, 0)},
        "lines": lines,
        "paper": {name: dict(zip(METRICS, figures, strict=True)) for name, figures in paper.items()},
    }


def _by_contender(fits: Iterable[Fit]) -> dict[str, list[Fit]]:
    groups: dict[str, list[Fit]] = {}
    for fit in fits:
        groups.setdefault(fit["contender"], []).append(fit)
    return groups


def _ranks(fit: Fit, pairs: TestPairs, way: int = 0) -> list[int]:
    ranks: list[int] = fit["answers"][checksum_of_pairs(pairs)][way]
    return ranks


def _kinds(group: Sequence[Fit], pairs: TestPairs, way: int, same: NDArray[np.bool_]) -> dict[str, float | None]:
    """Return the MRR over all pairs, over same-word pairs, and over the others; None where there are none."""
    mrr = np.mean([gains(_ranks(fit, pairs, way))[:, 0] for fit in group], axis=0)
    return {
        "all": float(mrr.mean()),
        "same_word": float(mrr[same].mean()) if same.any() else None,
        "different_words": float(mrr[~same].mean()) if (~same).any() else None,
    }


def _difference(found: Difference) -> dict[str, Any]:
    interval = [found.difference_low, found.difference_high]
    return {"difference": found.difference, "interval": interval, "real": found.significant}


def table_report(result: Result, sections: Sequence[dict[str, Any]]) -> str:
    """Return a table as Markdown."""
    counts = result.counts
    parts = [
        f"## {result.table.title}",
        f"{int(counts.tokens.sum()):,} running words of {len(counts.vocabulary):,} words in {len(counts.conditions)} "
        f"conditions; words seen fewer than {result.table.counting['min_count']} times are left out. A pair with an "
        "unknown word is wrong.",
    ]
    for section in sections:
        reach = section["answerable"]
        paper = ["the paper's MRR *"] if section["paper"] else []
        columns = ["method", "MRR", "± seeds", "95 %", *(metric.upper() for metric in METRICS[1:]),
                   "difference to the best", "seconds", "GiB", *paper]  # fmt: skip
        kinds = [[line["contender"], *(_slashes(kind) for kind in line["kinds"])] for line in section["lines"]]
        parts += [
            f"### {section['pairs']}",
            f"{section['size']:,} pairs about {section['queries']:,} words; {reach['5']:,} can be answered among words "
            f"seen ≥ 5 times there, {reach['0']:,} among all words; {section['same_word']:,} ask for the same word. "
            "Candidates: words that occur at least 5 times in the condition of the answer, ranked by CSLS.",
            markdown(columns, [_row(line, section["paper"]) for line in section["lines"]]),
            "± seeds: largest distance of a seed from the mean. A question mark: not statistically significant (the "
            "95 % interval of the difference holds 0). Seconds and memory are those of one fit.",
            "MRR over all pairs / same word / different words, by candidates and ranking:",
            markdown(["method", *WAY_NAMES], kinds),
        ]
        if section["paper"]:
            figures = [[name, *(f"{one:.2f}" for one in row.values())] for name, row in section["paper"].items()]
            parts += [f"\\* {NOT_COMPARABLE}", markdown(["method", *(one.upper() for one in METRICS)], figures)]
    return _join(parts, result.skipped)


def _row(line: dict[str, Any], paper: dict[str, dict[str, float]]) -> list[str]:
    figures = paper.get(line["paper_name"] or "")
    return [
        line["contender"],
        f"{line['mean']['mrr']:.3f}",
        f"{line['spread']['mrr']:.3f}" if len(line["seeds"]) > 1 else "",
        "–".join(f"{bound:.3f}" for bound in line["interval"]),
        *(f"{line['mean'][metric]:.3f}" for metric in METRICS[1:]),
        "best" if line["behind"] is None else _signed(line["behind"], bounds=True),
        f"{line['seconds']:,.1f}" if line["seconds"] else "",
        f"{line['peak_bytes'] / 2**30:.2f}" if line["peak_bytes"] else "",
        *([f"{figures['mrr']:.2f} ({line['paper_name']})" if figures else ""] if paper else []),
    ]


def _signed(behind: dict[str, Any] | None, *, bounds: bool = False) -> str:
    """Write a difference; a question mark where it is not statistically significant."""
    if behind is None:
        return ""
    low, high = (f"{bound:+.3f}" for bound in behind["interval"])
    return f"{behind['difference']:+.3f}{f' ({low} to {high})' if bounds else ''}{'' if behind['real'] else ' ?'}"


def _slashes(kind: dict[str, float | None]) -> str:
    return " / ".join("–" if value is None else f"{value:.3f}" for value in kind.values())


def ablation_figures(choices: Sequence[Choice], plain: Sequence[Result], renamed: Sequence[Result]) -> dict[str, Any]:
    """Return the figures of each choice that was trained, with differences to the default of its method."""
    fits = _by_contender(fit for one in plain for fit in one.fits)
    names = _by_contender(fit for one in renamed for fit in one.fits)
    found = {}
    for choice in (choice for choice in choices if choice.name in fits):
        own = fits[choice.name]
        asked = _choice_scores(choice, fits, plain)
        figures: dict[str, Any] = {
            "held_out": None if choice.flat else _mean([fit["held_out"] for fit in own]),
            "mrr": asked[0],
            "difference": asked[1],
            "cosine": _mrr(own, plain, way=2),
            "seconds": _mean([fit["seconds"] for fit in own]),
            "renamings": None,
            "renamings_difference": None,
        }
        if choice.name in names:
            figures["renamings"], figures["renamings_difference"] = _choice_scores(choice, names, renamed)
        found[choice.name] = figures
    return found


def _choice_scores(choice: Choice, fits: dict[str, list[Fit]], results: Sequence[Result]) -> tuple[float, Any]:
    """Return the MRR of a choice and its difference to the default; None for the default itself."""
    pairs = next(iter(results[0].pairs.values()))
    own = _reciprocal(fits[choice.name], pairs)
    if choice.name == choice.method or choice.method not in fits:
        return float(own.mean()), None
    both = np.column_stack([_reciprocal(fits[choice.method], pairs), own])
    return float(own.mean()), _difference(differences(both, [pair.query for pair in pairs.pairs], [(0, 1)])[0])


def _reciprocal(group: Sequence[Fit], pairs: TestPairs, way: int = 0) -> NDArray[np.float64]:
    return np.asarray(np.mean([gains(_ranks(fit, pairs, way))[:, 0] for fit in group], axis=0))


def _mrr(group: Sequence[Fit], results: Sequence[Result], way: int) -> float:
    return float(_reciprocal(group, next(iter(results[0].pairs.values())), way).mean())


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def ablation_report(
    choices: Sequence[Choice], figures: dict[str, dict[str, Any]], titles: dict[str, str], skipped: dict[str, str]
) -> str:
    """Return the ablation as Markdown; `figures` by table, then by choice."""
    parts = ("held-out", "renamings", "MRR", "difference", "cosine", "seconds")
    columns = ["choice", *(f"{name}: {part}" for name in titles for part in parts)]
    rows = [[choice.name, *(cell for name in titles for cell in _ablation_cells(figures[name].get(choice.name)))]
            for choice in choices]  # fmt: skip
    about = [f"{name}: {title}." for name, title in titles.items()]
    return _join(["## What each choice does", *about, CHOICES_NOTE, markdown(columns, rows)], skipped)


def _ablation_cells(one: dict[str, Any] | None) -> list[str]:
    if one is None:
        return [""] * 6
    return [
        "–" if one["held_out"] is None else f"{one['held_out']:.4f}",
        "" if one["renamings"] is None else f"{one['renamings']:.3f} {_signed(one['renamings_difference'])}".rstrip(),
        f"{one['mrr']:.3f}",
        _signed(one["difference"]),
        f"{one['cosine']:.3f}",
        f"{one['seconds']:,.1f}",
    ]


def examples_report(found: Sequence[dict[str, Any]]) -> str:
    """Return the qualitative results as Markdown."""
    parts = []
    for one in found:
        parts += [
            f"## {one['method']}, {'over time' if one['axis'] == 'time' else 'over places'}",
            f"`{one['signature']}`",
            f"The most stable words: {', '.join(one['stable'])}",
        ]
        for word, group in groupby(one["neighbors"], key=lambda row: row["word"]):
            rows = [[row["at"], str(row["count"]), ", ".join(row["found"])] for row in group]
            parts.append(markdown(["condition", "count", f"neighbors of {word}"], rows))
        rows = [[f"{row['word']} {row['at']} → {row['to']}", str(row["count"]), ", ".join(row["found"]), row["wanted"]]
                for row in one["failures"]]  # fmt: skip
        if rows:
            parts.append(markdown(["question", "count", "found", "the test pairs want"], rows))
    return _join(parts, {})


def markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _join(parts: Sequence[str], skipped: dict[str, str]) -> str:
    return "\n\n".join([*parts, *(f"{name} was skipped: {why}" for name, why in skipped.items())]) + "\n"
