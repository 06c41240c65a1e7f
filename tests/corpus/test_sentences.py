"""From tokens back to text: what is marked is what was counted, and a sentence ends where it ends."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.config import CorpusSettings
from chronotope.corpus.lexicon import Normalizer
from chronotope.corpus.sentences import Span, all_sentences, sentence_around, token_spans
from chronotope.corpus.tokenizer import split_texts

CHARACTERS = st.text(st.sampled_from("aB Éß'’_-.,5<>/&;@:#\n\u00ad\u0301\u200d天🙂ǅ\ue000"), max_size=60)
FRAGMENTS = st.sampled_from(
    ["<b x='1 2'>", "</i>", "&amp;", "me@x.org", "www.a.b/c", "https://x.y", "d'Escoto", "Rome’s", "&#12;"]
)
TEXTS = st.lists(CHARACTERS | FRAGMENTS, max_size=8).map("".join)


@pytest.mark.parametrize("kind", ["words", "whitespace"])
@settings(max_examples=300)
@given(text=TEXTS)
def test_every_marked_span_is_the_word_after_normalization(kind, text):
    normalize = Normalizer(CorpusSettings(strip_accents=True))
    tokens = split_texts(pl.Series([text]), kind)
    forms = [tokens.forms[code] for code in tokens.code.tolist()]
    words = [word for form in forms if (word := normalize(form, kind != "words"))]
    spans = token_spans(text, kind, words, normalize)
    assert [normalize(text[slice(*span)], kind != "words") for span in spans] == words
    assert all(a[1] <= b[0] for a, b in pairwise(spans.tolist()))


@pytest.mark.parametrize(
    ("before", "sentence", "after"),
    [
        ("It rained. ", "Mr. Hull of the U.S. Senate spoke.", " All listened."),
        ("Why? ", "“The spoke broke!” he said.", " “All did.”"),
        ("A title\n\n", "with spoke in it", "\n\nAnother paragraph"),
        ("The rate, i.e. ", "", ""),
        ("一。", "車輪のspokeです。", "二。"),
    ],
)
def test_a_sentence_ends_where_it_ends(before, sentence, after):
    text = before + sentence + after
    if not sentence:
        text = sentence = "The rate, i.e. the spoke, rose by 3.5 percent to approx. four."
    at = text.index("spoke")
    found = sentence_around(text, Span(at, at + 5))
    assert (text[found.start : found.end], found.cut_before, found.cut_after) == (sentence, False, False)


@given(text=st.text(st.sampled_from("ab .A\n"), max_size=80), at=st.integers(0, 80), reach=st.integers(5, 40))
def test_a_sentence_holds_its_word_and_is_never_long(text, at, reach):
    text = text[:at] + " spoke " + text[at:]
    span = Span(text.index("spoke"), text.index("spoke") + 5)
    found = sentence_around(text, span, reach)
    assert found.start <= span.start < span.end <= found.end
    assert found.end - found.start <= 5 + 2 * reach
    if not (found.cut_before or found.cut_after):
        assert sentence_around(text, span, 1000)[:2] == found[:2], "what is not cut is whole"


@given(text=st.text(st.sampled_from("ab .A\n"), max_size=120), longest=st.integers(5, 40))
def test_all_sentences_are_the_whole_text_in_pieces_that_are_never_long(text, longest):
    pieces = [text[start:end] for start, end, *_ in all_sentences(text, longest)]
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece == piece.strip() and 0 < len(piece) <= longest for piece in pieces)
