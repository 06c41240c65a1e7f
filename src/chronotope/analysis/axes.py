"""Axes between words: where a word stands between the ends of a formula such as `fruit - company`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.answer import Answer, question
from chronotope.analysis.charts import Lines
from chronotope.analysis.own_vectors import in_one_space, unit_vectors, what_helps
from chronotope.analysis.params import Bootstrap, Fixed, Formula, MinCount, Model, Place, Progress, Seed, Threads, Words
from chronotope.analysis.series import conditions_of, hidden_conditions, spelled, without_interval
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError, fewer_than, some_of

if TYPE_CHECKING:
    from chronotope.analysis.significance.few_words import FewWords, Noiseless

Numbers = NDArray[np.float64]
Sides = tuple[tuple[str, ...], tuple[str, ...]]  # the words at the positive end, and at the negative end, if any

SEED_DRAWS = 1000
COVERAGE = 0.95
MIN_SEEDS = 3  # on one side; fewer have too few resamples

# A minus needs a space after it, since words may have hyphens. Editors turn it into longer dashes.
_TOKEN = re.compile(r"[()+,]|[-−–](?=[\s(])|[^\s()+,]+")
_PLUS, _MINUS = ("+", ","), ("-", "−", "–")
_SIGNS = (*_PLUS, *_MINUS)


@question(
    "axis",
    group="A word",
    columns="word condition count position corrected low high plus_seeds minus_seeds",
    chart=Lines(y="position", band=("low", "high")),
)
def axis(
    model: Model,
    word: Words,
    formula: Formula,
    *,
    fixed: Fixed = False,
    place: Place = None,
    min_count: MinCount = 5,
    bootstrap: Bootstrap = 0,
    seed: Seed = 1,
    threads: Threads = None,
    progress: Progress = None,
) -> Answer:
    """Where does a word stand on an axis between other words, condition by condition?

    The axis runs from the mean direction of the words after the minus (negative seeds) to that of the words before it
    (positive seeds); without a minus, the position is the similarity with the seeds. A seed that is too rare in a
    condition gets its vector from the others, so that the axis does not jump. The interval is over resamples of the
    seeds (three or more on a side); with `bootstrap` it is over documents, around the `corrected` position.

    Examples
    --------
    >>> import chronotope as ct
    >>> corpus = ct.read_corpus(ct.invented_world(documents=300).records, time="time")
    >>> model = ct.GraphModel(dimensions=50).fit(ct.count(corpus, min_count=5))
    >>> positions = ct.axis(model, "bank", "river - money")["position"]
    >>> positions[0] > 0 > positions[-1]
    True
    """
    plus, minus = sides = parse(formula, model)
    words = spelled(model, word)
    among = conditions_of(model.conditions, place)
    how: dict[str, Any] = {"bootstrap": bootstrap, "seed": seed, "threads": threads, "progress": progress}
    rows = [row for one in words for row in positions(model, one, sides, among, min_count, fixed, **how)]
    notes = hidden_conditions(model, words, among, min_count)
    rare = {row["condition"]: None for row in rows if row["count"] >= min_count and np.isnan(row["position"])}
    if rare:
        notes.append(f"Left out, since the words at one end occur {fewer_than(min_count)}: {some_of(list(rare))}.")
    if any(row["low"] is not None and np.isfinite(row["low"]) for row in rows):
        notes.append(f"Interval: 95 %, over {'draws of documents' if bootstrap else 'choices of seed words'}.")
    notes += without_interval([row for row in rows if bootstrap and not np.isnan(row["position"])])
    facts = {"plus": list(plus), "minus": list(minus), "fixed": fixed, "min_count": min_count, "bootstrap": bootstrap}
    facts["interval"] = "documents" if bootstrap else "seeds"
    return Answer(rows, title=f"{', '.join(words)}: position on {shown(plus, minus)}", notes=notes, facts=facts)


def positions(
    model: Model,
    word: str,
    sides: Sides,
    among: Sequence[int],
    min_count: int,
    fixed: bool = False,
    bootstrap: int = 0,
    seed: int = 1,
    **how: Any,
) -> list[dict[str, Any]]:
    """Return the rows of `axis` for one word in some conditions."""
    plus, minus = sides
    if word in (*plus, *minus):
        raise SettingsError(f"'{word}' is itself a seed of '{shown(plus, minus)}'; name another word")
    if fixed:
        in_one_space(model)
    words = (word, *plus, *minus)
    labels = [model.conditions.labels[number] for number in among]
    counts = np.array([[model.count(name, label) for label in labels] for name in words])
    vectors = np.full((*counts.shape, model.dimensions), np.nan)
    for at, label in enumerate(labels):
        here = np.flatnonzero(counts[:, at] >= min_count)
        vectors[here, at] = model.project([words[number] for number in here], label, label)
    seeds = Seeds(len(plus), counts[1:] >= min_count, fixed, fixed or model.query_mapping is None)
    known = (counts[0] >= min_count) & seeds.known
    if not known.any():
        names, helps = f"'{word}' and the seeds of '{shown(plus, minus)}'", what_helps(model.conditions, min_count)
        raise InputError(f"{names} are together frequent enough in no condition{helps}")
    figures, rng = np.full((4, len(labels)), np.nan), np.random.default_rng(seed)
    figures[0] = np.where(known, _cosines(vectors[0], seeds.axis(vectors[1:])), np.nan)
    if bootstrap:
        from chronotope.analysis.significance.few_words import FewWords

        few = FewWords(model, words)
        drawn = few.drawn(bootstrap, seed, **how)[:, :, among]
        figures[1:] = np.where(known, _noiseless(few, drawn, seeds, among), np.nan)
    else:
        unit = seeds.directions(vectors[1:])
        for at in np.flatnonzero(known).tolist():
            sides_there = (unit[: len(plus), at], unit[len(plus) :, at])
            ends = [end[np.isfinite(end[:, 0])] for end in sides_there if len(end)]
            figures[2:, at] = _interval(vectors[0, at], ends, rng)
    columns = ("condition", "count", "position", "corrected", "low", "high", "plus_seeds", "minus_seeds")
    values = zip(labels, counts[0].tolist(), *figures.tolist(), *seeds.many.tolist(), strict=True)
    return [{"word": word, **dict(zip(columns, row, strict=True))} for row in values]


def _noiseless(few: FewWords, drawn: NDArray[np.float32], seeds: Seeds, among: Sequence[int]) -> Noiseless:
    """Return the positions corrected for noise, with their intervals."""
    from chronotope.analysis.significance.few_words import Noiseless

    observed, documents = few.observed()[:, among], few.documents[:, among]
    line, drawn_lines = seeds.axis(observed[1:]), np.array([seeds.axis(vectors[1:]) for vectors in drawn])
    held = np.where(seeds.enough, documents[1:], 0)
    fewest = documents[0] if seeds.fixed else np.minimum(documents[0], held.sum(axis=0))
    return Noiseless.cosines(observed[0], line, drawn[:, 0], drawn_lines, fewest)


def _cosines(own: Numbers, plus: Numbers, minus: Numbers | None = None) -> Numbers:
    """Return the (N,) cosines of a word with N axes; 0 if the two ends are the same."""
    return np.asarray(np.multiply(unit_vectors(plus if minus is None else plus - minus), own).sum(axis=1))


def _interval(own: Numbers, ends: Sequence[Numbers], rng: np.random.Generator) -> tuple[float, float]:
    """Return the interval over draws of seeds; NaN if there are too few seeds."""
    if max(len(end) for end in ends) < MIN_SEEDS:
        return np.nan, np.nan
    drawn = [end[rng.integers(0, len(end), (SEED_DRAWS, len(end)))].mean(axis=1) for end in ends]
    low, high = np.quantile(_cosines(own, *drawn), [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)


class Seeds(NamedTuple):
    """The seed words that are known in each condition.

    A seed that is too rare gets the mean of its directions in the other conditions; in models with a space for each
    condition (not `filled`) it is left out there. `fixed` gives each seed its mean direction everywhere.
    """

    plus: int  # the first seeds are those of the positive end
    enough: NDArray[np.bool_]  # (S, C) whether a seed is frequent enough in a condition
    fixed: bool
    filled: bool

    @property
    def many(self) -> NDArray[np.int64]:
        """(2, C) the number of seeds at each end that are frequent enough in a condition; if fixed, in any."""
        own = np.broadcast_to(self.enough.any(axis=1, keepdims=True), self.enough.shape) if self.fixed else self.enough
        return np.array([own[: self.plus].sum(axis=0), own[self.plus :].sum(axis=0)])

    @property
    def known(self) -> NDArray[np.bool_]:
        """(C,) whether both ends of the axis exist in a condition."""
        return np.asarray((self.many[: 2 if len(self.enough) > self.plus else 1] > 0).all(axis=0))

    def axis(self, vectors: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the (C, D) axis in each condition, for vectors (S, C, D) of the seeds."""
        unit = self.directions(vectors)
        plus = _mean(unit[: self.plus])
        return plus - _mean(unit[self.plus :]) if len(unit) > self.plus else plus

    def directions(self, vectors: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return (S, C, D) unit vectors; the mean over conditions where one is missing, or everywhere if fixed."""
        unit = unit_vectors(np.where(self.enough[:, :, None], vectors, np.nan))
        if not self.filled:
            return unit
        mean = unit_vectors(_mean(unit.swapaxes(0, 1)))[:, None]
        return np.broadcast_to(mean, unit.shape) if self.fixed else np.where(np.isfinite(unit), unit, mean)


def _mean(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over the first axis without NaN; NaN if all are."""
    known = np.isfinite(vectors)
    many = known.sum(axis=0)
    total = np.where(known, vectors, 0).sum(axis=0)
    return np.asarray(np.divide(total, many, out=np.full(total.shape, np.nan), where=many > 0))


def shown(plus: Sequence[str], minus: Sequence[str]) -> str:
    """Format the two ends of an axis as a formula.

    >>> shown(["fruit", "pie"], ["company"])
    '(fruit + pie) − company'
    """
    ends = [f"({' + '.join(words)})" if len(words) > 1 else "".join(words) for words in (plus, minus)]
    return " − ".join(end for end in ends if end)


def parse(text: str, known: ConditionedEmbeddings | None = None) -> Sides:
    """Parse a formula: words with + (or a comma, or a space) and − between them, and parentheses.

    A minus has a space after it, since a hyphen may be part of a word. With `known`, the words must be in the model and
    get the spelling that they have there.

    >>> parse("(fruit + pie) - (company + google)"), parse("good - (bad - worse)")
    ((('fruit', 'pie'), ('company', 'google')), (('good', 'worse'), ('bad',)))
    """
    ends: dict[int, list[str]] = {1: [], -1: []}
    signs, sign, before = [1], 1, "("
    example = "write for instance 'fruit - company'"
    for token in _TOKEN.findall(text):
        if before in ("(", *_SIGNS) and (token == ")" or (token in _SIGNS and not (before == "(" and token in _MINUS))):
            raise SettingsError(f"'{text}' has no word before '{token}'; {example}")
        before = token
        if token == "(":
            signs.append(signs[-1] * sign)
        elif token == ")":
            if len(signs) == 1:
                raise SettingsError(f"'{text}' has a closing parenthesis too many")
            signs.pop()
        elif token not in _SIGNS:
            ends[signs[-1] * sign].append(token if known is None else _spelled(token, known))
        sign = -1 if token in _MINUS else 1
    if before in _SIGNS:
        raise SettingsError(f"'{text}' ends with a sign; {example}")
    if len(signs) > 1:
        raise SettingsError(f"'{text}' has a parenthesis that is not closed")
    if not ends[1]:
        raise SettingsError(f"'{text}' has no word to point to; {example}")
    if twice := set(ends[1]) & set(ends[-1]):
        raise SettingsError(f"'{min(twice)}' stands on both sides of '{text}'")
    return tuple(dict.fromkeys(ends[1])), tuple(dict.fromkeys(ends[-1]))


def _spelled(word: str, known: ConditionedEmbeddings) -> str:
    """Return a word as the model spells it; the error for an unknown one suggests a space around a minus."""
    for sign in re.finditer("[-−–]", word) if word not in known else ():
        left, right = word[: sign.start()], word[sign.end() :]
        if left in known and right in known:
            raise SettingsError(f"'{word}' is not in this model; for {left} minus {right} write '{left} - {right}'")
    return known.words[known.index(word)]
