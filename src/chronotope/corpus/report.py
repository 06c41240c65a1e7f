"""The report on a corpus: the amount of text in each condition, and warning flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.corpus.binning import Bins
from chronotope.corpus.dates import read_dates
from chronotope.errors import number_of
from chronotope.frames import MOST_ROWS, html

if TYPE_CHECKING:
    from chronotope.corpus.first_pass import FirstPass
    from chronotope.corpus.source import Corpus

# A condition with fewer tokens is flagged as small; the regions of the paper have about a million each.
SMALL = 50_000
# A first or last time bin is partial if it has less than this share of the text of its neighbors, or if its empty share
# exceeds that of its neighbors by this much.
PARTIAL_SHARE = 0.25
NEIGHBORS = 3
# A word with a smaller count in the corpus is rare.
RARE = 5
# Conditions with fewer tokens are not checked for a dominant source.
DOMINANCE_MIN_TOKENS = 1_000


@dataclass(frozen=True)
class ConditionReport:
    """The report on one condition; held-out documents count.

    The flag is 'partial?' for a first time bin that begins late or a last one that ends early (by a quarter of its
    length more than any of the next three), and for one with less than a quarter of the median text of the next three;
    'small' for fewer than 50,000 tokens; else empty.
    """

    condition: str
    documents: int
    tokens: int
    vocabulary: int  # distinct words
    duplicates: int  # documents whose exact text occurred earlier in the corpus
    rare: float  # share of tokens whose word occurs fewer than 5 times in the corpus: names, typing errors, bad OCR
    flag: str = ""


@dataclass(frozen=True)
class CorpusReport:
    """The report on a corpus.

    The notes are lines about bad rows, files that were left out or converted, metadata without text, and conditions
    most of whose text has one source.
    """

    conditions: tuple[ConditionReport, ...]
    rows: int  # read, good and bad
    documents: int
    tokens: int
    vocabulary: int
    duplicates: int
    held_out: int = 0  # documents
    left_out: int = 0  # rows dropped by the filter (where)
    outside: int = 0  # rows outside the named bins
    unspaced: int = 0  # tokens in scripts without blanks between words
    phrases: tuple[str, ...] = ()  # that were joined
    notes: tuple[str, ...] = ()
    mixed_case: tuple[str, ...] = ()  # a line about frequent words written both in upper and in lower case, if any

    def _repr_html_(self) -> str:
        facts = {name: getattr(self, name) for name in ("documents", "tokens", "vocabulary", "duplicates", "held_out")}
        names = [part.name for part in fields(ConditionReport)]
        rows = [[getattr(part, name) for name in names] for part in self.conditions[:MOST_ROWS]]
        left_out, note = len(self.conditions) - len(rows), "; ".join((*self.notes, *self.mixed_case))
        return html("Corpus", facts, names, rows, left_out=left_out, note=note)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` returned."""
        conditions = tuple(ConditionReport(**condition) for condition in data["conditions"])
        lists = {name: tuple(data.get(name, ())) for name in ("phrases", "notes", "mixed_case")}
        return cls(**{**data, **lists, "conditions": conditions})


def build_report(
    first: FirstPass, documents: pl.DataFrame, conditions: Conditions, bins: Bins | None, counts: Any, **lines: Any
) -> CorpusReport:
    """Report on a corpus; `counts` is (C, W), sparse, with held-out documents; `lines` are further fields."""
    size, condition = len(conditions), documents["condition"].to_numpy()
    sizes = np.bincount(condition, minlength=size).tolist()
    duplicates = np.bincount(condition[documents["repeated"].to_numpy()], minlength=size).tolist()
    tokens = [int(count) for count in np.bincount(condition, documents["length"].to_numpy(), size)]
    rare = counts @ (counts.sum(axis=0) < RARE).astype(np.int64) / np.maximum(tokens, 1)
    rare = rare.round(6).tolist()
    distinct = np.diff(counts.indptr).tolist()
    empty = None
    if bins:
        days = [bins.days(time) for time in sorted({time for time, _ in first.labels})]
        empty = empty_ends(documents["time"], np.array(conditions.time_of)[condition], days)
    flag = flags(tokens, conditions.time_of, empty)
    corpus = first.corpus
    unmatched = corpus.metadata.unmatched(first.matched) if corpus.metadata else []
    dominance = _dominance_notes(documents, corpus, conditions, tokens)
    return CorpusReport(
        conditions=tuple(map(ConditionReport, conditions.labels, sizes, tokens, distinct, duplicates, rare, flag)),
        rows=first.total.read,
        documents=sum(sizes) // conditions.levels,
        tokens=sum(tokens) // conditions.levels,
        vocabulary=counts.shape[1],
        duplicates=sum(duplicates) // conditions.levels,
        held_out=int(documents["held_out"].sum()) // conditions.levels,
        left_out=first.total.left_out,
        outside=first.total.outside,
        unspaced=first.total.unspaced_tokens,
        notes=(*first.problems.lines(), *corpus.notes, *unmatched, *dominance),
        **lines,
    )


def _dominance_notes(
    documents: pl.DataFrame, corpus: Corpus, conditions: Conditions, tokens: Sequence[int]
) -> list[str]:
    """Return notes on conditions with more than half of their tokens from one document, or else from one source.

    A source is a value of the kept field 'source', or a file with text in several conditions.
    """
    frame = documents.select("condition", "length", "source", "line", document=pl.int_range(pl.len()))
    names, is_kept = corpus.names, "source" in corpus.settings.keep
    frame = frame.with_columns(origin=documents["fields"].struct.field("source") if is_kept else pl.col("source"))
    spread = pl.lit(is_kept) | (pl.col("condition").n_unique().over("origin") > 1)
    lines: list[str] = []
    named: list[int] = []
    for what, usable in (("document", pl.lit(True)), ("origin", spread & (pl.col("origin").n_unique() > 1))):
        parts = frame.filter(usable).group_by("condition", what, maintain_order=True)
        sums = parts.agg(pl.col("length").sum(), pl.first("source", "line"), name=pl.first("origin"))
        sums = sums.with_columns(share=sums["length"] / pl.Series(tokens).gather(sums["condition"]))
        checked = [condition for condition, count in enumerate(tokens) if count >= DOMINANCE_MIN_TOKENS]
        most = (pl.col("share") > 0.5) & pl.col("condition").is_in(checked) & ~pl.col("condition").is_in(named)
        found = sums.filter(most).sort("condition")
        named, shown = found["condition"].to_list(), []
        for row in found.head(3).iter_rows(named=True):
            file, label = names[row["source"]], conditions.labels[row["condition"]]
            source = f"{file}:{row['line']}" if what == "document" else row["name"] if is_kept else file
            shown.append(f"{label} ({source}, {row['share']:.0%})")
        if shown:
            of, more = number_of(len(found), "conditions"), ", …" if len(found) > 3 else ""
            what = what.replace("origin", "source")
            lines.append(f"one {what} makes up more than half of the words of {of}: {', '.join(shown)}{more}")
    return lines


def empty_ends(written: pl.Series, bin_of: NDArray[np.integer], days: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """(2, B) the empty share of the first and last few time bins, before the first date and after the last one.

    `written` and `bin_of` are (N,) dates and their bins, `days` the first and last day of each bin. A date that is as
    coarse as its bin, such as a year in a bin of one year, fills the bin.
    """
    empty = np.zeros((2, len(days)))
    # Nearly all timestamps differ, but few of their days do.
    is_stamp = (pl.col("date").str.slice(4, 1) == "-") & pl.col("date").str.slice(10, 1).is_in(["T", " "])
    day = pl.when(is_stamp).then(pl.col("date").str.slice(0, 10)).otherwise(pl.col("date"))
    written = written.to_frame("date").select(day)["date"]
    for number in {*range(len(days))[: NEIGHBORS + 1], *range(len(days))[-NEIGHBORS - 1 :]}:
        dates = read_dates(written.filter(pl.Series(bin_of == number)).unique())
        first, last = days[number]
        length = last - first + 1
        empty[:, number] = (dates.first_day.min() - first) / length, (last - dates.last_day.max()) / length
    return empty


def flags(tokens: Sequence[int], time_of: Sequence[int], empty: NDArray[np.float64] | None) -> list[str]:
    """Return the flag of each condition, given its tokens, its time bin, and the result of `empty_ends` if any."""
    found = ["small" if count < SMALL else "" for count in tokens]
    if empty is None:
        return found
    totals = np.bincount(np.asarray(time_of), np.asarray(tokens, dtype=np.float64))
    last = len(totals) - 1
    for number, neighbors, share in (
        (0, slice(1, NEIGHBORS + 1), empty[0]),
        (last, slice(max(last - NEIGHBORS, 0), last), empty[1]),
    ):
        little_text = last >= NEIGHBORS and totals[number] < PARTIAL_SHARE * np.median(totals[neighbors])
        if little_text or (last and share[number] > share[neighbors].max() + PARTIAL_SHARE):
            found = ["partial?" if time == number else flag for time, flag in zip(time_of, found, strict=True)]
    return found
