import pytest

import worlds
from chronotope.analysis import positions
from chronotope.analysis.formula import Formula, parse
from chronotope.errors import InputError, SettingsError, UnknownWord

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


def test_errors_say_what_to_do(over_time):
    with pytest.raises(SettingsError, match="write 'river - money'"):
        positions(over_time, "bank", "river-money")
    with pytest.raises(SettingsError, match="itself a seed"):
        positions(over_time, "bank", "bank - money")
    with pytest.raises(UnknownWord):
        positions(over_time, "bank", "nosuchword - money")
    with pytest.raises(InputError, match="frequent enough in no condition"):
        positions(over_time, "bank", "river - money", min_support=10**6)
