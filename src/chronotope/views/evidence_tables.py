"""Sentences, frequencies and collocates as tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronotope.analysis.collocates import CollocateChange, CollocateChanges, Collocates
from chronotope.analysis.evidence import Evidence, Example
from chronotope.analysis.frequency import Frequency
from chronotope.errors import number_of
from chronotope.io.untrusted import printable
from chronotope.views.tables import Table

if TYPE_CHECKING:
    import rich.table
    from rich.text import Text

WORD_STYLE, NEAR_STYLE, QUIET_STYLE = "bold red", "bold blue", "dim"
PULLS_SHOWN = 8


@dataclass(frozen=True)
class Sentences(Table):
    """Sentences with the word in a column of its own; in a terminal in one piece, the word in color."""

    examples: tuple[Example, ...] = ()

    def fitting(self, width: int) -> tuple[Table, ...]:  # noqa: ARG002
        """In one piece: sentences are broken anywhere."""
        return (self,)

    def to_rich(self) -> rich.table.Table:
        """The sentences as a table of rich."""
        from rich.table import Table as RichTable
        from rich.text import Text

        shown = RichTable(box=None, show_header=False, title_justify="left", caption_justify="left")
        shown.title = Text(printable(self.title, lines=True), style="bold")
        shown.caption = Text(printable(self.note, lines=True), style=QUIET_STYLE)
        shown.add_column(no_wrap=True, style=QUIET_STYLE)
        shown.add_column(overflow="fold")
        for example in self.examples:
            where = example.date or example.condition
            where = f"{where} {example.place}" if example.date and example.place else where
            shown.add_row(
                Text(printable(where)), _marked(example).append(f"  {printable(example.document)}", QUIET_STYLE)
            )
        return shown


def evidence(answer: Evidence) -> Sentences:
    """The sentences behind an answer, with what pulls the word most in the note."""
    rows = tuple(
        (
            example.condition,
            example.date,
            example.place,
            example.document,
            *(_line(part) for part in _parts(example)),
            example.distance,
        )
        for example in answer.examples
    )
    columns = ("condition", "date", "place", "document", "before", "word", "after", "distance")
    # What this run does not have, or what was not asked, needs no column.
    kept = [n for n in range(len(columns)) if n not in (1, 2, 7) or any(row[n] is not None for row in rows)]
    return Sentences(
        tuple(columns[n] for n in kept),
        tuple(tuple(row[n] for n in kept) for row in rows),
        _title(answer),
        _note(answer),
        answer.examples,
    )


def frequency(answer: Frequency) -> Table:
    """How often words are used in each condition."""
    columns = ("word", "condition", "count", "per million", "low", "high", "documents", "of documents", "running words")
    rows = tuple(
        (
            row.word,
            row.condition,
            row.count,
            row.per_million,
            row.low,
            row.high,
            row.documents,
            row.of_documents,
            row.tokens,
        )
        for row in answer.rows
    )
    note = f"low, high: {100 * answer.level:g} % interval, {answer.interval}"
    verb = "is" if len(answer.words) == 1 else "are"
    return Table(columns, rows, f"How often {', '.join(answer.words)} {verb} used", note)


def collocates(answer: Collocates) -> Table:
    """The words that stand beside a word in each condition."""
    columns = ("condition", "word", "count", "documents", "expected", "PMI", "log-likelihood")
    rows = tuple(
        (row.condition, row.word, row.count, row.documents, row.expected, row.pmi, row.log_likelihood)
        for row in answer.rows
    )
    return Table(columns, rows, f"What stands beside {answer.word}", _window(answer.window, answer.min_count))


def collocate_changes(answer: CollocateChanges) -> Table:
    """The words that came to stand beside a word, and those that left it."""
    columns = (
        "",
        "word",
        f"count in {answer.start}",
        f"count in {answer.end}",
        f"‰ in {answer.start}",
        f"‰ in {answer.end}",
        "log2 ratio",
        "log-likelihood",
    )
    parts: tuple[tuple[str, tuple[CollocateChange, ...]], ...] = (("rises", answer.rising), ("falls", answer.falling))
    rows = tuple(
        (
            way,
            row.word,
            row.before,
            row.after,
            row.per_thousand_before,
            row.per_thousand_after,
            row.log_ratio,
            row.log_likelihood,
        )
        for way, found in parts
        for row in found
    )
    before, after = (number_of(count, "times") for count in answer.occurrences)
    title = f"What came to stand beside {answer.word} ({before} in {answer.start}, {after} in {answer.end})"
    return Table(columns, rows, title, _window(answer.window, answer.min_count))


def _title(answer: Evidence) -> str:
    first, last = answer.conditions[0], answer.conditions[-1]
    where = first if first == last else f"{first} … {last}"
    beside = f" near {answer.near}" if answer.near else ""
    return f"{answer.word}{beside} in {where}"


def _note(answer: Evidence) -> str:
    times, documents = number_of(answer.occurrences, "times"), number_of(answer.documents, "documents")
    lines = [f"{answer.word} occurs {times} in {documents}"]
    if answer.near:
        lines[0] += f"; {number_of(answer.together or 0, 'times')} within {answer.within} words of {answer.near}"
        searched = "" if answer.searched == answer.with_both else f", {answer.searched:,} of which were searched"
        lines[0] += f" ({answer.with_both:,} documents have both{searched})"
    if answer.pulls:
        elsewhere = any(pull.elsewhere for pull in answer.pulls)
        shown = ", ".join(
            f"{pull.word} {pull.pull:.3f}" + (f" ({pull.elsewhere:.3f})" if elsewhere else "")
            for pull in answer.pulls[:PULLS_SHOWN]
        )
        lines.append(f"the contexts that pull it most{' (elsewhere)' if elsewhere else ''}: {shown}")
    return "\n".join(lines)


def _parts(example: Example) -> tuple[str, str, str]:
    before, after = example.text[: example.start], example.text[example.end :]
    before, after = f"… {before}" if example.cut_before else before, f"{after} …" if example.cut_after else after
    return before, example.text[example.start : example.end], after


def _line(text: str) -> str:
    """A text in one line."""
    return " ".join(text.split())


def _marked(example: Example) -> Text:
    """The sentence in one line, the word and the one near it in color."""
    from rich.text import Text

    marks = [(example.start, example.end, WORD_STYLE)]
    if example.near:
        marks.append((*example.near, NEAR_STYLE))
    shown, place = Text("… " if example.cut_before else ""), 0
    for start, end, style in sorted(marks):
        for part, look in ((example.text[place:start], ""), (example.text[start:end], style)):
            # Blanks at the ends are kept, since the parts are put together again.
            words = printable(_line(part))
            blank = " " if part[:1].isspace() and words else ""
            shown.append(f"{blank}{words}{' ' if part[-1:].isspace() else ''}", look)
        place = end
    rest = example.text[place:]
    return shown.append(
        (" " if rest[:1].isspace() else "") + printable(_line(rest)) + (" …" if example.cut_after else "")
    )


def _window(window: int, min_count: int) -> str:
    return f"within {window} words on either side, {number_of(min_count, 'times')} or more"
