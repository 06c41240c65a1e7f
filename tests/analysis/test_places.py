import numpy as np
import pytest

from chronotope.analysis import place_distances, word_map
from chronotope.analysis.geography import morans_i, nearest_places, place_links, read_coordinates, without_coordinates
from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError, UnknownConditionError
from embeddings.invented import support_from

NORTH, SOUTH = ("ava", "bern", "cork"), ("dax", "ems", "fes")
WHERE = {"ava": (60, 0), "bern": (61, 2), "cork": (60, 4), "dax": (40, 0), "ems": (41, 2), "fes": (40, 4)}


@pytest.fixture(scope="module")
def two_countries():
    """Three places in the north and three in the south; half of the words mean another thing in the south.

    A hundred words that occur six times are pure noise, most of all in 'ava', and must not hide that.
    """
    rng = np.random.default_rng(3)
    base = rng.standard_normal((2, 200, 20))
    base[1, :100] = base[0, :100]
    vectors = np.stack([base[int(place in SOUTH)] for place in NORTH + SOUTH])
    vectors = vectors + 0.1 * rng.standard_normal(vectors.shape)
    noise = rng.standard_normal((6, 100, 20))
    counts = np.full((6, 300), 500)
    counts[:, 200:] = 6
    words = [*(f"w{i}" for i in range(200)), *(f"rare{i}" for i in range(100))]
    rows = np.concatenate([vectors, noise], axis=1).reshape(-1, 20)
    places = Conditions.of_places(NORTH + SOUTH)
    return ConditionedEmbeddings(words, places, support_from(counts), rows)


@pytest.mark.parametrize("min_count", [1, 10])
def test_places_group_by_their_use_of_words(two_countries, min_count):
    answer = place_distances(two_countries, min_count=min_count)
    group = dict(zip(answer.places, answer.groups, strict=True))
    assert len(set(group.values())) == 2
    assert len({group[place] for place in NORTH}) == 1
    assert len({group[place] for place in SOUTH}) == 1
    assert answer.fidelity > 0.95
    table = np.array(answer.distances)
    assert np.array_equal(table, table.T)
    assert not table.diagonal().any()
    assert len(place_distances(two_countries, groups=3).merges) == 5


def test_the_distance_is_the_weighted_mean(two_countries):
    answer = place_distances(two_countries, min_count=1)
    a, b = answer.places.index("ava"), answer.places.index("dax")
    cosines = np.array([two_countries.similarity(word, word, "ava", "dax") for word in two_countries.words])
    weights = np.where(np.arange(300) < 200, 500 / 550, 6 / 56)
    assert answer.distances[a][b] == pytest.approx(np.average(1 - cosines, weights=weights), abs=1e-6)
    assert answer.words[a][b] == 300


def test_rare_words_hardly_count(two_countries):
    same = place_distances(two_countries, min_count=1)
    north = [same.distances[same.places.index("ava")][same.places.index(place)] for place in ("bern", "cork")]
    assert max(north) < 0.1, "a third of the words is noise"


def test_over_time_and_place_places_are_compared_at_the_same_time(over_both):
    answer = place_distances(over_both)
    assert sorted(answer.places) == ["arlen", "borva", "celdon"]


def test_the_odd_place_is_seen_on_the_map(over_places):
    values = {row.place: row.value for row in word_map(over_places, "chips").rows}
    assert min(values, key=values.get) == "borva"
    along = word_map(over_places, "chips", "(computer + software + machine) - (bread + meat + cheese)")
    values = {row.place: row.value for row in along.rows}
    assert max(values, key=values.get) == "borva"
    assert values["borva"] > 0 > max(value for place, value in values.items() if place != "borva")
    assert all(row.low < row.value < row.high for row in along.rows)


def test_a_word_of_the_south_is_alike_among_neighbors(two_countries):
    moved = word_map(two_countries, "w150", "w151 - w3", coordinates=WHERE, nearest=2, permutations=999)
    links = place_links(two_countries.conditions.places, coordinates=WHERE, nearest=2)
    assert moved.moran.links == len(links) == 6
    assert moved.rows[0].lat == 60
    mapped = {place: WHERE[place] for place in list(WHERE)[:5]}
    fewer = word_map(two_countries, "w150", "w151 - w3", coordinates=mapped, nearest=2)
    assert fewer.moran.places == 5, "a place that is not on the map takes no part"
    by_edges = word_map(two_countries, "w150", "w151 - w3", edges=[("AVA", "bern"), ("bern", "ava")])
    assert by_edges.moran.links == 1


def test_edges_and_coordinates_of_other_places_are_refused(two_countries):
    """What nothing could come of: a place that does not exist, no pair at all, a map of one place."""
    places = two_countries.conditions.places
    with pytest.raises(UnknownConditionError, match="'Paris' is not among the 6 places: ava, bern"):
        word_map(two_countries, "w150", edges=[("ava", "bern"), ("ava", "Paris")])
    for edges in ([], [("ava", "ava")]):
        with pytest.raises(InputError, match="name no two places"):
            place_links(places, edges=edges)
    with pytest.raises(InputError, match="coordinates are of 1 of the 6 places, and a map needs two"):
        without_coordinates(places, {"ava": (60, 0), "paris": (49, 2)})
    assert without_coordinates(places, WHERE | {"paris": (49, 2)}) == []


def test_morans_i_by_the_textbook():
    """A chain of values 1 … 6: I = n/S0 Σ w z z / Σ z², and rising values are alike among neighbors."""
    chain = [(i, i + 1) for i in range(7)]
    values = [float(i) for i in range(8)]
    z = np.arange(8) - 3.5
    expected = 8 / 14 * 2 * (z[:-1] * z[1:]).sum() / (z**2).sum()
    found = morans_i(values, chain)
    assert found.value == pytest.approx(expected)
    assert found.expected == pytest.approx(-1 / 7)
    assert found.p < 0.01
    checkers = morans_i([0.0, 1.0] * 4, chain)
    assert checkers.value == pytest.approx(-1)
    assert checkers.p > 0.95


def test_morans_p_is_uniform_where_the_map_says_nothing():
    rng = np.random.default_rng(5)
    ring = [(i, (i + 1) % 12) for i in range(12)]
    found = np.array([morans_i(rng.standard_normal(12), ring, permutations=99).p for _ in range(400)])
    for level in (0.05, 0.5):
        assert abs((found <= level).mean() - level) < 3 * np.sqrt(level * (1 - level) / 400)


def test_places_without_a_value_take_no_part():
    chain = [(i, i + 1) for i in range(8)]
    values = [0.0, 0.1, None, 0.2, 1.0, 1.1, 0.9, None, 1.0]
    found = morans_i(values, chain)
    assert (found.places, found.links) == (7, 4)
    assert morans_i([1.0, None, None, 2.0], chain) is None
    assert morans_i([1.0] * 9, chain) is None


def test_neighbors_go_around_the_earth():
    """Fiji and Samoa lie on two sides of the date line."""
    assert nearest_places([(-17, 179), (-14, -172), (0, 0), (5, 5)], 1) == [(0, 1), (2, 3)]


def test_coordinates_from_a_file(tmp_path):
    path = tmp_path / "places.csv"
    path.write_text("place,lat,lon\nAva,60,0\nBern,61.5,-2\n")
    assert read_coordinates(path) == {"ava": (60, 0), "bern": (61.5, -2)}
    path.write_text("place,latitude\nAva,60\n")
    with pytest.raises(InputError, match="has no column 'lat'"):
        read_coordinates(path)
    path.write_text("place,lat,lon\nAva,60,0\nBern,north,1\n")
    with pytest.raises(InputError, match="line 3"):
        read_coordinates(path)


def test_without_places_there_is_nothing_to_compare(over_time):
    with pytest.raises(SettingsError, match="not places"):
        place_distances(over_time)
    with pytest.raises(SettingsError, match="not places"):
        word_map(over_time, "bank")
