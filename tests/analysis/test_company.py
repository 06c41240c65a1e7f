import pytest

from chronotope.analysis import company
from chronotope.conditions import Conditions
from chronotope.errors import InputError, SettingsError, UnknownWordError
from embeddings.invented import random_embeddings


def test_companions_are_the_neighbors_at_both_ends():
    embeddings = random_embeddings()
    word = next(
        w for w in embeddings.words if embeddings.count(w)["1990"] == 0 and embeddings.count(w, "2000") >= 5
    )
    answer = company(embeddings, word, top=3)
    ends = [label for label in answer.conditions if embeddings.count(word, label) >= 5]
    assert answer.looked_at == tuple(dict.fromkeys([ends[0], ends[-1]]))
    near = {label: [match.word for match in embeddings.neighbors(word, label, 3)] for label in answer.looked_at}
    assert {c.word: list(c.near_in) for c in answer.companions} == {
        name: [label for label in near if name in near[label]] for names in near.values() for name in names
    }


def test_a_similarity_is_given_where_both_words_have_support():
    embeddings = random_embeddings()
    answer = company(embeddings, "w3", top=8, among="each", limit=100, min_count=3)
    gaps = 0
    for companion in answer.companions:
        for label, value in zip(answer.conditions, companion.similarity, strict=True):
            if min(embeddings.count("w3", label), embeddings.count(companion.word, label)) < 3:
                assert value is None
                gaps += 1
            else:
                assert value == embeddings.similarity("w3", companion.word, at=label)
    assert gaps > 0


def test_places_have_no_ends():
    embeddings = random_embeddings(conditions=Conditions.of_places(["canada", "ghana", "india"]), seed=3)
    answer = company(embeddings, "w3", top=2)
    present = [label for label, count in embeddings.count("w3").items() if count >= 5]
    assert list(answer.looked_at) == present
    assert len(company(embeddings, "w3", top=9, limit=4).companions) == 4
    assert answer.to_dict()["conditions"] == ["canada", "ghana", "india"]


def test_errors_say_what_to_do():
    embeddings = random_embeddings()
    with pytest.raises(UnknownWordError):
        company(embeddings, "nothing")
    with pytest.raises(InputError, match="'w0' occurs 100,000 times or more in no condition"):
        company(embeddings, "w0", min_count=100_000)
    with pytest.raises(InputError, match=r"cannot be told; lower min_count \(--min-count\)"):
        company(embeddings, "w0", min_count=100_000)
    with pytest.raises(SettingsError, match="among must be ends or each"):
        company(embeddings, "w0", among="all")
