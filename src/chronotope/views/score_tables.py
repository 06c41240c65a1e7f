"""Scores of several models as tables: a comparison, and a table that was made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chronotope.evaluation.compare import Difference, Standing
from chronotope.evaluation.metrics import METRICS
from chronotope.evaluation.reproduce import Reproduction, Section
from chronotope.evaluation.reproduce_ablation import Ablation, Figures
from chronotope.evaluation.reproduce_summary import Kinds, Line
from chronotope.views.tables import Cell, Table

NOT_COMPARABLE = (
    "The paper's own figures, measured on other corpora (the New York Times; the International Corpus of English): "
    "not comparable with those above."
)

CHOICES_NOTE = (
    "One setting changed at a time; every model is trained on four fifths of the documents. Held-out: the mean "
    "log-likelihood of a context in the other fifth, higher is better. Renamings: the MRR on words that were renamed, "
    "for graph alone, with its difference to the model as it is. These two chose the settings, the pairs did not. MRR: "
    "candidates occur at least 5 times in the condition of the answer, ranked by CSLS; difference: to the same model "
    "as it is, with a question mark where the 95 % interval holds 0; cosine: the MRR without CSLS. Flat counts weigh "
    "held-out contexts otherwise, so that their score cannot be compared. An empty cell: the choice has no meaning."
)


def comparison(rows: Sequence[Standing]) -> Table:
    """Models by MRR on the same pairs, each with its distance to the best."""
    best = rows[0].scores
    columns = ("model", "MRR", "95 %", *(f"MP@{k}" for k in best.mp), "same word", "different words", "answerable",
               "difference to the best", "real")  # fmt: skip
    return Table(
        columns,
        tuple(
            (
                row.name,
                row.scores.mrr,
                _interval(row.scores.intervals["mrr"]),
                *row.scores.mp.values(),
                row.scores.same_word.mrr if row.scores.same_word.pairs else "",
                row.scores.different_words.mrr if row.scores.different_words.pairs else "",
                row.scores.answerable,
                _difference(row.behind),
                _real(row.behind),
            )
            for row in rows
        ),
        note=f"{best.pairs:,} pairs; real: the 95 % interval of the difference leaves out 0 (paired bootstrap over "
        "the words asked about)",
    )


def reproduced(section: Section) -> Table:
    """A table in the shape of the paper's, with means and spread over seeds, intervals and costs."""
    columns = ("method", "MRR", "± seeds", "95 %", *(metric.upper() for metric in METRICS[1:]),
               "difference to the best", "seconds", "GiB")  # fmt: skip
    paper = ("the paper's MRR *",) if section.paper else ()
    rows = (_reproduced_row(line) + ((_papers_mrr(line, section),) if paper else ()) for line in section.lines)
    return Table(columns + paper, tuple(rows), title=section.pairs)


def reproduced_kinds(section: Section) -> Table:
    """The MRR over all pairs, same-word and different-word pairs, for each way of choosing and ranking candidates."""
    if not section.lines:
        return Table(("method",), ())
    ways = tuple(_way(kind) for kind in section.lines[0].kinds)
    rows = tuple((line.contender, *(_three(kind) for kind in line.kinds)) for line in section.lines)
    return Table(("method", *ways), rows, note="MRR over all pairs / same word / different words")


def paper(section: Section) -> Table:
    """What the paper prints on the same pairs."""
    rows: list[tuple[Cell, ...]] = [
        (name, *(f"{figure:.2f}" for figure in figures.values())) for name, figures in section.paper.items()
    ]
    return Table(("method", "MRR", *(metric.upper() for metric in METRICS[1:])), tuple(rows), note=NOT_COMPARABLE)


def report(answer: Reproduction) -> str:
    """A table that was made again, as Markdown."""
    parts = [
        f"## {answer.table.title}",
        f"{answer.tokens:,} running words of {answer.words:,} words in {len(answer.conditions)} conditions; words seen "
        f"fewer than {answer.table.counting.min_count} times are left out. A pair with an unknown word is wrong.",
    ]
    for section in answer.sections:
        kinds = section.lines[0].kinds if section.lines else ()
        coverage = "".join(
            f"; {kind.answerable:,} can be answered among {_candidates(kind)}"
            for kind in kinds
            if kind.retrieval == "csls"
        )
        parts += [
            f"### {section.pairs}",
            f"{section.size:,} pairs about {section.queries:,} words{coverage}; {section.same_word:,} ask for the same "
            "word. Candidates: words that occur at least 5 times in the condition of the answer, ranked by CSLS.",
            reproduced(section).to_markdown().rstrip(),
            "± seeds: how far the seed furthest from the mean lies from it. A difference with a question mark may be "
            "luck: its 95 % interval holds 0. Seconds and memory are those of one fit.",
            "MRR over all pairs / same word / different words, by candidates and ranking:",
            reproduced_kinds(section).to_markdown().rstrip(),
        ]
        if section.paper:
            parts += [f"\\* {NOT_COMPARABLE}", paper(section).to_markdown().rstrip()]
    parts += [f"{name} was skipped: {reason}" for name, reason in answer.skipped.items()]
    return "\n\n".join(parts) + "\n"


def ablation(answer: Ablation) -> str:
    """What each choice does, as Markdown."""
    columns = tuple(
        f"{name}: {column}"
        for name in answer.tables
        for column in ("held-out", "renamings", "MRR", "difference", "cosine", "seconds")
    )
    rows = tuple(
        (row.choice.name, *(cell for name in answer.tables for cell in _ablation_cells(row.figures.get(name))))
        for row in answer.rows
    )
    parts = [
        "## What each choice does",
        *(f"{name}: {title}." for name, title in answer.tables.items()),
        CHOICES_NOTE,
        Table(("choice", *columns), rows).to_markdown().rstrip(),
        *(f"{name} was skipped: {reason}" for name, reason in answer.skipped.items()),
    ]
    return "\n\n".join(parts) + "\n"


def examples(found: Sequence[Mapping[str, Any]]) -> str:
    """The qualitative results of some models, as Markdown."""
    parts = []
    for one in found:
        where = "over time" if one["axis"] == "time" else "over places"
        parts += [
            f"## {one['method']}, {where}",
            f"`{one['signature']}`",
            f"The most stable words: {', '.join(one['stable'])}",
        ]
        for word, rows in one["neighbors"].items():
            known = Table(
                ("condition", "count", f"neighbors of {word}"),
                tuple((row["at"], row["support"], ", ".join(row["found"])) for row in rows),
            )
            parts.append(known.to_markdown().rstrip() if rows else f"{word} is too rare here.")
        if one["failures"]:
            asked = tuple(
                (f"{row['word']} {row['at']} → {row['to']}", row["support"], ", ".join(row["found"]), row["expected"])
                for row in one["failures"]
            )
            columns = ("question", "count", "found", "the test pairs want")
            parts.append(Table(columns, asked).to_markdown().rstrip())
    return "\n\n".join(parts) + "\n"


def _reproduced_row(line: Line) -> tuple[Cell, ...]:
    return (
        line.contender,
        line.mean["mrr"],
        line.spread["mrr"] if len(line.seeds) > 1 else "",
        _interval(line.intervals["mrr"]),
        *(line.mean[metric] for metric in METRICS[1:]),
        _difference(line.behind),
        f"{line.seconds:,.1f}" if line.seconds else "",
        "" if line.peak_bytes is None else f"{line.peak_bytes / 2**30:.2f}",
    )


def _ablation_cells(figures: Figures | None) -> tuple[Cell, ...]:
    if figures is None:
        return ("",) * 6
    return (
        "–" if figures.held_out is None else f"{figures.held_out:.4f}",
        "" if figures.renamings is None else f"{figures.renamings:.3f} {_apart(figures.renamings_difference)}".rstrip(),
        f"{figures.mrr:.3f}",
        _apart(figures.difference),
        f"{figures.cosine:.3f}",
        f"{figures.seconds:,.1f}",
    )


def _apart(difference: Difference | None) -> str:
    """A difference without its interval."""
    return "" if difference is None else f"{difference.difference:+.3f}{'' if difference.real else ' ?'}"


def _papers_mrr(line: Line, section: Section) -> str:
    figures = section.paper.get(line.paper_name or "")
    return f"{figures['mrr']:.2f} ({line.paper_name})" if figures else ""


def _interval(interval: Sequence[float]) -> str:
    return "–".join(f"{value:.3f}" for value in interval)


def _difference(difference: Difference | None) -> str:
    """A difference with its interval; a real one has no question mark."""
    if difference is None:
        return "best"
    low, high = (f"{value:+.3f}" for value in difference.interval)
    return f"{difference.difference:+.3f} ({low} to {high}){'' if difference.real else ' ?'}"


def _real(difference: Difference | None) -> str:
    return "" if difference is None else "yes" if difference.real else "no"


def _way(kind: Kinds) -> str:
    return f"{_candidates(kind)}, {'CSLS' if kind.retrieval == 'csls' else kind.retrieval}"


def _candidates(kind: Kinds) -> str:
    return f"words seen ≥ {kind.min_support} times there" if kind.min_support else "all words"


def _three(kind: Kinds) -> str:
    parts = (kind.mrr, kind.same_word, kind.different_words)
    return " / ".join("–" if value is None else f"{value:.3f}" for value in parts)
