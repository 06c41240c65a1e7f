"""Renaming changes names and nothing else, and a good method sees through it."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections import Counter
from typing import NamedTuple
from unittest import mock

import numpy as np
import pytest
from scipy import sparse

import worlds
from chronotope.cli import main
from chronotope.conditions import Conditions
from chronotope.cooccurrence import count
from chronotope.cooccurrence.counting import count_cells, distance_weights
from chronotope.corpus import read_corpus
from chronotope.errors import InputError, SettingsError
from chronotope.evaluation.evaluate import evaluate
from chronotope.evaluation.renaming import MIN_COUNT, PAIRS_OF_A_WORD, _stretches, renamed
from chronotope.methods import METHODS, GraphModel, method_class


@pytest.fixture(scope="module", params=["time", "place", "both"])
def case(request, counts_of):
    """Counts by year, by place or by both, and the same renamed."""
    axes = {"time": {"time": "time"}, "place": {"place": "place"}, "both": {"time": "time", "place": "place"}}
    counts = counts_of(worlds.time_and_place(documents=600), **axes[request.param])
    return counts, renamed(counts, share=0.3)


@pytest.fixture(scope="module")
def still(counts_of):
    """Ten years in which nothing changes."""
    return counts_of(worlds.unchanged(), time="time")


def plain(name):
    return name.split("@")[0]


def ordered(counts, condition, names):
    """(W, W) how often the second word stands after the first, under the given names; the diagonal is counted apart."""
    cells = counts.cells(condition)
    other = cells.word != cells.context
    row = np.concatenate([cells.word, cells.context[other]])
    column = np.concatenate([cells.context, cells.word[other]])
    value = np.concatenate([cells.after, (cells.count - cells.after)[other]])
    found = sparse.coo_array((value, (names[row], names[column])), shape=(names.max() + 1,) * 2).toarray()
    return found, np.bincount(names[cells.word], np.where(other, 0, cells.count), names.max() + 1)


def test_every_condition_has_the_same_counts_under_other_names(case):
    counts, made = case
    before, after = (
        np.arange(len(counts.vocabulary)),
        np.array([counts.vocabulary.index(plain(word)) for word in made.counts.vocabulary.words]),
    )
    for condition in range(len(counts.conditions)):
        cells = made.counts.cells(condition)
        assert (cells.word <= cells.context).all()
        assert (np.diff(cells.word.astype(np.int64) << 32 | cells.context) > 0).all()
        for one, other in zip(ordered(counts, condition, before), ordered(made.counts, condition, after), strict=True):
            assert (one == other).all()
    assert (made.counts.pairs == counts.pairs).all()
    assert (made.counts.tokens == counts.tokens).all()
    assert made.counts.size == counts.size


def test_the_support_is_the_same_under_other_names(case):
    counts, made = case
    was, now = counts.vocabulary.support, made.counts.vocabulary.support
    words = made.counts.vocabulary.words
    for condition in range(len(counts.conditions)):
        called = [words[number] for number in now.words_in(condition).tolist()]
        found = dict(zip(map(plain, called), now.counts_in(condition).tolist(), strict=True))
        expected = (counts.vocabulary.words[number] for number in was.words_in(condition).tolist())
        assert found == dict(zip(expected, was.counts_in(condition).tolist(), strict=True))
        assert (np.diff(now.words_in(condition)) > 0).all()
    assert (made.counts.vocabulary.counts > 0).all(), "every name occurs"
    assert len(set(words)) == len(words)


def test_the_tokens_carry_the_same_names_as_the_cells(case):
    counts, made = case
    store, words = made.counts.store, len(made.counts.vocabulary)
    weights = distance_weights(counts.settings)
    for condition in range(len(counts.conditions)):
        documents = store.condition_slice(condition)
        ends = store.starts[documents.start + 1 : documents.stop + 1] - store.starts[documents.start]
        found = count_cells(
            store.ids[store.starts[documents.start] : store.starts[documents.stop]], ends, words, weights
        )
        assert all((one == other).all() for one, other in zip(found, made.counts.cells(condition), strict=True))
    assert (
        counts.store.words.gather(counts.store.ids) == [plain(word) for word in store.words.gather(store.ids)]
    ).all()


def test_names_last_a_few_bins_and_never_cross_a_place(case):
    counts, made = case
    conditions, support = counts.conditions, made.counts.vocabulary.support
    lives: dict[int, list[int]] = {}
    for condition in range(len(conditions)):
        for number in support.words_in(condition).tolist():
            lives.setdefault(number, []).append(condition)
    for number, where in lives.items():
        if "@" in made.counts.vocabulary.words[number]:
            if conditions.places:
                assert len({conditions.place_of[condition] for condition in where}) == 1
            if conditions.times:
                times = [conditions.time_of[condition] for condition in where]
                assert max(times) - min(times) < 5


def test_pairs_ask_for_another_name_of_the_same_word_where_both_occur(case):
    counts, made = case
    support, index = made.counts.vocabulary.support, made.counts.vocabulary.index
    for pair in made.pairs.pairs:
        assert plain(pair.query) == plain(pair.answer)
        assert pair.query != pair.answer
        for word, label in ((pair.query, pair.query_condition), (pair.answer, pair.answer_condition)):
            assert support.of(index(word), counts.conditions.index(label)) >= MIN_COUNT
    asked = Counter(pair.query for pair in made.pairs.pairs)
    assert max(asked.values()) <= PAIRS_OF_A_WORD
    assert len({plain(word) for word in asked}) == len(asked), "one question a word: intervals resample words"
    assert len(set(made.pairs.pairs)) == len(made.pairs.pairs)


def test_the_share_of_words(still):
    support = still.vocabulary.support
    known = (np.bincount(support.word[support.count >= MIN_COUNT], minlength=len(still.vocabulary)) >= 2).sum()
    for share in (0.1, 0.5, 1.0):
        words = renamed(still, share).counts.vocabulary.words
        assert len({plain(word) for word in words if "@" in word}) == round(share * known)


def test_a_name_lasts_every_length_equally_often():
    stretch = _stretches(Conditions.of_times([str(year) for year in range(400)]), 50, 4, np.random.default_rng(1))
    lengths = Counter(length for word in stretch.T for length in np.bincount(word)[1:-1].tolist())
    assert set(lengths) == {1, 2, 3, 4}
    assert max(lengths.values()) < 1.15 * min(lengths.values())


def test_the_same_seed_gives_the_same_and_the_input_stays_as_it_is(still):
    before = still.cells(3), still.vocabulary.support, still.vocabulary.words, still.checksum, np.array(still.store.ids)
    one, same, other = renamed(still, seed=4), renamed(still, seed=4), renamed(still, seed=5)
    assert one.pairs == same.pairs
    assert one.counts.checksum == same.counts.checksum != other.counts.checksum
    assert one.pairs.pairs != other.pairs.pairs
    assert all((a == b).all() for a, b in zip(one.counts.cells(3), same.counts.cells(3), strict=True))
    assert one.counts.checksum != still.checksum
    one.counts.store.ids[:] = 0
    assert all((a == b).all() for a, b in zip(still.cells(3), before[0], strict=True))
    assert still.vocabulary.support is before[1]
    assert (still.vocabulary.words, still.checksum) == before[2:4]
    assert (still.store.ids == before[4]).all()


def test_where_nothing_changes_a_good_method_finds_nearly_every_name():
    """Six years of random walks over the same links: every word has company of its own, which never changes."""
    random = np.random.default_rng(1)
    links = random.integers(0, 300, size=(300, 4))
    records = []
    for year in range(1990, 1996):
        walk = [0]
        for turn in random.integers(0, 4, size=15_000).tolist():
            # Now and then it begins anew, so that it never stays in a corner.
            walk.append(int(links[walk[-1], turn]) if len(walk) % 10 else int(random.integers(300)))
        records.append({"text": " ".join(f"w{word}" for word in walk), "time": str(year)})
    made = renamed(count(read_corpus(records, time="time"), min_count=5))
    scores = evaluate(GraphModel(dimensions=50).fit(made.counts), made.pairs)
    assert scores.answerable == scores.pairs
    assert scores.mrr > 0.9
    # Whoever cannot tell words apart is far below: the test is not easy by itself.
    assert evaluate(GraphModel(dimensions=2).fit(made.counts), made.pairs).mrr < 0.5


def test_the_scores_do_not_depend_on_the_threads(still):
    made = renamed(still)
    one, three = (
        evaluate(GraphModel(dimensions=20, epochs=3).fit(made.counts, threads=threads), made.pairs)
        for threads in (1, 3)
    )
    assert one == three


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_asked(still, method):
    pytest.importorskip("gensim")
    made = renamed(still)
    epochs = {} if method == "dynamic" else {"epochs": 3}
    embeddings = method_class(method)(dimensions=20, **epochs).fit(made.counts)
    assert embeddings.provenance["run"] == made.counts.checksum
    scores = evaluate(embeddings, made.pairs)
    assert scores.answerable == scores.pairs


def test_held_out_documents_stay_aside(counts_of):
    counts = counts_of(worlds.unchanged(), time="time", holdout=0.2)
    made = renamed(counts)
    assert counts.has_held_out
    assert not made.counts.has_held_out
    assert (made.counts.store.held_out == counts.store.held_out).all()


def test_a_word_that_holds_the_mark_keeps_its_own_name():
    records = [{"text": "a@1 b c d a@1 b c a " * 9, "time": year} for year in ("1990", "1991", "1992")]
    counts = count(read_corpus(records, time="time", tokenizer=str.split), min_count=1)
    words = renamed(counts, share=1.0, longest=1).counts.vocabulary.words
    assert len(set(words)) == len(words) == 3 * len(counts.vocabulary)
    assert "a@1@@3" in words


def test_what_cannot_be_renamed_is_refused(still, counts_of):
    for share in (0.0, 1.5, float("nan")):
        with pytest.raises(SettingsError, match="share must lie between 0 and 1"):
            renamed(still, share)
    with pytest.raises(SettingsError, match="longest"):
        renamed(still, longest=0)
    with pytest.raises(InputError, match="single condition"):
        renamed(counts_of(worlds.unchanged()))
    rare = count(read_corpus([{"text": "a b", "time": year} for year in ("1990", "1991")], time="time"), min_count=1)
    with pytest.raises(InputError, match="occurs 5 times in two conditions"):
        renamed(rare)
    with pytest.raises(InputError, match="no renamed word"):
        renamed(still, longest=10**9)


class Done(NamedTuple):
    stdout: str
    stderr: str


def run(*arguments, code=0):
    """The command line in this process: a new one for each command would take seconds."""
    out, talk, exited = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["chronotope", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(talk),
    ):
        try:
            main()
        except SystemExit as stopped:
            exited = stopped.code or 0
    assert exited == code, talk.getvalue()
    return Done(out.getvalue(), talk.getvalue())


def test_the_command_says_what_python_says(still):
    arguments = ("renamings", still.folder, "--dimensions", 20, "--epochs", 3, "--share", 0.2, "--seed", 7)
    done = run(*arguments, "--json")
    made = renamed(still, 0.2, seed=7)
    expected = evaluate(GraphModel(dimensions=20, epochs=3, seed=7).fit(made.counts), made.pairs)
    assert json.loads(done.stdout) == json.loads(json.dumps(expected.to_dict()))
    assert f"{len(made.pairs.pairs):,} pairs" in done.stderr
    assert sorted(path.suffix for path in still.folder.iterdir()).count(".ct") == 0, "nothing is written"
    assert "renamings share:0.2 longest:5 seed:7" in run(*arguments).stdout


def test_the_command_refuses_in_one_line(still, tmp_path):
    for arguments, message in (
        (("--share", 2), "share must lie between 0 and 1"),
        (("--method", "grap"), "did you mean graph"),
        (("--preset", "paper"), "add --method cw2v"),
        (("--retrieval", "dot"), "retrieval must be"),
        (("--method", "static", "--smoothness", 1), "static has no setting 'smoothness'"),
    ):
        assert message in run("renamings", still.folder, *arguments, code=2).stderr
    run("renamings", tmp_path / "nowhere", code=2)
