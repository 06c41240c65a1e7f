"""The exceptions that a user may meet: each message is one line that says what is wrong and what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from chronotope.wording import number_of


class ChronotopeError(Exception):
    """Something that the user can put right; the command line prints it and exits with 2."""


class InputError(ChronotopeError):
    """The text, its columns, its dates or its places cannot be read as asked."""


class SettingsError(ChronotopeError):
    """A setting is unknown or out of range."""


class UnknownWord(ChronotopeError):
    """A word is not among the words of a model, or of a run."""

    def __init__(self, word: str, words: Iterable[str], count: int, of: str = "this model", why: str = "") -> None:
        self.word, self.count = word, count
        phrase = "; a phrase is a word where `prepare --phrase` or `--find-phrases` made it one"
        hint = why or (phrase if " " in word.strip() else did_you_mean(word, words))
        super().__init__(f"'{word}' is not among the {number_of(count, 'words')} of {of}{hint}")


class UnknownCondition(ChronotopeError):
    """A time bin or place is not among the conditions of a model."""

    def __init__(self, label: str, labels: Iterable[str], what: str = "conditions", why: str = "") -> None:
        known = list(labels)
        self.label, self.known = label, known
        part = _with_part(label, known)
        if part and not why:
            those = f"; those of {label.strip()}: {some_of(part)}"
        else:
            those = f": {some_of(known)}{why or _bin_of_year(label, known) or _meant(label, known)}"
        super().__init__(f"'{label}' is not among the {number_of(len(known), what)}{those}")


class DamagedFile(ChronotopeError):
    """A file of ours is cut short, altered, or from a newer version."""


class InUse(ChronotopeError):
    """Another process writes to the same run or model, or needs it unchanged."""


class Diverged(ChronotopeError):
    """Training left the finite numbers."""


class ClusterError(ChronotopeError):
    """A cluster does not answer, or its workers cannot do what is asked of them."""


class MissingExtra(ChronotopeError):
    """An optional part is not installed; the message holds the line that installs it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part; install it with: pip install 'chronotope[{extra}]'")


def _bin_of_year(label: str, known: Iterable[str]) -> str:
    """A clause that names the bin which holds a year, where the bins are several years long, or nothing.

    Examples
    --------
    >>> _bin_of_year("1950", ["1920-1939", "1940-1959"]), _bin_of_year("1994", ["1980s", "1990s"])
    ('; 1950 is in 1940-1959', '; 1994 is in 1990s')
    """
    if re.fullmatch(r"\d{4}", label):
        for name in known:
            if name == f"{label[:3]}0s" or (re.fullmatch(r"\d{4}-\d{4}", name) and name[:4] <= label <= name[5:]):
                return f"; {label} is in {name}"
    return ""


def _with_part(label: str, known: Iterable[str]) -> list[str]:
    """The times in places whose time, or whose place, was named alone.

    Examples
    --------
    >>> _with_part("Canada", ["1990/canada", "1990/india", "1991/canada"])
    ['1990/canada', '1991/canada']
    """
    wanted = label.strip().casefold()
    return [name for name in known if "/" in name and wanted in name.casefold().split("/", 1)]


def _meant(label: str, known: Sequence[str]) -> str:
    """A clause that proposes the condition whose time and place were exchanged, or what is written alike.

    Examples
    --------
    >>> _meant("canada/1990", ["1990/canada", "1990/india"])
    '; did you mean 1990/canada?'
    """
    place, _, time = label.rpartition("/")
    other = f"{time.strip()}/{place.strip()}".casefold()
    meant = next((name for name in known if name.casefold() == other), None)
    return f"; did you mean {meant}?" if meant else did_you_mean(label, known)


def some_of(names: Sequence[str]) -> str:
    """Names in one line; of very many the first and the last.

    Examples
    --------
    >>> some_of(["1990", "2000"]), some_of([str(year) for year in range(1900, 2000)])
    ('1990, 2000', '1900, 1901, 1902, 1903 … 1998, 1999')
    """
    return ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:4])} … {', '.join(names[-2:])}"


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A clause that proposes what the user may have meant, or nothing.

    Examples
    --------
    >>> did_you_mean("presidant", ["president", "apple"])
    '; did you mean president?'
    """
    close = difflib.get_close_matches(given, list(known), n=3, cutoff=0.75)
    return f"; did you mean {', '.join(close)}?" if close else ""
