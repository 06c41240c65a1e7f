"""From a corpus to its token store: read → tokenize → store."""

import contextlib
import json
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.conditions import SEPARATOR, Conditions
from chronotope.config import to_dict
from chronotope.corpus import tokens
from chronotope.corpus.batches import read_ahead, tokenize_on_workers
from chronotope.corpus.binning import Bins
from chronotope.corpus.first_pass import FirstPass
from chronotope.corpus.lexicon import mixed_case
from chronotope.corpus.phrases import join_phrases
from chronotope.corpus.report import build_report
from chronotope.corpus.selection import Selection
from chronotope.corpus.source import Corpus
from chronotope.corpus.tokens import CHUNK_TOKENS, TokenStore
from chronotope.runtime.progress import Progress
from chronotope.runtime.resources import Resources


def write_store(
    corpus: Corpus,
    work: Path,
    progress: Progress | None,
    resources: Resources,
    sources: list[dict[str, Any]],
    chunk_tokens: int = CHUNK_TOKENS,
) -> tuple[TokenStore, tuple[Any, Any]]:
    """Write the files of a store to a folder, the description last; return it with the result of `count_words`.

    `sources` is the fingerprint of the corpus. Held-out documents are not counted.
    """
    settings, selection = corpus.settings, Selection(corpus.settings)
    progress = progress or (lambda *_: None)

    # Read and tokenize ahead, in threads or on workers; number words in the order of the input.
    read = tokenize_on_workers if resources.pool else read_ahead
    with contextlib.closing(FirstPass(corpus, work)) as first:
        for batches, done in read(corpus, selection, resources):
            first.add(batches)
            resources.memory.check(f"a lexicon of {len(first.lexicon):,} distinct words so far")
            progress("reading", done, corpus.size or None)
    progress("writing", 0, None)
    documents, counts = first.documents(), first.counts[:, : len(first.lexicon)]

    # Phrases become words: ids, lengths and counts change.
    length, counts, phrases = join_phrases(first.raw, documents, first.lexicon, counts, corpus, chunk_tokens)

    # Sort documents by condition and words by frequency; write the final ids.
    conditions, position = order_conditions(first, selection.bins, bool(settings.place), selection.nested)
    levels = position[:, documents["label"].to_numpy()]
    lexicon, rank = tokens.rank_words(first.lexicon.words, counts)
    tokens.write_tokens(first.raw, work / tokens.TOKENS, length, levels, rank, chunk_tokens)
    first.raw.unlink()

    # Write the tables; with nested places a document has a row for each level.
    lexicon.write_parquet(work / tokens.LEXICON)
    if lemmas := first.lexicon.normalize.lemmas:
        pl.DataFrame({"word": list(lemmas), "lemma": list(lemmas.values())}).write_parquet(work / tokens.LEMMAS)
    repeated = ~pl.col("text_hash").is_first_distinct()
    documents = documents.with_columns(length=length, repeated=repeated, row=pl.int_range(pl.len()))
    documents = pl.concat([documents] * len(levels)).with_columns(condition=levels.ravel())
    documents = documents[np.argsort(levels, axis=None, kind="stable")]
    documents = documents.with_columns(start=pl.col("length").cum_sum() - pl.col("length"))
    if settings.keep:
        documents["fields"].struct.unnest().write_parquet(work / tokens.FIELDS)
    columns = ["condition", "start", "length", "source", "line", "held_out"]
    columns += (["time"] if selection.bins else []) + (["row", "kind"] if settings.keep_text else [])
    documents.select(columns).write_parquet(work / tokens.DOCUMENTS)

    # Count words by condition; describe the store.
    condition, held_out = documents["condition"].to_numpy(), documents["held_out"].to_numpy()
    sizes, shape = documents["length"].to_numpy(), (len(conditions), len(lexicon))
    count = partial(tokens.count_words, work / tokens.TOKENS, sizes, condition, shape=shape, chunk_tokens=chunk_tokens)
    counted = count(~held_out)
    everything = counted[0] + count(held_out)[0] if held_out.any() else counted[0]
    lines = {"phrases": phrases, "mixed_case": tuple(mixed_case(lexicon))}
    report = build_report(first, documents, conditions, selection.bins, everything, **lines)
    if len(sources) == 1 and sources[0]["checksum"] is None:
        sources = [sources[0] | {"checksum": first.content.hexdigest()}]
    about = {
        "format": tokens.FORMAT,
        "conditions": conditions.to_dict(),
        "problems": first.problems.to_dict(),
        "report": report.to_dict(),
        "settings": to_dict(settings) | ({"tokenizer": corpus.tokenizer_name} if corpus.tokenizer else {}),
        "sources": sources,
    }
    text = json.dumps(about, ensure_ascii=False, indent=1)
    (work / tokens.STORE).write_text(text, encoding="utf-8")
    return TokenStore.open(work), counted


def order_conditions(
    first: FirstPass, bins: Bins | None, has_place: bool, nested: bool
) -> tuple[Conditions, NDArray[np.int32]]:
    """Return the conditions in order, and the position in it of each label of the first pass: (levels, labels).

    A text of a nested place counts for the places above it, too: each of them is a level.
    """
    names = first.places if has_place else [""]
    above = [levels_of(name) if nested else (name,) for name in names]  # of a place, from the highest
    spelled = {place.casefold(): place for places in reversed(above) for place in places}
    places = sorted(spelled, key=lambda place: (place, spelled[place]))
    place_rank = {place: rank for rank, place in enumerate(places)}
    times = sorted({time for time, _ in first.labels})
    time_rank = {time: rank for rank, time in enumerate(times)}
    found = [[(time_rank[time], place_rank[name.casefold()]) for name in above[place]] for time, place in first.labels]
    pairs = sorted({pair for levels in found for pair in levels})
    number = {pair: at for at, pair in enumerate(pairs)}
    position = np.array([[number[pair] for pair in levels] for levels in found], np.int32).T
    conditions = Conditions(
        times=tuple(bins.label(time) for time in times) if bins else (),
        places=tuple(spelled[place] for place in places) if has_place else (),
        time_of=tuple(time for time, _ in pairs) if bins else (),
        place_of=tuple(place for _, place in pairs) if has_place else (),
        levels=len(position),
    )
    return conditions, position


def levels_of(place: str) -> tuple[str, ...]:
    """Return a nested place and all places above it, from the highest.

    >>> levels_of("canada/ontario/ottawa")
    ('canada', 'canada/ontario', 'canada/ontario/ottawa')
    """
    return tuple(accumulate(place.split(SEPARATOR), lambda above, name: above + SEPARATOR + name))
