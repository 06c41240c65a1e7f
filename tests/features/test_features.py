"""Words and documents as features: the vectors of their time and place, in pipelines of scikit-learn."""

from __future__ import annotations

import pickle
from datetime import date

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import chronotope as ct
import worlds
from chronotope.conditions import Conditions
from chronotope.errors import ChronotopeError, InputError, UnknownConditionError, UnknownWordError
from chronotope.features.rows import find_conditions
from embeddings.invented import model_of, random_embeddings

GRID = Conditions(("1990s", "2000s"), ("arlen", "borva"), (0, 0, 1, 1), (0, 1, 0, 1))


@pytest.fixture(scope="module")
def embeddings():
    return random_embeddings(conditions=GRID)


def unit(vector):
    return vector / np.linalg.norm(vector)


class TestWords:
    def test_each_row_is_the_vector_of_its_condition(self, embeddings):
        rows = [("w1", "1990s/arlen"), ("w2", "2000s/borva"), ("w1", "2000s/BORVA")]
        made = ct.WordInCondition(embeddings, unit=False).fit_transform(rows)
        assert np.array_equal(made, [embeddings.vector(word, at, fallback=True) for word, at in rows])
        frame = pl.DataFrame(rows, schema=["word", "condition"], orient="row")
        for same in (frame, frame.to_pandas(), frame.to_dicts(), np.array(rows, dtype=object)):
            assert np.array_equal(ct.WordInCondition(embeddings, unit=False).fit_transform(same), made)
        scaled = ct.WordInCondition(embeddings).fit(rows).transform(rows)
        assert np.linalg.norm(scaled, axis=1) == pytest.approx(1, abs=1e-5)

    def test_overall_vectors_need_no_condition(self, embeddings):
        for rows in (["w1", "w2"], [{"word": "w1"}, {"word": "w2"}]):
            made = ct.WordInCondition(embeddings, condition="overall", unit=False).fit_transform(rows)
            assert made == pytest.approx(np.array([embeddings["w1"], embeddings["w2"]]), abs=1e-6)

    def test_what_is_not_known(self, embeddings):
        with pytest.raises(UnknownWordError):
            ct.WordInCondition(embeddings).fit_transform([("nope", "1990s/arlen")])
        with pytest.raises(UnknownConditionError):
            ct.WordInCondition(embeddings).fit_transform([("w1", "1066")])
        made = ct.WordInCondition(embeddings, missing="zero").fit_transform([("nope", "1990s/arlen"), ("w1", "1066")])
        assert not made.any()
        with pytest.raises(InputError, match="row 0 does not hold word, condition"):
            ct.WordInCondition(embeddings).fit_transform(["w1"])
        with pytest.raises(InputError, match="there is no column 'condition'"):
            ct.WordInCondition(embeddings).fit_transform([{"word": "w1"}])


class TestDocuments:
    def test_a_document_is_the_mean_of_its_words_at_its_time_and_place(self, embeddings):
        documents = [
            {"text": "W1, w2 w2; unknown!", "time": "1994-03-01", "place": "Arlen"},
            {"text": "w1 w2 w2", "time": 2003, "place": "arlen"},
            {"text": "", "time": "1990s", "place": "borva"},
        ]
        made = ct.DocumentVectors(embeddings).fit_transform(documents)
        for row, label in ((0, "1990s/arlen"), (1, "2000s/arlen")):
            first, second = (unit(embeddings.vector(word, label, fallback=True)) for word in ("w1", "w2"))
            assert made[row] == pytest.approx((first + 2 * second) / 3, abs=1e-5)
        assert not made[2].any()
        frame = pl.DataFrame(documents, strict=False)
        for same in (frame, frame.to_pandas(), [tuple(row.values()) for row in documents]):
            assert np.array_equal(ct.DocumentVectors(embeddings).fit_transform(same), made)

    def test_overall_vectors_do_not_tell_the_condition(self, embeddings):
        documents = [("w1 w2", "1995", "arlen"), ("w1 w2", "2005", "borva"), ("w1 w2", "1850", "nowhere")]
        overall = ct.DocumentVectors(embeddings, condition="overall")
        made = overall.fit_transform([{"text": text} for text, *_ in documents])
        assert made[0] == pytest.approx((unit(embeddings["w1"]) + unit(embeddings["w2"])) / 2, abs=1e-5)
        assert np.array_equal(made, np.tile(made[0], (3, 1)))
        own = ct.DocumentVectors(embeddings).fit_transform(documents[:2])
        assert not np.allclose(own[0], own[1])

    def test_rare_words_count_more_with_tfidf(self, embeddings):
        documents = [("w1 w2", "1995", "arlen"), ("w1 w3", "1995", "arlen"), ("w1 w4", "1995", "arlen")]
        made = ct.DocumentVectors(embeddings, weighting="tfidf").fit_transform(documents)
        common, rare = np.log(4 / 4) + 1, np.log(4 / 2) + 1
        first, second = (unit(embeddings.vector(word, "1990s/arlen", fallback=True)) for word in ("w1", "w2"))
        assert made[0] == pytest.approx((common * first + rare * second) / (common + rare), abs=1e-5)

    def test_sif_takes_off_what_all_have_in_common(self, embeddings):
        rng = np.random.default_rng(1)
        documents = [(" ".join(f"w{n}" for n in rng.integers(0, 60, 9)), "1995", "arlen") for _ in range(30)]
        fitted = ct.DocumentVectors(embeddings, weighting="sif").fit(documents)
        made = fitted.transform(documents)
        assert np.abs(made @ fitted.common_axis_).max() < 1e-5
        assert np.linalg.matrix_rank(made, tol=1e-4) == embeddings.dimensions - 1
        assert np.allclose(fitted.transform(documents[:3]), made[:3]), "what was learned does not change"

    def test_words_that_are_rare_there_can_be_left_out(self, embeddings):
        rare = next(word for word in embeddings.words if embeddings.count(word, "1990s/arlen") == 0)
        document = [(rare, "1995", "arlen")]
        assert ct.DocumentVectors(embeddings).fit_transform(document).any()
        assert not ct.DocumentVectors(embeddings, min_count=1).fit_transform(document).any()

    def test_phrases_of_the_model_are_found(self):
        words = ["prime_minister", "minister", "prime"]
        model = model_of([np.eye(3)], Conditions.of_places(["here"]), words, center=np.zeros((1, 3)))
        made = ct.DocumentVectors(model).fit_transform([("The Prime Minister", "here"), ("prime, minister x", "here")])
        assert made.tolist()[0] == [1, 0, 0]

    def test_a_document_outside_is_an_error_or_zero(self, embeddings):
        outside = [("w1", "1850", "arlen"), ("w1", "1995", "nowhere"), ("w1", None, "arlen")]
        with pytest.raises(InputError, match=r"3 of 3 rows are in no condition .* time '1850' and place 'arlen'"):
            ct.DocumentVectors(embeddings).fit_transform(outside)
        assert not ct.DocumentVectors(embeddings, missing="zero").fit_transform(outside).any()
        with pytest.raises(InputError, match="no column 'place'"):
            ct.DocumentVectors(embeddings).fit_transform([{"text": "w1", "time": 1995, "palce": "arlen"}])

    @pytest.mark.parametrize("name", ["condition", "weighting", "missing", "min_count", "sif", "embeddings"])
    def test_wrong_settings_are_told(self, embeddings, name):
        with pytest.raises(ChronotopeError):
            ct.DocumentVectors(**({"embeddings": embeddings} | {name: -1})).fit([("w1", "1995", "arlen")])


@pytest.mark.parametrize(
    ("labels", "value", "expected"),
    [
        (["1998", "1999"], "1999-12-31T23:59:00", 1),
        (["1990s", "2000s"], 2009, 1),
        (["1995-1999", "2000-2004"], "2000-01-01", 1),
        (["1998-Q1", "1998-Q2"], "1998-04-01", 1),
        (["1998-03", "1998-04"], date(1998, 4, 30), 1),
        (["1998-01..1998-06", "1998-07..1998-12"], "1998-08", 1),
        (["1998-W05", "1998-W06"], "1998-02-02", 1),
        (["cold war", "since"], "Cold War", 0),
        (["cold war", "since"], "1950", -1),
        (["1998-Q1", "1998-Q2"], "1998", -1),
        (["-50..-41", "-40..-31"], "-45", 0),
        (["0-99", "100-199"], "0098", 0),
    ],
)
def test_dates_find_their_bins(labels, value, expected):
    assert find_conditions(Conditions.of_times(labels), [value], []).tolist() == [expected]


def test_it_learns_what_only_the_time_tells():
    """'bank' has to do with rivers before 1995 and with money after; a document of that one word tells which."""
    world = worlds.planted_drift()
    embeddings = ct.GraphModel(dimensions=20, epochs=3).fit(
        ct.count(ct.read_corpus(world.records, time="time"), min_count=5), threads=1
    )
    train = [(word, "1992", 0) for word in worlds.RIVER] + [(word, "1998", 1) for word in worlds.MONEY]
    rows, topics = [(text, year) for text, year, _ in train], [topic for *_, topic in train]
    made = make_pipeline(ct.DocumentVectors(embeddings), LogisticRegression(C=100)).fit(rows, topics)
    assert made.predict([("bank", "1991"), ("bank", "1999")]).tolist() == [0, 1]


@pytest.fixture(params=["words", "documents"])
def transformer(request, embeddings):
    if request.param == "words":
        return ct.WordInCondition(embeddings, missing="zero")
    return ct.DocumentVectors(embeddings, weighting="tfidf", missing="zero")


class TestScikitLearn:
    def test_the_checks_that_apply(self, transformer):
        """The others feed numbers; these are all that need none."""
        name = type(transformer).__name__
        for check in (
            estimator_checks.check_no_attributes_set_in_init,
            estimator_checks.check_estimator_cloneable,
            estimator_checks.check_estimator_repr,
            estimator_checks.check_valid_tag_types,
            estimator_checks.check_get_params_invariance,
            estimator_checks.check_set_params,
            estimator_checks.check_mixin_order,
        ):
            check(name, clone(transformer))

    def test_a_copy_shares_the_embeddings_a_pickle_holds_them_and_frames_come_out(self, transformer, embeddings):
        assert clone(transformer).embeddings is embeddings
        rows = [("w1", "1990s/arlen"), ("w2", "2000s/arlen")]
        if isinstance(transformer, ct.DocumentVectors):
            rows = [("w1 w2", "1995", "arlen"), ("w3", "2005", "arlen")]
        fitted = transformer.fit(rows)
        made = fitted.transform(rows)
        assert np.array_equal(pickle.loads(pickle.dumps(fitted)).transform(rows), made)
        shown = fitted.set_output(transform="polars").transform(rows)
        assert shown.columns == [f"dimension{n}" for n in range(embeddings.dimensions)]

    def test_a_grid_search_over_a_file(self, embeddings, tmp_path):
        embeddings.save(tmp_path / "model.ct")
        rng = np.random.default_rng(2)
        rows = [{"text": f"w{n} w{n + 1}", "time": 1995, "place": "arlen"} for n in rng.integers(0, 50, 24)]
        pipeline = make_pipeline(ct.DocumentVectors(str(tmp_path / "model.ct")), LogisticRegression())
        search = GridSearchCV(pipeline, {"documentvectors__weighting": ["mean", "tfidf", "sif"]}, cv=2, n_jobs=1)
        search.fit(rows, [n % 2 for n in range(24)])
        assert search.best_params_["documentvectors__weighting"] in ("mean", "tfidf", "sif")
