"""A sample of sentences that shows every word of a condition, for the explorer without a server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.concordance import Concordance, hash_order
from chronotope.config import at_least
from chronotope.cooccurrence import Counts
from chronotope.corpus.readers import TOKEN_SEPARATOR
from chronotope.corpus.sentences import sentence_around, token_spans

# A sentence is kept if one of its words was seen in fewer than this many others.
WANTED = 3
# Tokens of a condition that are searched, of documents in random order.
MOST_TOKENS = 200_000


class SampledSentence(NamedTuple):
    """A sentence, the file and line of its document, its date, and whether its beginning or its end is cut."""

    text: str
    document: str
    date: str | None
    cut_before: bool
    cut_after: bool


class SentenceSample(NamedTuple):
    """Sentences of one condition, in the order of the run, and where its words stand in them."""

    sentences: tuple[SampledSentence, ...]
    word: NDArray[np.int64]  # (N,) sorted by word, then by sentence
    sentence: NDArray[np.int64]  # (N,) a sentence with the word
    start: NDArray[np.int64]  # (N,) where the word stands there
    end: NDArray[np.int64]
    documents: NDArray[np.int64]  # (W,) the number of documents of the condition with each word
    searched: int  # tokens
    tokens: int  # of the condition


class _Found(NamedTuple):
    """A sentence of a document: its text, whether it is cut, and its words with their positions."""

    text: str
    cut: tuple[bool, bool]
    words: list[tuple[int, int, int]]


def sentence_sample(
    run: Counts, condition: int, words: int, most: int, *, most_tokens: int = MOST_TOKENS, seed: int = 1
) -> SentenceSample:
    """Return sentences of a condition such that each of its words stands in a few of them, if it occurs.

    The `words` most frequent words of the run are looked for, and at most `most` sentences are listed for each.
    """
    at_least("most", most, 1)
    concordance = Concordance(run)
    store = run.store
    documents = np.flatnonzero((store.document_condition == condition) & concordance.counted_documents)
    order = documents[np.argsort(hash_order(documents, seed), kind="stable")]
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
    """Yield the sentences of a document with a word that was not seen often enough, and where they begin."""
    store, text_store = concordance.counts.store, concordance.text
    numbers = store.ids[int(store.starts[document]) : int(store.starts[document + 1])]
    ids = numbers.tolist()
    if all(number >= len(times_seen) or times_seen[number] >= WANTED for number in set(ids)):
        return
    text = text_store.document(document)
    # Gathering a few words at a time with polars would be slow.
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
    # Each word of a sentence once, at its first position.
    first = {(word, at): (start, end) for at, one in enumerate(kept) for word, start, end in reversed(one[2].words)}
    rows = np.array([(*pair, *first[pair]) for pair in sorted(first)], np.int64).reshape(-1, 4)
    # An even choice for frequent words: the first sentences are all of one document.
    size = np.bincount(rows[:, 0], minlength=words)
    rank = np.arange(len(rows)) - (np.cumsum(size) - size)[rows[:, 0]]
    step = np.maximum(1, size[rows[:, 0]] / most)
    word, sentence, start, end = rows[np.floor(rank / step) != np.floor((rank - 1) / step)].T.copy()
    document = np.repeat(np.arange(len(documents)), concordance.lengths[documents])
    ids = concordance.counts.store.ids[concordance.tokens(documents)].astype(np.int64)
    pairs = np.unique(document[ids < words] * words + ids[ids < words])
    return SentenceSample(
        sentences,
        *(word, sentence, start, end),
        np.bincount(pairs % words, minlength=words),
        int(concordance.lengths[looked_at].sum()),
        int(concordance.lengths[documents].sum()),
    )
