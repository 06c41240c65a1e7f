"""What is written is what the real libraries read: the same words, the same vectors, the same answers."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pytest
from safetensors.numpy import load_file

import chronotope as ct
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.formats import FORMATS, MANIFEST, export
from chronotope.errors import InputError, SettingsError, UnknownConditionError
from embeddings.invented import model_of, random_embeddings

GRID = Conditions(("1998", "1999"), ("canada", "us a"), (0, 0, 1, 1), (0, 1, 0, 1))


@pytest.fixture(scope="module")
def embeddings() -> ConditionedEmbeddings:
    return random_embeddings(conditions=GRID, provenance={"method": "graph", "seed": 1})


def with_words(words: list[str]) -> ConditionedEmbeddings:
    vectors = np.random.default_rng(1).standard_normal((1, len(words), 4))
    return model_of(vectors, Conditions.of_places(["here"]), words)


@pytest.mark.parametrize("format", ["word2vec", "word2vec-binary", "keyedvectors"])
def test_gensim_reads_the_same_vectors_and_gives_the_same_neighbors(embeddings, format, tmp_path):
    gensim = pytest.importorskip("gensim.models")
    export(embeddings, tmp_path / "out", format)
    for label, name in (("1998/canada", "1998-canada"), ("1999/us a", "1999-us-a")):
        path = str(tmp_path / "out" / name)
        if format == "keyedvectors":
            read = gensim.KeyedVectors.load(f"{path}.kv")
        else:
            ending, binary = (".txt", False) if format == "word2vec" else (".bin", True)
            read = gensim.KeyedVectors.load_word2vec_format(path + ending, f"{path}.vocab", binary=binary)
        here = embeddings.at(label)
        assert read.index_to_key == here.index_to_key
        assert np.array_equal(read.vectors, here.vectors)
        for word in here.index_to_key[:5]:
            assert read.get_vecattr(word, "count") == embeddings.count(word, label)
            found = embeddings.neighbors(word, label, 5, min_count=1)
            theirs = read.most_similar(word, topn=5)
            assert [one for one, _ in theirs] == [match.word for match in found]
            assert [cosine for _, cosine in theirs] == pytest.approx([match.similarity for match in found], abs=1e-5)


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_tables_hold_every_pair_with_a_vector_of_fixed_size(embeddings, format, tmp_path):
    export(embeddings, tmp_path / "out", format)
    path = tmp_path / "out" / f"vectors.{format}"
    frame = pl.read_parquet(path) if format == "parquet" else pl.read_ipc(path)
    assert frame.columns == ["condition", "word", "count", "vector"]
    assert frame.schema["vector"] == pl.Array(pl.Float32, embeddings.dimensions)
    assert frame.height == len(embeddings.observed.word)
    for condition, word, support, vector in frame.sample(20, seed=1).rows():
        assert support == embeddings.count(word, condition)
        assert np.array_equal(np.array(vector, np.float32), embeddings.vector(word, condition))
    if format == "arrow":
        with pa.memory_map(str(path)) as file:
            assert pyarrow.ipc.open_file(file).read_all().num_rows == frame.height


def test_numpy_needs_no_pickle_and_can_be_mapped(embeddings, tmp_path):
    export(embeddings, tmp_path / "out", "numpy")
    vectors = np.load(tmp_path / "out" / "vectors.npy", mmap_mode="r")
    index = np.load(tmp_path / "out" / "index.npz")
    assert index["conditions"].tolist() == list(GRID.labels)
    for row in range(0, len(vectors), 7):
        word, label = index["words"][index["word"][row]], index["conditions"][index["condition"][row]]
        assert np.array_equal(vectors[row], embeddings.vector(str(word), str(label)))
        assert index["count"][row] == embeddings.count(str(word), str(label))


def test_the_projector_finds_a_row_of_metadata_for_each_vector(tmp_path):
    odd = with_words(["new\tyork", 'a"b', "x y", "plain"])
    export(odd, tmp_path / "out", "projector")
    entry = json.loads((tmp_path / "out" / "projector_config.json").read_text())["embeddings"][0]
    vectors = np.loadtxt(tmp_path / "out" / entry["tensorPath"], delimiter="\t", dtype=np.float32)
    assert list(vectors.shape) == entry["tensorShape"]
    with open(tmp_path / "out" / entry["metadataPath"], newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert rows[0] == ["label", "word", "condition", "count"]
    assert [row[1] for row in rows[1:]] == ["new york", 'a"b', "x y", "plain"]
    assert 'metadata_path: "metadata.tsv"' in (tmp_path / "out" / "projector_config.pbtxt").read_text()


def test_a_hugging_face_folder_opens_here_and_with_safetensors_alone(embeddings, tmp_path):
    export(embeddings, tmp_path / "out", "huggingface")
    again = ct.load(tmp_path / "out" / "model.safetensors")
    with pytest.raises(InputError, match=r"out is an export; open .*model\.safetensors"):
        ct.load(tmp_path / "out")
    assert again.neighbors("w3", "1999/us a") == embeddings.neighbors("w3", "1999/us a")
    card = (tmp_path / "out" / "README.md").read_text()
    assert card.startswith("---\nlibrary_name: chronotope\n")
    for told in (
        "The model does not name its text",
        "| 1998/us a |",
        "## Limits",
        "gong-etal-2020",
        embeddings.signature,
    ):
        assert told in card
    # The lines for readers without chronotope do what they say.
    model = load_file(tmp_path / "out" / "model.safetensors")
    code = card.split("```python\n")[2].split("```")[0].replace('load_file("model.safetensors")', "model")
    names: dict = {"model": model}
    exec(code, names)
    for word in ("w1", "w2"):
        assert np.allclose(names["of"][word], embeddings.vector(word, "1998/canada"))


def test_a_run_is_exported_by_its_path_and_the_card_names_its_text(tmp_path):
    source, run = tmp_path / "speeches.csv", tmp_path / "run"
    source.write_text("text,time\n" + "the river and the bank,1998\nthe bank and the money,1999\n" * 5)
    counts = ct.count(ct.read_corpus(source, time="time"), run, min_count=1)
    ct.GraphModel(dimensions=2).fit(counts).save(run / "model.ct")
    assert ct.export(run, tmp_path / "out", "huggingface").conditions.keys() == {"1998", "1999"}
    card = (tmp_path / "out" / "README.md").read_text()
    assert f"- speeches.csv, {source.stat().st_size} bytes, checksum `" in card
    assert "Counted with `{" in card


def test_what_is_absent_is_written_only_when_asked(embeddings, tmp_path):
    absent = next(word for word in embeddings.words if embeddings.count(word, "1998/canada") == 0)
    export(embeddings, tmp_path / "plain", "glove", at="1998/canada")
    export(embeddings, tmp_path / "all", "glove", at=["1998/CANADA"], min_count=0)
    plain, everything = (ct.read_vectors(tmp_path / name / "1998-canada.txt") for name in ("plain", "all"))
    assert absent not in plain
    first = (tmp_path / "plain" / "1998-canada.txt").read_text().split(" ")[0]
    assert first == plain.index_to_key[0] == embeddings.at("1998/canada").index_to_key[0], "glove has no header"
    assert set(everything.index_to_key) == set(embeddings.words)
    export(embeddings, tmp_path / "model", "huggingface", at="1998/canada", min_count=0)
    model = ct.load(tmp_path / "model" / "model.safetensors")
    ours, theirs = (one.vector(absent, "1998/canada", fallback=True) for one in (model, embeddings))
    assert np.array_equal(ours, theirs)
    with pytest.raises(InputError, match="no word occurs 1,000,000 times or more"):
        export(embeddings, tmp_path / "none", "glove", min_count=10**6)


def test_only_the_most_frequent_words(embeddings, tmp_path):
    total = {word: sum(embeddings.count(word).values()) for word in embeddings.words}
    least = sorted(total.values())[-10]
    for format in ("parquet", "huggingface"):
        done = export(embeddings, tmp_path / format, format, max_words=10, at=["1998/canada", "1999/canada"])
        assert list(done.conditions) == ["1998/canada", "1999/canada"]
    again = ct.load(tmp_path / "huggingface" / "model.safetensors")
    assert again.conditions.labels == ("1998/canada", "1999/canada")
    asked = {"word": again.words[0], "at": "1999/canada", "fallback": True}
    assert np.array_equal(again.vector(**asked), embeddings.vector(**asked))
    assert set(pl.read_parquet(tmp_path / "parquet" / "vectors.parquet")["word"]) <= set(again.words)
    assert all(total[word] >= least for word in again.words)


def test_a_list_of_one_folder_is_that_folder(embeddings, tmp_path):
    export(embeddings, tmp_path / "out", "word2vec")
    assert ct.align([tmp_path / "out"], center=False).conditions == ct.align(tmp_path / "out").conditions
    with pytest.raises(InputError, match="align takes two models at least, not 1"):
        ct.align([next((tmp_path / "out").glob("*.txt"))])


@pytest.mark.parametrize("format", ["word2vec", "word2vec-binary", "glove"])
def test_words_with_blanks_are_renamed_and_the_manifest_says_how(format, tmp_path):
    words = ["new york", "new_york", "a b", "line sep", "tab\there", "bell\x07", "ok"]
    done = export(with_words(words), tmp_path / "out", format)
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert manifest["renamed"] == done.renamed
    assert done.renamed["new york"] == "new_york_2"
    ending = ".bin" if format == "word2vec-binary" else ".txt"
    read = ct.read_vectors(tmp_path / "out" / f"here{ending}")
    assert sorted(read.index_to_key) == sorted(done.renamed.get(word, word) for word in words)
    assert len(set(read.index_to_key)) == len(words)


def test_file_names_are_safe_and_distinct(tmp_path):
    labels = ["a/b", "a-b", "..", "CON", "ünï", "x" * 200, "a b", "?*|"]
    odd = model_of(np.random.default_rng(1).standard_normal((len(labels), 2, 3)), Conditions.of_places(labels))
    done = export(odd, tmp_path / "deep" / "out", "glove")
    names = [name for name in done.files if name.endswith(".txt")]
    assert len({name.casefold() for name in names}) == len(labels)
    assert all(Path(name).name == name and len(name.encode()) < 120 and not name.startswith(".") for name in names)
    assert "CON.txt" not in names
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == ["out"], "nothing is left behind"


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_model_gives_the_same_bytes(embeddings, format, tmp_path):
    if format == "keyedvectors":
        pytest.importorskip("gensim")
    for name in ("one", "two"):
        export(embeddings, tmp_path / name, format)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_nothing_is_overwritten_by_accident(embeddings, tmp_path):
    export(embeddings, tmp_path / "out", "glove")
    with pytest.raises(
        InputError, match=r"holds an export; force=True \(--force\) replaces it, or choose another folder"
    ):
        export(embeddings, tmp_path / "out", "numpy")
    export(embeddings, tmp_path / "out", "numpy", force=True)
    assert not list((tmp_path / "out").glob("*.txt"))
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="not an export"):
        export(embeddings, mine, "numpy", force=True)
    with pytest.raises(InputError, match="is a file"):
        export(embeddings, mine / "thesis.txt", "numpy")
    with pytest.raises(UnknownConditionError):
        export(embeddings, tmp_path / "new", "numpy", at="1066")
    with pytest.raises(SettingsError, match="format must be"):
        export(embeddings, tmp_path / "new", "excel")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "out"]


def test_contexts_are_exported_with_all_words_and_left_out_with_a_warning_otherwise(tmp_path):
    rng = np.random.default_rng(1)
    full = model_of(rng.standard_normal((2, 3, 4)), count=[9, 8, 7], contexts=rng.standard_normal((3, 4)))
    export(full, tmp_path / "one", "huggingface", at="1990")
    assert np.array_equal(ct.load(tmp_path / "one" / "model.safetensors").contexts, full.contexts)
    with pytest.warns(UserWarning, match="2 of 3 words, so it leaves out the contexts"):
        export(full, tmp_path / "two", "huggingface", max_words=2)
    assert not len(ct.load(tmp_path / "two" / "model.safetensors").contexts)
