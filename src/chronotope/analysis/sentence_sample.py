"""A sample of sentences that covers every word of a condition, for the explorer without a server."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.concordance import Concordance, hash_order
from chronotope.cooccurrence import Counts
from chronotope.corpus.readers.pieces import TOKEN_SEPARATOR
from chronotope.corpus.sentences import Bounds, all_sentences, token_spans

WANTED = 3  # sentences of a word; another is kept only if one of its words has fewer
# A condition is searched in documents in random order: up to this many tokens, from at least this many documents.
MOST_TOKENS, FEWEST_DOCUMENTS = 200_000, 8


class SampledSentence(NamedTuple):
    """A sentence, the name of its document, its date, and whether its beginning or its end is cut."""

    text: str
    document: str
    date: str | None
    cut_before: bool
    cut_after: bool


class SentenceSample(NamedTuple):
    """Sentences of one condition, in the order of the run, and the positions of words in them."""

    sentences: tuple[SampledSentence, ...]
    word: NDArray[np.int64]  # (N,) sorted by word, then by sentence
    sentence: NDArray[np.int64]  # (N,) a sentence with the word
    start: NDArray[np.int64]  # (N,) where the word stands there
    end: NDArray[np.int64]
    searched: int  # tokens
    tokens: int  # of the condition


def sentence_sample(
    run: Counts, condition: int, words: int, most: int, *, most_tokens: int = MOST_TOKENS
) -> SentenceSample:
    """Return sentences of a condition so that each of its words occurs in a few of them.

    The `words` most frequent words of the run are searched, and at most `most` sentences are listed for each.
    """
    index, store = Concordance(run), run.store
    documents = np.flatnonzero(index.documents(np.array([condition])))
    order, length = hash_order(documents, seed=1), np.diff(store.starts)[documents]
    # Of a long document, a random part is searched: one book must not represent a decade.
    part = np.minimum(length, -(-most_tokens // max(1, min(FEWEST_DOCUMENTS, len(documents)))))
    skipped = (order % (length - part + 1).astype(np.uint64)).astype(np.int64)
    chosen = np.argsort(order, kind="stable")
    chosen = chosen[: max(1, int(np.searchsorted(np.cumsum(part[chosen]), most_tokens, side="right")))]
    seen = np.zeros(words, np.int64)
    lines: dict[str, tuple[int, Bounds, str]] = {}
    found = [np.empty((0, 4), np.int64)]  # word, sentence, start and end
    for document, first, size in zip(documents[chosen].tolist(), skipped[chosen], part[chosen], strict=True):
        ids = store.ids[store.starts[document] : store.starts[document] + first + size].astype(np.int64)
        text, names = index.text.document(document), store.words.gather(ids).to_list()
        spans, around = token_spans(text, index.text.kind(document), names, index.normalize), all_sentences(text)
        sentence = np.searchsorted([one.start for one in around], spans[:, 0], side="right") - 1
        inside = spans[:, 1] <= np.array([one.end for one in around], np.int64)[sentence]
        known = np.flatnonzero((ids < words) & (np.arange(len(ids)) >= first) & inside)
        for here in np.split(known, np.flatnonzero(np.diff(sentence[known])) + 1) if len(known) else ():
            bounds = around[sentence[here[0]]]
            line = text[bounds.start : bounds.end].replace(TOKEN_SEPARATOR, " ")
            key = " ".join(line.split()).casefold()
            # Each word of a sentence once, at its first position.
            word, place = np.unique(ids[here], return_index=True)
            if key not in lines and seen[word].min() < WANTED:
                seen[word] += 1
                number = np.full(len(word), len(lines))
                found.append(np.column_stack([word, number, spans[here[place]] - bounds.start]))
                lines[key] = (document, bounds, line)
    kept = list(lines.values())
    in_run = sorted(range(len(kept)), key=lambda at: (kept[at][0], kept[at][1].start))
    sources = index.sources(np.array([kept[at][0] for at in in_run], np.int64))
    sentences = tuple(
        SampledSentence(kept[at][2], *source, *kept[at][1][2:]) for at, source in zip(in_run, sources, strict=True)
    )
    rows = np.concatenate(found)
    rows[:, 1] = np.argsort(in_run)[rows[:, 1]]
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    # Frequent words get evenly spaced sentences: the first ones are all from one document.
    step = np.maximum(1, np.bincount(rows[:, 0], minlength=words)[rows[:, 0]] / most)
    rank = np.arange(len(rows)) - np.searchsorted(rows[:, 0], rows[:, 0])
    word, number, start, end = rows[np.floor(rank / step) != np.floor((rank - 1) / step)].T
    return SentenceSample(sentences, word, number, start, end, int(part[chosen].sum()), int(length.sum()))
