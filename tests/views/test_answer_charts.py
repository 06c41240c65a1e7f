"""Every picture says what the answer says: its words, labels and numbers are in the SVG, and nothing is loaded."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from chronotope.analysis import (
    analogy,
    change_points,
    collocate_changes,
    collocates,
    drift,
    equivalents_everywhere,
    grid,
    place_distances,
    positions,
    ranks,
    self_similarity,
    series,
    stable,
    trajectory,
    word_map,
)
from chronotope.conditions import Conditions
from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import SettingsError
from chronotope.views import answer_tables, bump, charts, collocate_chart, lines, map_chart, plane, ranked, tiles
from embeddings.invented import support_from

YEARS = [str(year) for year in range(1990, 2000)]
PLACES = ["ava", "bern", "cork", "dax"]
WORDS = ["bank", "river", "money", *(f"w{i}" for i in range(60))]


def made(conditions, changed, seed=1):
    """'bank' is beside 'river', and in the conditions that are named beside 'money'; 'w9' is absent from the last."""
    rng = np.random.default_rng(seed)
    size = len(conditions)
    base = rng.standard_normal((len(WORDS), 20))
    base[0] = base[1] + 0.2 * rng.standard_normal(20)
    vectors = base + 0.1 * rng.standard_normal((size, len(WORDS), 20))
    for at in changed:
        vectors[at, 0] = base[2] + 0.2 * rng.standard_normal(20)
    counts = np.full((size, len(WORDS)), 20)
    counts[-1, WORDS.index("w9")] = 0
    support = support_from(counts)
    return ConditionedEmbeddings(WORDS, conditions, support, vectors[support.condition, support.word])


@pytest.fixture(scope="module")
def years():
    return made(Conditions.of_times(YEARS), range(5, 10))


@pytest.fixture(scope="module")
def places():
    return made(Conditions.of_places(PLACES), [2])


@pytest.fixture(scope="module")
def both():
    times, where = np.divmod(np.arange(32), 4)
    conditions = Conditions(tuple(YEARS[:8]), tuple(PLACES), tuple(times.tolist()), tuple(where.tolist()))
    return made(conditions, [4 * year + 2 for year in range(4, 8)])


def shown(chart, tmp_path):
    """All texts of the picture, a real minus for every dash."""
    charts.save(chart, tmp_path / "a.svg")
    return [element.text for element in ElementTree.parse(tmp_path / "a.svg").iter() if element.text]


def test_series_name_their_words_and_their_change(years, tmp_path):
    found = change_points(years, "bank")
    texts = shown(lines.series([series(years, "bank"), series(years, "w3")], [found]), tmp_path)
    assert "How “bank”, “w3” changed" in texts
    assert {"bank", "w3", "1990"} <= set(texts)
    assert any("bank changes in 1995" in text for text in texts)
    texts = shown(lines.series([series(years, "w9")], [change_points(years, "w9")]), tmp_path)
    assert any("no change point" in text for text in texts)
    assert any("a gap: it occurs fewer than 5 times" in text for text in texts)


def test_frequency_stands_beside_change(years, tmp_path):
    texts = shown(lines.frequency([series(years, "bank")]), tmp_path)
    assert "per million words of the vocabulary" in texts
    assert texts.count("bank") == 2
    # 'w9' is absent from the last year, and yet both charts reach to it.
    above, below = lines.frequency([series(years, "w9")]).to_dict()["vconcat"]
    assert {str(layer["encoding"]["x"]["scale"]) for part in (above, below) for layer in part["layer"]} == {
        "{'domain': [0, 9], 'nice': False}"
    }


def test_positions_say_what_is_up_and_down(years, tmp_path):
    answer = positions(years, "bank", "(money + w1 + w2) - (river + w3 + w4)")
    texts = shown(lines.positions([answer]), tmp_path)
    assert "Up: toward money, w1, w2" in texts
    assert "Down: toward river, w3, w4" in texts
    assert any("interval over the choice of seed words" in text for text in texts)
    with pytest.raises(SettingsError, match="one axis"):
        lines.positions([answer, positions(years, "bank", "money - river")])


def test_a_heat_map_holds_every_number(years, tmp_path):
    answer = self_similarity(years, "bank")
    texts = shown(tiles.self_similarity(answer), tmp_path)
    assert texts.count("1.00") >= len(YEARS)
    for row in answer.similarity:
        for value in row:
            assert f"{value:.2f}".replace("0.", ".", 1) in texts or f"{value:.2f}".replace("-0.", "−.") in texts


def test_a_rare_word_leaves_empty_tiles_with_their_labels(years, tmp_path):
    texts = shown(tiles.self_similarity(self_similarity(years, "w9")), tmp_path)
    assert texts.count("1999") == 2
    assert texts.count("·") == 2 * len(YEARS) - 1


def test_a_grid_frames_the_change(both, tmp_path):
    answer = grid(both, "bank")
    assert (answer.changes[0].place, answer.changes[0].first) == ("cork", "1994")
    texts = shown(tiles.grid(answer), tmp_path)
    assert set(PLACES) <= set(texts)
    assert any(text.startswith("A frame: the first bin after the change") for text in texts)


def test_distances_have_a_tree_with_groups(places, tmp_path):
    answer = place_distances(places, groups=2)
    texts = shown(tiles.distances(answer), tmp_path)
    assert {"group 1", "group 2"} <= set(texts)
    assert all(texts.count(place) == 2 for place in PLACES)


def test_a_bump_chart_has_the_word_at_each_of_its_ranks(years, tmp_path):
    answer = ranks(years, "bank", top=3)
    texts = shown(bump.ranks(answer), tmp_path)
    for one in answer.neighbors:
        assert texts.count(one.word) == sum(rank is not None for rank in one.ranks)


def test_of_many_conditions_a_bump_chart_shows_some_with_the_ends(tmp_path):
    years = [str(year) for year in range(1900, 1960)]
    answer = ranks(made(Conditions.of_times(years), range(30, 60)), "bank", top=2)
    texts = shown(bump.ranks(answer), tmp_path)
    assert {"1900", "1959"} <= set(texts)
    assert sum(text in years for text in texts) == 13
    assert any("in 13 of 60 conditions" in text for text in texts)


def test_places_are_not_joined(places):
    spec = bump.ranks(ranks(places, "bank", top=3)).to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["text"]
    spec = lines.series([series(places, "bank", "overall")]).to_dict()
    assert "line" not in [layer["mark"]["type"] for layer in spec["layer"]]


def test_over_times_and_places_each_time_is_labeled_once(both, tmp_path):
    texts = shown(lines.series([series(both, "bank")]), tmp_path)
    assert "How alike “bank” is over time and from place to place" in texts
    assert not any("/" in text for text in texts if not text.startswith("Cosine"))


def test_very_many_places_become_a_tree_and_a_list(tmp_path):
    many = made(Conditions.of_places([f"place{i}" for i in range(60)]), range(30, 60))
    answer = place_distances(many)
    texts = shown(tiles.distances(answer), tmp_path)
    assert all(texts.count(place) == 1 for place in answer.places)
    table = answer_tables.distances(answer)
    assert table.columns == ("place", "group", "most like", "distance")
    apart = np.array(answer.distances) + np.eye(60)
    assert [row[3] for row in table.rows] == apart.min(axis=1).tolist()


def test_a_trajectory_labels_every_step_and_every_companion_once(years, tmp_path):
    answer = trajectory(years, "bank")
    texts = shown(plane.trajectory(answer), tmp_path)
    assert all(texts.count(year) == 1 for year in YEARS)
    assert all(texts.count(one.word) == 1 for one in answer.company)


def test_a_map_has_every_place_with_its_value(places, tmp_path):
    where = {"ava": (60.0, 0.0), "bern": (61.0, 2.0), "cork": (60.5, 4.0), "dax": (58.0, 1.0)}
    answer = word_map(places, "bank", coordinates=where)
    texts = shown(map_chart.word_map(answer), tmp_path)
    for row in answer.rows:
        number = f"{row.value:.2f}".replace("0.", ".", 1)
        assert f"{row.place} {number}" in texts
    assert any("Moran’s I" in text for text in texts)
    assert {"60°N", "0°"} <= set(texts)
    with pytest.raises(SettingsError, match="coordinates"):
        map_chart.word_map(word_map(places, "bank"))
    assert set(PLACES) <= set(shown(ranked.places(word_map(places, "bank")), tmp_path))


def test_equivalents_name_who_plays_the_part_or_none(years, tmp_path):
    answer = equivalents_everywhere(years, "bank", "1990", top=1)
    texts = shown(ranked.everywhere(answer), tmp_path)
    assert texts.count("none") == sum(not part.matches for part in answer.parts)
    assert texts.count("river") == sum(
        part.matches[:1] != () and part.matches[0].word == "river" for part in answer.parts
    )


def test_a_list_over_several_conditions_says_between_which(years, places, tmp_path):
    texts = shown(ranked.drift(drift(years, over="steps", min_count=5), 1), tmp_path)
    assert "The words that changed most from one bin to the next" in texts
    assert any(text.startswith("1994: river") and "→ 1995: money" in text for text in texts)
    texts = shown(ranked.drift(drift(places, min_count=5), 1), tmp_path)
    assert "The words that one condition uses most unlike the others" in texts
    assert any("→ cork: money" in text for text in texts)


def test_the_most_and_the_least_stable_words(years, tmp_path):
    answer = stable(years)
    texts = shown(ranked.stable(answer, 3), tmp_path)
    assert "The most stable words" in texts
    assert {row.word for row in answer.most(3)} <= set(texts)
    texts = shown(ranked.stable(answer, 3, least=True), tmp_path)
    assert "The least stable words" in texts
    assert {"bank", "200 times in 10 conditions"} <= set(texts)


def test_collocates_that_come_and_go(tmp_path):
    """'bank' stands beside 'river' in 1990 and beside 'money' in 2000."""
    records = [
        {"text": f"the bank of the {word} and the {other}", "year": year}
        for year, word, other in ((1990, "river", "house"), (2000, "money", "house"))
        for _ in range(30)
    ]
    counts = count(read_corpus(records, time="year"), min_count=5)
    changes = collocate_changes(counts, "bank", "1990", "2000")
    texts = shown(collocate_chart.collocate_changes(changes), tmp_path)
    assert {"river", "money", "30 → 0", "0 → 30"} <= set(texts)
    texts = shown(collocate_chart.collocates(collocates(counts, "bank", at="2000")), tmp_path)
    assert "What stands beside “bank” in 2000" in texts
    assert "money" in texts
    assert "river" not in texts


def test_ranked_rows_have_intervals_where_there_are_some(years, tmp_path):
    texts = shown(ranked.drift(drift(years), 5), tmp_path)
    assert "The words that changed most between 1990 and 1999" in texts
    assert "bank" in texts
    rows = [ranked.RankedRow("a", 0.5, 0.4, 0.6, "x → y"), ranked.RankedRow("b", 0.3), ranked.RankedRow("c", None)]
    spec = ranked.ranked(rows, "change").to_dict()
    assert sum("x2" in layer["encoding"] for layer in spec["layer"]) == 1
    assert len(ranked.ranked(rows[1:], "change").to_dict()["layer"]) == 2
    assert shown(ranked.analogy(analogy(years, "river", "money", "w1", "1990")), tmp_path)


@pytest.mark.parametrize("suffix", ["png", "pdf", "html"])
def test_every_format_without_a_network(years, tmp_path, suffix):
    for name, chart in {
        "frequency": lines.frequency([series(years, "bank")]),
        "heat": tiles.self_similarity(self_similarity(years, "bank")),
        "path": plane.trajectory(trajectory(years, "bank")),
    }.items():
        path = tmp_path / f"{name}.{suffix}"
        charts.save(chart, path)
        assert path.stat().st_size > 5000
        if suffix == "html":
            assert not re.search(r"<(script|link)[^>]+(src|href)=", path.read_text(encoding="utf-8"))


def test_the_same_answer_gives_the_same_picture(years, tmp_path):
    for name in ("a", "b"):
        charts.save(plane.trajectory(trajectory(years, "bank")), tmp_path / f"{name}.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
