"""A sample of sentences that shows every word of a condition, for the explorer without a server."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.concordance import Concordance, hash_order
from chronotope.config import at_least
from chronotope.cooccurrence import Counts
from chronotope.corpus.readers import TOKEN_SEPARATOR
from chronotope.corpus.sentences import Bounds, all_sentences, token_spans

# A sentence is kept if one of its words was seen in fewer than this many others.
WANTED = 3
# Tokens of a condition that are searched, in documents in random order: at least so many, if there are as many.
MOST_TOKENS, FEWEST_DOCUMENTS = 200_000, 8


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
    searched: int  # tokens
    tokens: int  # of the condition


def sentence_sample(
    run: Counts, condition: int, words: int, most: int, *, most_tokens: int = MOST_TOKENS, seed: int = 1
) -> SentenceSample:
    """Return sentences of a condition such that each of its words stands in a few of them, if it occurs.

    The `words` most frequent words of the run are looked for, and at most `most` sentences are listed for each.
    """
    at_least("most", most, 1)
    index = Concordance(run)
    store, text = run.store, index.text
    documents = np.flatnonzero(index.documents(np.array([condition])))
    order, length = hash_order(documents, seed), np.diff(store.starts)[documents]
    # A long document gives a part of its text, from anywhere: one book must not stand for a decade.
    part = np.minimum(length, -(-most_tokens // max(1, min(FEWEST_DOCUMENTS, len(documents)))))
    skipped = (order % (length - part + 1).astype(np.uint64)).astype(np.int64)
    chosen = np.argsort(order, kind="stable")
    chosen = chosen[: max(1, int(np.searchsorted(np.cumsum(part[chosen]), most_tokens, side="right")))]
    searched = int(part[chosen].sum())
    ids, number = _tokens(run, documents[chosen], part[chosen], skipped[chosen])
    # The first sentences of a word are in its first documents.
    chosen = chosen[_first_of_words(ids[ids < words], number[ids < words])]
    reach = skipped[chosen] + part[chosen]
    ids, number = _tokens(run, documents[chosen], reach)
    names, ends = store.words.gather(ids).to_list(), np.cumsum(reach)
    bounds: list[tuple[int, Bounds]] = []
    sentence, spans = np.empty(len(ids), np.int64), np.empty((len(ids), 2), np.int64)
    for document, last, size in zip(documents[chosen].tolist(), ends.tolist(), reach.tolist(), strict=True):
        here = slice(last - size, last)
        found = token_spans(text.document(document), text.kind(document), names[here], index.normalize)
        around = all_sentences(text.document(document))
        starts = np.array([one.start for one in around], np.int64)
        inside = np.searchsorted(starts, found[:, 0], side="right") - 1
        sentence[here], spans[here] = inside + len(bounds), found - starts[inside, None]
        bounds += [(document, one) for one in around]
    length_of = np.array([one.end - one.start for _, one in bounds], np.int64)
    looked_at = np.arange(len(ids)) >= (ends - part[chosen])[number]
    known = np.flatnonzero((ids < words) & looked_at & (spans[:, 1] <= length_of[sentence]))
    ids, sentence, spans = ids[known], sentence[known], spans[known]
    shown: dict[str, tuple[int, str]] = {}
    for at in _first_of_words(ids, sentence).tolist():
        document, one = bounds[at]
        line = text.document(document)[one.start : one.end].replace(TOKEN_SEPARATOR, " ")
        shown.setdefault(" ".join(line.split()).casefold(), (at, line))
    kept = sorted(shown.values(), key=lambda pair: (bounds[pair[0]][0], pair[0]))
    sources = index.sources(np.array([bounds[at][0] for at, _ in kept], np.int64))
    sentences = tuple(
        SampledSentence(line, *source, *bounds[at][1][2:]) for (at, line), source in zip(kept, sources, strict=True)
    )
    place = np.full(len(bounds), -1)
    place[[at for at, _ in kept]] = np.arange(len(kept))
    used = place[sentence] >= 0
    # Each word of a sentence once, at its first position.
    pairs, first = np.unique(ids[used] * len(kept) + place[sentence[used]], return_index=True)
    word, spans = pairs // len(kept), spans[used][first]
    # An even choice for frequent words: the first sentences are all of one document.
    step, rank = np.maximum(1, np.bincount(word, minlength=words)[word] / most), _rank(word)
    listed = np.floor(rank / step) != np.floor((rank - 1) / step)
    columns = word[listed], (pairs % len(kept))[listed], spans[listed, 0], spans[listed, 1]
    return SentenceSample(sentences, *columns, searched, int(length.sum()))


def _tokens(
    run: Counts, documents: NDArray[np.int64], length: NDArray[np.int64], skipped: NDArray[np.int64] | int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(N,) the ids of some tokens of each document in a row, and the number of the document."""
    number = np.repeat(np.arange(len(documents)), length)
    first = run.store.starts[documents] + skipped - (np.cumsum(length) - length)
    return run.store.ids[first[number] + np.arange(len(number))].astype(np.int64), number


def _first_of_words(word: NDArray[np.integer], item: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, sorted, the first `WANTED` items of each word."""
    many = int(item.max(initial=0)) + 1
    pairs = np.unique(word.astype(np.int64) * many + item)
    return np.unique(pairs[_rank(pairs // many) < WANTED] % many)


def _rank(group: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of each row in its group, from 0; groups are sorted."""
    return np.arange(len(group)) - np.searchsorted(group, group)
