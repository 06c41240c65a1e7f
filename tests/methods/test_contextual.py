"""Contextual vectors: any encoder, a stopped encoding resumes, and what is missing is said."""

from __future__ import annotations

import numpy as np
import pytest

import chronotope as ct
from chronotope.errors import InputError, SettingsError
from chronotope.methods.contextual.encoders import HashingEncoder


class Counting:
    """An encoder that counts what it encodes, and fails once after `stop` texts."""

    name = "counting"

    def __init__(self, stop=10**9):
        self.encoded, self.stop = 0, stop

    def __call__(self, texts, spans):
        if self.encoded >= self.stop:
            raise KeyboardInterrupt
        self.encoded += len(texts)
        return HashingEncoder(16, 5, 1)(texts, spans)


def copied(small, folder):
    """A run of its own: the vectors of usages are kept in it."""
    import shutil

    shutil.copytree(small.folder, folder, ignore=shutil.ignore_patterns("usages"))
    return type(small).open(folder)


def test_a_callable_gets_the_word_in_its_sentence(small, tmp_path):
    seen = []

    def encoder(texts, spans):
        seen.extend(text[span.start : span.end].lower() for text, span in zip(texts, spans, strict=True))
        return np.eye(3)[np.arange(len(texts)) % 3]

    model = ct.ContextualModel(encoder, words=("bank", "river"), per_pair=4).fit(copied(small, tmp_path / "run"))
    assert set(seen) == {"bank", "river"}
    assert set(model.words) == {"bank", "river"}
    per_year = [min(4, count) for word in model.words for count in model.count(word).values()]
    assert len(seen) == sum(per_year)
    assert model.provenance["settings"]["encoder"] == "encoder"
    assert model.provenance["device"] == "cpu"
    encoder.device = "cuda"
    again = ct.ContextualModel(encoder, words=("bank",), per_pair=1).fit(copied(small, tmp_path / "again"))
    assert "|cuda|" in again.signature, "vectors of a GPU differ by rounding"


def test_a_stopped_encoding_resumes_to_the_same_bytes_and_is_not_repeated(small, tmp_path):
    settings = {"words": 60, "per_pair": 30}
    whole = ct.ContextualModel(Counting(), **settings).fit(copied(small, tmp_path / "whole"))
    counts, stopped = copied(small, tmp_path / "stopped"), Counting(stop=1)
    with pytest.raises(KeyboardInterrupt):
        ct.ContextualModel(stopped, **settings).fit(counts)
    resumed = Counting()
    again = ct.ContextualModel(resumed, **settings).fit(counts)
    assert np.array_equal(again.vectors, whole.vectors)
    assert resumed.encoded > 0
    once_more = Counting()
    ct.ContextualModel(once_more, **settings).fit(counts)
    assert once_more.encoded == 0
    assert resumed.encoded + stopped.encoded == sum(
        min(30, count) for word in whole.words for count in whole.count(word).values()
    )


def test_documents_of_a_word_are_counted_though_the_model_has_few_words(small):
    few, all_words = (ct.ContextualModel(words=words).fit(small) for words in ("bank,river", 2000))
    given = {"min_count": 1, "words": "bank,river"}
    documents = [
        dict(ct.drift(model, **given).frame.select("word", "documents").iter_rows()) for model in (few, all_words)
    ]
    assert documents[0] == documents[1]


def test_the_command_takes_words_or_a_number_of_them(runs, chronotope, tmp_path):
    asked = ("train", runs["time"], "--method", "contextual", "--per-pair", 20, "-o", tmp_path / "m.ct", "--words")
    assert "1 word" in chronotope(*asked, 1).stderr
    with pytest.warns(UserWarning, match="left out: xyzzy"):
        chronotope(*asked, "bank,xyzzy", "--force")
    assert ct.load(tmp_path / "m.ct").words == ("bank",)


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"words": "xyzzy"}, "none of the words"),
        ({"encoder": "/no/such/folder"}, "cannot open the encoder"),
        ({"encoder": lambda texts, _: np.zeros((1, len(texts), 2))}, "one row per text"),
        ({"encoder": lambda texts, _: np.full((len(texts), 2), np.nan)}, "not finite"),
    ],
)
def test_what_cannot_be_encoded_is_said(small, settings, line):
    if isinstance(settings.get("encoder"), str):
        pytest.importorskip("transformers")
    with pytest.raises(InputError, match=line):
        ct.ContextualModel(**settings).fit(small)


@pytest.fixture(scope="module")
def tiny(small, tmp_path_factory):
    """A transformer of two layers with random weights, and a tokenizer of the words of the world."""
    torch, transformers = (
        pytest.importorskip(name, reason="needs a transformer") for name in ("torch", "transformers")
    )
    tokenizers = pytest.importorskip("tokenizers")
    words = ["[PAD]", "[UNK]", *small.vocabulary.words]
    plain = tokenizers.Tokenizer(tokenizers.models.WordLevel({word: at for at, word in enumerate(words)}, "[UNK]"))
    plain.normalizer = tokenizers.normalizers.Lowercase()
    plain.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    folder = tmp_path_factory.mktemp("tiny")
    transformers.PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="[PAD]", unk_token="[UNK]").save_pretrained(
        folder
    )
    transformers.BertModel(transformers.BertConfig(vocab_size=len(words), **sizes)).save_pretrained(folder)
    return str(folder)


def test_a_transformer_encodes_words_in_context(tiny, small):
    model = ct.ContextualModel(tiny, words="bank,river", per_pair=20).fit(small, device="cpu")
    assert model.dimensions == 16
    assert np.isfinite(model.vectors).all()
    assert tiny not in str(model.provenance), "the path is of this machine"
    embedded = ct.ContextualModel(tiny, words="bank,river", per_pair=20, layer=0).fit(small, device="cpu")
    assert not np.allclose(model.vectors, embedded.vectors)
    for settings, line in ({"layer": 9}, "no layer 9"), ({"dimensions": 5}, "has its own"):
        with pytest.raises(SettingsError, match=line):
            ct.ContextualModel(tiny, words="bank", **settings).fit(small)
