"""Phrases: sequences of words that count as one word, given by the user or found in the text.

A pair of words is joined when it stands together far more often than chance would have it: its normalized pointwise
mutual information, log(p(ab) / p(a)p(b)) / -log p(ab), is 0 for chance and 1 for two words that are never apart. Pairs
from `ASSOCIATION` on that occur at least `LEAST_COUNT` times are phrases, unless one of the two is a number or among
the `FUNCTION_WORDS` most frequent words of the corpus. Held-out documents have no say in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.arranging import ranked_words
from chronotope.corpus.ingest import Ingested
from chronotope.corpus.lexicon import Normalizer
from chronotope.corpus.source import Corpus
from chronotope.corpus.spool import TokenSpool
from chronotope.corpus.text_store import TextWriter
from chronotope.corpus.tokenizer import split_texts
from chronotope.corpus.tokens import TOKEN
from chronotope.runtime.kernels import kernel

# In the UN debates this joins prime_minister (0.90), security_council (0.80) and cold_war (0.75); of_the has 0.34.
ASSOCIATION = 0.7
LEAST_COUNT = 20
FUNCTION_WORDS = 20
# At most so many pairs are counted at a time; when there are more, the rarest are forgotten.
MOST_PAIRS = 1 << 23


class Trie(NamedTuple):
    """Phrases as a tree of word numbers.

    Attributes
    ----------
    root
        (W,) the node that a first word leads to, or -1.
    child_start
        (nodes + 1,) the children of a node are child_word[child_start[n] : child_start[n + 1]], ascending.
    child_word, child_node
        The words that lead on, and the nodes that they lead to.
    joined
        (nodes,) the number of the phrase that ends at a node, or -1.
    """

    root: NDArray[np.int32]
    child_start: NDArray[np.int64]
    child_word: NDArray[np.int32]
    child_node: NDArray[np.int32]
    joined: NDArray[np.int32]


def join_phrases(
    ingested: Ingested, spool: TokenSpool, corpus: Corpus, text: TextWriter | None = None
) -> tuple[Ingested, TokenSpool, tuple[str, ...]]:
    """The documents and their tokens with phrases joined, and the phrases that occur.

    Where the text is kept, `text` is told how many tokens became one.
    """
    sequences = _given(ingested, corpus)
    if corpus.settings.find_phrases:
        given = set(sequences)
        sequences += [pair for pair in find_pairs(ingested, spool) if pair not in given]
    if not sequences:
        return ingested, spool, ()
    lexicon = ingested.lexicon
    words = lexicon.words.to_list()
    phrases = ["_".join(words[number] for number in sequence) for sequence in sequences]
    joined = lexicon.add(phrases)
    trie = build_trie(sequences, joined.tolist(), len(lexicon))
    counts = np.zeros((2, len(lexicon)), np.int64)
    length = np.empty_like(ingested.length)
    target = spool.another()
    for chunk in spool.chunks(ingested.length):
        documents, tokens = chunk.documents, chunk.ids
        out = np.empty(len(tokens), TOKEN)
        left = np.empty(documents.stop - documents.start, np.int64)
        held_out = ingested.held_out[documents]
        width = np.empty(len(tokens), np.int32)
        written = _join(tokens, ingested.length[documents], held_out, trie, out, left, counts, width)
        length[documents] = left
        if text:
            text.joined(documents, ingested.length[documents], left, width[:written])
        target.add(out[:written].copy())
    spool.clear()
    often = counts[:, joined].sum(axis=0).tolist()
    found = sorted({phrase for phrase, count in zip(phrases, often, strict=True) if count})
    return ingested._replace(length=length, counts=counts), target, tuple(found)


def _given(ingested: Ingested, corpus: Corpus) -> list[tuple[int, ...]]:
    """The user's phrases as word numbers; those with a word that does not occur are left out."""
    if not corpus.settings.phrases:
        return []
    found: dict[tuple[int, ...], None] = {}
    tokenizer = corpus.tokenizer or corpus.settings.tokenizer
    normalize = Normalizer(corpus.settings)
    number_of = {word: number for number, word in enumerate(ingested.lexicon.words)}
    for phrase in corpus.settings.phrases:
        tokens = split_texts(pl.Series([phrase.replace("_", " ")]), tokenizer)
        forms = [tokens.forms[code] for code in tokens.code.tolist()]
        numbers = [number_of.get(normalize(form, tokenizer != "words")) for form in forms]
        sequence = tuple(number for number in numbers if number is not None)
        if len(sequence) == len(numbers) and len(sequence) > 1:
            found[sequence] = None
    return list(found)


def find_pairs(ingested: Ingested, spool: TokenSpool) -> list[tuple[int, ...]]:
    """The pairs of words that belong together, most frequent first."""
    counts = ingested.counts[0]
    series = ingested.lexicon.words
    words = series.to_list()
    _, rank = ranked_words(series, ingested.counts)
    eligible = counts >= LEAST_COUNT
    eligible[rank < FUNCTION_WORDS] = False
    eligible[[number for number in np.flatnonzero(eligible).tolist() if words[number].isdecimal()]] = False
    key, count = np.full(1 << 16, -1, np.int64), np.zeros(1 << 16, np.int64)
    for chunk in spool.chunks(ingested.length):
        documents = chunk.documents
        key, count = _count_pairs(
            chunk.ids, ingested.length[documents], ingested.held_out[documents], eligible, key, count, MOST_PAIRS
        )
    chosen = count >= LEAST_COUNT
    key, count = key[chosen], count[chosen]
    first, second = key >> 32, key & 0xFFFFFFFF
    share = count / counts.sum()
    association = np.log(share * counts.sum() ** 2 / (counts[first] * counts[second])) / -np.log(share)
    pairs = zip(first.tolist(), second.tolist(), count.tolist(), association.tolist(), strict=True)
    strong = [(a, b, together) for a, b, together, strength in pairs if strength >= ASSOCIATION and a != b]
    return [(a, b) for a, b, _ in sorted(strong, key=lambda pair: (-pair[2], words[pair[0]], words[pair[1]]))]


def build_trie(sequences: Iterable[tuple[int, ...]], joined: Iterable[int], words: int) -> Trie:
    """The tree of some sequences of word numbers, each with the number of the word that it becomes."""
    children: list[dict[int, int]] = [{}]
    ends = [-1]
    for sequence, number in zip(sequences, joined, strict=True):
        node = 0
        for word in sequence:
            if word not in children[node]:
                children[node][word] = len(children)
                children.append({})
                ends.append(-1)
            node = children[node][word]
        ends[node] = number
    root = np.full(words, -1, np.int32)
    for word, node in children[0].items():
        root[word] = node
    ordered = [sorted(branch.items()) for branch in children]
    pairs = [pair for branch in ordered for pair in branch]
    return Trie(
        root=root,
        child_start=np.cumsum([0, *(len(branch) for branch in ordered)]),
        child_word=np.array([word for word, _ in pairs], np.int32),
        child_node=np.array([node for _, node in pairs], np.int32),
        joined=np.array(ends, np.int32),
    )


@kernel()
def _join(tokens, length, held_out, trie, out, left, counts, width):  # type: ignore[no-untyped-def]
    """Copy tokens with every phrase in place of its words, the longest that fits first; return how many are left.

    Fills in how many tokens each of them stands for.
    """
    start, written = 0, 0
    for document in range(len(length)):
        i, stop, before = start, start + length[document], written
        part = 1 if held_out[document] else 0
        while i < stop:
            word, after = tokens[i], i + 1
            node, k = trie.root[tokens[i]], i + 1
            while node >= 0 and k < stop:
                first, last = trie.child_start[node], trie.child_start[node + 1]
                where = first + np.searchsorted(trie.child_word[first:last], tokens[k])
                if where == last or trie.child_word[where] != tokens[k]:
                    break
                node, k = trie.child_node[where], k + 1
                if trie.joined[node] >= 0:
                    word, after = trie.joined[node], k
            out[written] = word
            width[written] = after - i
            counts[part, word] += 1
            written += 1
            i = after
        left[document] = written - before
        start = stop
    return written


@kernel()
def _count_pairs(tokens, length, held_out, eligible, key, count, most):  # type: ignore[no-untyped-def]
    """Add the neighboring pairs of eligible words to a table of counts (open addressing); return the table."""
    used = 0
    for slot in range(len(key)):
        used += key[slot] >= 0
    start = 0
    for document in range(len(length)):
        stop = start + length[document]
        if not held_out[document]:
            for i in range(start, stop - 1):
                if eligible[tokens[i]] and eligible[tokens[i + 1]]:
                    pair = (np.int64(tokens[i]) << 32) | np.int64(tokens[i + 1])
                    slot = _slot(key, pair)
                    if key[slot] < 0:
                        if 2 * used >= len(key):
                            key, count, used = _grown(key, count, used, most)
                            slot = _slot(key, pair)
                        key[slot] = pair
                        used += 1
                    count[slot] += 1
        start = stop
    return key, count


@kernel()
def _slot(key, pair):  # type: ignore[no-untyped-def]
    """Where a pair stands in the table, or would stand."""
    mixed = np.uint64(pair) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64((mixed >> np.uint64(32)) & np.uint64(len(key) - 1))
    while key[slot] >= 0 and key[slot] != pair:
        slot = (slot + 1) & (len(key) - 1)
    return slot


@kernel()
def _grown(key, count, used, most):  # type: ignore[no-untyped-def]
    """A table with room for more: twice as long, or without the rarest pairs once it is as long as it may be."""
    size, least = 2 * len(key), 1
    if used >= most:
        size, left = len(key), used
        while 4 * left > size:
            least += 1
            left = 0
            for slot in range(len(key)):
                left += key[slot] >= 0 and count[slot] >= least
    new_key, new_count = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    used = 0
    for slot in range(len(key)):
        if key[slot] >= 0 and count[slot] >= least:
            at = _slot(new_key, key[slot])
            new_key[at], new_count[at] = key[slot], count[slot]
            used += 1
    return new_key, new_count, used
