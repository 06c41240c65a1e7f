"""Scores of several models as a table."""

from __future__ import annotations

from collections.abc import Sequence

from chronotope.evaluation.compare import Difference, Standing
from chronotope.views.tables import Table


def comparison(rows: Sequence[Standing]) -> Table:
    """Return the models by MRR on the same pairs, each with its difference to the best."""
    best = rows[0].scores
    columns = ("model", "MRR", "95 %", *(f"MP@{k}" for k in best.mp), "same word", "different words", "answerable",
               "difference to the best", "real")  # fmt: skip
    return Table(
        columns,
        tuple(
            (
                row.name,
                row.scores.mrr,
                "–".join(f"{bound:.3f}" for bound in row.scores.intervals["mrr"]),
                *row.scores.mp.values(),
                row.scores.same_word.mrr if row.scores.same_word.pairs else "",
                row.scores.different_words.mrr if row.scores.different_words.pairs else "",
                row.scores.answerable,
                _difference(row.behind),
                "" if row.behind is None else "yes" if row.behind.real else "no",
            )
            for row in rows
        ),
        note=f"{best.pairs:,} pairs; real: the 95 % interval of the difference leaves out 0 (paired bootstrap over "
        "the words asked about)",
    )


def _difference(difference: Difference | None) -> str:
    """Write a difference with its interval; a question mark where it is not statistically significant."""
    if difference is None:
        return "best"
    low, high = (f"{bound:+.3f}" for bound in difference.interval)
    return f"{difference.difference:+.3f} ({low} to {high}){'' if difference.real else ' ?'}"
