"""The exceptions for users: each message is one line with the problem and the remedy."""

import difflib
import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any


class ChronotopeError(Exception):
    """Base of all errors that the user can fix; the command line prints them and exits with 2."""


class InputError(ChronotopeError):
    """The input cannot be read: a file, a column, a date, a place or a word."""


class SettingsError(ChronotopeError):
    """A setting is unknown or out of range."""


class UnknownWordError(ChronotopeError, KeyError):
    """A word is not in the vocabulary of a model or of a run."""

    def __init__(self, word: str, words: Iterable[str], count: int, of: str = "this model", why: str = "") -> None:
        self.word, self.count = word, count
        phrase = "; a phrase is a word where `prepare --phrase` or `--find-phrases` made it one"
        several = "; give several words one by one, not joined by a comma" if "," in word else did_you_mean(word, words)
        hint = why or (phrase if " " in word.strip() else several)
        super().__init__(f"'{word}' is not among the {number_of(count, 'words')} of {of}{hint}")

    __str__ = Exception.__str__  # KeyError would quote the message


class UnknownConditionError(ChronotopeError):
    """A time bin or place is not among the conditions of a model."""

    def __init__(self, label: str, labels: Iterable[str], what: str = "conditions", why: str = "") -> None:
        self.label, self.labels = label, list(labels)
        part = label.strip().casefold()
        # The user named only the time or the place of conditions of time × place.
        partial = [name for name in self.labels if "/" in name and part in name.casefold().split("/", 1)]
        if partial and not why:
            hint = f"; those of {label.strip()}: {some_of(partial)}"
        else:
            hint = f": {some_of(self.labels)}{why or _similar_label(label, self.labels)}"
        super().__init__(f"'{label}' is not among the {number_of(len(self.labels), what)}{hint}")


class AbsentWordError(InputError):
    """A word of the model does not occur in the condition asked about."""

    def __init__(self, word: str, label: str | None, where: Sequence[str]) -> None:
        self.word, self.label, self.where = word, label, tuple(where)
        hint = f"it occurs in {some_of(where)} (use fallback to answer from there)" if where else "it occurs nowhere"
        super().__init__(f"'{word}' does not occur in {label or 'any condition'}; {hint}")


class DamagedFileError(ChronotopeError):
    """A file of a run or a model is cut short, altered, or from a newer version."""


class InUseError(ChronotopeError):
    """Another process writes to the same run or model, or reads it and needs it unchanged."""


class DivergenceError(ChronotopeError):
    """Training diverged: a parameter is no longer finite."""


class ClusterError(ChronotopeError):
    """A cluster does not answer, or its workers cannot run the task."""


class MissingExtraError(ChronotopeError):
    """An optional dependency is missing; the message says how to install it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional part; install it with: pip install 'chronotope[{extra}]'")


def import_extra(module: str, what: str, extra: str) -> Any:
    """Import an optional package; MissingExtraError if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(what, extra) from None


def first_line(error: object) -> str:
    """Return the first line of an error's message, or the name of its class."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _similar_label(label: str, labels: Sequence[str]) -> str:
    """Return a hint: the bin that contains a year, the label with time and place swapped, or similar labels."""
    for name in labels if re.fullmatch(r"\d{4}", label) else ():
        if name == f"{label[:3]}0s" or (re.fullmatch(r"\d{4}-\d{4}", name) and name[:4] <= label <= name[5:]):
            return f"; {label} is in {name}"
    place, _, time = label.rpartition("/")
    swapped = f"{time.strip()}/{place.strip()}".casefold()
    similar = [name for name in labels if name.casefold() == swapped]
    return f"; did you mean {similar[0]}?" if similar else did_you_mean(label, labels)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a hint that proposes similar names, or ''."""
    close = difflib.get_close_matches(name, list(names), n=3, cutoff=0.75)
    return f"; did you mean {', '.join(close)}?" if close else ""


def some_of(names: Sequence[str]) -> str:
    """Join names with commas; of more than 12 names, only the first four and the last two."""
    return ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:4])} … {', '.join(names[-2:])}"


def number_of(count: int, things: str) -> str:
    """Format a count with its noun.

    >>> number_of(1234, "documents"), number_of(1, "documents set aside"), number_of(1, "times")
    ('1,234 documents', '1 document set aside', 'once')
    """
    if count != 1:
        return f"{count:,} {things}"
    return "once" if things == "times" else "1 " + re.sub(r"s\b", "", things, count=1)


def fewer_than(count: int) -> str:
    """Format a frequency below a threshold.

    >>> fewer_than(5), fewer_than(1)
    ('fewer than 5 times', 'less than once')
    """
    return "less than once" if count == 1 else f"fewer than {count:,} times"
