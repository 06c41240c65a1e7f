"""The corpora of the paper, in small files of the same layout."""

import gzip
import json

import pytest
from benchmarks.reproduce.corpora import ice_corpus, nyt_corpus, remove_markup

from chronotope.errors import InputError
from worlds import documents, tokenize, write

ARTICLES = [
    {"id": "a", "url": "http://n/1", "date": "1990-01-05", "section": "World", "lead": "Not read"},
    {"id": "b", "url": "http://n/2", "date": "1991-03-01", "section": "Sports", "lead": None},
    {"id": "c", "url": "http://n/3", "date": "1991-04-01", "section": "World"},
]
PARAGRAPHS = [
    {"id": "b", "url": "http://n/2", "paragraphs": ["The match was long.", "Nobody won."]},
    {"id": "a", "url": "http://n/1", "paragraphs": ["Talks went on – “slowly”."]},
    {"id": "z", "url": "http://n/9", "paragraphs": ["Lost words."]},
]


def without(key, records):
    return [{name: value for name, value in record.items() if name != key} for record in records]


def words_of(corpus, folder):
    """The words of each document, by condition."""
    store, found = tokenize(corpus, folder), {}
    for words, condition in zip(documents(store), store.document_condition.tolist(), strict=True):
        found.setdefault(store.conditions.labels[condition], []).append(words)
    return found


@pytest.mark.parametrize("key", ["id", "url"])
def test_articles_get_their_paragraphs(tmp_path, key):
    """By either key, from an array or from lines; those without a counterpart are left out."""
    articles = write(tmp_path / "articles.json", json.dumps(without("url" if key == "id" else "id", ARTICLES)))
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in PARAGRAPHS).encode()
    paragraphs = write(tmp_path / "paragraphs.json.gz", gzip.compress(lines))
    news = {"1990": [["talks", "went", "on", "slowly"]], "1991": [["the", "match", "was", "long", "nobody", "won"]]}
    assert words_of(nyt_corpus(articles, paragraphs), tmp_path / "store") == news
    chosen = nyt_corpus(articles, paragraphs, every="10y", where="section = 'Sports'")
    assert words_of(chosen, tmp_path / "store") == {"1990s": news["1991"]}
    with pytest.raises(InputError, match=r"paragraphs.json.gz has no field 'date'; its fields are: id, url"):
        nyt_corpus(paragraphs, articles)
    with pytest.raises(InputError, match="neither 'id' nor 'url' in common"):
        nyt_corpus(articles, write(tmp_path / "other.json", json.dumps(without(key, PARAGRAPHS))))
    with pytest.raises(InputError, match=r"articles.json is not JSON: .* line 1 column"):
        nyt_corpus(write(articles, '[{"a": 1}, {"a": '), paragraphs)


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("<I> <ICE-CAN:W1A-001#1:1> <p> <#> The senate <it>met</it> . </p> </I>", "The senate met ."),
        ("a <X> to be <O>a table</O> or not </X> b", "a b"),
        ("a <&> sic <X> Shakespeare </X> here </&> b", "a b"),
        ("a <X_> extra <X/> kept <O_>table<O/> b", "a kept b"),
        ("one <X> never closed", "one never closed"),
        ("the <}> <-> goverment </-> <+> government </+> </}> fell", "the government fell"),
        ("he <del>was</del> is <unclear> one-word </unclear> there<fnr>1</fnr>", "he is there"),
        ("H<sb>2</sb>O and <bold>bo</bold>ld", "H2O and bold"),
        ("<$A> <#> Yes <,,> a <foreign>caf&eacute;</foreign> &square-root; b &amp; c", "Yes a café b & c"),
        ("if a < b and c > d\n<X>\nlines\n</X>\nleft", "if a < b and c > d\nleft"),
    ],
)
def test_markup_goes_and_text_stays(marked, plain):
    assert remove_markup(marked) == plain


def test_a_region_is_a_place_and_written_texts_can_be_chosen(tmp_path):
    for name, data in {
        "ICE-CAN/Corpus/W1A-001.txt": b"<I> <ICE-CAN:W1A-001#1:1> Ottawa in <X> Paris </X> winter </I>",
        "ICE-CAN/Corpus/S1A-001.txt": b"<$A> <#> Eh <,> well",
        "ICE-CAN/Headers/W1A-001.txt": b"<author>nobody</author>",
        "ICE-CAN/readme.txt": b"Read me",
        "ireland/letter.txt": "Dublin caf\u00e9".encode("cp1252"),
        "readme.txt": b"Read me, too",
    }.items():
        write(tmp_path / "ice" / name, data)
    written = ["ottawa", "in", "winter"]
    everything = {"ICE-CAN": [["eh", "well"], written], "ireland": [["dublin", "café"]]}
    assert words_of(ice_corpus(tmp_path / "ice"), tmp_path / "store") == everything
    assert words_of(ice_corpus(tmp_path / "ice", where="kind = 'written'"), tmp_path / "store") == {
        "ICE-CAN": [written]
    }
    with pytest.raises(InputError, match=r"a folder of .txt files for each region; it holds S1A-001.txt, W1A-001.txt"):
        ice_corpus(tmp_path / "ice" / "ICE-CAN" / "Corpus")
