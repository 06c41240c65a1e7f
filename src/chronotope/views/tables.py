"""Tables for a terminal: any answer, and the report of a corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal

from chronotope.analysis.charts import Lines, Tiles
from chronotope.errors import number_of
from chronotope.frames import format_value, is_number
from chronotope.io.untrusted import printable

if TYPE_CHECKING:
    import polars as pl
    import rich.table
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

    from chronotope.analysis.answer import Answer
    from chronotope.corpus.report import CorpusReport

Cell = Any  # str, int, float, bool, list of str, rich Text, or None

WIDEST_TEXT = 24  # a longer text may be broken into lines
PADDING = 2  # beside each column
MOST_COLUMNS = 24  # of a matrix
MOST_CONDITIONS = 40  # of a corpus
# Phrases such as prime_minister are shown with blanks in these columns.
WORD_COLUMNS = ["word", "neighbor", "equivalent", "collocate", "context", "other", "label", "joined", "left"]
WORD_COLUMNS += ["neighbors_before", "neighbors_after"]
# Columns for programs: positions of the words in a sentence.
OFFSETS = ("start", "end", "near_start", "near_end", "cut_before", "cut_after")


@dataclass(frozen=True)
class Table:
    """Rows under named columns, with a title and a note."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    note: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[rich.table.Table]:
        """Yield the table for a terminal, in several parts if it is too wide."""
        for part in self.fitting(options.max_width):
            yield part.to_rich()

    def fitting(self, width: int) -> tuple[Table, ...]:
        """Return the table in parts of at most `width`; each repeats the leading columns of text.

        >>> table = Table(("place", "1990", "1991"), (("accra", 0.25, 0.125),), "Use", "in all")
        >>> [(part.columns, part.rows, part.title, part.note) for part in table.fitting(17)]
        [(('place', '1990'), (('accra', 0.25),), 'Use', ''), (('place', '1991'), (('accra', 0.125),), '', 'in all')]
        """
        widths = [self._width(column) + PADDING for column in range(len(self.columns))]
        if sum(widths) <= width:
            return (self,)
        named = list(takewhile(lambda column: not self.is_number(column), range(len(widths)))) or [0]
        named = named if 2 * sum(widths[column] for column in named) <= width else named[:1]
        parts = [named]
        for column in range(len(named), len(widths)):
            if len(parts[-1]) > len(named) and sum(widths[other] for other in (*parts[-1], column)) > width:
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
        """Return a table of rich."""
        from rich.table import Table as RichTable
        from rich.text import Text

        title, note = Text(printable(self.title, lines=True), "bold"), Text(printable(self.note, lines=True), "dim")
        table = RichTable(box=None, title_justify="left", caption_justify="left")
        table.title, table.caption = title if self.title else None, note if self.note else None
        for number, column in enumerate(self.columns):
            justify: Literal["right", "left"] = "right" if self.is_number(number) else "left"
            table.add_column(column.replace("_", " "), justify=justify, overflow="fold", min_width=self._width(number))
        for row in self.rows:
            # As Text: rich would read brackets in a word as markup.
            table.add_row(*(cell if isinstance(cell, Text) else Text(printable(format_value(cell))) for cell in row))
        return table

    def _width(self, column: int) -> int:
        """Return the least width: long texts and headings of several words may be broken, numbers may not."""
        widest = max((len(format_value(row[column])) for row in self.rows), default=0)
        widest = widest if self.is_number(column) else min(WIDEST_TEXT, widest)
        return max(widest, *(len(word) for word in self.columns[column].replace("_", " ").split(" ")))

    def is_number(self, column: int) -> bool:
        """Return whether a column holds numbers."""
        return is_number(row[column] for row in self.rows)


def answer(given: Answer) -> Table:
    """Return any answer as a table: tiles and neighbors as a matrix, without empty columns."""
    import polars as pl

    frame, note = _matrix(given), ""
    if {"text", "start"} <= set(frame.columns):
        frame = frame.with_columns(pl.Series("text", [_sentence(row) for row in given], dtype=pl.Object))
    if {"match", "rank"} <= set(frame.columns):
        none, below = pl.format("none (nearest: {})", "equivalent"), pl.format("({})", "equivalent")
        other = pl.when(pl.col("rank") == 1).then(none).otherwise(below)
        frame = frame.with_columns(pl.when("match").then("equivalent").otherwise(other).alias("equivalent"))
        note = "" if frame["match"].all() else "in parentheses: no match, since the similarity is below `needed`"
    hidden = {*OFFSETS, "match"}
    # The title says what is the same in every row.
    hidden |= {
        name
        for name in ("word", "at", "condition", "against", "before", "after")
        if name in frame.columns and frame[name].n_unique() == 1 and str(frame[name][0]) in given.title
    }
    if "score" in frame.columns and frame["score"].equals(frame["similarity"], check_names=False):
        hidden.add("score")
    if "fallback" in frame.columns and not frame["fallback"].any():
        hidden.add("fallback")
    frame = frame.drop(hidden, strict=False)
    phrased = {name: map(_phrases, frame[name].to_list()) for name in frame.columns if name in WORD_COLUMNS}
    columns = [phrased.get(name) or frame[name].to_list() for name in frame.columns]
    return Table(tuple(frame.columns), tuple(zip(*columns, strict=True)), given.title, note)


def corpus(report: CorpusReport) -> Table:
    """Return the size of each condition of a corpus; of very many conditions, the first and the flagged."""
    conditions = report.conditions
    held = ((report.documents, "documents"), (report.tokens, "tokens"), (report.vocabulary, "distinct words"))
    note = ", ".join(number_of(count, what) for count, what in held)
    for count, what in (
        (report.held_out, "documents set aside"),
        (report.left_out, "rows left out by the filter"),
        (report.outside, "rows outside the named bins"),
        (report.unspaced, "words in scripts without blanks"),
    ):
        note += f"; {number_of(count, what)}" if count else ""
    flagged = tuple(condition for condition in conditions[MOST_CONDITIONS:] if condition.flag)
    conditions = conditions[:MOST_CONDITIONS] + flagged[:MOST_CONDITIONS]
    if more := len(report.conditions) - len(conditions):
        note += f"; {number_of(more, 'more conditions')}, {max(len(flagged) - MOST_CONDITIONS, 0):,} of them flagged"
    columns = ("condition", "documents", "tokens", "distinct words", "duplicates", "rare words", "")
    rows = tuple(
        (part.condition, part.documents, part.tokens, part.vocabulary, part.duplicates, f"{part.rare:.1%}", part.flag)
        for part in conditions
    )
    return Table(columns, rows, "The corpus", note)


def _matrix(given: Answer) -> pl.DataFrame:
    """Return tiles and lines of neighbors with a column for each x and a star at marked values; others unchanged."""
    import polars as pl

    frame, chart = given.shown_frame(), given.chart
    if isinstance(chart, Tiles):
        index, value, mark = [chart.y], chart.value, chart.mark
    elif isinstance(chart, Lines) and chart.color != "word":
        index, value, mark = ["word", chart.color], chart.y, None
    else:
        return frame
    if chart.x not in frame.columns or not 1 < frame[chart.x].n_unique() <= MOST_COLUMNS:
        return frame
    if mark in frame.columns:
        star = pl.when(pl.col(str(mark))).then(pl.lit(" *")).otherwise(pl.lit(""))
        frame = frame.with_columns(pl.format("{}{}", pl.col(value).round(3), star).alias(value))
    # The pivot orders conditions by their first appearance in the rows.
    table = frame.pivot(on=chart.x, index=index, values=value, sort_columns=isinstance(chart, Lines))
    known = [label for label in given.facts.get("conditions", ()) if label in table.columns]
    return table.select(*index, *known, pl.exclude(*index, *known))


def _sentence(row: dict[str, Any]) -> Text:
    """Return a sentence with the words that were asked for in color."""
    from rich.text import Text

    text = Text(printable(row["text"]))
    if text.plain == row["text"]:  # else the positions do not fit
        text.stylize("bold red", row["start"], row["end"])
        if row["near_start"] is not None:
            text.stylize("bold blue", row["near_start"], row["near_end"])
    return Text("… " * bool(row["cut_before"])) + text + Text(" …" * bool(row["cut_after"]))


def _phrases(cell: Cell) -> Cell:
    if isinstance(cell, list):
        return [word.replace("_", " ") for word in cell]
    return cell.replace("_", " ") if isinstance(cell, str) else cell
