"""Places in places: every text counts for its region and for its country."""

from __future__ import annotations

import numpy as np
import pytest

import chronotope as ct
from chronotope.views.explorer.explored import WordIndex

REGIONS = {
    "Canada": {"Ontario": "canoe", "Quebec": "poutine"},
    "Ireland": {"Cork": "harbour", "Kerry": "sheep"},
}


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(3)
    common = [f"w{number}" for number in range(30)]
    return [
        {"text": " ".join([*random.choice(common, 12), own, own]), "nation": nation, "region": region, "year": year}
        for nation, regions in REGIONS.items()
        for region, own in regions.items()
        for year in (1990, 1991)
        for _ in range(40)
    ]


@pytest.mark.parametrize("time", [None, "year"])
def test_a_country_is_counted_as_without_its_regions(rows, time):
    nested, plain = (
        ct.count(ct.read_corpus(rows, time=time, place=place), min_count=5) for place in ("nation/region", "nation")
    )
    labels = nested.conditions.labels
    assert len(labels) == 6 * (2 if time else 1)
    assert nested.vocabulary.words == plain.vocabulary.words
    for number, label in enumerate(plain.conditions.labels):
        for one, other in zip(nested.cells(labels.index(label)), plain.cells(number), strict=True):
            np.testing.assert_array_equal(one, other)
    reports = nested.store.report, plain.store.report
    assert [(one.documents, one.tokens, one.vocabulary) for one in reports] == [(320, 4480, 34)] * 2


def test_questions_answer_at_every_level(rows, tmp_path):
    counts = ct.count(ct.read_corpus(rows, place="nation/region"), tmp_path / "run", min_count=5)
    model = ct.GraphModel(dimensions=8).fit(counts)
    assert model.count("canoe") == {
        "Canada": 160, "Canada/Ontario": 160, "Canada/Quebec": 0, "Ireland": 0, "Ireland/Cork": 0, "Ireland/Kerry": 0,
    }  # fmt: skip
    assert model.neighbors("canoe")[0].count <= 480  # overall, each text once
    for at in ("Canada", "Canada/Ontario"):
        assert set(ct.evidence(model, "canoe", at=at)["condition"]) == {at}
    assert ct.evidence(model, "canoe").facts["occurrences"] == 160, "each text once"
    assert set(ct.frequency(model, "canoe")["condition"]) == set(counts.conditions.labels)
    pulls = ct.contexts(model, "w1", at="Canada", top=200)
    assert pulls.facts["documents"] + pulls.facts["documents_elsewhere"] == ct.evidence(model, "w1").facts["documents"]
    assert ct.drift(model, "Canada", "Ireland", permutations=20, min_count=5)["p"].is_not_null().any()
    assert set(ct.drift(model, min_count=5, min_documents=1)["before"]) <= {
        "Canada/Ontario", "Canada/Quebec", "Ireland/Cork", "Ireland/Kerry",
    }  # fmt: skip
    with pytest.raises(ct.errors.SettingsError, match="Canada/Ontario lies within Canada: they share their texts"):
        ct.drift(model, "Canada", "Canada/Ontario")
    model.save(tmp_path / "model.ct")
    assert ct.load(tmp_path / "model.ct").conditions == model.conditions


@pytest.mark.filterwarnings("ignore:the export has")
def test_a_part_of_a_model_counts_each_text_once(rows, tmp_path):
    model = ct.GraphModel(dimensions=8).fit(ct.count(ct.read_corpus(rows, place="nation/region"), min_count=5))

    def exported(name, **chosen):
        ct.export(model, tmp_path / name, "huggingface", **chosen)
        return ct.load(tmp_path / name / "model.safetensors")

    fewer_words = exported("words", max_words=20)
    assert fewer_words.conditions == model.conditions
    assert fewer_words.at().get_vecattr("w1", "count") == model.at().get_vecattr("w1", "count")
    regions = exported("regions", at=["Canada/Ontario", "Canada/Quebec"])
    assert regions.conditions.levels == 1
    assert regions.at().get_vecattr("canoe", "count") == 160
    assert exported("canada", at=["Canada", "Canada/Ontario"]).conditions.levels == 2


@pytest.mark.parametrize("method", [ct.GraphModel(dimensions=4), ct.ConditionedModel(dimensions=4, epochs=2)])
def test_the_tree_is_the_graph_of_places(rows, method):
    counts = ct.count(ct.read_corpus(rows, place="nation/region"), min_count=5)
    assert sorted(method.fit(counts).provenance["place_edges"]) == [
        ["Canada", "Canada/Ontario"], ["Canada", "Canada/Quebec"], ["Canada", "Ireland"],
        ["Ireland", "Ireland/Cork"], ["Ireland", "Ireland/Kerry"],
    ]  # fmt: skip


def test_a_text_without_its_region_is_a_bad_row(rows):
    with pytest.warns(UserWarning, match="1 row skipped: no place"):
        counts = ct.count(ct.read_corpus([*rows, {**rows[0], "region": " "}], place="nation/region"), min_count=5)
    assert counts.store.report.documents == 320
    assert counts.store.problems["no place"].count == 1


def test_a_slash_in_a_name_opens_no_level(rows):
    renamed = [{**row, "region": row["region"].replace("Cork", "Cork/Kinsale")} for row in rows]
    counts = ct.count(ct.read_corpus(renamed, place="nation/region"), min_count=5)
    assert "Ireland/Cork-Kinsale" in counts.conditions.labels


@pytest.mark.parametrize("time", [None, "year"])
def test_a_place_is_not_compared_with_its_own_parts(rows, time):
    """A word of Canada alone is compared with nothing: its regions share their texts with it."""
    places = [*REGIONS, *(f"{nation}/{region}" for nation, regions in REGIONS.items() for region in regions)]
    model = ct.GraphModel(dimensions=8).fit(
        ct.count(ct.read_corpus(rows, time=time, place="nation/region"), min_count=5)
    )
    found = ct.map(model, "w1")
    unit = {}
    for row in (model.project(["w1"], label, label)[0] for label in model.conditions.labels):
        unit.setdefault(len(unit), row)
    for place, value in zip(found["place"], found["value"], strict=True):
        own, others = [], {}
        for at, label in enumerate(model.conditions.labels):
            other = label.removeprefix(f"{label.split('/')[0]}/") if time else label
            if other == place:
                own.append(unit[at])
            elif not (f"{other}/".startswith(f"{place}/") or f"{place}/".startswith(f"{other}/")):
                others.setdefault(other, []).append(unit[at])
        assert set(others) < set(places)
        mean, rest = np.mean(own, axis=0), sum(scaled(np.mean(each, axis=0)) for each in others.values())
        assert value == pytest.approx(scaled(mean) @ scaled(rest), abs=1e-5)
    if time is None:
        series = ct.series(model, "w1", against="overall")
        assert series["similarity"].to_list() == pytest.approx(found["value"].to_list())
        alone = ct.map(model, "canoe")
        assert alone["value"].null_count() == 6
        assert alone.notes[1] == "Without a value, since canoe is too rare everywhere else: Canada, Canada/Ontario."
        assert ct.series(model, "canoe", against="overall")["similarity"].null_count() == 6


def scaled(vector):
    return vector / np.linalg.norm(vector)


def test_the_explorer_counts_each_text_once(rows):
    model = ct.GraphModel(dimensions=8).fit(ct.count(ct.read_corpus(rows, place="nation/region"), min_count=5))
    assert WordIndex(model).find("canoe").matches[0].count == 160
