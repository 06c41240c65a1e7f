"""Words near a word: its neighbors, its equivalents elsewhere, and the fourth word of an analogy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis import params
from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Lines, Ranked
from chronotope.analysis.filters import Filters, one_sided
from chronotope.analysis.own_vectors import named_conditions, what_helps
from chronotope.analysis.params import At, Fallback, MinCount, Model, Param, Place, Retrieval, Top, Word
from chronotope.analysis.series import hidden_conditions
from chronotope.embeddings.counterparts import Bar
from chronotope.errors import InputError, fewer_than, number_of, some_of

CANDIDATES = 10  # at least, among which matches are sought


@question(
    "neighbors",
    group="A word",
    columns="word condition count rank neighbor similarity score neighbor_count documents fallback",
    chart=Lines(y="similarity", color="neighbor"),
)
def neighbors(
    model: Model,
    word: Word,
    *,
    at: params.AnyAt = None,
    place: Place = None,
    top: Top = 10,
    min_count: MinCount = 5,
    retrieval: Retrieval = "cosine",
    fallback: Fallback = False,
    words: params.WordList = None,
    exclude: params.Exclude = None,
    no_names: params.NoNames = False,
    no_numbers: params.NoNumbers = False,
    min_documents: params.MinDocuments = 1,
) -> Answer:
    """Which words are used like a word: overall, in a condition, or in each?

    With several conditions, every neighbor that is among the `top` of one of them has a row in each condition where
    both words occur at least `min_count` times; `rank` is null where it is not among the `top`.

    Examples
    --------
    >>> import chronotope as ct
    >>> corpus = ct.read_corpus(ct.invented_world(documents=300).records, time="time")
    >>> model = ct.GraphModel(dimensions=50).fit(ct.count(corpus, min_count=5))
    >>> ct.neighbors(model, "river", at="1995", top=3)["rank"].to_list()
    [1, 2, 3]
    """
    word = model.words[model.index(word)]
    every, overall = model.count(word), at is None and place is None
    counts: dict[str | None, int] = dict(every) | {None: sum(every.values()) // model.conditions.levels}
    chosen = named_conditions(model.conditions, "all" if at is None else at, place)
    there: dict[str | None, list[int]] = {model.conditions.labels[number]: [number] for number in chosen}
    there = {None: chosen} if overall else there
    several, (label, *_) = len(there) > 1, there
    listed = [label for label in there if fallback or not several or counts[label] >= min_count]
    if not listed:
        enough, helps = number_of(min_count, "times"), what_helps(model.conditions, min_count)
        raise InputError(f"'{word}' occurs {enough} or more in no condition{helps}")
    filters = Filters(model, words, exclude, no_names, no_numbers, min_documents)
    how: Any = {"min_count": min_count, "retrieval": retrieval, "fallback": fallback}
    found: dict[tuple[str, str | None], tuple[Any, ...]] = {}
    for one in listed:
        matches = filters.matches(partial(model.neighbors, word, one, **how), top, there[one])
        for rank, match in enumerate(matches, 1):
            found[match.word, one] = (rank, match.similarity, match.score, match.count)
    # Words that are near in most conditions come first.
    names = [name for name, _ in Counter(name for name, _ in found).most_common()]
    for one in filter(None, listed):
        others = {name: model.count(name, one) for name in names if (name, one) not in found}
        others = {name: count for name, count in others.items() if count >= min_count}
        own, *units = model.project([word, *others], one, one).astype(np.float64)
        for (name, count), unit in zip(others.items(), units, strict=True):
            similarity = float((own * unit).sum())
            found[name, one] = (None, similarity, similarity if retrieval == "cosine" else None, count)
    columns = ("rank", "similarity", "score", "neighbor_count")
    rows = [
        {"word": word, "condition": one, "count": counts[one], "neighbor": name, "fallback": not counts[one]}
        | dict(zip(columns, found[name, one], strict=True))
        | {"documents": filters.documents_of(name, there[one])}
        for name in names
        for one in listed
        if (name, one) in found
    ]
    if several:
        notes = [] if fallback else hidden_conditions(model, [word], chosen, min_count)
    else:
        notes = _rare(word, label, counts[label], min_count)
    notes += one_sided(model, word, None if overall else chosen)
    notes += filters.notes(_candidates(model, listed, min_count), list(there.values()))
    if not rows:
        notes.append(f"No other word occurs {number_of(min_count, 'times')} or more {_in(label)}.")
    facts = {"at": at, "min_count": min_count, "retrieval": retrieval, "filters": filters.settings}
    where = "in each condition" if several else _in(label)
    return Answer(rows, title=f"{word}: neighbors {where}", notes=notes, facts=facts)


@question(
    "equivalents",
    group="A word",
    columns="word at count condition rank equivalent equivalent_count documents similarity score needed match fallback",
    chart=Ranked(label="equivalent", value="similarity", group="condition"),
)
def equivalents(
    model: Model,
    word: Word,
    *,
    at: At,
    to: params.To = None,
    top: Annotated[
        int | None, Param("Words in each condition (default: 10 in one, 3 in several).", least=1, most=100_000)
    ] = None,
    chance: params.Chance = 0.05,
    min_count: MinCount = 5,
    retrieval: params.RetrievalBetween = "csls",
    fallback: Fallback = False,
    role_map: params.RoleMap = None,
    words: params.WordList = None,
    exclude: params.Exclude = None,
    no_names: params.NoNames = False,
    no_numbers: params.NoNumbers = False,
    min_documents: params.MinDocuments = 1,
) -> Answer:
    """Which words play the part of a word in other conditions?

    There is always a nearest word. It is a match if its similarity reaches `needed`, which is calibrated for the two
    conditions: a word whose counterpart was removed finds another match with probability `chance`. The word itself is a
    match if it is the nearest. Without `to` only matches are listed; a condition without a match has one row, its
    nearest word, with no rank.

    Examples
    --------
    >>> import chronotope as ct
    >>> corpus = ct.read_corpus(ct.invented_world(documents=300).records, time="time")
    >>> model = ct.GraphModel(dimensions=50).fit(ct.count(corpus, min_count=5))
    >>> ct.equivalents(model, "river", at="1990", to="1995", top=1)["equivalent"].to_list()
    ['river']
    """
    number, source = model.index(word), model.conditions.index(at)
    word, at = model.words[number], model.conditions.labels[source]
    count = model.observed.of(number, source)
    targets = named_conditions(model.conditions, "all" if to is None else to)
    one = to is not None and len(targets) == 1
    if not one:
        targets = [target for target in targets if target != source]
    top = top or (10 if one else 3)
    rows: list[dict[str, Any]] = []
    without, bars = [], {}
    options: Any = {"min_count": min_count, "role_map": role_map}
    find = partial(model.equivalents, word, at, fallback=fallback)
    filters = Filters(model, words, exclude, no_names, no_numbers, min_documents)
    for target in targets:
        label = model.conditions.labels[target]
        bars[label] = bar = model.search.bar(source, target, chance, **options)
        candidates, nearest_two = (
            filters.matches(partial(find, label, retrieval=by, **options), size, [target])
            for size, by in ((max(top, CANDIDATES), retrieval), (2, "cosine"))
        )
        nearest_word = nearest_two[:1]
        every = list({match.word: match for match in (*candidates, *nearest_two)}.values())
        numbers = np.array([model.index(match.word) for match in every], dtype=np.int64)
        levels = model.search.needed(number, numbers, source, target, bar, **options)
        needed = {match.word: level for match, level in zip(every, levels, strict=True)}
        if word in needed and count:
            # Of thousands of words, the word itself hardly ever comes first by chance.
            others = [match.similarity for match in nearest_two if match.word != word]
            needed[word] = min(needed[word], max(others, default=-1.0))
        # Others match only if the nearest word does, as in the calibration.
        decided = any(match.similarity >= needed[match.word] for match in nearest_word)
        near = {match.word for match in every if decided and match.similarity >= needed[match.word]}
        matches = [match for match in candidates if match.word in near][:top] or (nearest_word if decided else [])
        if not matches:
            without.append(label)
        best = candidates[:top] if one else matches or nearest_word
        rows += [
            {"word": word, "at": at, "count": count, "condition": label, "rank": rank if matches or one else None}
            | {"equivalent": match.word, "equivalent_count": match.count, "similarity": match.similarity}
            | {"documents": filters.documents_of(match.word, [target])}
            | {"score": match.score, "needed": needed[match.word] if abs(needed[match.word]) < np.inf else None}
            | {"match": match.word in near, "fallback": not count}
            for rank, match in enumerate(best, 1)
        ]
    notes = _rare(word, at, count, min_count) + one_sided(model, word, [source])
    if not targets:
        notes.append("There is no other condition.")
    if without:
        notes.append(f"No match in {some_of(without)}; the nearest word is given.")
    if targets:
        among = _candidates(model, [model.conditions.labels[target] for target in targets], min_count)
        notes += filters.notes(among, [[target] for target in targets])
    mapped = [model.search.takes_role_map(source, target, role_map) for target in targets]
    facts: dict[str, Any] = {"at": at, "to": to, "chance": chance, "min_count": min_count, "retrieval": retrieval}
    facts |= {"filters": filters.settings, "role_map": any(mapped), "without_match": without}
    facts["bar"] = {label: bar_of(bar) for label, bar in bars.items()}
    title = f"{word} in {at}: equivalents {f'in {to}' if to else 'in every other condition'}"
    return Answer(rows, title=title, notes=[*notes, *_calibration(bars)], facts=facts)


def bar_of(bar: Bar) -> dict[str, Any]:
    """Return the calibration of matches between two conditions as plain data."""
    margins = [margin if abs(margin) < np.inf else None for margin in bar.margins]
    return {"margins": margins, "least": list(bar.least), "false_match_rate": bar.rate, "words": bar.words}


def _calibration(bars: dict[str, Bar]) -> list[str]:
    """Return notes on the false-match rate that was reached, and on conditions where none could be measured."""
    rates = [bar.rate for bar in bars.values() if bar.rate is not None]
    notes = []
    if rates:
        low, high = (f"{100 * rate:.1f}" for rate in (min(rates), max(rates)))
        share = f"{low} %" if low == high else f"{low} to {high} %"
        notes.append(f"False matches: {share} of words whose counterpart was removed still match another word.")
    if unknown := [label for label, bar in bars.items() if bar.rate is None]:
        notes.append(f"Too few words in common with {some_of(unknown)} to calibrate a match.")
    return notes


@question(
    "analogy",
    group="A word",
    columns="rank word similarity count documents fallback",
    chart=Ranked(label="word", value="similarity"),
)
def analogy(
    model: Model,
    a: Annotated[str, Param("First word: A is to B …", argument=True, longest=200)],
    b: Annotated[str, Param("Second word.", argument=True, longest=200)],
    c: Annotated[str, Param("Third word: … as C is to which word?", argument=True, longest=200)],
    *,
    at: At,
    to: Annotated[str | None, params.condition_param("Condition of C and the answer (default: `at`).")] = None,
    top: Top = 10,
    min_count: MinCount = 5,
    fallback: Fallback = False,
    min_documents: params.MinDocuments = 1,
) -> Answer:
    """A is to B as C is to which word?

    The answers are the words nearest to B − A + C, all of unit length. With `to`, the step from A to B is taken in
    `at` and applied to C in `to`.

    Examples
    --------
    >>> import chronotope as ct
    >>> text = "a man is a he . a king is a royal he . a woman is a she . a queen is a royal she . " * 20
    >>> corpus = ct.read_corpus([{"text": text, "year": year} for year in (1990, 1991)], time="year")
    >>> model = ct.GraphModel(dimensions=4).fit(ct.count(corpus, min_count=1, window=2))
    >>> ct.analogy(model, "man", "king", "woman", at="1990")["word"][0]
    'queen'
    """
    a, b, c = (model.words[model.index(word)] for word in (a, b, c))
    labels = model.conditions.labels
    at = labels[model.conditions.index(at)]
    to = at if to is None else labels[model.conditions.index(to)]
    pairs = ((a, at), (b, at), (c, to))
    for word, label in pairs:
        model.vector(word, label, fallback=fallback)
    absent = not all(model.count(word, label) for word, label in pairs)
    first, second = model.project([a, b], at, to).astype(np.float64)
    third = model.project([c], to, to)[0].astype(np.float64)
    step, there = (second - first + third).astype(np.float32), [model.conditions.index(to)]
    filters = Filters(model, min_documents=min_documents)
    matches = filters.matches(lambda size: model.neighbors(step, to, size, min_count=min_count), top + 3, there)
    rows = [
        {"rank": rank, "word": match.word, "similarity": match.similarity, "count": match.count, "fallback": absent}
        | {"documents": filters.documents_of(match.word, there)}
        for rank, match in enumerate([match for match in matches if match.word not in (a, b, c)][:top], 1)
    ]
    support = [(word, label, model.count(word, label)) for word, label in pairs]
    notes = [f"Occurrences: {', '.join(f'{word} {count:,} in {label}' for word, label, count in support)}."]
    notes += [note for pair in support for note in _rare(*pair, min_count)]
    notes += filters.notes(model.matrix(to, min_count).word, [there])
    notes += [] if rows else [f"No other word occurs {number_of(min_count, 'times')} or more in {to}."]
    where = f"in {at}" if at == to else f"in {at}, applied in {to}"
    facts = {"a": a, "b": b, "c": c, "at": at, "to": to, "min_count": min_count}
    return Answer(rows, title=f"{a} is to {b} as {c} is to … ({where})", notes=notes, facts=facts)


def _candidates(model: Model, labels: Sequence[str | None], min_count: int) -> NDArray[np.int64]:
    """Return the words that occur often enough in one of some conditions."""
    return np.unique(np.concatenate([model.matrix(label, min_count).word for label in labels]))


def _in(label: str | None) -> str:
    return f"in {label}" if label else "overall"


def _rare(word: str, label: str | None, count: int, min_count: int) -> list[str]:
    """Return a note if the word is absent or rare."""
    if not count:
        return [f"{word} does not occur {_in(label)}; the answer comes from its other conditions."]
    return [f"{word} occurs {fewer_than(min_count)} {_in(label)}."] if count < min_count else []
