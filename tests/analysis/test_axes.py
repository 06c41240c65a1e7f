import numpy as np
import pytest

import worlds
from chronotope.analysis import positions
from chronotope.analysis.formula import Formula, parse
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError, UnknownWordError
from embeddings.invented import support_from

MONEY = f"({' + '.join(worlds.MONEY[:5])}) - ({' + '.join(worlds.RIVER[:5])})"


def test_the_word_crosses_from_one_end_to_the_other(over_time):
    answer = positions(over_time, "bank", MONEY)
    values = [row.value for row in answer.rows]
    assert max(values[:4]) < -0.4 < values[4] < 0, "the last year before is drawn toward the next"
    assert min(values[5:]) > 0.1
    assert all(row.low <= row.value <= row.high for row in answer.rows)
    assert all(row.high < 0 for row in answer.rows[:4])
    assert all(row.low > 0 for row in answer.rows[6:])


def test_a_fixed_axis_says_the_same_where_the_seeds_do_not_move(over_time):
    each, fixed = (positions(over_time, "bank", MONEY, fixed=fixed) for fixed in (False, True))
    for one, other in zip(each.rows, fixed.rows, strict=True):
        assert one.value == pytest.approx(other.value, abs=0.15)


def test_one_seed_a_side_is_the_difference_and_none_is_the_similarity(over_time):
    toward = positions(over_time, "bank", "money").rows[7]
    assert toward.value == pytest.approx(over_time.similarity("bank", "money", "1997"), abs=1e-6)
    assert (toward.low, toward.high) == (None, None)
    assert toward.seeds == (1, 0)
    turned = positions(over_time, "bank", "river - money").rows[7].value
    assert positions(over_time, "bank", "money - river").rows[7].value == pytest.approx(-turned, abs=1e-9)


def test_the_same_answer_every_time(over_time):
    assert positions(over_time, "bank", MONEY) == positions(over_time, "bank", MONEY)


@pytest.mark.parametrize(
    ("text", "plus", "minus"),
    [
        ("fruit", ("fruit",), ()),
        ("fruit - company", ("fruit",), ("company",)),
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
    assert parse(text) == Formula(plus, minus)
    assert parse(str(Formula(plus, minus))) == Formula(plus, minus)


@pytest.mark.parametrize("text", ["", "- a", "(a", "a)", "a - a"])
def test_broken_formulas_are_refused(text):
    with pytest.raises(SettingsError):
        parse(text)


@pytest.mark.parametrize(
    ("half", "message"),
    [
        ("river - ", "ends with a sign"),
        ("river -", "ends with a sign"),
        ("river,", "ends with a sign"),
        ("river + - money", "no word before '-'"),
        ("river - ()", "no word before '\\)'"),
    ],
)
def test_a_formula_that_is_half_typed_is_refused(over_time, half, message):
    with pytest.raises(SettingsError, match=message):
        positions(over_time, "bank", half)


def test_a_formula_may_begin_with_a_minus(over_time):
    turned, plain = (positions(over_time, "bank", text) for text in ("- river + (money)", "money - river"))
    assert turned.rows == plain.rows


def test_errors_say_what_to_do(over_time):
    with pytest.raises(SettingsError, match="write 'river - money'"):
        positions(over_time, "bank", "river-money")
    with pytest.raises(SettingsError, match="itself a seed"):
        positions(over_time, "bank", "bank - money")
    with pytest.raises(UnknownWordError):
        positions(over_time, "bank", "nosuchword - money")
    with pytest.raises(InputError, match="frequent enough in no condition"):
        positions(over_time, "bank", "river - money", min_count=10**6)


def test_the_axis_does_not_jump_where_a_seed_is_rare():
    """'w1' is too rare in 2000, and stands there as it is used elsewhere; nothing else changes, so nothing moves."""
    words = ["bank", "money", "w1", "river", "other"]
    one = np.array([[1.0, 0.2, 0], [2, 0, 0.1], [0.1, 0, 2], [-1, 0, 1], [-2.1, -0.2, -3.1]])
    support = support_from([[9] * 5, [9, 9, 1, 9, 9], [9] * 5])
    times = Conditions.of_times(["1990", "2000", "2010"])
    embeddings = ConditionedEmbeddings(words, times, support, np.tile(one, (3, 1)))
    rows = positions(embeddings, "bank", "(money + w1) - river").rows
    assert [row.seeds for row in rows] == [(2, 1), (1, 1), (2, 1)]
    assert rows[1].value == pytest.approx(rows[0].value, abs=1e-6)
    alone = positions(embeddings, "bank", "money - river").rows
    assert abs(alone[1].value - rows[1].value) > 0.05
