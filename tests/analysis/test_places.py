import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import chronotope as ct
from chronotope.analysis.geography import morans_i, nearest_places, place_links, read_coordinates, without_coordinates
from chronotope.conditions import Conditions
from chronotope.errors import InputError, UnknownConditionError
from embeddings.invented import model_of

NORTH, SOUTH = ("ava", "bern", "cork"), ("dax", "ems", "fes")
WHERE = {"ava": (60, 0), "bern": (61, 2), "cork": (60, 4), "dax": (40, 0), "ems": (41, 2), "fes": (40, 4)}


@pytest.fixture(scope="module")
def two_countries():
    """Three places in the north and three in the south; half of the words mean another thing in the south.

    A hundred words that occur six times are pure noise, and must not hide that.
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
    return model_of(np.concatenate([vectors, noise], axis=1), Conditions.of_places(NORTH + SOUTH), words, counts)


@pytest.mark.parametrize("min_count", [1, 10])
def test_places_group_by_their_use_of_words(two_countries, min_count):
    answer = ct.places(two_countries, min_count=min_count)
    group = {row["place"]: row["group"] for row in answer}
    assert {group[place] for place in NORTH} != {group[place] for place in SOUTH}
    assert answer.facts["groups"] == len(set(group.values())) == 2
    assert answer.facts["fidelity"] > 0.95
    distance = {(row["place"], row["other"]): row["distance"] for row in answer}
    assert all(distance[a, b] == distance[b, a] for a, b in distance)
    assert all(distance[place, place] == 0 for place in group)
    assert max(distance["ava", place] for place in ("bern", "cork")) < 0.1, "a third of the words is noise"
    assert len(ct.places(two_countries, groups=3).facts["merges"]) == 5


def test_hundreds_of_places_are_compared_as_two_are():
    """Word by word, in places that share few words; the plain way is pair by pair."""
    rng = np.random.default_rng(4)
    places = Conditions.of_places([f"p{number:03}" for number in range(300)])
    counts = rng.integers(0, 60, (300, 40)) * (rng.random((300, 40)) < 0.5)
    counts[:, :2] = 30
    model = model_of(rng.standard_normal((300, 40, 6)), places, count=counts)
    reports = []
    answer = ct.places(model, progress=lambda *report: reports.append(report))
    assert reports[0] == ("comparing places", 0, 40)
    assert len(answer) == 300 * 300
    for row in answer.to_polars().sample(20, seed=1).iter_rows(named=True):
        a, b = row["place"], row["other"]
        both = [(w, min(model.count(w, a), model.count(w, b))) for w in model.words]
        both = [(w, rarer) for w, rarer in both if rarer >= 10]
        plain = np.average([1 - model.similarity(w, w, a, b) for w, _ in both], weights=[n / (n + 50) for _, n in both])
        assert (row["distance"], row["words"]) == (pytest.approx(plain, abs=1e-6), len(both))


def test_the_odd_place_is_seen_on_the_map(over_places):
    values = {row["place"]: row["value"] for row in ct.map(over_places, "chips")}
    assert min(values, key=values.get) == "borva"
    along = ct.map(over_places, "chips", formula="(computer + software + machine) - (bread + meat + cheese)")
    values = {row["place"]: row["value"] for row in along}
    assert values.pop("borva") > 0 > max(values.values())
    assert all(row["low"] < row["value"] < row["high"] for row in along)


def test_neighbors_come_from_coordinates_or_edges(two_countries, tmp_path):
    def asked(**more):
        return ct.map(two_countries, "w150", formula="w151 - w3", **more)

    answer = asked(coordinates=WHERE, nearest=2)
    assert answer.facts["moran"]["links"] == 6
    assert answer["lat"][0] == 60
    fewer = asked(coordinates={place: WHERE[place] for place in list(WHERE)[:5]}, nearest=2)
    assert fewer.facts["moran"]["places"] == 5, "a place that is not on the map takes no part"
    assert "Without coordinates: fes." in fewer.notes
    (tmp_path / "edges.csv").write_text("AVA,bern\nbern,ava\n")
    for edges in ([("AVA", "bern"), ("bern", "ava")], tmp_path / "edges.csv"):
        assert asked(edges=edges).facts["moran"]["links"] == 1
    assert asked().facts["moran"] is None
    with pytest.raises(UnknownConditionError, match="'Paris' is not among the 6 places: ava, bern"):
        asked(edges=[("ava", "bern"), ("ava", "Paris")])
    for edges in ([], [("ava", "ava")]):
        with pytest.raises(InputError, match="name fewer than two places"):
            place_links(NORTH, edges=edges)
    with pytest.raises(InputError, match="coordinates are known for 1 of the 6 places, and a map needs two"):
        asked(coordinates={"ava": (60, 0), "paris": (49, 2)})


def test_morans_i_by_the_textbook():
    """A chain of values 0 … 7: I = n/S0 Σ w z z / Σ z², and rising values are alike among neighbors."""
    chain = [(i, i + 1) for i in range(7)]
    z = np.arange(8) - 3.5
    found = morans_i([float(i) for i in range(8)], chain)
    assert found["value"] == pytest.approx(8 / 14 * 2 * (z[:-1] * z[1:]).sum() / (z**2).sum())
    assert found["expected"] == pytest.approx(-1 / 7)
    assert found["p"] < 0.01
    checkers = morans_i([0.0, 1.0] * 4, chain)
    assert (checkers["value"], checkers["p"] > 0.95) == (pytest.approx(-1), True)
    gaps = morans_i([0.0, 0.1, None, 0.2, 1.0, 1.1, 0.9, None, 1.0], [(i, i + 1) for i in range(8)])
    assert (gaps["places"], gaps["links"]) == (7, 4)
    assert morans_i([1.0, None, None, 2.0], chain) is None
    assert morans_i([1.0] * 8, chain) is None


def test_morans_p_is_uniform_where_the_map_says_nothing():
    rng = np.random.default_rng(5)
    ring = [(i, (i + 1) % 12) for i in range(12)]
    found = np.array([morans_i(rng.standard_normal(12), ring, shuffles=99)["p"] for _ in range(400)])
    for level in (0.05, 0.5):
        assert abs((found <= level).mean() - level) < 3 * np.sqrt(level * (1 - level) / 400)


def test_neighbors_go_around_the_earth():
    """Fiji and Samoa lie on two sides of the date line."""
    assert nearest_places([(-17, 179), (-14, -172), (0, 0), (5, 5)], 1) == [(0, 1), (2, 3)]


SQUARE = [[[-2, 59], [2, 59], [2, 61], [-2, 61], [-2, 59]]]


def geojson(*geometries, key="Name"):
    features = [
        {"type": "Feature", "properties": {key: place}, "geometry": {"type": kind, "coordinates": coordinates}}
        for place, kind, coordinates in geometries
    ]
    return json.dumps({"type": "FeatureCollection", "features": features})


def test_coordinates_come_from_files_frames_and_mappings(tmp_path):
    columns = {"place": ["Ava", "Bern"], "lat": [60.0, 61.5], "lon": [0, -2]}
    csv, points = tmp_path / "places.csv", tmp_path / "places.geojson"
    csv.write_text("place,lat,lon\nAva,60,0\nBern,61.5,-2\n")
    points.write_text(geojson(("Ava", "Point", [0, 60]), ("Bern", "Point", [-2, 61.5, 400])))
    sources = [csv, str(points), pl.DataFrame(columns), pd.DataFrame(columns), {"Ava": (60, 0), "Bern": (61.5, -2)}]
    for source in sources:
        assert read_coordinates(source).points == {"ava": (60, 0), "bern": (61.5, -2)}
    assert without_coordinates(["BERN", "Ava", "Cork"], read_coordinates(csv)) == ["Cork"]


def test_polygons_are_kept_for_the_map(two_countries, tmp_path):
    path = tmp_path / "areas.geojson"
    islands = [[[[5, 5], [6, 5], [6, 6], [5, 5]]], SQUARE]
    path.write_text(geojson(("Ava", "Polygon", SQUARE), ("bern", "MultiPolygon", islands), ("paris", "Point", [2, 49])))
    answer = ct.map(two_countries, "w150", coordinates=path)
    assert answer.to_polars().select("lat", "lon").rows()[:2] == [(60, 0), (60, 0)]
    features = answer.facts["polygons"]["features"]
    assert [feature["properties"]["place"] for feature in features] == ["ava", "bern"]
    assert features[0]["geometry"]["coordinates"] == SQUARE
    assert "polygons" not in ct.map(two_countries, "w150", coordinates=WHERE).facts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("place,latitude\nAva,60\n", "places has no column 'lat'; it needs place, lat and lon"),
        ("place,lat,lon\nAva,60,0\nBern,north,1\n", "places, line 3: expected latitude and longitude in degrees"),
        ("place,lat,lon\nAva,91,0\n", "places, line 2"),
        ('{"features": [', "places is not valid JSON: Expecting value: line 1"),
        ("{}", "not a GeoJSON feature collection"),
        (geojson(("Ava", "Point", [0, 60]), ("Bern", "Point", [0])), "places, feature 2: expected latitude"),
        (geojson(("Ava", "Point", [0, 60]), key="color"), "feature 1: no property place, name, id"),
        (geojson(("Ava", "LineString", [[0, 60]])), "feature 1: a LineString is neither a point nor a polygon"),
        (geojson(("Ava", "Polygon", [[0, 60]])), "feature 1: a polygon needs a ring"),
    ],
)
def test_damaged_files_are_named_with_their_line(tmp_path, text, message):
    path = tmp_path / "places"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_coordinates(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match=r"cannot read .*none"):
        read_coordinates(tmp_path / "none.csv")
