"""Phrases: sequences of words that count as one word, given by the user or found in the text.

A pair of words is joined if its normalized pointwise mutual information, log(p(ab) / p(a)p(b)) / -log p(ab), is at
least `ASSOCIATION`: 0 is chance, 1 means that the two words never occur apart. The pair must occur `MIN_COUNT` times,
and neither word may be a number or one of the `FUNCTION_WORDS` most frequent words. Held-out documents do not count.
"""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.corpus.lexicon import Lexicon
from chronotope.corpus.source import Corpus
from chronotope.corpus.tokenizer import split_texts
from chronotope.corpus.tokens import CHUNK_TOKENS, TOKEN, read_chunks
from chronotope.runtime.kernels import kernel

# In the UN debates prime_minister has 0.90, security_council 0.80, cold_war 0.75 and of_the 0.34.
ASSOCIATION = 0.7
MIN_COUNT = 20
FUNCTION_WORDS = 20
# With more distinct pairs the rarest are dropped.
MOST_PAIRS = 1 << 23


class Trie(NamedTuple):
    """Phrases as a tree of word numbers; node 0 is its root."""

    begins: NDArray[np.bool_]  # (W,) whether a phrase begins with a word
    edge: NDArray[np.int64]  # (E,) a node and the word that follows, node << 32 | word; ascending
    node: NDArray[np.int32]  # (E,) the node that each edge leads to
    phrase: NDArray[np.int32]  # (nodes,) the number of the phrase that ends at a node, or -1


def join_phrases(
    raw: Path,
    documents: pl.DataFrame,
    lexicon: Lexicon,
    counts: NDArray[np.int64],
    corpus: Corpus,
    chunk_tokens: int = CHUNK_TOKENS,
) -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[str, ...]]:
    """Replace phrases by single tokens in the file `raw` and add them to the lexicon.

    Return the lengths and the counts, (5, W) as in `FirstPass`, after joining, and the phrases that occur.
    """
    length, held_out = documents["length"].to_numpy(), documents["held_out"].to_numpy()
    sequences = _user_phrases(lexicon, corpus)
    if corpus.settings.find_phrases:
        known = set(sequences)
        found = find_pairs(raw, length, held_out, lexicon.words, counts[0], chunk_tokens)
        sequences += [pair for pair in found if pair not in known]
    if not sequences:
        return length, counts, ()
    words = lexicon.words
    phrases = ["_".join(words[number] for number in sequence) for sequence in sequences]
    numbers = lexicon.add(phrases)
    trie = build_trie(sequences, numbers, len(lexicon))
    case = np.pad(counts[2:], ((0, 0), (0, len(lexicon) - counts.shape[1])))
    for sequence, number in zip(sequences, numbers, strict=True):
        # A phrase is a name if all its words are.
        case[:, number] = case[:, min(sequence, key=lambda word: case[1, word] / max(case[0, word], 1))]
    counts = np.concatenate([np.zeros((2, len(lexicon)), np.int64), case])
    joined = raw.with_suffix(".joined")
    lengths = []
    with open(joined, "wb") as file:
        for some, tokens in read_chunks(raw, length, chunk_tokens):
            ids, left = _join(tokens, length[some], trie)
            mask = np.repeat(held_out[some], left)
            for part, chosen in enumerate((ids[~mask], ids[mask])):
                counts[part] += np.bincount(chosen, minlength=len(lexicon))
            lengths.append(left)
            ids.astype(TOKEN, copy=False).tofile(file)
    os.replace(joined, raw)
    present = counts[:2].sum(axis=0)[numbers].tolist()
    occurring = sorted({phrase for phrase, count in zip(phrases, present, strict=True) if count})
    return np.concatenate(lengths), counts, tuple(occurring)


def _user_phrases(lexicon: Lexicon, corpus: Corpus) -> list[tuple[int, ...]]:
    """Return the user's phrases as word numbers; skip a phrase if one of its words does not occur."""
    sequences: dict[tuple[int, ...], None] = {}
    tokenizer = corpus.tokenizer or corpus.settings.tokenizer
    normalize = lexicon.normalize
    for phrase in corpus.settings.phrases:
        tokens = split_texts(pl.Series([phrase.replace("_", " ")]), tokenizer)
        forms = tokens.forms.gather(tokens.code).to_list()
        numbers = [lexicon.get(normalize(form, tokenizer != "words")) for form in forms]
        sequence = tuple(number for number in numbers if number is not None)
        if len(sequence) == len(numbers) and len(sequence) > 1:
            sequences[sequence] = None
    return list(sequences)


def find_pairs(
    raw: Path,
    length: NDArray[np.int64],
    held_out: NDArray[np.bool_],
    words: pl.Series,
    counts: NDArray[np.int64],
    chunk_tokens: int = CHUNK_TOKENS,
) -> list[tuple[int, ...]]:
    """Find the pairs of words that belong together, most frequent first."""
    by_count = pl.DataFrame({"word": words, "count": counts}).with_row_index()
    frequent = by_count.sort(["count", "word"], descending=[True, False])["index"].head(FUNCTION_WORDS)
    eligible = (counts >= MIN_COUNT) & ~words.str.contains(r"^\p{Nd}+$").to_numpy()
    eligible[frequent.to_numpy()] = False
    pairs = pl.DataFrame(schema={"pair": pl.Int64, "count": pl.UInt32})
    least = 1
    for some, tokens in read_chunks(raw, length, chunk_tokens):
        usable = eligible[tokens] & ~np.repeat(held_out[some], length[some])
        adjacent = usable[:-1] & usable[1:]
        adjacent[np.cumsum(length[some])[:-1] - 1] = False
        first = np.flatnonzero(adjacent)
        pair = (tokens[first].astype(np.int64) << 32) | tokens[first + 1]
        counted = pl.Series("pair", pair).value_counts(name="count").cast(pairs.schema)
        pairs = pl.concat([pairs, counted]).group_by("pair").sum()
        while len(pairs) > MOST_PAIRS:
            least += 1
            pairs = pairs.filter(pl.col("count") >= least)
    pairs = pairs.filter(pl.col("count") >= MIN_COUNT)
    first, second = pairs["pair"].to_numpy() >> 32, pairs["pair"].to_numpy() & 0xFFFFFFFF
    share = pairs["count"].to_numpy() / counts.sum()
    association = np.log(share * counts.sum() ** 2 / (counts[first] * counts[second])) / -np.log(share)
    strong = (association >= ASSOCIATION) & (first != second)
    columns = {"first": first, "second": second, "count": pairs["count"], "a": words[first], "b": words[second]}
    found = pl.DataFrame(columns).filter(strong).sort(["count", "a", "b"], descending=[True, False, False])
    return list(found.select("first", "second").iter_rows())


def build_trie(sequences: list[tuple[int, ...]], numbers: list[int], words: int) -> Trie:
    """Build the tree of phrases, given as word numbers, with the number of each phrase."""
    prefixes = [sequence[:size] for sequence in sequences for size in range(len(sequence) + 1)]
    nodes = {prefix: node for node, prefix in enumerate(sorted(set(prefixes), key=len))}
    edges = sorted(((nodes[prefix[:-1]] << 32) + prefix[-1], node) for prefix, node in nodes.items() if prefix)
    begins, phrase = np.zeros(words, bool), np.full(len(nodes), -1, np.int32)
    begins[[sequence[0] for sequence in sequences]] = True
    phrase[[nodes[sequence] for sequence in sequences]] = numbers
    edge, node = np.array(edges, np.int64).T.copy()
    return Trie(begins, edge, node.astype(np.int32), phrase)


@kernel()
def _join(tokens, length, trie):  # type: ignore[no-untyped-def]
    """Replace every phrase by its number, the longest match first; return the tokens and the new lengths."""
    out, left = np.empty_like(tokens), np.empty_like(length)
    start = written = 0
    for document in range(len(length)):
        i, stop, before = start, start + length[document], written
        while i < stop:
            out[written], after = tokens[i], i + 1
            node, k = np.int64(0), i if trie.begins[tokens[i]] else stop
            while k < stop:
                wanted = (node << 32) + tokens[k]
                at = np.searchsorted(trie.edge, wanted)
                if at == len(trie.edge) or trie.edge[at] != wanted:
                    break
                node, k = np.int64(trie.node[at]), k + 1
                if trie.phrase[node] >= 0:
                    out[written], after = trie.phrase[node], k
            written += 1
            i = after
        left[document] = written - before
        start = stop
    return out[:written], left
