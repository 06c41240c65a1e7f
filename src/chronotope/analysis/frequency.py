"""Frequencies of words in each condition, with intervals that take documents, not tokens, as the sample.

A word that occurs once in a document often occurs again. The rate is a ratio of two sums over documents; its variance
is that of the ratio estimator, D / (D − 1) · Σ (count − rate · length)² / (Σ length)², and at least that of independent
tokens, count / (Σ length)². The interval is taken on the logarithm of the rate, with Student's t of D − 1 degrees of
freedom. With a single document only the variance of independent tokens is known. Where a word is absent, the interval
ends at the exact bound for independent tokens.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Lines
from chronotope.analysis.concordance import Concordance, Term, choose_conditions
from chronotope.analysis.filters import one_sided
from chronotope.analysis.params import Confidence, From, Param, Run, Until, Words, condition_param
from chronotope.errors import some_of

Numbers = NDArray[np.float64]
MILLION = 1_000_000


@question(
    "frequency",
    group="The text",
    columns="word condition count per_million low high documents tokens all_documents",
    chart=Lines(y="per_million", band=("low", "high")),
)
def frequency(
    run: Run,
    word: Annotated[Words, Param("Words, phrases, or 'several words in a row'.", argument=True, longest=200)],
    *,
    at: Annotated[str | None, condition_param("Condition, time bin or place (default: all).")] = None,
    start: From = None,
    end: Until = None,
    confidence: Confidence = 0.95,
) -> Answer:
    """How often is a word used in each condition, per million tokens?

    Words too rare for the vocabulary have a frequency, too. Held-out documents do not count.

    Examples
    --------
    >>> import chronotope as ct
    >>> speeches = [{"text": "the bank of the river", "year": 1990}, {"text": "a bank fails", "year": 1991}]
    >>> counts = ct.count(ct.read_corpus(speeches, time="year"), min_count=1)
    >>> ct.frequency(counts, "the")["per_million"].to_list()
    [400000.0, 0.0]
    """
    index = Concordance(run)
    chosen = choose_conditions(index.conditions, at, start, end)
    asked = [word] if isinstance(word, str) else word
    terms = list({term.numbers: term for term in map(index.term, asked)}.values())
    rows, notes = [], [f"Interval: {100 * confidence:g} %, by documents."]
    for term in terms:
        found = index.positions(term, ~run.store.held_out)
        rows += _rows(index, term, found, chosen, confidence)
        notes += one_sided(run, term.text, chosen.tolist(), found)
    if empty := list(dict.fromkeys(row["condition"] for row in rows if not row["tokens"])):
        notes.append(f"No frequency, since no text was counted: {some_of(empty)}.")
    facts: dict[str, Any] = {"confidence": confidence, "interval": "ratio estimator over documents, on the log scale"}
    facts |= {"at": at, "from": start, "to": end}
    title = f"{', '.join(term.text for term in terms)}: occurrences per million tokens"
    return Answer(rows, title=title, notes=notes, facts=facts)


def _rows(
    index: Concordance, term: Term, found: NDArray[np.int64], chosen: NDArray[np.int64], confidence: float
) -> list[dict[str, Any]]:
    size = len(index.conditions)

    def sums(condition: NDArray[np.integer], values: NDArray[np.floating]) -> Numbers:
        """(C,) the sum of values in each condition."""
        return np.bincount(condition, values, size).astype(np.float64)

    store, counted = index.counts.store, ~index.counts.store.held_out
    with_word, times = np.unique(index.documents_at(found), return_counts=True)
    everywhere, here = (store.document_condition[which] for which in (counted, with_word))
    lengths, length = (np.diff(store.starts)[which].astype(np.float64) for which in (counted, with_word))
    all_documents, tokens = np.bincount(everywhere, minlength=size), sums(everywhere, lengths)
    documents, count = np.bincount(here, minlength=size), sums(here, times.astype(np.float64))
    rate = np.divide(count, tokens, out=np.zeros(size), where=tokens > 0)
    # Documents without the word contribute (rate · length)².
    squares = sums(here, (times - rate[here] * length) ** 2)
    squares += rate**2 * (sums(everywhere, lengths**2) - sums(here, length**2))
    bounds = _intervals(count, tokens, all_documents, squares, confidence)
    per_million = np.where(tokens > 0, MILLION * np.array([rate, *bounds]), np.nan)
    columns = {"count": count, "documents": documents, "tokens": tokens, "all_documents": all_documents}
    columns |= dict(zip(("per_million", "low", "high"), per_million, strict=True))
    return [
        {"word": term.text, "condition": index.conditions.labels[number]}
        | {name: values[number] for name, values in columns.items()}
        for number in chosen.tolist()
    ]


def _intervals(
    count: Numbers, tokens: Numbers, documents: NDArray[np.int64], squares: Numbers, confidence: float
) -> tuple[Numbers, Numbers]:
    """Return the ends of the intervals of rates; `squares` are the sums over documents of (count − rate · length)²."""
    from scipy.special import ndtri, stdtrit

    tail = (1 - confidence) / 2
    tokens = np.maximum(tokens, 1)
    between = np.where(documents > 1, documents / np.maximum(documents - 1, 1) * squares, 0)
    error = np.sqrt(np.maximum(between, count)) / np.maximum(count, 1)
    quantile = np.where(documents > 1, stdtrit(np.maximum(documents - 1, 1), 1 - tail), ndtri(1 - tail))
    rate = count / tokens
    # A factor above e^50 means that nothing is known; larger ones would overflow.
    factor = np.exp(np.minimum(quantile * error, 50))
    high = np.where(count > 0, rate * factor, -np.log(tail) / tokens)
    return rate / factor, np.minimum(high, 1)
