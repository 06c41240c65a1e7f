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


def sentence_sample(
    run: Counts, condition: int, words: int, most: int, *, most_tokens: int = MOST_TOKENS, seed: int = 1
) -> SentenceSample:
    """Return sentences of a condition such that each of its words stands in a few of them, if it occurs.

    The `words` most frequent words of the run are looked for, and at most `most` sentences are listed for each.
    """
    at_least("most", most, 1)
    index = Concordance(run)
    store, text = run.store, index.text
    documents = np.flatnonzero((store.document_condition == condition) & index.counted_documents)
    order = documents[np.argsort(hash_order(documents, seed), kind="stable")]
    reached = np.cumsum(index.lengths[order])
    order = order[: max(1, int(np.searchsorted(reached, most_tokens, side="right")))]
    searched = int(index.lengths[order].sum())
    ids, number = store.ids[index.tokens(order)], np.repeat(np.arange(len(order)), index.lengths[order])
    # The first sentences of a word are in its first documents.
    order = order[_first_of_words(ids[ids < words], number[ids < words])]
    ids, length = store.ids[index.tokens(order)].astype(np.int64), index.lengths[order]
    names, ends = store.words.gather(ids).to_list(), np.cumsum(length)
    bounds: list[tuple[int, Bounds]] = []
    sentence, spans = np.empty(len(ids), np.int64), np.empty((len(ids), 2), np.int64)
    for document, first, last in zip(order.tolist(), (ends - length).tolist(), ends.tolist(), strict=True):
        found = all_sentences(text.document(document))
        here = token_spans(text.document(document), text.kind(document), names[first:last], index.normalize)
        starts = np.array([one.start for one in found])
        inside = np.searchsorted(starts, here[:, 0], side="right") - 1
        sentence[first:last], spans[first:last] = inside + len(bounds), here - starts[inside, None]
        bounds += [(document, one) for one in found]
    length = np.array([one.end - one.start for _, one in bounds], np.int64)
    known = np.flatnonzero((ids < words) & (spans[:, 1] <= length[sentence]))
    ids, sentence, spans = ids[known], sentence[known], spans[known]
    shown: dict[str, tuple[int, str]] = {}
    for at in _first_of_words(ids, sentence).tolist():
        document, one = bounds[at]
        part = text.document(document)[one.start : one.end].replace(TOKEN_SEPARATOR, " ")
        shown.setdefault(" ".join(part.split()).casefold(), (at, part))
    kept = sorted(shown.values(), key=lambda pair: (bounds[pair[0]][0], pair[0]))
    sources = index.sources(np.array([bounds[at][0] for at, _ in kept], np.int64))
    sentences = tuple(
        SampledSentence(part, *source, *bounds[at][1][2:]) for (at, part), source in zip(kept, sources, strict=True)
    )
    place = np.full(len(bounds), -1)
    place[[at for at, _ in kept]] = np.arange(len(kept))
    used = place[sentence] >= 0
    # Each word of a sentence once, at its first position.
    pairs, at = np.unique(ids[used] * len(kept) + place[sentence[used]], return_index=True)
    word, spans = pairs // len(kept), spans[used][at]
    # An even choice for frequent words: the first sentences are all of one document.
    size = np.bincount(word, minlength=words)
    step, rank = np.maximum(1, size[word] / most), _rank(word)
    listed = np.floor(rank / step) != np.floor((rank - 1) / step)
    number = np.repeat(np.arange(len(documents)), index.lengths[documents])
    ids = store.ids[index.tokens(documents)].astype(np.int64)
    holds = np.unique(number[ids < words] * words + ids[ids < words]) % words
    columns = word[listed], (pairs % len(kept))[listed], spans[listed, 0], spans[listed, 1]
    tokens = int(index.lengths[documents].sum())
    return SentenceSample(sentences, *columns, np.bincount(holds, minlength=words), searched, tokens)


def _first_of_words(word: NDArray[np.integer], item: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the items, ascending, that are among the first `WANTED` with a word."""
    many = int(item.max(initial=0)) + 1
    pairs = np.unique(word.astype(np.int64) * many + item)
    return np.unique(pairs[_rank(pairs // many) < WANTED] % many)


def _rank(group: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of each row in its group, from 0; groups are sorted."""
    return np.arange(len(group)) - np.searchsorted(group, group)
