"""Renaming changes names and nothing else, and a good method sees through it."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.cooccurrence.counting import count_cells, distance_weights
from chronotope.errors import InputError, SettingsError
from chronotope.evaluation.renaming import MIN_COUNT, PAIRS_OF_A_WORD, renamed
from chronotope.methods import METHODS, method_class


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


def test_tokens_cells_and_support_are_the_same_under_other_names(case):
    """The tokens are the same words, and cells and support are what counting these tokens gives."""
    counts, made = case
    store, support, words = made.counts.store, made.counts.vocabulary.support, len(made.counts.vocabulary)
    for condition in range(len(counts.conditions)):
        documents = store.condition_slice(condition)
        begin, end = store.starts[documents.start], store.starts[documents.stop]
        ids, ends = store.ids[begin:end], store.starts[documents.start + 1 : documents.stop + 1] - begin
        found = count_cells(ids, ends, words, distance_weights(counts.settings))
        assert all((one == other).all() for one, other in zip(found, made.counts.cells(condition), strict=True))
        times = np.bincount(ids[ids < words], minlength=words)
        assert (np.flatnonzero(times) == support.words_in(condition)).all()
        assert (times[times > 0] == support.counts_in(condition)).all()
    assert counts.store.words.gather(counts.store.ids).to_list() == list(map(plain, store.words.gather(store.ids)))
    assert (made.counts.pairs == counts.pairs).all()
    assert (made.counts.tokens == counts.tokens).all()
    assert made.counts.size == counts.size
    assert (made.counts.vocabulary.counts > 0).all(), "every name occurs"
    assert len(set(made.counts.vocabulary.words)) == words


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
    for share in (0.1, 1.0):
        words = renamed(still, share).counts.vocabulary.words
        assert len({plain(word) for word in words if "@" in word}) == round(share * known)


def test_the_same_seed_gives_the_same_and_the_input_stays_as_it_is(still):
    before = still.cells(3), np.array(still.store.ids)
    one, same, other = renamed(still, seed=4), renamed(still, seed=4), renamed(still, seed=5)
    assert one.pairs == same.pairs
    assert one.counts.checksum == same.counts.checksum != other.counts.checksum
    assert one.pairs.pairs != other.pairs.pairs
    one.counts.store.ids[:] = 0
    assert all((a == b).all() for a, b in zip(still.cells(3), before[0], strict=True))
    assert (still.store.ids == before[1]).all()


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
    counts = ct.count(ct.read_corpus(records, time="time"), min_count=5)
    answer = ct.evaluate([ct.GraphModel(dimensions=2), ct.GraphModel(dimensions=50)], renamings=counts)
    assert answer["model"].to_list() == ["GraphModel(dimensions=50)", "GraphModel(dimensions=2)"]
    assert answer["mrr"][0] > 0.9
    assert answer["mrr"][1] < 0.5, "a method that cannot tell words apart is far below"
    assert answer["significant"][1]
    assert (answer["answerable"] == answer["pairs"]).all()


def test_a_trained_model_stands_for_its_method_and_settings(still):
    method = ct.GraphModel(dimensions=20, epochs=3)
    fitted = method.fit(still)
    found = [
        ct.evaluate(method, renamings=renamed(still), fitting={"threads": 3}),
        ct.evaluate(fitted, renamings=True),
        ct.evaluate(fitted, renamings=still, fitting={"threads": 1}),
    ]
    assert found[0].to_dict() == found[1].to_dict() == found[2].to_dict()
    with pytest.raises(SettingsError, match="give the counts"):
        ct.evaluate(method, renamings=True)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_asked(still, method):
    if method == "contextual":
        with pytest.raises(SettingsError, match="contextual reads the text"):
            ct.evaluate(method_class(method)(), renamings=renamed(still))
        return
    if method in ("static", "linear", "aligned", "continuous"):
        pytest.importorskip("torch" if method == "continuous" else "gensim")
    epochs = {} if method == "dynamic" else {"epochs": 3}
    found = ct.evaluate(method_class(method)(dimensions=20, **epochs), renamings=renamed(still))
    assert found["answerable"][0] == found["pairs"][0]


def test_held_out_documents_stay_held_out(counts_of):
    counts = counts_of(worlds.unchanged(), time="time", holdout=0.2)
    made = renamed(counts)
    assert counts.has_held_out
    assert not made.counts.has_held_out
    assert (made.counts.store.held_out == counts.store.held_out).all()


def test_a_word_that_contains_the_mark_keeps_its_own_name():
    records = [{"text": "a@1 b c d a@1 b c a " * 9, "time": year} for year in ("1990", "1991", "1992")]
    counts = ct.count(ct.read_corpus(records, time="time", tokenizer=str.split), min_count=1)
    words = renamed(counts, share=1.0, longest=1).counts.vocabulary.words
    assert len(set(words)) == len(words) == 3 * len(counts.vocabulary)
    assert "a@1@@3" in words


def test_what_cannot_be_renamed_is_refused(still, counts_of):
    records = [{"text": "a b", "time": year} for year in ("1990", "1991")]
    rare = ct.count(ct.read_corpus(records, time="time"), min_count=1)
    for counts, options, error, message in (
        (still, {"share": 0.0}, SettingsError, "share must lie between 0 and 1"),
        (still, {"share": float("nan")}, SettingsError, "share must lie between 0 and 1"),
        (still, {"longest": 0}, SettingsError, "longest"),
        (still, {"longest": 10**9}, InputError, "no renamed word"),
        (counts_of(worlds.unchanged()), {}, InputError, "single condition"),
        (rare, {}, InputError, "occurs 5 times in two conditions"),
    ):
        with pytest.raises(error, match=message):
            renamed(counts, **options)


def test_the_command_says_what_python_says(still, chronotope):
    options = {"dimensions": 20, "epochs": 3, "share": 0.2, "seed": 7}
    arguments = ("evaluate", still.folder, "--renamings", *(f"--{name}={value}" for name, value in options.items()))
    made = renamed(still, 0.2, seed=7)
    expected = ct.evaluate(ct.GraphModel(dimensions=20, epochs=3, seed=7), renamings=made)
    done = chronotope(*arguments, "--json")
    assert json.loads(done.stdout) == expected.to_dict()
    assert f"{len(made.pairs.pairs):,} test pairs" in done.stderr
    assert not list(still.folder.glob("*.ct")), "nothing is written"
    assert "renamings share:0.2 longest:5 seed:7" in chronotope(*arguments).stdout
