"""The sentences that contain a word, evenly spread over documents, or nearest to another word."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer, question
from chronotope.analysis.concordance import Concordance, Term, choose_conditions, hash_order, turns
from chronotope.analysis.filters import FEWEST
from chronotope.analysis.params import From, Param, Run, Seed, Top, Until, Word, condition_param
from chronotope.corpus.readers.pieces import TOKEN_SEPARATOR
from chronotope.corpus.sentences import Span, sentence_around, token_spans
from chronotope.errors import SettingsError, number_of

AnyTerm = Annotated[Word, Param("Word, phrase, or 'several words in a row'.", argument=True, longest=200)]
Where = Annotated[str | None, condition_param("Condition, time bin or place (default: all of the text).")]


class _Hits(NamedTuple):
    """(N,) the positions of the term and of the other term (-1: none), and their distance; the best first."""

    position: NDArray[np.int64]
    other: NDArray[np.int64]
    distance: NDArray[np.int64]


@question(
    "evidence",
    group="The text",
    columns="condition date place document text start end near_start near_end distance_words cut_before cut_after",
)
def evidence(
    run: Run,
    word: AnyTerm,
    *,
    at: Where = None,
    against: Annotated[str | None, condition_param("Second condition: `top` sentences of each, side by side.")] = None,
    start: From = None,
    end: Until = None,
    near: Annotated[str | None, Param("Only sentences with this word nearby, nearest first.", longest=200)] = None,
    distance: Annotated[int | None, Param("With `near`: maximum distance (the window).", least=1, most=1000)] = None,
    where: Annotated[
        str | None, Param("Only documents that pass this SQL filter: \"speaker = 'Ada'\".", local=True)
    ] = None,
    top: Top = 10,
    seed: Seed = 1,
) -> Answer:
    """In which sentences does a word occur?

    Conditions and documents take turns; identical sentences are shown once. With `near`, sentences that contain both
    words come first, the nearest at the top; no document has a second sentence before every document has one. `where`
    takes `file` and the fields that `prepare --keep` kept.

    Examples
    --------
    >>> import chronotope as ct
    >>> speeches = [{"text": "It rained. The Bank of the river!", "year": 1990}]
    >>> counts = ct.count(ct.read_corpus(speeches, time="year"), min_count=1)
    >>> row = next(iter(ct.evidence(counts, "bank", at="1990")))
    >>> row["text"], row["text"][row["start"] : row["end"]]
    ('The Bank of the river!', 'Bank')
    """
    if distance is not None and near is None:
        raise SettingsError("distance needs the other word (near)")
    if against is not None and at is None:
        raise SettingsError("against needs the first condition (at)")
    index = Concordance(run)
    sides = [choose_conditions(index.conditions, at, start, end)]
    sides += [choose_conditions(index.conditions, against)] if against is not None else []
    term, other = index.term(word), index.term(near) if near is not None else None
    distance = distance or run.settings.window
    index.text  # noqa: B018  # refuse a run without its text before the search
    rows: list[dict[str, Any]] = []
    notes: list[str] = []
    counted: list[dict[str, int]] = []
    for conditions, label in zip(sides, (at, against), strict=False):
        documents = index.documents(conditions, where)
        found = index.positions(term, documents)
        in_document = np.unique(index.documents_at(found), return_counts=True)[1]
        inside, most = len(in_document), in_document.max(initial=0) / max(len(found), 1)
        about = {"occurrences": len(found), "documents": inside}
        occurs = f"occurs {number_of(len(found), 'times')} in {number_of(inside, 'documents')}"
        said = [f"{term.text} {occurs}." if len(sides) == 1 else f"{label}: {term.text} {occurs}."]
        if other is None:
            # Each word draws other documents: else every word would have sentences from the same few.
            hits = _spread(index, found, top, (seed + term.numbers[0]) % 2**64)
        else:
            hits = _nearest(index, term, other, found, index.positions(other, documents), distance, seed)
            about["together"] = len(hits.position)
            times = f"occurs {number_of(len(hits.position), 'times')}" if len(hits.position) else "never occurs"
            said.append(f"It {times} within {number_of(distance, 'words')} of {other.text}.")
        shown = _sentences(index, term, other, hits, top)
        about["shown"] = len(shown)
        if not len(found) and where is not None:
            said.append(f"No document with {term.text} has {where}.")
        elif not len(found):
            said = [index.absence(term, f"in {label}" if len(sides) > 1 else "there")]
        elif other is None and len(shown) < len(found):
            said.append(
                f"Shown: {number_of(len(shown), 'sentences')}, spread evenly over documents, identical ones once."
            )
        if most > 0.5 and len(found) >= FEWEST:
            said.append(f"One document holds {most:.0%} of the occurrences of {term.text}.")
        rows, notes, counted = rows + shown, notes + said, [*counted, about]
    facts: dict[str, Any] = {"word": term.text, "at": at, "from": start, "to": end, **counted[0], "where": where}
    # The whole text is searched; only the folder of the explorer holds a sample.
    facts |= {"near": other.text if other else None, "distance": distance if other else None, "sampled": False}
    facts |= {"against": against} | {f"{name}_against": value for name, value in counted[-1].items() if against}
    title = f"Sentences with {term.text}{f' near {other.text}' if other else ''}"
    title += f", {at} and {against}" if against else ""
    return Answer(rows, title=title, notes=notes, facts=facts)


def _spread(index: Concordance, found: NDArray[np.int64], top: int, seed: int) -> _Hits:
    """Return occurrences; conditions and documents take turns. More than `top`, since sentences may be identical."""
    document = index.documents_at(found)
    every = np.unique(document)
    order = hash_order(every, seed)
    condition = index.counts.store.document_condition[every].astype(np.int64)
    ordered = every[np.lexsort((order, turns(condition, order)))][: 4 * top]
    by_number = np.argsort(ordered)
    position = found[np.isin(document, ordered)]
    rank = by_number[np.searchsorted(ordered[by_number], index.documents_at(position))]
    position = position[np.lexsort((rank, turns(rank, hash_order(position, seed))))]
    return _Hits(position, np.full(len(position), -1), np.zeros(len(position), np.int64))


def _nearest(
    index: Concordance,
    term: Term,
    other: Term,
    position: NDArray[np.int64],
    beside: NDArray[np.int64],
    most: int,
    seed: int,
) -> _Hits:
    """Return occurrences at most `most` words from the other term: documents take turns, the nearest first."""
    if not len(position) or not len(beside):
        return _Hits(position[:0], beside[:0], position[:0])
    document = index.documents_at(position)
    best, gap = np.full(len(position), -1), np.full(len(position), most + 1)
    after = np.searchsorted(beside, position + len(term.numbers))
    # An occurrence of the other term that overlaps the term lies between these two.
    before = np.searchsorted(beside, position - len(other.numbers), side="right") - 1
    for candidate, sign in ((before, -1), (after, 1)):
        exists = (candidate >= 0) & (candidate < len(beside))
        at = beside[np.where(exists, candidate, 0)]
        distance = at - position - len(term.numbers) + 1 if sign > 0 else position - at - len(other.numbers) + 1
        better = exists & (index.documents_at(at) == document) & (distance < gap)
        best[better], gap[better] = at[better], distance[better]
    near = np.flatnonzero(gap <= most)
    near = near[np.lexsort((hash_order(position[near], seed), gap[near]))]
    near = near[np.lexsort((gap[near], turns(document[near], np.arange(len(near)))))]
    return _Hits(position[near], best[near], gap[near])


def _sentences(index: Concordance, term: Term, other: Term | None, hits: _Hits, top: int) -> list[dict[str, Any]]:
    """Return the rows of the best occurrences, each sentence once; without another word in the order of the run."""
    store, where = index.counts.store, index.conditions
    documents = index.documents_at(hits.position)
    found: dict[str, tuple[int, dict[str, Any]]] = {}
    complete = 0
    for number, document in enumerate(documents[: 4 * top].tolist()):
        if complete == top:
            break
        first = int(store.starts[document])
        word = int(hits.position[number]) - first, len(term.numbers)
        beside = (int(hits.other[number]) - first, len(other.numbers)) if other else None
        row = _sentence(index, document, word, beside)
        key = " ".join(row["text"].split()).casefold()
        if key not in found:
            found[key] = number, row | {"distance_words": int(hits.distance[number]) if other else None}
            complete += other is None or row["near_start"] is not None
    # Two words may be near each other and yet in two sentences: such hits come last.
    chosen = sorted(found.values(), key=lambda one: (other is not None and one[1]["near_start"] is None, one[0]))[:top]
    if other is None:
        chosen.sort(key=lambda one: int(hits.position[one[0]]))
    shown = documents[np.array([number for number, _ in chosen], np.int64)]
    rows = []
    for (_, row), document, (name, date) in zip(chosen, shown.tolist(), index.sources(shown), strict=True):
        condition = int(store.document_condition[document])
        place = where.places[where.place_of[condition]] if where.places else None
        rows.append(row | {"condition": where.labels[condition], "date": date, "place": place, "document": name})
    return rows


def _sentence(
    index: Concordance, document: int, word: tuple[int, int], other: tuple[int, int] | None
) -> dict[str, Any]:
    """Return the sentence around a word of a document; words are given by first token and number of tokens."""
    text, store = index.text.document(document), index.counts.store
    last = max(sum(word), sum(other) if other else 0)
    at = int(store.starts[document])
    words = store.words.gather(store.ids[at : at + last]).to_list()
    spans = token_spans(text, index.text.kind(document), words, index.normalize)

    def span(tokens: tuple[int, int], origin: int) -> Span:
        return Span(int(spans[tokens[0], 0]) - origin, int(spans[sum(tokens) - 1, 1]) - origin)

    bounds = sentence_around(text, span(word, 0))
    here, near = span(word, bounds.start), span(other, bounds.start) if other else None
    if near and not 0 <= near.start < near.end <= bounds.end - bounds.start:
        near = None
    row = {"text": text[bounds.start : bounds.end].replace(TOKEN_SEPARATOR, " "), "start": here.start, "end": here.end}
    row |= {"near_start": near.start, "near_end": near.end} if near else {"near_start": None, "near_end": None}
    return row | {"cut_before": bounds.cut_before, "cut_after": bounds.cut_after}
