"""A sample of sentences that shows every word of a condition, for those who cannot ask for a word at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.old_answer import Answer
from chronotope.analysis.concordance import Concordance, open_concordance
from chronotope.analysis.sampling import mixed
from chronotope.config import at_least
from chronotope.cooccurrence import Counts
from chronotope.corpus.readers import TOKEN_SEPARATOR
from chronotope.corpus.sentences import sentence_around, token_spans

# A sentence is kept as long as it has a word that was seen in fewer than so many others.
WANTED = 3
# So many running words of a condition are looked at, of documents in random order.
MOST_TOKENS = 200_000


@dataclass(frozen=True)
class SampledSentence(Answer):
    """A sentence of the sample.

    Attributes
    ----------
    text
        As it stands in the document.
    document, date
        The file and line of the document, and its time as the input has it.
    cut_before, cut_after
        Whether it lacks its beginning or its end.
    """

    text: str
    document: str
    date: str | None
    cut_before: bool
    cut_after: bool


@dataclass(frozen=True, eq=False)
class SentenceSample:
    """Sentences of one condition, and where its words stand in them.

    Attributes
    ----------
    sentences
        The sentences, in the order of the run.
    word, sentence, start, end
        (N,) a word, a sentence that holds it, and where it stands there; sorted by word, then by sentence.
    documents
        (W,) how many documents of the condition have each word.
    searched, tokens
        How many running words were looked at, and how many there are.
    """

    sentences: tuple[SampledSentence, ...]
    word: NDArray[np.int64]
    sentence: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    documents: NDArray[np.int64]
    searched: int
    tokens: int


@dataclass(frozen=True)
class _Found:
    """A sentence in a document: its text, what it lacks, and its words with where they stand."""

    text: str
    cut: tuple[bool, bool]
    words: list[tuple[int, int, int]]


def sentence_sample(
    run: Counts, condition: int, words: int, most: int, *, most_tokens: int = MOST_TOKENS, seed: int = 1
) -> SentenceSample:
    """Sentences of a condition such that each of its words stands in a few of them, as far as it occurs.

    Parameters
    ----------
    run
        The run; it has its text.
    condition
        The number of the condition.
    words
        How many words, the most frequent of the run, are looked for.
    most
        How many sentences are listed for a word at most.
    most_tokens
        How many running words are looked at, at least one document.
    seed
        Of the order of the documents.
    """
    at_least("most", most, 1)
    concordance = open_concordance(run)
    store = run.store
    documents = np.arange(store.condition_slice(condition).start, store.condition_slice(condition).stop)
    documents = documents[concordance.counted_documents[documents]]
    order = documents[np.argsort(mixed(documents, seed), kind="stable")]
    reached = np.cumsum(concordance.lengths[order])
    looked_at = order[: max(1, int(np.searchsorted(reached, most_tokens, side="right")))]
    times_seen = [0] * words
    kept: list[tuple[int, int, _Found]] = []
    texts: set[str] = set()
    lexicon = np.array(store.words.head(words).to_list(), dtype=object)
    for document in looked_at.tolist():
        for place, found in _wanted_sentences(concordance, document, times_seen, lexicon):
            key = " ".join(found.text.split()).casefold()
            if key not in texts:
                texts.add(key)
                kept.append((document, place, found))
    kept.sort(key=lambda one: one[:2])
    return _listed(concordance, documents, kept, looked_at, words, most)


def _wanted_sentences(
    concordance: Concordance, document: int, times_seen: list[int], lexicon: NDArray[np.object_]
) -> Iterator[tuple[int, _Found]]:
    """The sentences of a document with a word that was not seen often enough, and where they begin."""
    store, text_store = concordance.counts.store, concordance.text
    numbers = store.ids[int(store.starts[document]) : int(store.starts[document + 1])]
    ids = numbers.tolist()
    if all(number >= len(times_seen) or times_seen[number] >= WANTED for number in set(ids)):
        return
    text = text_store.document(document)
    # To ask polars for a few words at a time costs more than the words.
    known = numbers < len(lexicon)
    names = np.empty(len(ids), dtype=object)
    names[known] = lexicon[numbers[known]]
    names[~known] = store.words.gather(numbers[~known]).to_list() if not known.all() else []
    words = names.tolist()
    spans = token_spans(text, text_store.kind(document), words, concordance.normalize)
    token = 0
    while token < len(ids):
        if ids[token] >= len(times_seen) or times_seen[ids[token]] >= WANTED:
            token += 1
            continue
        bounds = sentence_around(text, spans[token])
        first, last = token, token + 1
        while first > 0 and spans[first - 1].start >= bounds.start:
            first -= 1
        while last < len(ids) and spans[last].end <= bounds.end:
            last += 1
        inside = [
            (ids[at], spans[at].start - bounds.start, spans[at].end - bounds.start)
            for at in range(first, last)
            if ids[at] < len(times_seen)
        ]
        for word in {word for word, _, _ in inside}:
            times_seen[word] += 1
        shown = text[bounds.start : bounds.end].replace(TOKEN_SEPARATOR, " ")
        yield bounds.start, _Found(shown, (bounds.cut_before, bounds.cut_after), inside)
        token = last


def _listed(
    concordance: Concordance,
    documents: NDArray[np.int64],
    kept: list[tuple[int, int, _Found]],
    looked_at: NDArray[np.int64],
    words: int,
    most: int,
) -> SentenceSample:
    sources = concordance.sources(np.array([document for document, _, _ in kept], np.int64))
    sentences = tuple(
        SampledSentence(found.text, name, date, *found.cut)
        for (_, _, found), (name, date) in zip(kept, sources, strict=True)
    )
    rows = np.array(
        [
            (word, number, start, end)
            for number, (_, _, found) in enumerate(kept)
            for word, start, end in _first_of_each(found)
        ],
        np.int64,
    ).reshape(-1, 4)
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    # Of a frequent word an even choice, not the first ones: those are all of one document.
    size = np.bincount(rows[:, 0], minlength=words)
    rank = np.arange(len(rows)) - (np.cumsum(size) - size)[rows[:, 0]]
    step = np.maximum(1, size[rows[:, 0]] / most)
    chosen = rows[np.floor(rank / step) != np.floor((rank - 1) / step)]
    store = concordance.counts.store
    places = concordance.places(documents)
    document = np.repeat(np.arange(len(documents)), concordance.lengths[documents])
    ids = store.ids[places].astype(np.int64)
    pairs = np.unique(document[ids < words] * words + ids[ids < words])
    return SentenceSample(
        sentences,
        chosen[:, 0].copy(),
        chosen[:, 1].copy(),
        chosen[:, 2].copy(),
        chosen[:, 3].copy(),
        np.bincount(pairs % words, minlength=words),
        int(concordance.lengths[looked_at].sum()),
        int(concordance.lengths[documents].sum()),
    )


def _first_of_each(found: _Found) -> list[tuple[int, int, int]]:
    """Each word of a sentence once, where it stands first."""
    return list({word: (word, start, end) for word, start, end in reversed(found.words)}.values())
