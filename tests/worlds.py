"""Invented worlds of test size, each made once: the truth that the tests compare with."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from chronotope.corpus.batches import fingerprints
from chronotope.corpus.pipeline import write_store
from chronotope.corpus.source import Corpus
from chronotope.corpus.tokens import CHUNK_TOKENS, TokenStore
from chronotope.datasets.invented import TOPICS, Change, World, invented_world
from chronotope.io.atomic import atomic_folder
from chronotope.runtime.progress import Progress
from chronotope.runtime.resources import Resources

RIVER, MONEY = TOPICS["river"], TOPICS["money"]
YEARS = range(1990, 2000)


@cache
def planted_drift(
    word: str = "bank",
    *,
    before: tuple[str, ...] = RIVER,
    after: tuple[str, ...] = MONEY,
    at: str = "1995",
    share: float = 0.02,
    documents: int = 1200,
    seed: int = 1,
) -> World:
    """Ten years in one place; one word changes company at a known time, and nothing else moves. 100,000 words."""
    change = Change(word, before, after, time=at, share=share)
    return invented_world(years=YEARS, places=("arlen",), documents=documents, seed=seed, changes=(change,))


@cache
def places(documents: int = 1200, seed: int = 1) -> World:
    """Six places in two years: names that correspond, words with another meaning in one place. 100,000 words."""
    return invented_world(years=range(1998, 2000), documents=documents, seed=seed)


@cache
def time_and_place(documents: int = 1800, seed: int = 1) -> World:
    """Six years in three places, with everything planted. 145,000 words."""
    return invented_world(years=range(1990, 1996), places=("arlen", "borva", "celdon"), documents=documents, seed=seed)


@cache
def unchanged(documents: int = 1200, seed: int = 1) -> World:
    """Ten years in two places with the same distribution in every condition. 100,000 words."""
    return invented_world(years=YEARS, places=("arlen", "borva"), documents=documents, seed=seed, changes=False)


def graded(documents: int = 1000, seed: int = 1, levels: int = 6) -> tuple[list[dict[str, str]], dict[str, float]]:
    """Two years; pairs of words of two topics take each other's place in 0 to 100 % of their occurrences in the second.

    Returns the records, and for each exchanged word how much it changed; frequent and rare words change as much.
    """
    world = invented_world(years=range(1990, 1992), places=("arlen",), documents=documents, seed=seed, changes=False)
    records, random, names = [dict(record) for record in world.records], np.random.default_rng(seed), list(TOPICS)
    swap: dict[str, str] = {}
    for one, other in zip(names[::2], names[1::2], strict=False):
        for pair in zip(TOPICS[one][2::5], TOPICS[other][2::5], strict=False):  # few: the contexts stay
            if len({*pair, *swap}) == len(swap) + 2:
                swap |= {pair[0]: pair[1], pair[1]: pair[0]}
    amounts = random.permutation(np.resize(np.linspace(0, 1, levels), len(swap) // 2)).tolist()
    level = dict(zip(swap, np.repeat(amounts, 2).tolist(), strict=True))
    for record, late in zip(records, (random.random(len(records)) < 0.5).tolist(), strict=True):
        record["time"] = "1991" if late else "1990"
        words = record["text"].lower().replace(".", " .").split()
        chosen = random.random(len(words)) * late
        moved = (late and level.get(word, 0) > draw for word, draw in zip(words, chosen.tolist(), strict=True))
        record["text"] = " ".join(swap[word] if new else word for word, new in zip(words, moved, strict=True))
    return records, level


def sentences(record: dict[str, str]) -> list[list[str]]:
    """The words of each sentence of a record."""
    return [re.findall(r"\w+", sentence) for sentence in record["text"].lower().split(".") if sentence]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder and of those in it, by its name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def write(path: Path, data: bytes | str) -> Path:
    """A new file, whose folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def tokenize(
    corpus: Corpus,
    folder: str | Path,
    progress: Progress | None = None,
    resources: Resources | None = None,
    chunk_tokens: int = CHUNK_TOKENS,
) -> TokenStore:
    """The token store of a corpus alone, without the vocabulary and the counts of a run."""
    resources = resources or Resources()
    with atomic_folder(folder, "prepare") as work:
        write_store(corpus, work, progress, resources, fingerprints(corpus, resources.pool), chunk_tokens)
    return TokenStore.open(folder)


def documents(store: TokenStore) -> list[list[str]]:
    """The words of each document of a store."""
    words = store.words.gather(store.ids).to_list()
    return [words[a:b] for a, b in pairwise(store.starts.tolist())]
