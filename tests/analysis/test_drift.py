import numpy as np
import pytest

import chronotope as ct
import worlds
from chronotope.conditions import Conditions
from embeddings.invented import model_of, random_embeddings

TIMES = Conditions.of_times(["1990", "2000", "2010"])
PLACES = Conditions.of_places(["canada", "ghana", "india"])
BOTH = Conditions(("1990", "2000"), ("canada", "india"), (0, 0, 1), (0, 1, 0))
WORDS = ["bank", "river", "money", *(f"filler{i}" for i in range(30)), "ghost", "rare"]


def planted(conditions=TIMES):
    """'bank' is beside 'river' at first and beside 'money' in the last condition; nothing else moves.

    'ghost' is absent from the last condition, 'rare' occurs there twice, by chance with an opposite vector.
    """
    rng = np.random.default_rng(1)
    base = rng.standard_normal((len(WORDS), 40))
    base[0] = base[1] + 0.1 * rng.standard_normal(40)
    vectors = base + 0.05 * rng.standard_normal((3, *base.shape))
    vectors[2, 0] = base[2] + 0.1 * rng.standard_normal(40)
    vectors[2, -1] = -base[-1]
    counts = np.full((3, len(WORDS)), 20)
    counts[2, -2:] = 0, 2
    return model_of(vectors, conditions, WORDS, counts)


def of(answer, word):
    (row,) = (row for row in answer if row["word"] == word)
    return row


def bank(*args, conditions=TIMES, **settings):
    return of(ct.drift(planted(conditions), *args, top=100, **settings), "bank")


def test_the_word_that_changed_company_drifts_most():
    answer = ct.drift(planted(), top=2)
    first, second = answer
    assert first["word"] == "bank"
    assert first["change"] > 0.5 > 0.1 > second["change"]
    assert (first["before"], first["after"]) == (answer.facts["from"], answer.facts["to"]) == ("1990", "2010")
    assert (first["neighbors_before"][0], first["neighbors_after"][0]) == ("river", "money")
    assert (first["count_before"], first["count_after"], first["documents"], first["p"]) == (20, 20, None, None)
    assert first["z"] > 10
    assert first["own"] > 0.9
    assert answer.title == "The words that changed most from 1990 to 2010"


def test_absent_and_rare_words_do_not_drift():
    answer = ct.drift(planted(), top=100)
    assert (answer.facts["left_out"], answer.facts["words"]) == (2, len(answer)) == (2, len(WORDS) - 2)
    assert not {"ghost", "rare"} & set(answer["word"])
    assert ct.drift(planted(), min_count=1)["word"][0] == "rare"
    nothing = ct.drift(planted(), min_count=100)
    assert len(nothing) == 0
    assert nothing.notes[0].startswith("No word occurs 100 times or more in both 1990 and 2010; lower min_count")


def test_scores_are_one_minus_the_cosine():
    model = random_embeddings()
    answer = ct.drift(model, "1990", "2010", min_count=1, top=60)
    for row in answer:
        assert row["change"] == pytest.approx(1 - model.similarity(row["word"], row["word"], "1990", "2010"), abs=1e-9)
    assert answer["change"].to_list() == sorted(answer["change"], reverse=True)


def test_named_words_alone_are_ranked_and_their_statistics_are_those_among_all():
    everything = ct.drift(planted(), top=100)
    answer = ct.drift(planted(), words=["filler3", "bank", "rare"])
    assert answer["word"].to_list() == ["bank", "filler3"]
    assert list(answer) == [of(everything, "bank"), of(everything, "filler3")]
    assert "too rare: rare." in answer.notes[1]
    assert "Shown: 1 of 2 named words" in ct.drift(planted(), words="filler3,bank", topn=1).notes[-1]


@pytest.mark.parametrize("conditions", [PLACES, BOTH])
def test_without_an_order_the_most_unusual_condition_is_compared_with_the_others(conditions):
    model = planted(conditions)
    row = bank(conditions=conditions, min_count=1)
    unit = [model.vector("bank", label) for label in conditions.labels]
    unit = np.stack([vector / np.linalg.norm(vector) for vector in unit])
    others = unit.sum(axis=0) - unit
    cosine = (unit * others).sum(axis=1) / np.linalg.norm(others, axis=1)
    assert row["change"] == pytest.approx(1 - cosine.min(), abs=1e-6)
    assert row["before"] == conditions.labels[np.argmax(cosine)]
    assert row["after"] == conditions.labels[2]
    assert row["neighbors_after"][0] == "money"
    answer = ct.drift(model)
    assert (answer["word"][0], answer.facts["over"], answer.facts["from"]) == ("bank", "unusual", None)


def test_of_two_places_one_is_typical_and_the_other_unusual():
    vectors = [[[1, 0], [0, 1], [-1, -1]], [[1, 0.2], [0.1, -1], [-1, 1]]]
    answer = ct.drift(model_of(vectors, Conditions.of_places(["canada", "ghana"])), min_count=9)
    assert {(row["before"], row["after"]) for row in answer} == {("canada", "ghana")}


def test_the_largest_step_and_the_whole_series():
    row = bank(over="steps")
    assert (row["before"], row["after"]) == ("2000", "2010")
    assert row["change"] == bank("2000", "2010")["change"]
    assert bank("1990", "2000", over="steps")["change"] == bank(end="2000")["change"] < 0.1
    row = bank(conditions=BOTH, over="steps")
    assert (row["before"], row["after"]) == ("1990/canada", "2000/canada")
    model, pairs = planted(), [("1990", "2000"), ("1990", "2010"), ("2000", "2010")]
    cosines = [model.similarity("money", "money", *pair) for pair in pairs]
    whole = ct.drift(model, over="series", top=100)
    assert of(whole, "money")["change"] == pytest.approx(1 - np.mean(cosines), abs=1e-6)
    assert whole["word"][0] == "bank"
    assert ct.drift(model, end="2000", over="series")["change"][0] < 0.1


@pytest.mark.parametrize("noise", [1.0, 0.0])
def test_own_tells_a_words_own_movement_from_that_of_all_words(noise):
    """Noise is a word's own, whichever condition comes first; a stretch of all dimensions is not."""
    rng = np.random.default_rng(3)
    base = rng.standard_normal((200, 8))
    moved = (base + rng.standard_normal((200, 8))) / np.sqrt(2) if noise else base * np.linspace(0.5, 2, 8)
    moved[7] = rng.standard_normal(8) * 3
    model, ways = model_of([base, moved], count=30), (("1990", "1991"), ("1991", "1990"))
    there, back = ({row["word"]: row["own"] for row in ct.drift(model, *way, top=200)} for way in ways)
    assert there == pytest.approx(back)
    assert there["w7"] > 0.8
    others = np.array([own for word, own in there.items() if word != "w7"])
    assert others.min() > 0.8 if noise else np.median(others) < 0.2


def test_documents_are_counted_in_the_compared_conditions(over_time, counts_of):
    """Those that are held out take no part."""
    held_out = ct.GraphModel(dimensions=20, epochs=2).fit(
        counts_of(worlds.planted_drift(documents=300), time="time", holdout=0.3)
    )
    for answer, model, conditions in (
        (ct.drift(over_time, min_count=8), over_time, (0, 9)),
        (ct.stable(over_time), over_time, range(10)),
        (ct.drift(held_out, min_count=3), held_out, (0, 9)),
    ):
        store = model.counts.store
        for row in list(answer)[:5]:
            word = model.index(row["word"])
            numbers = np.flatnonzero(~store.held_out & np.isin(store.document_condition, conditions))
            assert row["documents"] == sum(word in store.ids[store.starts[n] : store.starts[n + 1]] for n in numbers)


def test_partial_bins_at_the_ends_are_passed_over():
    """A first and a last bin with a handful of words are not what `drift` compares unless they are named."""
    counts = np.full((9, 30), 40)
    counts[[0, 8]] = 3
    model = model_of(np.random.default_rng(1).standard_normal((9, 30, 8)), count=counts)
    answer = ct.drift(model, min_count=1)
    assert (answer.facts["from"], answer.facts["to"]) == ("1991", "1997")
    assert "skipped: 1990, 1998." in answer.notes[1]
    named = ct.drift(model, "1990", min_count=1)
    assert (named.facts["from"], named.facts["to"]) == ("1990", "1997")
    assert ct.drift(model, "1990", "1998", min_count=1).facts["to"] == "1998"


def test_bins_are_full_as_prepare_judges_them():
    """A last bin whose text ends early is partial however much text it has."""
    world = ct.invented_world(years=range(1990, 1996), places=("arlen",), documents=600, changes=False)
    records = [
        {**record, "time": record["time"] + ("-02-03" if record["time"] == "1995" else "-12-31")}
        for record in world.records
    ]
    records += [{**record, "time": record["time"][:4] + "-01-01"} for record in records[::20]]
    counts = ct.count(ct.read_corpus(records, time="time", every="1y"), min_count=5)
    answer = ct.drift(ct.GraphModel(dimensions=10, epochs=1).fit(counts), min_count=5)
    assert (answer.facts["from"], answer.facts["to"]) == ("1990", "1994")
