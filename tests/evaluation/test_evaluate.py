"""Scores of models whose ranks are known by construction."""

from __future__ import annotations

import json

import numpy as np
import pytest

import worlds
from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError
from chronotope.evaluation.compare import compare
from chronotope.evaluation.evaluate import evaluate
from chronotope.evaluation.pairs import TestPair
from chronotope.evaluation.scores import Scores

WORDS = [f"word{number:02}" for number in range(15)]


def model(words: list[str] = WORDS, rare: int = -1) -> ConditionedEmbeddings:
    """Words at growing angles, the same in both places: the k-th word is the k-th nearest to the first.

    The word with the number `rare` occurs once in Ireland, every other nine times in each place.
    """
    angle = np.arange(len(words)) * 0.1
    vectors = np.column_stack([np.cos(angle), np.sin(angle)])
    count = np.full(2 * len(words), 9)
    if rare >= 0:
        count[len(words) + rare] = 1
    support = Support(np.array([0, 1, 2]) * len(words), np.tile(np.arange(len(words)), 2), count)
    return ConditionedEmbeddings(
        words, Conditions.of_places(["canada", "ireland"]), support, np.tile(vectors, (2, 1)), center=np.zeros((2, 2))
    )


def asked(answer: str, query: str = "word00", category: str = "", to: str = "ireland") -> TestPair:
    return TestPair(query, "canada", answer, to, category)


def test_ranks_by_hand() -> None:
    pairs = [asked("word00"), asked("word03"), asked("word09"), asked("word10"), asked("word02", query="word01")]
    scores = evaluate(model(), pairs, retrieval="cosine")
    # word02 is as near to word01 as word00 is; of equals the first in the vocabulary comes first, or rounding decides
    assert scores.ranks[:4] == (1, 4, 10, 0)
    assert scores.ranks[4] in (2, 3)
    assert scores.mrr == pytest.approx((1 + 1 / 4 + 1 / 10 + 1 / scores.ranks[4]) / 5)
    assert scores.mp == pytest.approx({1: 0.2, 3: 0.4, 5: 0.6, 10: 0.8})
    assert scores.answerable == scores.pairs == 5


def test_what_cannot_be_answered_counts_as_wrong() -> None:
    pairs = [
        asked("word01"),
        asked("paris"),
        asked("word01", query="paris"),
        asked("word01", to="france"),
        TestPair("word00", "france", "word01", "canada"),
        asked("word05"),
    ]
    scores = evaluate(model(rare=5), pairs, retrieval="cosine")
    assert scores.ranks == (2, 0, 0, 0, 0, 0)
    assert (scores.pairs, scores.answerable) == (6, 1)
    assert scores.mrr == pytest.approx(0.5 / 6)
    assert scores.mrr_answerable == 0.5


def test_rare_words_are_candidates_only_where_they_are_asked_for() -> None:
    for min_count, ranks in ((5, (0, 6)), (1, (6, 7)), (0, (6, 7))):
        scores = evaluate(
            model(rare=5), [asked("word05"), asked("word06")], min_count=min_count, retrieval="cosine"
        )
        assert scores.ranks == ranks


def test_a_deeper_look_finds_more() -> None:
    scores = evaluate(model(), [asked("word11")], retrieval="cosine", depth=12)
    assert scores.ranks == (12,)
    assert scores.mrr == pytest.approx(1 / 12)
    assert scores.mp[10] == 0
    with pytest.raises(SettingsError, match="depth"):
        evaluate(model(), [asked("word11")], depth=5)


def test_same_words_and_categories_are_scored_apart() -> None:
    pairs = [asked("word00", category="river"), asked("word01", category="city"), asked("word03", category="city")]
    scores = evaluate(model(), [*pairs, asked("word01")], retrieval="cosine")
    assert (scores.same_word.pairs, scores.same_word.mrr) == (1, 1.0)
    assert (scores.different_words.pairs, scores.different_words.mrr) == (3, pytest.approx((0.5 + 0.25 + 0.5) / 3))
    assert list(scores.categories) == ["(none)", "city", "river"]
    assert scores.categories["city"].mrr == pytest.approx((0.5 + 0.25) / 2)
    assert scores.categories["river"].mrr == 1.0
    assert evaluate(model(), [asked("word01")]).categories == {}


def test_a_kind_without_pairs_has_no_scores() -> None:
    scores = evaluate(model(), [asked("word01")])
    assert scores.same_word.pairs == 0
    names = ("mrr", "mp@1", "mp@3", "mp@5", "mp@10", "mrr_answerable")
    assert {scores.to_dict()["same_word"][name] for name in names} == {None}
    row = scores.to_polars().row(1, named=True)
    assert (row["part"], row["pairs"]) == ("same word", 0)
    assert {row[name] for name in names} == {None}


def test_a_file_is_read_and_named_in_the_signature(tmp_path) -> None:
    path = tmp_path / "tests.csv"
    path.write_text("word00-Canada,word00-ireland\nword00-canada,nowhere-ireland\n", encoding="utf-8")
    scores = evaluate(model(), path)
    assert scores.signature.startswith("tests.csv|depth:10|oov:wrong|pairs:2|answerable:1|min support:5|csls|")
    assert scores.signature.endswith(model().signature)
    path.write_text("word00-Canada,word01-ireland\nword00-canada,nowhere-ireland\n", encoding="utf-8")
    assert evaluate(model(), path).signature != scores.signature


def test_lines_of_a_file_are_pairs_too() -> None:
    lines = ["# a comment", "word00-Canada,word01-ireland,city"]
    assert evaluate(model(), lines) == evaluate(model(), [asked("word01", category="city")])
    with pytest.raises(InputError, match="pairs:1: 'word00' is not of the form word-condition"):
        evaluate(model(), ["word00,word01-ireland"])
    with pytest.raises(InputError, match="must be a TestPair, or a line of text, not int"):
        evaluate(model(), [1])


def test_the_signature_says_what_could_change_the_scores() -> None:
    pairs = [asked("word01")]
    signatures = {
        evaluate(model(), pairs).signature,
        evaluate(model(), pairs, retrieval="cosine").signature,
        evaluate(model(), pairs, min_count=1).signature,
        evaluate(model(), pairs, depth=11).signature,
        evaluate(model(), [asked("word02")]).signature,
    }
    assert len(signatures) == 5


def test_as_plain_data() -> None:
    data = evaluate(model(), [asked("word01", category="city"), asked("word02", category="city")]).to_dict()
    wanted = {"mrr", "mp@1", "mp@3", "mp@5", "mp@10", "pairs", "answerable", "mrr_answerable", "signature"}
    assert wanted <= set(data)
    assert wanted - {"signature"} <= set(data["categories"]["city"])
    assert json.loads(json.dumps(data)) == data
    assert data["intervals"]["mrr"] == [0, 1], "one word is asked about"


def test_pairs_about_other_conditions_only_are_refused() -> None:
    with pytest.raises(InputError, match="the model has canada, ireland"):
        evaluate(model(), [asked("word01", to="france")])


def test_the_order_of_the_pairs_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    pairs = [asked(WORDS[b], query=WORDS[a]) for a, b in rng.integers(0, 15, (60, 2))]
    shuffled = [pairs[number] for number in rng.permutation(60)]
    one, other = evaluate(model(), pairs).to_dict(), evaluate(model(), shuffled).to_dict()
    assert other["mrr"] == pytest.approx(one["mrr"])
    assert other["intervals"]["mrr"] == pytest.approx(one["intervals"]["mrr"])
    assert other["answerable"] == one["answerable"]


def scored(gap: int) -> Scores:
    """Every query's answer is `gap` places behind it."""
    pairs = [asked(WORDS[number], query=WORDS[number]) for number in range(12)]
    ranks = np.array([1 + (number % 3 + 1) * gap for number in range(12)])
    scores = evaluate(model(), pairs)
    data = {**vars(scores), "ranks": tuple(ranks.tolist()), "mrr": float((1 / ranks).mean())}
    return Scores(**data)


def test_a_clear_difference_is_no_luck() -> None:
    """The second model is better for every word, so it is in every resample."""
    (found,) = compare([scored(2), scored(1)])
    assert found.difference == pytest.approx((1 / 2 - 1 / 3 + 1 / 3 - 1 / 5 + 1 / 4 - 1 / 7) / 3)
    assert found.interval.low > 0
    assert found.other_sign == 0
    assert compare([scored(2), scored(1)]) == [found]
    assert json.loads(json.dumps(found.to_dict()))["second"] == 1


def test_a_model_compared_with_itself_differs_by_luck_only() -> None:
    (found,) = compare([scored(1), scored(1)])
    assert found.difference == 0
    assert found.interval == (0, 0)
    assert found.other_sign == 1


def test_the_difference_turns_with_the_order() -> None:
    one, other = compare([scored(1), scored(3)])[0], compare([scored(3), scored(1)])[0]
    assert one.difference == -other.difference
    assert one.interval == pytest.approx((-other.interval.high, -other.interval.low))
    assert [(d.first, d.second) for d in compare([scored(1), scored(2), scored(3)])] == [(0, 1), (0, 2), (1, 2)]


def test_only_the_same_pairs_are_compared() -> None:
    other = evaluate(model(), [asked("word01")])
    with pytest.raises(SettingsError, match="models 1 and 2 were not evaluated on the same pairs"):
        compare([scored(1), other])
    with pytest.raises(SettingsError, match="at least two"):
        compare([other])


@pytest.mark.parametrize("axis", ["place", "time", "time × place"])
def test_vectors_of_plain_counts_find_the_planted_equivalents(tmp_path, axis: str) -> None:
    """Rows of sentence counts, reweighted: names of one office keep the same company, so they are found."""
    world = {"place": worlds.places(), "time": worlds.time_and_place(), "time × place": worlds.time_and_place()}[axis]
    world.write_pairs(tmp_path / "pairs.csv", axis)
    scores = evaluate(counted(world.records, axis), tmp_path / "pairs.csv")
    assert scores.pairs == len(world.pairs(axis))
    assert scores.mrr_answerable > 0.75
    assert scores.mrr == pytest.approx(scores.mrr_answerable * scores.answerable / scores.pairs)


def counted(records: list[dict[str, str]], axis: str) -> ConditionedEmbeddings:
    """Each word's positive PMI with the words of its sentences, in each condition."""
    fields = axis.split(" × ")
    times, places = (sorted({record[field] for record in records}) for field in ("time", "place"))
    if len(fields) == 2:
        cross = [(t, p) for t in range(len(times)) for p in range(len(places))]
        conditions = Conditions(tuple(times), tuple(places), *map(tuple, zip(*cross, strict=True)))
    else:
        conditions = Conditions.of_times(times) if axis == "time" else Conditions.of_places(places)
    sentences = [(record, sentence) for record in records for sentence in worlds.sentences(record)]
    words = sorted({word for _, sentence in sentences for word in sentence})
    number = {word: index for index, word in enumerate(words)}
    together = np.zeros((len(conditions), len(words), len(words)), dtype=np.float32)
    seen = np.zeros((len(conditions), len(words)), dtype=np.int64)
    for record, sentence in sentences:
        condition = conditions.index("/".join(record[field] for field in fields))
        ids = np.unique([number[word] for word in sentence])
        together[condition][np.ix_(ids, ids)] += 1
        seen[condition, ids] += 1
    together[:, np.arange(len(words)), np.arange(len(words))] = 0
    context = together.sum(axis=(0, 1)) ** 0.75
    expected = together.sum(axis=2, keepdims=True) * (context / context.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        pmi = np.nan_to_num(np.maximum(np.log(together / expected), 0), posinf=0, neginf=0)
    condition, word = np.nonzero(seen)
    start = np.searchsorted(condition, np.arange(len(conditions) + 1))
    return ConditionedEmbeddings(
        words, conditions, Support(start, word.astype(np.int32), seen[condition, word]), pmi[condition, word]
    )
