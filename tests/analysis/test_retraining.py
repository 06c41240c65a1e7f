"""Does a change come out again with another seed: what depends on the start is told from what does not."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.analysis import drift, series
from chronotope.analysis.significance.retraining import agreement
from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.datasets.invented import TOPICS, Change, invented_world
from chronotope.errors import InputError, SettingsError
from chronotope.methods import ConditionedModel, GraphModel
from chronotope.methods.extend import extend


@pytest.fixture(scope="module")
def counts():
    """'bank' changes company in 1991; nothing else moves."""
    change = Change("bank", TOPICS["river"], TOPICS["money"], time="1991", share=0.02)
    world = invented_world(years=range(1990, 1992), places=("arlen",), documents=900, changes=(change,))
    return count(read_corpus(world.records, time="time"), min_count=10)


def test_a_planted_change_comes_out_with_every_seed(counts):
    answer = drift(ConditionedModel(dimensions=20, epochs=15).fit(counts), counts=counts, seeds=2)
    bank = answer.of("bank")
    assert bank.seed_stability == 1.0
    assert 0 < bank.seed_spread < bank.score / 2
    assert len(set(np.round(answer.judged.seed_stability * 3, 6))) > 1, "noise that leads once does not lead always"


def test_graph_hardly_depends_on_its_seed(counts):
    answer = drift(GraphModel(dimensions=50).fit(counts), counts=counts, seeds=2)
    assert np.median(answer.judged.seed_spread / np.maximum(answer.scores, 1e-6)) < 0.2


def test_the_seeds_are_those_that_follow_the_models_own(counts):
    """The score of the second model is that of a model trained with that seed."""
    answer = drift(ConditionedModel(dimensions=20, epochs=5, seed=7).fit(counts), counts=counts, seeds=1)
    other = drift(ConditionedModel(dimensions=20, epochs=5, seed=8).fit(counts))
    row = answer.of("bank")
    assert row.seed_spread == pytest.approx(np.std([row.score, other.of("bank").score], ddof=1), abs=1e-6)


def test_finished_models_are_not_trained_again(counts, tmp_path):
    embeddings = ConditionedModel(dimensions=20, epochs=5).fit(counts)
    stages: list[str] = []

    def asked(seeds):
        stages.clear()
        answer = drift(
            embeddings, counts=counts, seeds=seeds, keep_in=tmp_path, progress=lambda stage, *_: stages.append(stage)
        )
        return answer, set(stages)

    first, trained = asked(2)
    assert trained == {"training with seed 2", "training with seed 3"}
    again, trained = asked(2)
    assert not trained
    assert first.judged.seed_spread.tobytes() == again.judged.seed_spread.tobytes()
    _, trained = asked(3)
    assert trained == {"training with seed 4"}


def test_words_are_ranked_by_what_is_left_without_noise():
    """A rare word has a large score that is all noise: it is not among the most changed."""
    own = np.array([0.9, 0.5, *np.linspace(0.1, 0.2, 8)])
    noise = np.array([0.9, 0.1, *np.linspace(0.1, 0.2, 8)])
    others = np.tile(own, (2, 1)).astype(np.float32)
    assert agreement(own, others, None)[0].tolist() == [1.0] + [0.0] * 9
    assert agreement(own, others, noise)[0].tolist() == [0.0, 1.0] + [0.0] * 8


def test_what_cannot_be_trained_again_is_refused(counts):
    embeddings = GraphModel(dimensions=20, epochs=2).fit(counts)
    with pytest.raises(SettingsError, match="give the run"):
        drift(embeddings, seeds=1)
    later = invented_world(years=range(1992, 1993), places=("arlen",), documents=60)
    new = count(read_corpus(later.records, time="time"), min_count=1)
    with pytest.raises(SettingsError, match="extended"):
        drift(extend(embeddings, new), counts=counts, seeds=1)
    with pytest.raises(InputError, match="another run"):
        drift(embeddings, counts=new, seeds=1)


def test_conditions_that_are_not_in_the_run_have_no_resamples(counts):
    embeddings = GraphModel(dimensions=20, epochs=2).fit(counts)
    later = invented_world(years=range(1992, 1993), places=("arlen",), documents=60)
    longer = extend(embeddings, count(read_corpus(later.records, time="time"), min_count=1))
    word, (first, *_, last) = counts.vocabulary.words[0], counts.conditions.labels
    for ask in (
        lambda: drift(longer, counts=counts, permutations=2),
        lambda: drift(longer, first, "1992", counts=counts, bootstrap=2),
        lambda: series(longer, word, counts=counts, bootstrap=2),
    ):
        with pytest.raises(SettingsError, match="no text of 1992, which came with `extend`"):
            ask()
    assert drift(longer, first, last, counts=counts, permutations=2, min_count=1).top(3)
