"""A report on one page of HTML: which words changed, sentences before and after, and the method.

It shows answers to the questions `drift`, `series`, `frequency` and `evidence`; it computes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

import polars as pl

from chronotope.analysis.answer import Answer, questions
from chronotope.analysis.columns import COLUMNS
from chronotope.analysis.concordance import Concordance
from chronotope.analysis.params import open_source, trained_on
from chronotope.config import at_least
from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import ChronotopeError, number_of, some_of
from chronotope.frames import format_value, html_table
from chronotope.io.atomic import atomic_write
from chronotope.io.run_folder import read_run
from chronotope.views import tables
from chronotope.views.charts import svg
from chronotope.views.explorer.explored import Explored

DRAWS, PERMUTATIONS = 50, 20  # of documents: for the intervals, and for effect and q
# The first columns of the table, and the columns shown beside the sentences.
FIRST = ("word", "corrected", "low", "high", "effect", "q", "documents", "largest_share", "count_before", "count_after")
NEIGHBORS = ("neighbors_before", "neighbors_after")
LEFT_OUT = (*NEIGHBORS, "own", "p")  # so that the table fits on a page
MEASURES = {
    "ends": "1 − the cosine of its vectors {ends}",
    "steps": "1 − the cosine of its vectors in two consecutive time bins, the largest of all",
    "series": "1 − the mean cosine of its vectors over all pairs of conditions",
    "unusual": "1 − the cosine of its vector in its most unusual condition with the mean direction of all others",
}
PICTURED = 4  # words in a chart of lines
MOST_SOURCES = 8  # values of a field that gets a table
STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --quiet: #666; --line: #ddd; --mark: #fff0b3 }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 "IBM Plex Sans", "Helvetica Neue", Helvetica, Arial, sans-serif; overflow-wrap: anywhere }
h1, h2, h3 { line-height: 1.2 } h2 { margin-top: 2.5rem }
.quiet, cite, dd { color: var(--quiet); font-style: normal; font-size: 0.875rem }
.wide { overflow-x: auto; margin: 1rem 0 } table { border-collapse: collapse; font-size: 0.875rem }
th, td { padding: 0.2rem 0.9rem 0.2rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: normal } td:first-child { white-space: nowrap }
table { font-variant-numeric: tabular-nums }
figure { margin: 1.5rem 0 } svg { max-width: 100%; height: auto }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem } h4 { margin: 0 0 0.5rem }
blockquote { margin: 0 0 0.8rem } cite { display: block } mark { background: var(--mark); color: inherit }
dl { columns: 2; gap: 2rem } dt { font-weight: 600; font-size: 0.875rem; break-after: avoid } dd { margin: 0 0 0.4rem }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --paper: #161616; --quiet: #999; --line: #3a3a3a; --mark: #5c4a00 }
  figure svg { filter: invert(0.914) hue-rotate(180deg) }
}
@media (max-width: 40rem) { .sides { grid-template-columns: 1fr } dl { columns: 1 }
  figure { overflow-x: auto } svg { max-width: none } }
@media print { body { max-width: none; margin: 0 } .wide { overflow: visible } table { font-size: 0.7rem }
  figure, tr, blockquote { break-inside: avoid } h2, h3 { break-after: avoid } }
"""
# The page may style itself; it loads and runs nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def report(
    model: ConditionedEmbeddings | str | Path,
    path: str | Path | None = None,
    *,
    title: str | None = None,
    top: int = 10,
    sentences: int = 3,
    permutations: int | None = None,
    bootstrap: int | None = None,
    **drift: Any,
) -> str:
    """Return a report on the words that changed, as one page of HTML; write it to `path` if that is given.

    The page needs no other file and no network. `model` is a model, its file or its run; `title` is the name of the run
    by default. The page shows the `top` words, with `sentences` for each before and after. If the documents can be
    resampled, `permutations` is 20 and `bootstrap` is 50 by default; for a paper, ask for 200 and 100. `drift` are
    further settings of the question `drift`: `start`, `end`, `min_count`, `no_names` ….
    """
    at_least("sentences", sentences, 1)
    opened: ConditionedEmbeddings = open_source(model, ConditionedEmbeddings)
    drift["top"], ask = top, questions()["drift"].ask
    counts, missing = None, ""
    try:
        counts = trained_on(opened)
    except ChronotopeError as error:
        missing = f"No text: {error}."
    note, draws = "", DRAWS if bootstrap is None else bootstrap
    # Intervals need the noise, which takes this many permutations anyway.
    permuted = PERMUTATIONS * (draws > 0) if permutations is None else permutations
    try:
        changes = ask(opened, permutations=permuted, bootstrap=draws, **drift)
    except ChronotopeError as error:
        if permutations is not None or bootstrap is not None:
            raise
        changes, note = ask(opened, **drift), f"Without intervals: {error}."
    title = title or (counts.folder.absolute().name if counts else "Report")
    settings = tables.Table(("part", "setting", "value"), tuple(_settings(opened, counts, changes)))
    table = _figures(changes)
    legend = (_element("dt", name.replace("_", " ")) + _element("dd", COLUMNS[name].meaning) for name in table.columns)
    parts = [_element("h1", f"{title}: which words changed")]
    parts += [_element("h2", "The corpus"), *(_corpus(counts) if counts else [_element("p", missing)])]
    parts += [_element("h2", "Most changed words"), _chart(changes), _element("p", note), _table(table)]
    parts += [f"<dl>{''.join(legend)}</dl>"]
    parts += _words(opened, counts, changes, sentences)
    parts += [_element("h2", "Method"), _element("p", " ".join([*_method(opened, counts, changes), note]))]
    parts += [_element("p", Explored(opened, title).about()["citation"]), _element("p", changes.signature, "quiet")]
    page = _page(title, [*parts, _element("h2", "All settings"), _table(settings)])
    if path is not None:
        with atomic_write(Path(path)) as file:
            file.write_text(page, encoding="utf-8")
    return page


def _corpus(counts: Counts) -> Iterator[str]:
    """Yield the size of each condition, the notes of `prepare`, and the number of documents by kept field and file."""
    about = counts.store.report
    table = tables.corpus(about)
    columns = (*table.columns[:-1], "flag")
    yield _table(tables.Table(columns, table.rows)) + _element("p", f"{table.note}.", "quiet")
    noticed = [f"{line}." for line in (*about.notes, *about.mixed_case)]
    if any(row[-1] for row in table.rows):
        noticed.append("partial?: begins late, ends early, or has little text; small: fewer than 50,000 tokens.")
    yield "".join(_element("p", line, "quiet") for line in noticed)
    labels = pl.Series("condition", counts.conditions.labels)
    fields = Concordance(counts).fields.with_columns(labels.gather(counts.store.document_condition))
    for name in fields.columns[:-1]:
        each = fields.select("condition", pl.col(name).fill_null("").alias("value"))
        values = each["value"].value_counts(sort=True)["value"].to_list()
        if not 1 < len(values) < len(fields):  # one value is no source, and a value for each document is its name
            continue
        if len(values) <= MOST_SOURCES:
            counted = each.pivot(
                on="value", on_columns=values, index="condition", values="value", aggregate_function="len"
            )
        else:
            often = each.group_by("condition", "value", maintain_order=True).len().sort("len", descending=True)
            counted = often.group_by("condition", maintain_order=True).agg(
                pl.len().alias("different values"),
                pl.first("value").alias("most frequent"),
                pl.first("len").alias("its documents"),
            )
            counted = labels.to_frame().join(counted, on="condition", maintain_order="left")
        heading = _element("p", f"Documents by {name}. If these shares shift, words can seem to change.", "quiet")
        yield heading + _table(tables.Table(tuple(counted.columns), tuple(counted.fill_null(0).rows())))


def _figures(changes: Answer) -> tables.Table:
    """Return the table of the words, the most important columns first; neighbors are shown beside the sentences."""
    table = tables.answer(changes)
    first = [name for name in FIRST if name in table.columns]
    order = [*first, *(name for name in table.columns if name not in (*first, *LEFT_OUT))]
    places = [table.columns.index(name) for name in order]
    return tables.Table(tuple(order), tuple(tuple(row[place] for place in places) for row in table.rows))


def _words(model: ConditionedEmbeddings, counts: Counts | None, changes: Answer, sentences: int) -> Iterator[str]:
    """Yield the charts over time and of frequency, then for each word its sentences before and after."""
    words = changes["word"].to_list()[:PICTURED]
    if words and model.conditions.times:
        yield _element("h2", "Over time") + _asked(_chart, "series", model, words, min_count=changes.facts["min_count"])
    if words and counts:
        yield _element("h2", "How often") + _asked(_chart, "frequency", counts, words)
    if words:
        said = "Sentences chosen at random from as many documents as possible, each shown once." if counts else ""
        yield _element("h2", "The words") + _element("p", said, "quiet")
    for row in changes:
        near = (", ".join(row[name]).replace("_", " ") for name in NEIGHBORS)
        yield _element("h3", row["word"].replace("_", " ")) + _element("p", f"Neighbors: {' → '.join(near)}.", "quiet")
        if counts:
            sides = {"at": row["before"], "against": row["after"]}
            yield _asked(_sentences, "evidence", counts, row["word"], top=sentences, **sides)


def _asked(show: Callable[[Answer], str], name: str, *asked: Any, **more: Any) -> str:
    """Ask a question and show its answer, or the reason why there is none."""
    try:
        return show(questions()[name].ask(*asked, **more))
    except ChronotopeError as error:
        return _element("p", f"{error}.", "quiet")


def _sentences(answer: Answer) -> str:
    """Return the sentences of two conditions side by side."""
    sides = {answer.facts["at"]: "", answer.facts["against"]: ""}
    for number, row in enumerate(answer):
        text, start, end = row["text"], row["start"], row["end"]
        marked = escape(text[:start]) + _element("mark", text[start:end]) + escape(text[end:])
        quoted = f"{'… ' * row['cut_before']}{marked}{' …' * row['cut_after']}"
        source = _element("cite", " · ".join(filter(None, (row["date"], row["document"]))))
        sides[list(sides)[number >= answer.facts["shown"]]] += f"<blockquote>{quoted}{source}</blockquote>"
    columns = ""
    for (label, quotes), end in zip(sides.items(), ("", "_against"), strict=True):
        many, inside = answer.facts[f"occurrences{end}"], answer.facts[f"documents{end}"]
        size = f"{label}: {number_of(many, 'occurrences')} in {number_of(inside, 'documents')}"
        columns += f"<div>{_element('h4', size)}{quotes}</div>"
    told = " ".join(note for note in answer.notes if note.startswith("One "))
    return f'<div class="sides">{columns}</div>' + (_element("p", told, "quiet") if told else "")


def _method(model: ConditionedEmbeddings, counts: Counts | None, changes: Answer) -> Iterator[str]:
    made, facts = model.provenance, changes.facts
    kind = {"time": "time bins", "place": "places"}.get(model.conditions.axis, "conditions")
    labels = f"{number_of(len(model.conditions), kind)} ({some_of(model.conditions.labels)})"
    if counts:
        size = counts.store.report
        yield f"The corpus has {number_of(size.documents, 'documents')} with {size.tokens:,} words, in {labels}."
        weight = "weighted by 1/distance" if counts.settings.weighting == "harmonic" else "of equal weight"
        yield f"Contexts of a word are the {counts.settings.window} words on either side, {weight}."
    version = made.get("versions", {}).get("chronotope", "")
    yield (
        f"Each of the {len(model):,} words that occur {number_of(made.get('min_count', 1), 'times')} or more has one "
        f"vector of {model.dimensions} dimensions in each of {'them' if counts else labels}, trained with the method "
        f"{made.get('method')} of chronotope {version} (seed {made.get('seed')})."
    )
    ends = f"in {facts['from']} and {facts['to']}" if facts["from"] else "in the first and the last"
    yield f"The change of a word is {MEASURES[facts['over']].format(ends=ends)}."
    yield f"{facts['words']:,} words have {facts['min_count']:,} or more occurrences in each condition compared."
    if facts["filters"]:
        yield f"The list is restricted by {', '.join(facts['filters'])}."
    if facts["permutations"] or facts["bootstrap"]:
        yield (
            "The change is corrected for sampling noise: the cosine is divided by the cosine under noise alone "
            "(Spearman 1904), measured by permuting the condition labels of whole documents, "
            f"{number_of(facts['permutations'] or PERMUTATIONS, 'times')}."
        )
    if facts["bootstrap"]:
        yield (
            f"95 % intervals come from {facts['bootstrap']:,} draws of half of the documents without replacement "
            "(Politis, Romano and Wolf 1999)."
        )
    if facts["effect"] is not None:
        yield (
            f"p-values, from the same permutations, test the hypothesis that the corrected change is at most "
            f"{facts['effect']:.2g}; q is the false discovery rate (Benjamini and Hochberg 1995). "
            f"{number_of(facts['discoveries'], 'words')} have a q of at most 0.05."
        )
    if facts["within"]:
        yield f"Documents were permuted and drawn only among documents with the same {facts['within']}."


def _settings(model: ConditionedEmbeddings, counts: Counts | None, changes: Answer) -> Iterator[tuple[str, str, str]]:
    """Yield the part, the name and the value of every setting."""
    parts = {"training": {**model.provenance.get("settings", {}), "seed": model.provenance.get("seed")}}
    if counts:
        about = read_run(counts.folder)
        parts = {name: about[name] for name in ("corpus", "counting", "vocabulary")} | parts
        parts |= {"sources": {source["name"]: source["checksum"] for source in about["sources"]}}
    for part, values in (parts | {"drift": changes.facts, "versions": model.provenance.get("versions", {})}).items():
        for name, value in values.items():
            if value not in (None, "", [], (), {}):
                yield part, name, format_value(value)


def _chart(answer: Answer) -> str:
    return f"<figure>{svg(answer)}</figure>"


def _table(table: tables.Table) -> str:
    columns = [name.replace("_", " ") for name in table.columns]
    return f'<div class="wide">{html_table(columns, table.rows)}</div>'


def _element(tag: str, text: str, kind: str = "") -> str:
    """Return an element with a text; all text from outside is escaped, here or by `escape`."""
    named = f' class="{kind}"' if kind else ""
    return f"<{tag}{named}>{escape(text)}</{tag}>"


def _page(title: str, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width"><title>{escape(title)}</title><style>{STYLE}</style></head>
<body>
{body}
</body></html>
"""
