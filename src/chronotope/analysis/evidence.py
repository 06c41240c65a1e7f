"""The sentences behind an answer: a word in its context, in a condition, and beside another word where one is named."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.concordance import Concordance, Term, choose_conditions, open_concordance
from chronotope.analysis.pull import Pull, strongest_pulls
from chronotope.analysis.sampling import evenly, mixed, turns
from chronotope.config import at_least
from chronotope.cooccurrence import Counts
from chronotope.corpus.readers import TOKEN_SEPARATOR
from chronotope.corpus.sentences import Span, sentence_around, token_spans
from chronotope.corpus.tokens import Occurrences
from chronotope.errors import SettingsError

# So many running words are searched for two words near each other; of more, an even choice of documents.
MOST_TOKENS = 1 << 19


@dataclass(frozen=True, slots=True)
class Example(Answer):
    """A sentence with the word in it.

    Attributes
    ----------
    condition
        Where it was counted.
    document
        The file and line of the document.
    date, place
        As the input has them; None without such an axis.
    text
        The sentence, as it stands in the document.
    cut_before, cut_after
        Whether the sentence is too long to be shown whole, and lacks its beginning or its end.
    start, end
        Where the word stands in the sentence.
    near
        Where the other word stands in it, if one was named and it is in the same sentence.
    distance
        How many words apart the two are, 1 for neighbors; None where no other word was named.
    """

    condition: str
    document: str
    date: str | None
    place: str | None
    text: str
    cut_before: bool
    cut_after: bool
    start: int
    end: int
    near: tuple[int, int] | None = None
    distance: int | None = None


@dataclass(frozen=True)
class Evidence(Answer):
    """What stands behind an answer.

    Attributes
    ----------
    word, near
        The word, and the word that is to be near it.
    conditions
        The conditions that were looked at.
    occurrences, documents
        How often the word occurs in them, and in how many documents.
    together
        How often it has the other word near it, in the documents that were searched for both.
    searched, with_both
        How many documents were searched for both, and how many hold both.
    within
        How many words apart the two may be.
    examples
        The sentences in the order of the run; with another word, those that hold both first, each document with one
        before any has a second, and among these those where the two are nearest.
    pulls
        The contexts that pull the word most in these conditions, against all the others.
    """

    word: str
    near: str | None
    conditions: tuple[str, ...]
    occurrences: int
    documents: int
    together: int | None
    searched: int | None
    with_both: int | None
    within: int | None
    examples: tuple[Example, ...]
    pulls: tuple[Pull, ...]


class _Hits(NamedTuple):
    """Occurrences, the best to show first.

    Attributes
    ----------
    place, other
        (N,) where the term, and the other term near it, begin in the file of tokens; -1 without another.
    distance
        (N,) how many words apart the two are.
    """

    place: NDArray[np.int64]
    other: NDArray[np.int64]
    distance: NDArray[np.int64]


def evidence(
    run: Counts | str | Path,
    word: str,
    *,
    at: str | None = None,
    start: str | None = None,
    end: str | None = None,
    near: str | None = None,
    within: int | None = None,
    top: int = 10,
    pulls: int = 10,
    seed: int = 1,
) -> Evidence:
    """The sentences in which a word stands, an even choice over documents, and the contexts that pull it most.

    Parameters
    ----------
    run
        A run, its folder, or a model that lies in or beside its run.
    word
        The word, a phrase, or several words in a row.
    at
        The condition; of time × place also a time bin or a place alone. None: all of the text.
    start, end
        A range of time bins instead, both included.
    near
        Only where this word stands within a few words. Sentences that hold both come first, each document has one
        before any has a second, and among these the nearest come first.
    within
        How many words apart the two may be; None: the window of the run.
    top, pulls
        How many sentences, and how many contexts.
    seed
        Which sentences are chosen.

    Examples
    --------
    >>> from chronotope.cooccurrence import count
    >>> from chronotope.corpus import read_corpus
    >>> speeches = [{"text": "It rained. The Bank of the river!", "year": 1990}]
    >>> counts = count(read_corpus(speeches, time="year"), min_count=1)
    >>> found = evidence(counts, "bank", at="1990").examples[0]
    >>> found.text, found.text[found.start : found.end]
    ('The Bank of the river!', 'Bank')
    """
    at_least("top", top, 1)
    at_least("pulls", pulls, 0)
    if not 0 <= seed < 2**64:
        raise SettingsError(f"seed must be at least 0 and less than 2**64, not {seed}")
    concordance = open_concordance(run)
    chosen = choose_conditions(concordance.conditions, at, start, end)
    term = concordance.term(word)
    other = concordance.term(near) if near is not None else None
    within = concordance.counts.settings.window if within is None else within
    at_least("within", within, 1)
    concordance.text  # noqa: B018  # a run without its text is told before anything is looked for
    found = concordance.occurrences(term, chosen)
    searched = both = together = None
    if other is None:
        hits = _spread(concordance, term, found, top, seed)
    else:
        shared = np.intersect1d(found.document, concordance.occurrences(other, chosen).document, assume_unique=True)
        looked_at = evenly(concordance, shared, seed, MOST_TOKENS)
        hits = _nearest(concordance, term, other, looked_at, within, seed)
        searched, both, together = len(looked_at), len(shared), len(hits.place)
    examples = _distinct(concordance, term, other, hits, top)
    if other is None:
        examples.sort(key=lambda pair: pair[0])
    return Evidence(
        word=term.text,
        near=other.text if other else None,
        conditions=tuple(concordance.conditions.labels[number] for number in chosen.tolist()),
        occurrences=int(found.count.sum()),
        documents=len(found.document),
        together=together,
        searched=searched,
        with_both=both,
        within=within if other else None,
        examples=tuple(example for _, example in examples),
        pulls=strongest_pulls(concordance, term, chosen, pulls, seed) if pulls and len(found.document) else (),
    )


def _spread(concordance: Concordance, term: Term, found: Occurrences, top: int, seed: int) -> _Hits:
    """Occurrences in documents that take turns; a few more than asked for, since some sentences are the same."""
    condition = concordance.counts.store.document_condition[found.document].astype(np.int64)
    chosen = turns(condition, mixed(found.document, seed))[: 4 * top]
    ordered = found.document[chosen]
    place = concordance.positions(term, np.sort(ordered))
    document = np.searchsorted(concordance.counts.store.starts, place, side="right") - 1
    rank = np.empty(len(ordered), np.int64)
    rank[np.argsort(ordered)] = np.arange(len(ordered))
    # The documents in their order, each with one occurrence of its own; then each with a second one, and so on.
    by_document = rank.argsort()[np.searchsorted(np.sort(ordered), document)]
    order = np.lexsort((mixed(place, seed), by_document))
    turn = np.arange(len(order)) - np.searchsorted(by_document[order], by_document[order])
    place = place[order][np.lexsort((by_document[order], turn))]
    return _Hits(place, np.full(len(place), -1), np.zeros(len(place), np.int64))


def _nearest(
    concordance: Concordance, term: Term, other: Term, documents: NDArray[np.int64], within: int, seed: int
) -> _Hits:
    """Occurrences with the other term near by: the nearest first, and documents taking turns."""
    documents = np.sort(documents)
    place, beside = concordance.positions(term, documents), concordance.positions(other, documents)
    if not len(place) or not len(beside):
        return _Hits(place[:0], beside[:0], place[:0])
    starts = concordance.counts.store.starts
    document = np.searchsorted(starts, place, side="right")
    best, gap = np.full(len(place), -1), np.full(len(place), within + 1)
    after = np.searchsorted(beside, place + len(term.numbers))
    # An occurrence of the other term that overlaps the term itself stands between these two.
    before = np.searchsorted(beside, place - len(other.numbers), side="right") - 1
    for candidate, sign in ((before, -1), (after, 1)):
        there = (candidate >= 0) & (candidate < len(beside))
        at = beside[np.where(there, candidate, 0)]
        distance = at - place - len(term.numbers) + 1 if sign > 0 else place - at - len(other.numbers) + 1
        better = there & (np.searchsorted(starts, at, side="right") == document) & (distance < gap)
        best[better], gap[better] = at[better], distance[better]
    near = gap <= within
    place, best, gap, document = place[near], best[near], gap[near], document[near]
    order = np.lexsort((mixed(place, seed), gap))
    place, best, gap, document = place[order], best[order], gap[order], document[order]
    turn = np.empty(len(place), np.int64)
    by_document = np.lexsort((np.arange(len(place)), document))
    turn[by_document] = np.arange(len(place)) - np.searchsorted(document[by_document], document[by_document])
    order = np.lexsort((gap, turn))
    return _Hits(place[order], best[order], gap[order])


def _distinct(
    concordance: Concordance, term: Term, other: Term | None, hits: _Hits, top: int
) -> list[tuple[int, Example]]:
    """The sentences of occurrences, each once, with the place of the word in the file of tokens."""
    starts = concordance.counts.store.starts
    documents = np.searchsorted(starts, hits.place, side="right") - 1
    sentences: dict[str, tuple[int, _Sentence]] = {}
    whole = 0
    for number, (place, beside, document) in enumerate(
        zip(hits.place.tolist(), hits.other.tolist(), documents.tolist(), strict=True)
    ):
        # Two words may be near each other and yet in two sentences: those are shown when there is nothing better.
        if whole == top or number == 4 * top:
            break
        first = int(starts[document])
        words = (place - first, len(term.numbers)), (beside - first, len(other.numbers)) if other else None
        sentence = _sentence(concordance, document, *words)
        key = " ".join(sentence.text.split()).casefold()
        if key not in sentences:
            sentences[key] = number, sentence
            whole += other is None or sentence.near is not None
    chosen = sorted(sentences.values(), key=lambda pair: (other is not None and pair[1].near is None, pair[0]))[:top]
    rows = np.array([number for number, _ in chosen], np.int64)
    sources = concordance.sources(documents[rows])
    where = concordance.conditions
    found = []
    for (number, sentence), (name, date) in zip(chosen, sources, strict=True):
        condition = int(concordance.counts.store.document_condition[documents[number]])
        place = where.places[where.place_of[condition]] if where.places else None
        distance = int(hits.distance[number]) if other else None
        example = Example(
            where.labels[condition],
            name,
            date,
            place,
            sentence.text,
            *sentence.cut,
            *sentence.word,
            sentence.near,
            distance,
        )
        found.append((int(hits.place[number]), example))
    return found


class _Sentence(NamedTuple):
    """A sentence, where the word stands in it, and where the other one does if it is in it."""

    text: str
    cut: tuple[bool, bool]
    word: Span
    near: Span | None


def _sentence(
    concordance: Concordance, document: int, word: tuple[int, int], other: tuple[int, int] | None
) -> _Sentence:
    """The sentence around a word of a document; words are given as their first token and the number of tokens."""
    text = concordance.text.document(document)
    high = max(sum(word), sum(other) if other else 0)
    at = int(concordance.counts.store.starts[document])
    words = concordance.counts.store.words.gather(concordance.counts.store.ids[at : at + high]).to_list()
    spans = token_spans(text, concordance.text.kind(document), words, concordance.normalize)

    def span(tokens: tuple[int, int], origin: int) -> Span:
        return Span(spans[tokens[0]].start - origin, spans[sum(tokens) - 1].end - origin)

    bounds = sentence_around(text, span(word, 0))
    near = span(other, bounds.start) if other else None
    if near and not 0 <= near.start < near.end <= bounds.end - bounds.start:
        near = None
    sentence = text[bounds.start : bounds.end].replace(TOKEN_SEPARATOR, " ")
    return _Sentence(sentence, (bounds.cut_before, bounds.cut_after), span(word, bounds.start), near)
