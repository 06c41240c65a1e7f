"""Words that occur near a word more often than by chance, and the contexts that are typical of a condition.

Collocates: every token of a condition is inside or outside the windows around the word. The 2 × 2 table of (this token
or another) × (inside or outside) gives the log-likelihood ratio (how certain the attraction is) and the mutual
information (how strong it is). A token near two occurrences counts once.

Contexts: the pull of a context j on a word is p(j | word) · max(0, log p(j | word) / p(j)), its share of the word's
contexts times the positive mutual information of the two, from which the models learn.

Words too rare for the vocabulary are left out before windows are drawn, as in the counts.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.analysis import params
from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Ranked
from chronotope.analysis.concordance import Concordance, Term, choose_conditions
from chronotope.analysis.evidence import AnyTerm, Where
from chronotope.analysis.filters import Filters, one_sided
from chronotope.analysis.params import From, Param, Run, Top, Until, condition_param
from chronotope.errors import number_of, some_of

Integers = NDArray[np.int64]
THOUSAND = 1000
CHANCE = 3.84  # critical value of χ² with one degree of freedom at p = 0.05
FEWEST_PAIRS = 1.0  # weight of a context: once beside the word, or twice at a distance of two

Beside = Annotated[int, Param("Minimum count in the window; rarer words are left out.", least=1, most=10**9)]
MinBeside = Annotated[int, Param("Minimum number of documents with both words side by side.", least=1, most=10**9)]
Window = Annotated[int | None, Param("Words on either side (default: the run's window).", least=1, most=1000)]


@question(
    "contexts",
    group="The text",
    columns="word context pull elsewhere share documents",
    chart=Ranked(label="context", value="pull", faint=None),
)
def contexts(
    run: Run,
    word: AnyTerm,
    *,
    at: Where = None,
    start: From = None,
    end: Until = None,
    top: Top = 10,
    min_documents: MinBeside = 1,
) -> Answer:
    """Which context words are typical of a word in a condition, compared with all other conditions?"""
    index = Concordance(run)
    chosen = choose_conditions(index.conditions, at, start, end)
    term = index.term(word)
    here = _pulls(index, term, chosen)
    # Nested places: a place inside the chosen one, or around it, is not elsewhere.
    labels, above = index.conditions.labels, set(index.conditions.parents.values())
    below = tuple(f"{labels[number]}/" for number in chosen)
    others = np.setdiff1d(np.arange(len(labels)), chosen).tolist()
    if above:
        outside = (at for at in others if not labels[at].startswith(below))
        others = [at for at in outside if index.conditions.place_of[at] not in above]
    elsewhere = _pulls(index, term, np.array(others, np.int64))
    columns = {"pull": here.pull, "elsewhere": elsewhere.pull, "share": here.share, "documents": here.documents}
    pulling = pl.DataFrame({"context": run.vocabulary.words, **columns}).filter(pl.col("pull") > 0)
    enough = pulling.filter(pl.col("documents") >= min_documents)
    rows = enough.sort(pl.col("elsewhere") - pl.col("pull"), maintain_order=True).head(top)
    where = "all of the text" if len(chosen) == len(labels) else at or f"{start or ''} to {end or ''}".strip()
    facts: dict[str, Any] = {"at": at, "from": start, "to": end, "sampled": False}
    facts |= {"documents": here.with_term, "documents_elsewhere": elsewhere.with_term}
    notes = ["Ordered by pull minus pull elsewhere."] if len(rows) and others else []
    notes += one_sided(run, term.text, None if len(chosen) == len(labels) else chosen.tolist(), here.found)
    notes += _few_documents(len(pulling) - len(enough), min_documents)
    if not here.with_term:
        notes.append(index.absence(term, "there"))
    elif not len(rows):
        notes.append(f"No word occurs near {term.text} often enough to be typical of it.")
    rows = rows.with_columns(word=pl.lit(term.text))
    title = f"{term.text}: typical contexts in {where}"
    return Answer(rows, title=title, notes=notes, facts=facts)


class _Pulls(NamedTuple):
    """(W,) the pull, the share and the documents of each context; positions and number of documents of the term."""

    pull: NDArray[np.float64]
    share: NDArray[np.float64]
    documents: Integers
    found: Integers
    with_term: int


def _pulls(index: Concordance, term: Term, conditions: NDArray[np.int64]) -> _Pulls:
    """Return the pull of each context on a term in some conditions together."""
    found = index.positions(term, index.documents(conditions))
    weight = context_weights(index, term, found)
    share = weight / max(weight.sum(), 1)
    count = _word_counts(index, conditions)
    expected = count / max(count.sum(), 1)
    enough = (weight >= FEWEST_PAIRS * index.counts.unit) & (expected > 0)
    ratio = np.divide(share, expected, out=np.ones_like(share), where=enough)
    documents = _documents_with(index, _near(index, term, found, index.counts.settings.window))
    with_term = len(np.unique(index.documents_at(found)))
    return _Pulls(share * np.maximum(np.log(ratio), 0), share, documents, found, with_term)


def _near(index: Concordance, term: Term, found: Integers, window: int) -> Integers:
    """Return the positions of the words of the vocabulary near a term, each once."""
    near = np.unique(np.concatenate([found[:0], *(at for _, at in index.beside(term, found, window))]))
    return np.asarray(near[index.counts.store.ids[near] < len(index.counts.vocabulary)])


def _documents_with(index: Concordance, positions: Integers) -> Integers:
    """(W,) the number of documents that contain each word at one of some positions."""
    words, word = len(index.counts.vocabulary), index.counts.store.ids[positions]
    return np.bincount(np.unique(index.documents_at(positions) * words + word) % words, minlength=words)


def _few_documents(rows: int, least: int) -> list[str]:
    return [f"Left out: {number_of(rows, 'rows')} with fewer than {number_of(least, 'documents')}."] if rows else []


@question(
    "collocates",
    group="The text",
    columns="word condition collocate count documents expected pmi log_likelihood",
    chart=Ranked(label="collocate", value="log_likelihood", group="condition"),
)
def collocates(
    run: Run,
    word: AnyTerm,
    *,
    at: Annotated[str | None, condition_param("Condition, time bin or place (default: each).")] = None,
    top: Top = 20,
    min_count: Beside = 5,
    window: Window = None,
    words: params.WordList = None,
    exclude: params.Exclude = None,
    no_names: params.NoNames = False,
    no_numbers: params.NoNumbers = False,
    min_documents: MinBeside = 1,
) -> Answer:
    """Which words occur near a word more often than by chance, in each condition?

    Examples
    --------
    >>> import chronotope as ct
    >>> speeches = [{"text": "the muddy bank and the sun " * 9 + "the sun and the rain " * 99, "year": 1990}]
    >>> counts = ct.count(ct.read_corpus(speeches, time="year"), min_count=1, window=1)
    >>> ct.collocates(counts, "bank")["collocate"].to_list()
    ['muddy', 'and']
    """
    index, window = Concordance(run), window or run.settings.window
    chosen, term = choose_conditions(index.conditions, at), index.term(word)
    labels = [index.conditions.labels[number] for number in chosen.tolist()]
    filters = Filters(run, words, exclude, no_names, no_numbers)
    kept, beside_it = filters.keep(()), np.zeros(len(run.vocabulary), bool)
    rows, found, occurrences, fewer = [], [], {}, 0
    for label, condition in zip(labels, chosen, strict=True):
        beside = _beside(index, term, np.array([condition]), window)
        occurrences[label] = len(beside.found)
        found.append(beside.found)
        attracted = _attracted(beside, min_count)
        beside_it |= attracted
        attracted &= True if kept is None else kept
        fewer += int(np.count_nonzero(attracted & (beside.documents < min_documents)))
        attracted &= beside.documents >= min_documents
        rows += [
            {"word": term.text, "condition": label, "collocate": run.vocabulary.words[number]}
            | {name: getattr(beside, name)[number] for name in beside._fields[:5]}
            for number in _most_certain(beside.log_likelihood, attracted, top)
        ]
    absent = [label for label in labels if not occurrences[label]]
    notes = one_sided(run, term.text, chosen.tolist(), np.concatenate(found))
    if len(absent) == len(labels):
        notes.append(index.absence(term, "there"))
    elif absent:
        notes.append(f"Left out, since {term.text} does not occur there: {some_of(absent)}.")
    without = [label for label in labels if occurrences[label] and not any(row["condition"] == label for row in rows)]
    if without:
        times, where = number_of(min_count, "times"), some_of(without)
        notes.append(f"No word occurs near {term.text} {times} or more, and more often than by chance: {where}.")
    notes += filters.notes(np.flatnonzero(beside_it), [()])
    notes += _few_documents(fewer, min_documents)
    facts = {"window": window, "min_count": min_count, "occurrences": occurrences}
    facts |= {"min_documents": min_documents, "filters": filters.settings}
    title = f"{term.text}: collocates in {at or 'each condition'}"
    return Answer(rows, title=title, notes=notes, facts=facts)


@question(
    "collocate_changes",
    group="The text",
    columns="word collocate direction count_before count_after documents per_thousand_before per_thousand_after "
    "log_ratio log_likelihood",
    chart=Ranked(label="collocate", value="log_ratio", detail=("count_before", "count_after"), faint=None),
)
def collocate_changes(
    run: Run,
    word: AnyTerm,
    start: Annotated[str, condition_param("Earlier condition.", option="--from")],
    end: Annotated[str, condition_param("Later condition.", option="--to")],
    *,
    top: Top = 20,
    min_count: Beside = 5,
    window: Window = None,
    min_documents: MinBeside = 1,
) -> Answer:
    """Which words occur near a word more often, or less often, in one condition than in another?

    `start` and `end` may also be time bins or places alone. Words that rise must be collocates in `end`,
    words that fall in `start`; `min_count` applies there. Up to `top` of each are listed.
    """
    index, window = Concordance(run), window or run.settings.window
    term = index.term(word)
    before, after = (_beside(index, term, choose_conditions(index.conditions, label), window) for label in (start, end))
    sizes = max(before.size, 1), max(after.size, 1)
    likelihood = _log_likelihood(before.count, after.count, sizes[0] - before.count, sizes[1] - after.count)
    ratio = np.log2((after.count + 0.5) / sizes[1]) - np.log2((before.count + 0.5) / sizes[0])
    columns: dict[str, NDArray[Any]] = {"documents": before.documents + after.documents}
    for when, side, size in zip(("before", "after"), (before, after), sizes, strict=True):
        columns |= {f"count_{when}": side.count, f"per_thousand_{when}": side.count / size * THOUSAND}
    columns |= {"log_ratio": ratio, "log_likelihood": likelihood}
    sides, enough = (("rises", ratio > 0, after), ("falls", ratio < 0, before)), columns["documents"] >= min_documents
    moving = [(one, moves & (likelihood >= CHANCE) & _attracted(side, min_count)) for one, moves, side in sides]
    rows = [
        {"word": term.text, "collocate": run.vocabulary.words[number], "direction": direction}
        | {name: values[number] for name, values in columns.items()}
        for direction, moves in moving
        for number in _most_certain(likelihood, moves & enough, top)
    ]
    occurrences = {start: len(before.found), end: len(after.found)}
    absent = [label for label, number in occurrences.items() if not number]
    notes = [index.absence(term, f"in {' and '.join(absent)}")] if absent else []
    fewer = sum(int(np.count_nonzero(moves & ~enough)) for _, moves in moving)
    notes += _few_documents(fewer, min_documents)
    if not rows and not absent and not fewer:
        beside = f"with {min_count:,} occurrences or more beside {term.text}"
        notes.append(f"No word {beside} rises or falls significantly.")
    facts = {"from": start, "to": end, "window": window, "min_count": min_count, "occurrences": occurrences}
    title = f"{term.text}: collocates that rise and fall from {start} to {end}"
    return Answer(rows, title=title, notes=notes, facts=facts)


class _Beside(NamedTuple):
    """(W,) statistics of the words beside a term; their number of tokens, and the positions of the term."""

    count: NDArray[np.int64]  # type: ignore[assignment]  # hides tuple.count
    documents: NDArray[np.int64]
    expected: NDArray[np.float64]
    pmi: NDArray[np.float64]
    log_likelihood: NDArray[np.float64]
    size: int
    found: Integers


def _beside(index: Concordance, term: Term, conditions: NDArray[np.int64], window: int) -> _Beside:
    words, ids = len(index.counts.vocabulary), index.counts.store.ids
    found = index.positions(term, index.documents(conditions))
    # The words of the term do not count.
    own = (found[:, None] + np.arange(len(term.numbers))).ravel()
    near = np.setdiff1d(_near(index, term, found, window), own, assume_unique=True)
    count, occurrences = np.bincount(ids[near], minlength=words), len(found)
    total_count = _word_counts(index, conditions)
    for number in term.numbers:
        if number < words:
            total_count[number] = max(total_count[number] - occurrences, count[number])
    size, total = int(count.sum()), max(int(total_count.sum()), 1)
    expected = total_count.astype(np.float64) * (size / total)
    pmi = np.log2(np.divide(count, expected, out=np.ones(words), where=(count > 0) & (expected > 0)))
    likelihood = _log_likelihood(count, total_count - count, size - count, total - size - total_count + count)
    return _Beside(count, _documents_with(index, near), expected, pmi, likelihood, size, found)


def _log_likelihood(a: Integers, b: Integers, c: Integers, d: Integers) -> NDArray[np.float64]:
    """Return the log-likelihood ratio (G²) of 2 × 2 tables with rows (a, b) and (c, d)."""
    from scipy.special import xlogy

    cells, edges = (sum(xlogy(n, n) for n in part) for part in ((a, b, c, d), (a + b, c + d, a + c, b + d)))
    total = a + b + c + d
    return np.asarray(np.maximum(2 * (cells - edges + xlogy(total, total)), 0))


def _attracted(beside: _Beside, min_count: int) -> NDArray[np.bool_]:
    """(W,) whether a word occurs beside the term often enough, and more often than by chance."""
    return (beside.pmi > 0) & (beside.count >= min_count) & (beside.log_likelihood >= CHANCE)


def _most_certain(likelihood: NDArray[np.float64], eligible: NDArray[np.bool_], top: int) -> list[int]:
    """Return the eligible words with the highest values; ties: the more frequent first."""
    numbers = np.flatnonzero(eligible)
    found: list[int] = numbers[np.argsort(-likelihood[numbers], kind="stable")[:top]].tolist()
    return found


def context_weights(index: Concordance, term: Term, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """(W,) the co-occurrence of each word of the vocabulary with a term at some positions, in units of the run."""
    from chronotope.cooccurrence.counting import distance_weights  # loads numba

    words = len(index.counts.vocabulary)
    weights = distance_weights(index.counts.settings, index.counts.unit)
    total = np.zeros(words)
    for distance, at in index.beside(term, positions, len(weights) - 1):
        word = index.counts.store.ids[at]
        total += np.bincount(word[word < words], minlength=words) * float(weights[distance])
    return total


def _word_counts(index: Concordance, conditions: NDArray[np.int64]) -> NDArray[np.int64]:
    """(W,) the count of each word of the vocabulary in some conditions together."""
    support = index.counts.vocabulary.support
    total = np.zeros(len(index.counts.vocabulary), np.int64)
    for condition in conditions.tolist():
        total[support.words_in(condition)] += support.counts_in(condition)
    return total
