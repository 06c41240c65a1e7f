"""Numbers in sentences."""

from __future__ import annotations


def number_of(count: int, things: str) -> str:
    """A number with what is counted; a single one is written without its `s`.

    Examples
    --------
    >>> number_of(1234, "documents"), number_of(1, "documents set aside"), number_of(1, "rarer ones")
    ('1,234 documents', '1 document set aside', '1 rarer one')
    >>> number_of(1, "times")
    'once'
    """
    if count != 1:
        return f"{count:,} {things}"
    if things == "times":
        return "once"
    words = things.split(" ")
    counted = next(place for place, word in enumerate(words) if word.endswith("s"))
    words[counted] = words[counted].removesuffix("s")
    return f"1 {' '.join(words)}"


def fewer_than(count: int) -> str:
    """How often something occurs that occurs too seldom.

    Examples
    --------
    >>> fewer_than(5), fewer_than(100_000), fewer_than(1)
    ('fewer than 5 times', 'fewer than 100,000 times', 'less than once')
    """
    return "less than once" if count == 1 else f"fewer than {count:,} times"
