"""Words are what the normalizer makes of forms; each has one number."""

import numpy as np
import pytest

from chronotope.config import CorpusSettings
from chronotope.corpus.lexicon import DROPPED, Lexicon, Normalizer

PARTS = ["a", "Z", "the", "Rome", "'s", "d'", "é", "É", "e\u0301", "9", "_", "ß", "İ", "\u00ad", "\u200d", "x" * 7]
SETTINGS = [
    CorpusSettings(),
    CorpusSettings(lowercase=False),
    CorpusSettings(strip_accents=True),
    CorpusSettings(variants={"rome": "roma", "a": "the"}),
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("pretokenized", [False, True])
def test_numbers_are_those_of_the_words(settings: CorpusSettings, pretokenized: bool) -> None:
    random = np.random.default_rng(3)
    lexicon, normalize = Lexicon(settings), Normalizer(settings)
    pairs: list[tuple[str, int]] = []
    for size in (1, 500, 5000, 3):
        forms = ["".join(random.choice(PARTS, random.integers(1, 6))) for _ in range(size)]
        forms += ["New York", " ", "new\tyork"] if pretokenized else []
        numbers = lexicon.numbers(forms, pretokenized)
        pairs += [(normalize(form, pretokenized), number) for form, number in zip(forms, numbers, strict=True)]
    words = lexicon.words.to_list()
    assert len(words) == len(lexicon) == len({word for word, _ in pairs} - {""})
    assert all(words[number] == word if word else number == DROPPED for word, number in pairs)


def test_words_are_added_once() -> None:
    lexicon = Lexicon(CorpusSettings())
    lexicon.numbers(["prime", "minister"])
    assert lexicon.add(["prime_minister", "minister", "prime_minister"]) == [2, 1, 2]
    assert lexicon.words.to_list() == ["prime", "minister", "prime_minister"]
    assert Lexicon(CorpusSettings()).words.to_list() == []


def test_accents_of_other_scripts_are_kept() -> None:
    assert Normalizer(CorpusSettings(strip_accents=True))("हिन्दी") == "हिन्दी"
