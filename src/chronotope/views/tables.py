"""Answers as tables: a table is computed once, then shown in a terminal, as Markdown or as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

from chronotope.errors import number_of
from chronotope.io.untrusted import printable

if TYPE_CHECKING:
    import rich.table
    from rich.console import Console, ConsoleOptions

    from chronotope.analysis import Drift, DriftRow, StableWord
    from chronotope.corpus import CorpusReport
    from chronotope.embeddings import Match
    from chronotope.evaluation.scores import Scores, Summary

Cell = str | int | float | None

DRIFT_FIGURES = {
    name: name.replace("_", " ")
    for name in ("corrected", "noise", "low", "high", "p", "q", "stability", "seed_stability", "seed_spread")
}
DRIFT_OVER = {
    "steps": "The words that changed most from one bin to the next",
    "series": "The words that changed most over all conditions",
    "unusual": "The words that one condition uses most unlike the others",
}

MOST_NAMED = 24
PADDING = 2  # beside each column
COUNT_COLUMNS = frozenset(("support", "count", "count before", "count after", "per million"))


@dataclass(frozen=True)
class Table:
    """Rows under named columns, with a title and a note.

    Examples
    --------
    >>> from chronotope.embeddings import Match
    >>> table = matches([Match("river", 0.91234, 0.91234, 12)])
    >>> print(table.to_markdown(), end="")
    | word | similarity | support |
    | :--- | ---: | ---: |
    | river | 0.912 | 12 |
    >>> print(table.to_csv(), end="")
    word,similarity,support
    river,0.91234,12
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    note: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[rich.table.Table]:
        """The table for a terminal; one that is too wide in several parts."""
        for part in self.fitting(options.max_width):
            yield part.to_rich()

    def fitting(self, width: int) -> tuple[Table, ...]:
        """The table in parts that are as wide as said, each with the columns of text that come first.

        Examples
        --------
        >>> table = Table(("place", "1990", "1991"), (("accra", 0.25, 0.125),), "Use", "in all")
        >>> [(part.columns, part.rows, part.title, part.note) for part in table.fitting(17)]
        [(('place', '1990'), (('accra', 0.25),), 'Use', ''), (('place', '1991'), (('accra', 0.125),), '', 'in all')]
        """
        least = [self._least(column) + PADDING for column in range(len(self.columns))]
        if sum(least) <= width:
            return (self,)
        named = list(takewhile(lambda column: not self._is_number(column), range(len(least)))) or [0]
        named = named if 2 * sum(least[column] for column in named) <= width else named[:1]
        parts = [named]
        for column in range(len(named), len(least)):
            if len(parts[-1]) > len(named) and sum(least[other] for other in (*parts[-1], column)) > width:
                parts.append(named)
            parts[-1] = [*parts[-1], column]
        return tuple(
            Table(
                tuple(self.columns[column] for column in part),
                tuple(tuple(row[column] for column in part) for row in self.rows),
                self.title if part is parts[0] else "",
                self.note if part is parts[-1] else "",
            )
            for part in parts
        )

    def to_rich(self) -> rich.table.Table:
        """The table as one of rich's."""
        from rich.table import Table as RichTable
        from rich.text import Text

        title = Text(printable(self.title, lines=True), style="bold")
        note = Text(printable(self.note, lines=True), style="dim")
        shown = RichTable(title=title, caption=note, title_justify="left", caption_justify="left", box=None)
        shown.title, shown.caption = title if self.title else None, note if self.note else None
        for number, column in enumerate(self.columns):
            justify: Literal["right", "left"] = "right" if self._is_number(number) else "left"
            shown.add_column(column, justify=justify, overflow="fold", min_width=self._least(number))
        for row in self.rows:
            # As Text, since a word may hold brackets, which rich would read as its markup.
            shown.add_row(*(Text(_shown(cell)) for cell in row))
        return shown

    def to_markdown(self) -> str:
        """The table as Markdown, without title and note."""
        marks = ["---:" if self._is_number(number) else ":---" for number in range(len(self.columns))]
        lines = [self.columns, marks, *([_shown(cell).replace("|", r"\|") for cell in row] for row in self.rows)]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def to_csv(self) -> str:
        """The table as CSV, numbers in full, without title and note."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.columns, *self.rows])
        return out.getvalue()

    def without_counts(self) -> Table:
        """The same with nothing where counts and frequencies stand, for models that came without them.

        Examples
        --------
        >>> Table(("word", "similarity", "support"), (("river", 0.9, 100),)).without_counts().rows
        (('river', 0.9, None),)
        """
        known = [column not in COUNT_COLUMNS for column in self.columns]
        rows = (tuple(cell if keep else None for cell, keep in zip(row, known, strict=True)) for row in self.rows)
        return replace(self, rows=tuple(rows))

    def _least(self, column: int) -> int:
        """How narrow a column may be: long texts and headings of several words are broken, numbers and names not."""
        widest = max((len(_shown(row[column])) for row in self.rows), default=0)
        widest = widest if self._is_number(column) else min(MOST_NAMED, widest)
        return max(widest, *(len(word) for word in self.columns[column].split(" ")))

    def _is_number(self, column: int) -> bool:
        known = [row[column] for row in self.rows if row[column] is not None]
        return bool(known) and all(isinstance(cell, int | float) for cell in known)


def matches(found: Sequence[Match], *, title: str = "") -> Table:
    """The answer to `neighbors` or `equivalents` as a table; CSLS has a column of its own where it was asked for."""
    if all(match.score == match.similarity for match in found):
        return Table(
            ("word", "similarity", "support"),
            tuple((match.word, match.similarity, match.count) for match in found),
            title,
        )
    return Table(
        ("word", "csls", "similarity", "support"),
        tuple((match.word, match.score, match.similarity, match.count) for match in found),
        title,
    )


def drift(answer: Drift, top: int = 20) -> Table:
    """The words that changed most, what resamples say of them, and their neighbors before and after."""
    from chronotope.analysis.significance.judged import most_changed
    from chronotope.analysis.significance.matched import LEAST_RESAMPLES

    ends = () if answer.start else ("before", "after") if answer.over == "steps" else ("typical", "unusual")
    judged = tuple(name for name in DRIFT_FIGURES if _has(answer, name))
    counts = ("count before", "count after")
    named = (DRIFT_FIGURES[name] for name in judged)
    columns = ("word", "change", *named, "z", "own", *ends, *counts, "neighbors before", "neighbors after")
    rows = tuple(_drift_row(row, judged, bool(ends)) for row in answer.top(top))
    compared, left_out = number_of(len(answer), "words"), number_of(answer.left_out, "words")
    note = f"{compared} compared; left out: {left_out} with fewer than {number_of(answer.min_count, 'occurrences')}"
    if _has(answer, "q"):
        few = answer.resampling.permutations < LEAST_RESAMPLES
        told = f"p and q need {LEAST_RESAMPLES} permutations at least, and 200 will do"
        note += f"; {told}" if few else f"; {number_of(answer.discoveries(), 'words')} with q of at most 0.05"
    first = most_changed(len(answer))
    if _has(answer, "stability"):
        note += f"; stability: the share of resamples in which a word is among the first {first}"
    if _has(answer, "seed_stability"):
        models = answer.resampling.seeds + 1
        note += (
            f"; seed stability: the share of {models} models of different seeds in which it is among the first {first}"
        )
    return Table(columns, rows, drift_title(answer), note)


def drift_title(answer: Drift) -> str:
    """What the list of changed words is."""
    if answer.start:
        return f"The words that changed most between {answer.start} and {answer.end}"
    taken = f" from {answer.span[0]} to {answer.span[1]}" if answer.span else ""
    return DRIFT_OVER[answer.over] + taken


def stable_words(rows: Sequence[StableWord], *, title: str = "", left_out: int = 0, facts: str = "") -> Table:
    """Words with their stability, as `Stability.most` and `Stability.least` give them; `facts` end the note."""
    judged = [name for name in ("corrected", "low", "high", "p") if any(getattr(row, name) is not None for row in rows)]
    columns = ("word", "stability", *judged, "z", "conditions", "count")
    note = f"{number_of(left_out, 'words')} left out, seen too rarely or in too few conditions" if left_out else ""
    note = "\n".join(part for part in (note, facts) if part)
    shown = tuple(
        (row.word, row.stability, *(getattr(row, name) for name in judged), row.z, row.conditions, row.count)
        for row in rows
    )
    return Table(columns, shown, title, note)


def scores(answer: Scores) -> Table:
    """The scores of a model, for all pairs and for each kind of them."""
    parts: list[tuple[str, Summary]] = [
        ("all pairs", answer),
        ("same word", answer.same_word),
        ("different words", answer.different_words),
    ]
    parts += [(name, part) for name, part in answer.categories.items()]
    rows: list[tuple[Cell, ...]] = []
    for name, part in parts:
        # A kind that all pairs are of says nothing new.
        if part.pairs and (part is answer or part.pairs < answer.pairs):
            interval = "–".join(f"{value:.3f}" for value in part.intervals["mrr"])
            rows.append((name, part.pairs, part.answerable, part.mrr, interval, *part.mp.values(), part.mrr_answerable))
    columns = ("", "pairs", "answerable", "MRR", "95 %", *(f"MP@{k}" for k in answer.mp), "MRR of answerable")
    return Table(columns, tuple(rows), note=answer.signature)


def corpus(report: CorpusReport, most: int = 40) -> Table:
    """What a corpus holds, condition by condition; of very many conditions only the first ones and the flagged."""
    shown = report.conditions
    held = ((report.documents, "documents"), (report.tokens, "tokens"), (report.vocabulary, "distinct words"))
    note = ", ".join(number_of(count, what) for count, what in held)
    for count, what in (
        (report.held_out, "documents set aside"),
        (report.left_out, "rows left out by the filter"),
        (report.outside, "rows outside the named bins"),
        (report.unspaced, "words in scripts without blanks"),
    ):
        note += f"; {number_of(count, what)}" if count else ""
    if len(shown) > most:
        flagged = tuple(condition for condition in shown[most:] if condition.flag)
        shown = shown[:most] + flagged[:most]
        if more := len(report.conditions) - len(shown):
            note += f"; {number_of(more, 'more conditions')}, {max(len(flagged) - most, 0):,} of them flagged"
    columns = ("condition", "documents", "tokens", "distinct words", "duplicates", "rare words", "")
    rows = tuple(
        (part.condition, part.documents, part.tokens, part.vocabulary, part.duplicates, f"{part.rare:.1%}", part.flag)
        for part in shown
    )
    return Table(columns, rows, "The corpus", note)


def _has(answer: Drift, name: str) -> bool:
    return getattr(answer.judged, name) is not None


def _drift_row(row: DriftRow, judged: Sequence[str], with_conditions: bool) -> tuple[Cell, ...]:
    ends = (row.before.condition, row.after.condition) if with_conditions else ()
    near = [", ".join(match.word for match in side.neighbors) for side in (row.before, row.after)]
    figures = [getattr(row, name) for name in judged]
    return (row.word, row.score, *figures, row.z, row.own, *ends, row.before.support, row.after.support, *near)


def _shown(cell: Cell) -> str:
    """A cell for human eyes: three decimals, thousands apart, a dash where there is nothing; nothing small becomes 0.

    Examples
    --------
    >>> [_shown(cell) for cell in (0.0421, 0.00005, 0.0, 1234, None)]
    ['0.042', '<0.001', '0.000', '1,234', '–']
    """
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return "<0.001" if 0 < cell < 0.0005 else f"{cell:.3f}"
    return f"{cell:,}" if isinstance(cell, int) else printable(cell)
