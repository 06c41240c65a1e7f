"""Scores of models whose ranks, or changes, are known by construction; and the command."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import spearmanr

import chronotope as ct
import worlds
from chronotope.conditions import Conditions
from chronotope.errors import InputError, SettingsError
from chronotope.evaluation.pairs import TestPair
from chronotope.evaluation.scores import METRICS, intervals, score
from embeddings.invented import model_of

WORDS = [f"word{number:02}" for number in range(15)]


def model(rare=-1):
    """Words at growing angles, the same in both places: the k-th word is the k-th nearest to the first.

    The word with the number `rare` occurs once in Ireland, every other nine times in each place.
    """
    angle = np.arange(len(WORDS)) * 0.1
    vectors = np.column_stack([np.cos(angle), np.sin(angle)])
    count = np.full((2, len(WORDS)), 9)
    if rare >= 0:
        count[1, rare] = 1
    return model_of([vectors] * 2, Conditions.of_places(["canada", "ireland"]), WORDS, count, center=np.zeros((2, 2)))


def asked(answer, query="word00", category="", to="ireland"):
    return TestPair(query, "canada", answer, to, category)


def test_ranks_by_hand():
    pairs = [asked("word00"), asked("word03"), asked("word09"), asked("word10")]
    assert score(model(), pairs, retrieval="cosine").ranks.tolist() == [1, 4, 10, 0]
    found = ct.evaluate(model(), pairs, retrieval="cosine").to_dict()
    assert found["mrr"] == pytest.approx((1 + 1 / 4 + 1 / 10) / 4)
    assert [found[f"mp@{k}"] for k in (1, 3, 5, 10)] == [0.25, 0.25, 0.5, 0.75]
    assert found["answerable"] == found["pairs"] == 4
    deeper = ct.evaluate(model(), [asked("word11")], retrieval="cosine", depth=12)
    assert (deeper["mrr"][0], deeper["mp@10"][0]) == (pytest.approx(1 / 12), 0)


def test_what_cannot_be_answered_counts_as_wrong():
    unknown = [asked("paris"), asked("word01", query="paris"), asked("word01", to="france"), asked("word05")]
    pairs = [asked("word01"), *unknown, TestPair("word00", "france", "word01", "canada")]
    assert score(model(rare=5), pairs, retrieval="cosine").ranks.tolist() == [2, 0, 0, 0, 0, 0]
    found = ct.evaluate(model(rare=5), pairs, retrieval="cosine").to_dict()
    assert (found["pairs"], found["answerable"]) == (6, 1)
    assert (found["mrr"], found["mrr_answerable"]) == (pytest.approx(0.5 / 6), 0.5)
    for min_count, ranks in ((5, [0, 6]), (1, [6, 7]), (0, [6, 7])):
        found = score(model(rare=5), [asked("word05"), asked("word06")], min_count, "cosine")
        assert found.ranks.tolist() == ranks


def test_same_words_and_categories_are_scored_apart():
    pairs = [asked("word00", category="river"), asked("word01", category="city"), asked("word03", category="city")]
    answer = ct.evaluate(model(), [*pairs, asked("word01")], retrieval="cosine")
    assert answer["part"].to_list() == ["all", "same word", "different words", "(none)", "city", "river"]
    assert dict(zip(answer["part"], answer["mrr"], strict=True)) == pytest.approx(
        {"all": 2.25 / 4, "same word": 1, "different words": 1.25 / 3, "(none)": 0.5, "city": 0.375, "river": 1}
    )
    data = answer.to_dict()
    assert {*METRICS, "pairs", "answerable", "mrr_answerable", "signature", "intervals", "categories"} <= data.keys()
    assert data["intervals"]["mrr"] == [0, 1], "one word is asked about"
    alone = ct.evaluate(model(), [asked("word01")])
    assert alone["part"].to_list() == ["all"]


def test_the_signature_says_what_could_change_the_scores(tmp_path):
    path = tmp_path / "tests.csv"
    path.write_text("word00-Canada,word00-ireland\nword00-canada,nowhere-ireland\n", encoding="utf-8")
    signature = ct.evaluate(model(), path).signature
    assert signature.startswith("tests.csv|depth:10|oov:wrong|pairs:2|answerable:1|min count:5|csls|")
    assert signature.endswith(model().signature)
    pairs = [asked("word01")]
    changed = ({}, {"retrieval": "cosine"}, {"min_count": 1}, {"depth": 11})
    signatures = {ct.evaluate(model(), pairs, **options).signature for options in changed}
    assert len(signatures | {ct.evaluate(model(), [asked("word02")]).signature}) == 5


def test_intervals_are_those_of_theory_and_of_words():
    """Copying every pair a hundred times makes nothing more certain."""
    values = np.random.default_rng(0).random((500, 1))
    words = [str(number) for number in range(500)]
    ((low, high),) = intervals(values, words)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(500), rel=0.1)
    often = intervals(np.repeat(values, 100, axis=0), np.repeat(words, 100).tolist())
    assert often == [pytest.approx((low, high))]


@pytest.fixture(scope="module")
def judged(tmp_path_factory, counts_of):
    """A good and a poor model of invented places, saved, with their pairs."""
    folder = tmp_path_factory.mktemp("judged")
    world = worlds.time_and_place()
    counts = counts_of(world, place="place")
    ct.GraphModel(dimensions=50).fit(counts).save(folder / "good.ct")
    ct.GraphModel(dimensions=4).fit(counts).save(folder / "poor.ct")
    world.write_pairs(folder / "pairs.csv", "place")
    return folder


def test_the_better_model_comes_first_and_the_difference_is_significant(judged):
    answer = ct.evaluate([judged / "poor.ct", judged / "good.ct"], judged / "pairs.csv")
    good, poor = answer
    assert (good["model"], poor["model"]) == ("good", "poor")
    assert (good["difference"], good["significant"]) == (None, None)
    assert poor["difference"] == pytest.approx(poor["mrr"] - good["mrr"])
    assert poor["difference_high"] < 0
    assert poor["significant"]
    data = answer.to_dict()
    assert data.keys() == {"rows", "title", "notes", "facts", "signature"}
    assert data["facts"]["models"]["poor"] == ct.evaluate(judged / "poor.ct", judged / "pairs.csv").to_dict()
    first, second = ct.evaluate([judged / "good.ct"] * 2, judged / "pairs.csv")
    assert (first["model"], second["model"]) == (str(judged / "good.ct"), f"{judged / 'good.ct'} (2)")
    assert not second["significant"]


@pytest.fixture(scope="module")
def changing():
    """Forty words turn by growing angles from 1990 to 2000; a copy of the model turns them in random order."""
    words = [f"word{number:02}" for number in range(40)]
    count = np.full((2, 40), 9)
    count[0, 39] = 2

    def turned(angles):
        vectors = [np.tile([1.0, 0.0], (40, 1)), np.column_stack([np.cos(angles), np.sin(angles)])]
        return model_of(vectors, Conditions.of_times(["1990", "2000"]), words, count, center=np.zeros((2, 2)))

    angles = np.arange(40) / 40
    return words, turned(angles), turned(np.random.default_rng(1).permutation(angles))


def test_graded_gold_is_judged_by_rank_correlation(changing):
    words, good, poor = changing
    gold = {word: float(number**2) for number, word in enumerate(words)} | {"absent": 3.0}
    answer = ct.evaluate({"poor": poor, "good": good}, gold=gold)
    assert answer["model"].to_list() == ["good", "poor"]
    assert answer["spearman"][0] == 1
    changes = answer.facts["models"]["poor"]["changes"]
    wanted = spearmanr(list(changes.values()), [gold[word] for word in changes]).statistic
    assert answer["spearman"][1] == pytest.approx(wanted)
    assert answer["low"][1] <= wanted <= answer["high"][1]
    assert answer["significant"][1]
    # word39 occurs twice in 1990.
    assert (answer["words"][0], answer["gold_words"][0]) == (39, 41)
    assert "Left out 2 of the 41 words, which occur fewer than 5 times in a condition: word39, absent." in answer.notes
    alone = ct.evaluate(poor, gold=gold).to_dict()
    assert alone == answer.facts["models"]["poor"]
    assert alone["signature"].startswith("gold|spearman|words:39 of 41|1990 to 2000|min count:5|checksum:")
    series = ct.series(good, "word20", against="1990")["similarity"][1]
    assert answer.facts["models"]["good"]["changes"]["word20"] == pytest.approx(1 - series)


def test_binary_gold_is_judged_by_the_area_under_the_curve(changing):
    words, good, poor = changing
    gold = {word: int(number >= 30) for number, word in enumerate(words)}
    assert ct.evaluate(good, gold=gold)["auc"].to_list() == [1.0]
    found = ct.evaluate(poor, gold=gold, start="2000", end="1990")
    change = found.facts["changes"]
    pairs = [(change[a], change[b]) for a in change for b in change if gold[a] > gold[b]]
    assert found["auc"][0] == pytest.approx(np.mean([a > b for a, b in pairs]))


def test_permutations_judge_the_corrected_change_of_drift(drifting):
    model = ct.GraphModel(dimensions=20).fit(drifting)
    words = ["bank", "river", "money", "the"]
    found = ct.evaluate(model, gold={word: word == "bank" for word in words}, permutations=10)
    drift = ct.drift(model, "1990", "1999", words=words, min_count=5, min_documents=1, permutations=10).frame
    assert found.facts["changes"] == {word: drift.filter(word=word)["corrected"].item() for word in words}
    assert found["auc"][0] == 1
    assert "|permutations:10|" in found.signature


def test_what_cannot_be_judged_gets_one_line(changing, judged):
    _, good, _ = changing
    for options, error, message in (
        ({}, SettingsError, "judge by one of"),
        ({"gold": {"word01": 1}, "pairs": ["a-1990,b-2000"]}, SettingsError, "judge by one of"),
        ({"gold": {"word01": 1, "word02": 1, "absent": 0}}, InputError, "do not differ in their score"),
        ({"gold": {"word01": 1, "word02": 0}, "start": "2000"}, SettingsError, "both are 2000"),
        ({"pairs": ["word01-1990,word01-2000"], "permutations": 9}, SettingsError, "belong to gold"),
        ({"pairs": ["word01-1990,word01-2000"], "depth": 5}, SettingsError, "depth"),
        ({"pairs": ["word01-1990,word01-2000"], "retrieval": "dot"}, SettingsError, "retrieval must be"),
        ({"pairs": ["word01-1890,word01-2000"]}, InputError, "the model has 1990, 2000"),
    ):
        with pytest.raises(error, match=message):
            ct.evaluate(good, **options)
    with pytest.raises(SettingsError, match="name both conditions"):
        ct.evaluate(judged / "good.ct", gold={"the": 1, "of": 0})
    with pytest.raises(InputError, match="expected a model"):
        ct.evaluate(ct.GraphModel(), ["a-b,c-d"])


def test_the_command_in_every_form(judged, chronotope, tmp_path):
    one = ("evaluate", judged / "good.ct", "--pairs", judged / "pairs.csv")
    wanted = ct.evaluate(judged / "good.ct", judged / "pairs.csv").to_dict()
    assert json.loads(chronotope(*one, "--json").stdout) == wanted
    assert "csls|role maps|" in chronotope(*one).stderr
    without = ct.evaluate(judged / "good.ct", judged / "pairs.csv", role_map=False).to_dict()
    assert json.loads(chronotope(*one, "--no-role-map", "--json").stdout) == without
    two = ("evaluate", judged / "good.ct", judged / "poor.ct", "--pairs", judged / "pairs.csv")
    assert [row["model"] for row in json.loads(chronotope(*two, "--json").stdout)["rows"]] == ["good", "poor"]
    assert chronotope(*two, "--markdown").stdout.startswith("| model | mrr | low | high |")
    assert chronotope(*two, "--csv").stdout.startswith("model,mrr,low,high,mp@1")
    done = chronotope(*two, "-o", tmp_path / "scores.csv")
    assert (done.stdout, "Significantly behind good: poor" in done.stderr) == ("", True)
    assert (tmp_path / "scores.csv").read_text().startswith("model,mrr")


def test_the_command_judges_by_gold(chronotope, changing, tmp_path):
    words, good, _ = changing
    good.save(tmp_path / "good.ct")
    (tmp_path / "gold.tsv").write_text("".join(f"{word}\t{number}\n" for number, word in enumerate(words)))
    asked = (tmp_path / "good.ct", "--gold", tmp_path / "gold.tsv", "--from", "1990", "--to", "2000")
    assert json.loads(chronotope("evaluate", *asked, "--json").stdout)["spearman"] == 1
    assert "Left out 1 of the 40 words" in chronotope("evaluate", *asked).stderr
