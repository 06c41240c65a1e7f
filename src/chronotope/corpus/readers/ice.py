"""Texts of the International Corpus of English without their markup.

What is left out, with its content (see the project's markup manual, Nelson 2002):

- extra-corpus text `<X>…</X>`, editorial comments `<&>…</&>` and untranscribed text `<O>…</O>`;
- what the author struck out `<del>…</del>`, unclear words `<unclear>…</unclear>`, marks of footnotes `<fnr>…</fnr>`;
- the form that was replaced where the text was normalized, `<->…</->`; the normal form `<+>…</+>` stays.

All other symbols go and their content stays: text units `<ICE-CAN:W1A-001#1:1>` and `<#>`, subtexts `<I>`, speakers
`<$A>`, pauses `<,>`, headings, quotations, foreign words … Some regions write `<X_>…<X/>` for `<X>…</X>`; both are
read. A symbol that is opened and never closed takes nothing with it. Characters written as `&eacute;` become letters,
and names such as `&square-root;` that stand for no letter become blanks.
"""

from __future__ import annotations

import html
import re

LEFT_OUT = ("X", "O", "&", "del", "unclear", "fnr", "-")
# These stand inside words, as in H<sb>2</sb>O; every other symbol parts two words.
INSIDE_WORDS = ("b", "bold", "it", "ul", "smallcaps", "sb", "sp", "roman", "typeface", "w", "l", "?")


def _symbol(names: tuple[str, ...]) -> str:
    return "(?:" + "|".join(re.escape(name) for name in names) + ")"


_BLOCK = re.compile(
    rf"<(?P<name>{_symbol(LEFT_OUT)})_?>(?:(?!<(?P=name)_?>).)*?(?:</(?P=name)>|<(?P=name)/>)",
    re.DOTALL | re.IGNORECASE,
)
_TYPOGRAPHY = re.compile(rf"</?{_symbol(INSIDE_WORDS)}[_/]?>", re.IGNORECASE)
_MARKUP = re.compile(r"<(?=[^\s<>])[^<>\n]{1,80}>")
_CHARACTER_NAME = re.compile(r"&[A-Za-z][A-Za-z0-9-]*;")
_BLANKS = re.compile(r"[ \t]+")


def without_markup(text: str) -> str:
    """A text as its readers saw it: no symbols, no comments, nothing that does not belong to the corpus.

    Examples
    --------
    >>> without_markup("<ICE-CAN:W1A-001#1:1> <h>My caf&eacute;</h> <O>table</O> sold H<sb>2</sb>O <X>to be</X> .")
    'My café sold H2O .'
    """
    found = 1
    while found:  # from the inside out
        text, found = _BLOCK.subn(" ", text)
    text = _TYPOGRAPHY.sub("", text)
    text = _MARKUP.sub(" ", text)
    text = _CHARACTER_NAME.sub(" ", html.unescape(text))
    return "\n".join(line for line in (_BLANKS.sub(" ", line).strip() for line in text.split("\n")) if line)


def decoded(data: bytes) -> str:
    """The text in the bytes of a file: UTF-8 where it is that, or else the encoding of Windows."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
