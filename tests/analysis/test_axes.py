import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.analysis.axes import parse, shown
from embeddings.invented import model_of

MONEY = f"({' + '.join(worlds.MONEY[:5])}) - ({' + '.join(worlds.RIVER[:5])})"


def test_the_word_crosses_from_one_end_to_the_other(over_time):
    frame = ct.axis(over_time, "bank", MONEY).to_polars()
    values, low, high = (frame[name].to_list() for name in ("position", "low", "high"))
    assert max(values[:4]) < -0.4 < values[4] < 0, "the last year before is drawn toward the next"
    assert min(values[5:]) > 0.1
    assert all(a <= b <= c for a, b, c in zip(low, values, high, strict=True))
    assert max(high[:4]) < 0 < min(low[6:])
    fixed = ct.axis(over_time, "bank", MONEY, fixed=True)["position"].to_list()
    assert fixed == pytest.approx(values, abs=0.15), "the seeds do not move"


def test_one_seed_is_the_similarity_and_a_minus_turns_the_axis(over_time):
    toward = list(ct.axis(over_time, "bank", "money"))[7]
    assert toward["position"] == pytest.approx(over_time.similarity("bank", "money", "1997"), abs=1e-6)
    assert (toward["low"], toward["plus_seeds"], toward["minus_seeds"]) == (None, 1, 0)
    one, other, turned = (
        ct.axis(over_time, "bank", text)["position"].to_list()
        for text in ("money - river", "- river + (money)", "river - money")
    )
    assert one == other == pytest.approx([-value for value in turned], abs=1e-9)


def test_several_words_and_one_place(over_time, over_both):
    answer = ct.axis(over_time, ["bank", "loan"], "money - river")
    alone = ct.axis(over_time, "bank", "money - river")
    assert list(answer)[: len(alone)] == list(alone)
    assert answer["word"].unique(maintain_order=True).to_list() == ["bank", "loan"]
    axis = "(car + road + driver) - (energy + coal + power)"
    values = ct.axis(over_both, "gas", axis, place="arlen")
    assert values["condition"].to_list() == [f"{year}/arlen" for year in range(1990, 1996)]
    assert values["position"][0] < 0 < values["position"][5]


@pytest.mark.parametrize(
    ("text", "plus", "minus"),
    [
        ("fruit", ("fruit",), ()),
        ("fruit − company", ("fruit",), ("company",)),
        ("fruit + pie - company - google", ("fruit", "pie"), ("company", "google")),
        ("(fruit + pie) - (company + google)", ("fruit", "pie"), ("company", "google")),
        ("a - (b - (c + d))", ("a", "c", "d"), ("b",)),
        ("fruit, pie, pie", ("fruit", "pie"), ()),
        ("well-being - ill-being", ("well-being",), ("ill-being",)),
        ("((a))", ("a",), ()),
    ],
)
def test_formulas(text, plus, minus):
    assert parse(text) == (plus, minus) == parse(shown(plus, minus))


def test_the_axis_does_not_jump_where_a_seed_is_rare():
    """'w1' is too rare in 1991, and stands there as it is used elsewhere; nothing else changes, so nothing moves."""
    words = ["bank", "money", "w1", "river", "other"]
    one = np.array([[1.0, 0.2, 0], [2, 0, 0.1], [0.1, 0, 2], [-1, 0, 1], [-2.1, -0.2, -3.1]])
    model = model_of([one] * 3, words=words, count=[[9] * 5, [9, 9, 1, 9, 9], [9] * 5])
    answer = ct.axis(model, "bank", "(money + w1) - river")
    assert answer["plus_seeds"].to_list() == [2, 1, 2]
    assert answer["position"][1] == pytest.approx(answer["position"][0], abs=1e-6)
    alone = ct.axis(model, "bank", "money - river")
    assert abs(alone["position"][1] - answer["position"][1]) > 0.05


def test_conditions_where_an_end_is_rare_are_named():
    model = model_of([np.eye(3)] * 2, words="abc", count=[[9, 9, 9], [9, 9, 2]])
    answer = ct.axis(model, "a", "b - c")
    assert answer["position"].is_null().to_list() == [False, True]
    assert "Left out, since the words at one end occur fewer than 5 times: 1991." in answer.notes


def test_with_bootstrap_the_interval_is_over_documents(over_time, over_both):
    seeds = ct.axis(over_time, "bank", MONEY)
    answer, again = (ct.axis(over_time, "bank", MONEY, bootstrap=20, threads=threads) for threads in (1, 2))
    assert list(answer) == list(again)
    assert answer["position"].to_list() == seeds["position"].to_list()
    assert (answer.facts["interval"], seeds.facts["interval"]) == ("documents", "seeds")
    early, late = list(answer)[1], list(answer)[8]
    assert early["low"] <= early["corrected"] <= early["high"] < 0 < late["low"] <= late["corrected"] <= late["high"]
    place = ct.axis(over_both, "gas", "(car + road) - (energy + coal)", place="arlen", bootstrap=9, fixed=True)
    assert place["corrected"].null_count() < len(place) == 6
