"""The corpora of the paper, in small files of the same layout."""

import gzip
import json

import pytest
from benchmarks.reproduce.corpora import ice_corpus, nyt_corpus, remove_markup

from chronotope.corpus import tokenize
from chronotope.errors import InputError
from worlds import documents, write

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


def array(records):
    return json.dumps(records, indent=1)


def lines(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def without(key, records):
    return [{name: value for name, value in record.items() if name != key} for record in records]


def news(folder, articles=ARTICLES, paragraphs=PARAGRAPHS, layout=array):
    paths = folder / "articles-search-1990-2016.json", folder / "paragraphs-1990-2016.json"
    for path, records in zip(paths, (articles, paragraphs), strict=True):
        path.write_text(layout(records), encoding="utf-8")
    return paths


def words_of(corpus, folder):
    """The words of each document, by condition."""
    store, found = tokenize(corpus, folder), {}
    for words, condition in zip(documents(store), store.document_condition.tolist(), strict=True):
        found.setdefault(store.conditions.labels[condition], []).append(words)
    return found


NEWS = {
    "1990": [["talks", "went", "on", "slowly"]],
    "1991": [["the", "match", "was", "long", "nobody", "won"]],
}


@pytest.mark.parametrize("layout", [array, lines])
@pytest.mark.parametrize("key", ["id", "url"])
def test_articles_get_their_paragraphs(tmp_path, layout, key):
    """Those without a counterpart are left out; files may be compressed, and sections chosen."""
    articles, paragraphs = news(tmp_path, without("url" if key == "id" else "id", ARTICLES), PARAGRAPHS, layout)
    assert words_of(nyt_corpus(articles, paragraphs), tmp_path / "store") == NEWS
    packed = tmp_path / "paragraphs.json.gz"
    packed.write_bytes(gzip.compress(paragraphs.read_bytes()))
    chosen = nyt_corpus(articles, packed, every="10y", where="section = 'Sports'")
    assert words_of(chosen, tmp_path / "store") == {"1990s": NEWS["1991"]}


def test_wrong_files_are_named(tmp_path):
    articles, paragraphs = news(tmp_path)
    with pytest.raises(InputError, match=r"no file .*missing.json"):
        nyt_corpus(tmp_path / "missing.json", paragraphs)
    with pytest.raises(InputError, match=r"paragraphs-1990-2016.json has no field 'date'; its fields are: id, url"):
        nyt_corpus(paragraphs, articles)
    with pytest.raises(InputError, match="neither 'id' nor 'url' in common; their fields: id, date, section"):
        nyt_corpus(*news(tmp_path, without("url", ARTICLES), without("id", PARAGRAPHS)))
    articles.write_text('[{"a": 1}, {"a": ')
    with pytest.raises(InputError, match=r"articles-search-1990-2016.json is not JSON: .* line 1 column"):
        nyt_corpus(articles, paragraphs)


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("<I> <ICE-CAN:W1A-001#1:1> <p> <#> The senate <it>met</it> . </p> </I>", "The senate met ."),
        ("a <X> to be <O>a table</O> or not </X> b", "a b"),
        ("a <&> sic <X> Shakespeare </X> here </&> b", "a b"),
        ("a <X_> extra <X/> <O_>table<O/> b", "a b"),
        ("a <X>first</X> kept <X>second</X> b", "a kept b"),
        ("one <X> never closed", "one never closed"),
        ("the <}> <-> goverment </-> <+> government </+> </}> fell", "the government fell"),
        ("he <del>was</del> is <unclear> one-word </unclear> there<fnr>1</fnr>", "he is there"),
        ("H<sb>2</sb>O and <bold>bo</bold>ld", "H2O and bold"),
        ("<$A> <#> Yes <,,> a <foreign>caf&eacute;</foreign> &square-root; b &amp; c", "Yes a café b & c"),
        ("if a < b and c > d", "if a < b and c > d"),
        ("two\n<X>\nlines\n</X>\nleft", "two\nleft"),
    ],
)
def test_markup_goes_and_text_stays(marked, plain):
    assert remove_markup(marked) == plain


@pytest.fixture
def ice(tmp_path):
    folder = tmp_path / "ice"
    files = {
        "ICE-CAN/Corpus/W1A-001.txt": b"<I> <ICE-CAN:W1A-001#1:1> Ottawa in <X> Paris </X> winter </I>",
        "ICE-CAN/Corpus/S1A-001.txt": b"<$A> <#> Eh <,> well",
        "ICE-CAN/Headers/W1A-001.txt": b"<author>nobody</author>",
        "ICE-CAN/readme.txt": b"Read me",
        "ireland/letter.txt": "Dublin caf\u00e9".encode("cp1252"),
        "readme.txt": b"Read me, too",
    }
    for name, data in files.items():
        write(folder / name, data)
    return folder


def test_a_region_is_a_place_and_written_texts_can_be_chosen(ice, tmp_path):
    written = ["ottawa", "in", "winter"]
    everything = {"ICE-CAN": [["eh", "well"], written], "ireland": [["dublin", "café"]]}
    assert words_of(ice_corpus(ice), tmp_path / "store") == everything
    assert words_of(ice_corpus(ice, where="kind = 'written'"), tmp_path / "store") == {"ICE-CAN": [written]}


def test_a_folder_of_another_layout_is_refused(ice, tmp_path):
    with pytest.raises(InputError, match=r"a folder of .txt files for each region; it holds S1A-001.txt, W1A-001.txt"):
        ice_corpus(ice / "ICE-CAN" / "Corpus")
    with pytest.raises(InputError, match="there is no folder"):
        ice_corpus(tmp_path / "missing")
