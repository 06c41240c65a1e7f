import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings, load
from chronotope.errors import DamagedFileError, InputError
from embeddings.invented import random_embeddings, support_from
from forging import forged_model

PARTS = ("vectors", "common", "condition_factors", "center")


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.ct"
    random_embeddings(words=9, dimensions=3, provenance={"method": "graph", "seed": 1}).save(path)
    return path


def same(a, b):
    return (
        a.words == b.words
        and a.conditions == b.conditions
        and a.provenance == b.provenance
        and all((x == y).all() and x.dtype == y.dtype for x, y in zip(a.observed, b.observed, strict=True))
        and all((getattr(a, name) == getattr(b, name)).all() for name in PARTS)
    )


@settings(max_examples=40)
@given(
    words=st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8")), min_size=1, max_size=6, unique=True),
    places=st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=4, unique_by=str.casefold),
    note=st.dictionaries(st.text(max_size=4), st.one_of(st.integers(), st.text(max_size=4), st.booleans())),
    seed=st.integers(0, 1000),
)
def test_save_then_load_is_the_identity(tmp_path_factory, words, places, note, seed):
    rng = np.random.default_rng(seed)
    support = support_from(rng.integers(0, 4, (len(places), len(words))) * (seed > 0))
    vectors = rng.standard_normal((len(support.word), 2))
    made = ConditionedEmbeddings(words, Conditions.of_places(places), support, vectors, provenance={"note": note})
    folder = tmp_path_factory.mktemp("saved")
    made.save(folder / "a.ct")
    loaded = load(folder / "a.ct")
    assert same(made, loaded)
    loaded.save(folder / "b.ct")
    assert (folder / "a.ct").read_bytes() == (folder / "b.ct").read_bytes()


def test_a_run_is_opened_by_its_folder(saved):
    assert same(load(saved.parent), load(saved))
    saved.rename(saved.with_name("other.ct"))
    with pytest.raises(InputError, match="is neither a model nor a run; make a run with: chronotope prepare"):
        load(saved.parent)
    with pytest.raises(InputError, match=r"cannot read .*model\.ct: No such file"):
        load(saved)


def test_saving_over_the_file_that_is_open(saved):
    before = saved.read_bytes()
    load(saved).save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["model.ct"]


def test_variances_are_kept_and_checked(tmp_path):
    path, bare = tmp_path / "model.ct", random_embeddings(words=9, dimensions=3)
    variances = np.random.default_rng(0).random(bare.vectors.shape, dtype=np.float32)
    random_embeddings(words=9, dimensions=3, variances=variances).save(path)
    assert (load(path, verify=True).variances == variances).all()
    assert same(load(path), bare)
    with pytest.raises(ValueError, match="variances has the shape"):
        random_embeddings(words=9, dimensions=3, variances=variances[1:])


def test_opening_does_not_copy_the_vectors(saved):
    vectors = load(saved).vectors
    assert not vectors.flags.owndata
    assert not vectors.flags.writeable


def test_a_file_cut_short_anywhere_is_damaged(saved):
    whole = saved.read_bytes()
    for length in [*range(0, len(whole), 100), 7, 8, 9, len(whole) - 1]:
        saved.write_bytes(whole[:length])
        with pytest.raises(DamagedFileError, match=r"model\.ct"):
            load(saved)
    saved.write_bytes(whole + b"\0")
    with pytest.raises(DamagedFileError, match="is damaged"):
        load(saved)


def test_any_changed_bit_outside_the_vectors_is_noticed(saved):
    whole = saved.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    begin, end = json.loads(whole[8:header])["vectors"]["data_offsets"]
    places = [place for place in range(len(whole)) if not header + begin <= place < header + end]
    rng = np.random.default_rng(0)
    for place in [*range(8), *rng.choice(places, 400, replace=False).tolist()]:
        for bit in range(8) if place < 8 else [int(rng.integers(8))]:
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            saved.write_bytes(changed)
            with pytest.raises(DamagedFileError):
                load(saved)


def change(part, key, value):
    """A lie: one value of the tensors' entries, or of the description, is replaced."""
    return lambda entries, described: (entries if part in entries else described)[part].update({key: value})


LIES = [
    (change("vectors", "shape", [10**15, 3]), "is damaged"),
    (change("words", "shape", [True]), "is damaged"),
    (lambda e, _: e["center"].update(data_offsets=e["condition_factors"]["data_offsets"]), "is damaged"),
    (change("support_word", "dtype", "F32"), "'support_word' has the type F32"),
    (lambda e, _: e.pop("center"), "is damaged"),
    (lambda e, _: e.update(more={"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}), "tensors of a model"),
    (lambda _, d: d.update(format=99), "its format is 99, of a newer chronotope; update"),
    (lambda _, d: d.update(format=2), "its format is 2, of an older chronotope; prepare and train it again"),
    (lambda _, d: d.update(words=10**12), "holds 9 words"),
    (lambda _, d: d.pop("conditions"), "has no conditions"),
    (change("conditions", "time_of", [0, 1, 7]), "outside its times"),
    (change("conditions", "times", [1990, "2000", "2010"]), "not a list of labels"),
    (change("conditions", "times", ["1990"] * 3), "the same label"),
]


@pytest.mark.parametrize(("lie", "message"), LIES)
def test_a_header_that_lies_is_not_believed(saved, lie, message):
    """Even if the checksum matches: it does not protect from someone who writes a file on purpose."""

    def lying(entries, described, body):
        lie(entries, described)
        return entries, described, body

    saved.write_bytes(forged_model(saved.read_bytes(), lying))
    with pytest.raises(DamagedFileError, match=message) as caught:
        load(saved)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"x", b"\xff" * 100, b"[" * 5000, (4000).to_bytes(8, "little") + b"[" * 4000])
def test_something_else_is_not_a_model(tmp_path, content):
    path = tmp_path / "other.ct"
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match=r"other\.ct"):
        load(path)


def test_a_model_answers_without_numba_and_the_corpus(saved):
    program = (
        f"import sys, chronotope as ct; ct.load({str(saved)!r}).equivalents('w1', '1990', '2000'); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"numba", "polars", "chronotope.corpus"}.isdisjoint(done.stdout.split())
