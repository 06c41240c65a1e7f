"""Formulas of words: `fruit - company`, `(fruit + pie) - (company + google)`, or seeds alone: `fruit, pie`."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import NamedTuple

from chronotope.errors import SettingsError

# A minus stands alone, so that words with a hyphen can be named; the longer dashes that editors put for it count, too.
_TOKEN = re.compile(r"[()+,]|[-−–](?=[\s(])|[^\s()+,]+")
_PLUS = ("+", ",")
_MINUS = ("-", "−", "–")
_SIGNS = (*_PLUS, *_MINUS)
_OPEN = ("(", *_SIGNS)  # a word is to follow


class Formula(NamedTuple):
    """The words on the positive and on the negative side of an axis.

    Attributes
    ----------
    plus, minus
        The words; `minus` may be empty: then the axis points toward the seeds, from nowhere in particular.
    """

    plus: tuple[str, ...]
    minus: tuple[str, ...]

    def __str__(self) -> str:
        sides = [f"({' + '.join(words)})" if len(words) > 1 else "".join(words) for words in self]
        return " − ".join(side for side in sides if side)


def parse(text: str, known: Container[str] | None = None) -> Formula:
    """The formula that a text describes.

    Parameters
    ----------
    text
        Words with + (or a comma, or only a blank) and − between them; parentheses where they help. A minus has a blank
        after it, since a hyphen may be part of a word.
    known
        The words that exist; with them a forgotten blank is pointed out.

    Examples
    --------
    >>> parse("(fruit + pie) - (company + google)")
    Formula(plus=('fruit', 'pie'), minus=('company', 'google'))
    >>> str(parse("fruit, pie"))
    '(fruit + pie)'
    >>> parse("good - (bad - worse)").plus
    ('good', 'worse')
    """
    tokens = _TOKEN.findall(text)
    sides: dict[int, list[str]] = {1: [], -1: []}
    signs = [1]
    sign = 1
    before = "("
    for token in tokens:
        if before in _OPEN and (token == ")" or (token in _SIGNS and not (before == "(" and token in _MINUS))):
            raise SettingsError(f"'{text}' has no word before '{token}'; write for instance 'fruit - company'")
        before = token
        if token == "(":
            signs.append(signs[-1] * sign)
            sign = 1
        elif token == ")":
            if len(signs) == 1:
                raise SettingsError(f"'{text}' has a closing parenthesis too many")
            signs.pop()
            sign = 1
        elif token in _PLUS:
            sign = 1
        elif token in _MINUS:
            sign = -1
        else:
            _check(token, known)
            sides[signs[-1] * sign].append(token)
            sign = 1
    if before in _SIGNS:
        raise SettingsError(f"'{text}' ends with a sign; write for instance 'fruit - company'")
    if len(signs) > 1:
        raise SettingsError(f"'{text}' has a parenthesis that is not closed")
    if not sides[1]:
        raise SettingsError(f"'{text}' has no word to point to; write for instance 'fruit - company'")
    twice = set(sides[1]) & set(sides[-1])
    if twice:
        raise SettingsError(f"'{min(twice)}' stands on both sides of '{text}'")
    return Formula(tuple(dict.fromkeys(sides[1])), tuple(dict.fromkeys(sides[-1])))


def _check(word: str, known: Container[str] | None) -> None:
    if known is None or word in known:
        return
    for left, right in _cuts(word):
        if left in known and right in known:
            raise SettingsError(f"'{word}' is no word of this model; for {left} minus {right} write '{left} - {right}'")


def _cuts(word: str) -> Iterator[tuple[str, str]]:
    for place in re.finditer("[-−–]", word):
        yield word[: place.start()], word[place.end() :]
