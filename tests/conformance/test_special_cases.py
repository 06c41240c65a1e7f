"""Methods that are settings of our models: they do exactly what their names say."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from scipy import sparse

from chronotope.config import (
    AdditiveSettings,
    ConditionedSettings,
    Config,
    CovariateSettings,
    SharedContextSettings,
    read_config,
)
from chronotope.cooccurrence import Association
from chronotope.errors import SettingsError
from chronotope.methods import METHODS, ConditionedModel, GraphModel, default_settings
from chronotope.methods.graph.matrix import mutual_information


@pytest.mark.parametrize("marginals", ["own", "pooled"])
def test_without_smoothing_graph_is_a_truncated_singular_value_decomposition(small, marginals):
    settings = SharedContextSettings(dimensions=6, epochs=60, tolerance=0, marginals=marginals)
    rows = GraphModel(**asdict(settings)).fit(small).vectors
    pairs = mutual_information(small, Association(settings.context_power), marginals=marginals)
    shape = len(rows), len(small.vocabulary)
    left, values, _ = np.linalg.svd(sparse.csr_array((pairs.value, pairs.context, pairs.start), shape=shape).toarray())
    # Where two singular values lie close, as the last one and the next, iteration is slow to tell them apart.
    assert np.allclose(np.linalg.norm(rows, axis=0), values[:6], rtol=0.01)
    along = np.abs((left[:, :4] * rows[:, :4]).sum(axis=0)) / values[:4]
    assert (along > 0.999).all()


def test_without_deviations_every_word_moves_with_its_condition_alone(drifting):
    embeddings = ConditionedModel(dimensions=12, deviations=False).fit(drifting)
    support = embeddings.observed
    assert np.array_equal(
        embeddings.vectors, embeddings.common[support.word] * embeddings.condition_factors[support.condition]
    )
    assert np.abs(embeddings.condition_factors - 1).max() > 0.01, "the conditions do differ"
    assert embeddings.provenance["method"] == "covariate"


def test_without_condition_vectors_every_change_is_a_words_own(drifting):
    embeddings = ConditionedModel(dimensions=12, condition_vectors=False).fit(drifting)
    assert (embeddings.condition_factors == 1).all()
    own = embeddings.vectors - embeddings.common[embeddings.observed.word]
    assert np.abs(own).max() > 0.1
    assert embeddings.provenance["method"] == "additive"


@pytest.mark.parametrize(
    ("kind", "setting", "instead"),
    [
        (CovariateSettings, {"deviations": True}, "cw2v"),
        (AdditiveSettings, {"condition_vectors": True}, "cw2v"),
        (SharedContextSettings, {"smoothness": 1.0}, "graph"),
        (SharedContextSettings, {"deviation_penalty": 0.1}, "graph"),
    ],
)
def test_a_method_is_not_turned_into_another_by_a_setting(kind, setting, instead):
    with pytest.raises(SettingsError, match=f"train {instead}"):
        kind(**setting)


def test_something_must_differ_between_conditions():
    with pytest.raises(SettingsError, match="keep one"):
        ConditionedSettings(deviations=False, condition_vectors=False)


def test_every_method_has_its_section_in_the_settings_file(tmp_path):
    for name in METHODS:
        section = name.replace("-", "_")
        (tmp_path / "c.toml").write_text(f"[{section}]\nseed = 7\n")
        settings = read_config(tmp_path / "c.toml").of_method(name)
        assert asdict(settings) == default_settings(name) | {"seed": 7}
        assert settings == type(Config().of_method(name))(seed=7)
