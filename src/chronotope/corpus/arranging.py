"""The second pass: documents are put in the order of their conditions, and words get their final numbers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import Conditions
from chronotope.corpus.ingest import Ingested
from chronotope.corpus.selection import Selection
from chronotope.corpus.spool import Chunk, TokenSpool
from chronotope.corpus.tokens import TOKEN
from chronotope.runtime.kernels import kernel
from chronotope.runtime.resources import in_order


def ordered_conditions(
    ingested: Ingested, selection: Selection, has_place: bool
) -> tuple[Conditions, NDArray[np.int32]]:
    """The conditions in order, and for each (time bin, place) of the first pass its place in that order."""
    places = sorted(range(len(ingested.places)), key=lambda p: (ingested.places[p].casefold(), ingested.places[p]))
    place_rank = {place: rank for rank, place in enumerate(places)}
    times = sorted({time for time, _ in ingested.labels})
    time_rank = {time: rank for rank, time in enumerate(times)}
    pairs = [(time_rank[time], place_rank.get(place, 0)) for time, place in ingested.labels]
    order = sorted(range(len(pairs)), key=pairs.__getitem__)
    position = np.empty(len(order), np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    conditions = Conditions(
        times=tuple(selection.bins.label(time) for time in times) if selection.bins else (),
        places=tuple(ingested.places[place] for place in places) if has_place else (),
        time_of=tuple(pairs[i][0] for i in order) if selection.bins else (),
        place_of=tuple(pairs[i][1] for i in order) if has_place else (),
    )
    return conditions, position


def ranked_words(words: pl.Series, counts: NDArray[np.int64]) -> tuple[pl.DataFrame, NDArray[np.int32]]:
    """The lexicon, most frequent first, and the final number of each word (-1 where it does not occur any more).

    Parameters
    ----------
    words
        The words in the order of their numbers.
    counts
        (2, W) their counts in the documents that are kept, and in those that are held out.
    """
    present = np.flatnonzero(counts.sum(axis=0))
    frame = pl.DataFrame({"word": words, "count": counts[0], "first": np.arange(len(words), dtype=np.int32)})
    lexicon = frame[present].sort(["count", "word"], descending=[True, False])
    rank = np.full(len(words), -1, np.int32)
    rank[lexicon["first"].to_numpy()] = np.arange(len(lexicon), dtype=np.int32)
    return lexicon.select("word", "count"), rank


def write_tokens(
    spool: TokenSpool,
    target: Path,
    length: NDArray[np.int64],
    condition: NDArray[np.int32],
    rank: NDArray[np.int32],
    threads: int = 1,
) -> None:
    """Write the tokens anew with the documents in the order of their conditions and with final word numbers.

    The documents of one condition in a chunk lie together in the target, so each chunk needs one write a condition,
    however many documents there are.
    """
    order = np.argsort(condition, kind="stable")
    target_start = np.empty(len(length), np.int64)
    target_start[order] = np.cumsum(length[order]) - length[order]

    def write(chunk: Chunk) -> None:
        documents, code, number = chunk
        chunk_length, chunk_condition = length[documents], condition[documents]
        chunk_order = np.argsort(chunk_condition, kind="stable")
        gathered = np.empty(len(code), TOKEN)
        start = np.cumsum(chunk_length) - chunk_length
        _gather(code, start, chunk_length, chunk_order, rank if number is None else rank[number], gathered)
        ordered = chunk_condition[chunk_order]
        runs = np.concatenate([[0], np.flatnonzero(np.diff(ordered)) + 1, [len(ordered)]])
        ends = np.concatenate([[0], np.cumsum(chunk_length[chunk_order])])
        with open(target, "r+b") as file:
            for first, last in zip(runs[:-1].tolist(), runs[1:].tolist(), strict=True):
                file.seek(int(target_start[documents.start + chunk_order[first]]) * TOKEN.itemsize)
                file.write(gathered[ends[first] : ends[last]].data)

    with open(target, "wb") as file:
        file.truncate(int(length.sum()) * TOKEN.itemsize)
    with ThreadPoolExecutor(threads) as pool:
        for _ in in_order(pool, write, spool.chunks(length), ahead=threads):
            pass


def repeated(text_hash: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """(N,) whether the same text stood before.

    Examples
    --------
    >>> repeated(np.array([7, 8, 7, 7], np.uint64)).tolist()
    [False, False, True, True]
    """
    order = np.argsort(text_hash, kind="stable")
    again = np.zeros(len(text_hash), bool)
    again[order[1:]] = text_hash[order[1:]] == text_hash[order[:-1]]
    return again


@kernel()
def _gather(tokens, start, length, order, rank, gathered):  # type: ignore[no-untyped-def]
    """Fill in the tokens of documents in another order, with the final numbers of their words."""
    written = 0
    for document in order:
        for token in range(start[document], start[document] + length[document]):
            gathered[written] = rank[tokens[token]]
            written += 1
