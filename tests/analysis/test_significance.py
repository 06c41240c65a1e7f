"""Is a change real: the statistics of `drift` on worlds whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest, spearmanr

import chronotope as ct
import worlds
from chronotope.datasets.invented import TOPICS, Change
from chronotope.errors import InputError, SettingsError

# Words that change company, the frequent ones first.
CHANGED = {"bank": 0.02, "apple": 0.014, "cell": 0.009, "pilot": 0.006}
NAMES = list(TOPICS)
CHANGES = tuple(
    Change(word, TOPICS[NAMES[2 * at]], TOPICS[NAMES[2 * at + 1]], time="1991", share=share)
    for at, (word, share) in enumerate(CHANGED.items())
)
EVERY = {"top": 100_000}


def two_years(documents=1200, seed=1, changes=()):
    world = ct.invented_world(
        years=range(1990, 1992), places=("arlen",), documents=documents, seed=seed, changes=changes or False
    )
    return [dict(record) for record in world.records]


def fitted(records, **options):
    return ct.GraphModel(dimensions=50).fit(ct.count(ct.read_corpus(records, time="time", **options), min_count=5))


def by_word(answer):
    return {row["word"]: row for row in answer}


@pytest.fixture(scope="module")
def split():
    """One distribution, the documents put into two years at random."""
    records, random = two_years(), np.random.default_rng(5)
    for record, year in zip(records, random.integers(1990, 1992, len(records)).tolist(), strict=True):
        record["time"] = str(year)
    return fitted(records)


@pytest.fixture(scope="module")
def changed():
    """Four words change company in 1991, and nothing else moves."""
    return fitted(two_years(changes=CHANGES))


@pytest.fixture(scope="module")
def mixed():
    """'cell' is of prisons in reports and of telephones in advertisements; only their mixture changes."""
    change = Change("cell", TOPICS["law"], TOPICS["telephone"], place="ads", share=0.02)
    world = ct.invented_world(
        years=range(1990, 1992), places=("reports", "ads"), documents=1200, seed=2, changes=(change,)
    )
    records, random = [], np.random.default_rng(3)
    for record in world.records:
        late = random.random() < (0.8 if record["place"] == "ads" else 0.2)
        records.append({"text": record["text"], "source": record["place"], "time": "1991" if late else "1990"})
    return fitted(records, keep="source")


def test_without_a_change_p_is_uniform_and_the_corrected_change_is_zero_at_any_frequency(split):
    answer = ct.drift(split, permutations=80, effect=0, **EVERY)
    assert len(answer) > 400
    assert kstest(answer["p"], "uniform").pvalue > 0.05
    assert answer.facts["discoveries"] == 0
    assert "Corrected change above 0 with q of at most 0.05: 0 words." in answer.notes
    assert answer.signature.endswith("|permutations 80|resampling seed 1|effect 0")
    frequency = (answer["count_before"] + answer["count_after"]).to_numpy()
    for low, high in ((40, 80), (80, 160), (160, 10**6)):
        band = (frequency >= low) & (frequency < high)
        assert band.sum() >= 20
        noise = answer["change"].to_numpy()[band].mean()
        assert noise > 5e-4
        assert abs(answer["corrected"].to_numpy()[band].mean()) < 0.1 * noise


def test_planted_changes_are_discovered_and_hardly_anything_else(changed):
    answer = ct.drift(changed, permutations=100, **EVERY)
    found = {row["word"] for row in answer if row["q"] is not None and row["q"] < 0.05}
    assert set(CHANGED) <= found
    assert len(found - set(CHANGED)) <= 3
    assert answer["word"][0] == "bank"
    assert answer["corrected"][0] == pytest.approx(answer["change"][0], rel=0.03)
    assert answer["noise"].min() > 0
    assert answer.signature.endswith("|permutations 100|resampling seed 1")


def test_a_change_between_two_bins_is_not_smoothed_away(changed):
    """They are each other's only neighbors; with the smoothness that many bins have, most of it would be lost."""
    assert changed.provenance["settings"]["smoothness"] == 0.1
    smooth = ct.GraphModel(dimensions=50, smoothness=1.0).fit(changed.counts)
    rough, weak = (by_word(ct.drift(model, words=list(CHANGED))) for model in (changed, smooth))
    for word in CHANGED:
        assert rough[word]["change"] > 0.6 > 3 * weak[word]["change"]


def test_frequent_words_have_more_power():
    """A third of the documents are in the wrong year: the change is weak, and only frequent words show it clearly."""
    clear = {word: [] for word in CHANGED}
    for seed in range(2):
        records, random = two_years(900, seed, CHANGES), np.random.default_rng(seed)
        for record in records:
            if random.random() < 1 / 3:
                record["time"] = "1990" if record["time"] == "1991" else "1991"
        answer = by_word(ct.drift(fitted(records), permutations=50, effect=0, min_count=5, words=list(CHANGED)))
        for word, values in clear.items():
            values.append(answer[word]["p"])
    assert np.max(clear["bank"]) < 0.01
    assert np.mean(clear["bank"]) < np.mean(clear["pilot"])


def test_a_mixture_of_sources_is_a_change_unless_compared_within_them(mixed):
    assert by_word(ct.drift(mixed, permutations=50, **EVERY))["cell"]["q"] < 0.05
    within = ct.drift(mixed, permutations=50, within="source", **EVERY)
    assert by_word(within)["cell"]["p"] > 0.05
    assert within.facts["discoveries"] == 0


@pytest.mark.parametrize(("many", "share"), [(1, 0.06), (4, 0.12)])
def test_a_change_of_frequency_is_no_change_of_meaning(many, share):
    """In 1991 some words lose nine of ten occurrences, at random: rarer, and as noisy as rare words are.

    If many words of a topic do, then contexts become rare, too, which the permutations do not show: such words change a
    little, hardly more than what counts, and none is discovered.
    """
    rarer = {word for topic in NAMES[:: 4 if many > 1 else 1] for word in TOPICS[topic][2 : 2 + many]}
    p, q = [], []
    for seed in (7, 20):
        records, random = two_years(1600), np.random.default_rng(seed)
        for record, year in zip(records, random.integers(1990, 1992, len(records)).tolist(), strict=True):
            record["time"] = str(year)
            if year == 1991:
                words = record["text"].split()
                kept = (word for word in words if word.strip(".").lower() not in rarer or random.random() < 0.1)
                record["text"] = " ".join(kept)
        model = fitted(records)
        effect, words = None if many > 1 else 0, sorted(rarer & set(model.words))
        answer = ct.drift(model, permutations=40, effect=effect, min_count=5, words=words, **EVERY)
        p += answer["p"].to_list()
        q += answer["q"].to_list()
    assert len(p) >= 40
    assert np.min(q) > 0.05
    assert np.mean(np.array(p) <= 0.05) <= share
    assert np.median(p) > 0.3


def test_the_least_change_that_counts(changed):
    """Above any change that a word shows none is discovered; what chance shows is the default."""
    answers = [ct.drift(changed, permutations=20, effect=effect, **EVERY) for effect in (0, None, 0.3, 1.5)]
    found = [answer.facts["discoveries"] for answer in answers]
    assert found[0] >= found[1] >= found[2] >= 3 > found[3] == 0
    assert 0 < answers[1].facts["effect"] < 0.3
    assert ((answers[1]["effect"] > answers[1]["noise"] * 0.5) & (answers[0]["effect"] < answers[1]["effect"])).all()
    assert {answer["word"][0] for answer in answers} == {"bank"}


def test_the_order_is_never_worse_than_that_of_the_plain_change():
    """Words that changed by 0, 20, …, 100 %, frequent and rare: the order is compared with the truth."""
    agreement = []
    for seed in (1, 2, 3):
        records, level = worlds.graded(seed=seed)
        answer = ct.drift(fitted(records), min_count=3, bootstrap=2, **EVERY).frame
        answer = answer.filter(answer["word"].is_in(list(level)))
        truth = [level[word] for word in answer["word"]]
        agreement.append([spearmanr(truth, figures)[0] for figures in (answer["change"], -np.arange(len(truth)))])
    plain, ranked = np.mean(agreement, axis=0)
    assert ranked > plain > 0.5


def test_the_same_figures_for_any_number_of_threads(changed):
    one, three = (ct.drift(changed, permutations=12, bootstrap=12, threads=threads, **EVERY) for threads in (1, 3))
    assert one.to_json() == three.to_json()
    other = ct.drift(changed, permutations=12, bootstrap=12, seed=2, **EVERY)
    assert by_word(other)["bank"]["corrected"] != by_word(one)["bank"]["corrected"]


def test_what_was_stopped_is_resumed_to_the_same_answer(changed, tmp_path):
    def asked(permutations=14, **more):
        return ct.drift(changed, permutations=permutations, bootstrap=3, **EVERY, **more)

    def stop(stage, done, _total):
        if stage == "permutations" and done == 5:
            raise KeyboardInterrupt

    whole, stages = asked(), []
    with pytest.raises(KeyboardInterrupt):
        asked(progress=stop, keep_in=tmp_path)
    kept = {"progress": lambda stage, *_: stages.append(stage), "keep_in": tmp_path}
    assert asked(**kept).to_json() == whole.to_json()
    assert stages.count("permutations") == 9
    stages.clear()
    assert asked(**kept).to_json() == whole.to_json()
    assert not stages, "nothing is computed twice"
    asked(permutations=15, **kept)
    assert stages.count("permutations") == 1


def test_intervals_hold_zero_for_words_that_stay_and_not_for_those_that_change(changed):
    answer = ct.drift(changed, permutations=40, bootstrap=40, **EVERY)
    rows = by_word(answer)
    for word in ("bank", "apple", "cell"):
        assert 0 < rows[word]["low"] < rows[word]["corrected"] < rows[word]["high"]
        assert rows[word]["draw_stability"] == 1
    still = [row for word, row in rows.items() if word not in CHANGED and row["low"] is not None]
    assert np.mean([row["low"] <= 0 <= row["high"] for row in still]) > 0.9


def test_draws_are_ranked_as_the_list_is(over_time):
    """A rare word has a large change that is all noise: it leads neither the list nor its draws."""
    answer = ct.drift(over_time, min_count=3, permutations=20, bootstrap=20, **EVERY)
    first = -(-len(answer) // 10)
    stability = answer["draw_stability"].to_numpy()
    assert stability.sum() == pytest.approx(first, abs=1)
    assert stability[:first].mean() > 3 * stability[first:].mean()
    loudest = answer.frame.sort("change", descending=True).head(first)
    assert stability[:first].mean() > loudest["draw_stability"].mean()


@pytest.mark.parametrize("over", ["series", "unusual", "steps"])
def test_over_several_conditions(over_places, over_time, over):
    """The planted words are found by every measure; 'chips' in borva among them, and 'bank' in 1995."""
    if over == "steps":
        row = by_word(ct.drift(over_time, over=over, permutations=40, min_count=8))["bank"]
        assert (row["before"], row["after"]) == ("1994", "1995")
        assert row["p"] < 0.01
        return
    answer = ct.drift(over_places, over=over, permutations=30, top=4)
    assert set(answer["word"]) == {"chips", "boot", "pitch", "subway"}
    assert answer["q"].max() < 0.05
    assert by_word(answer)["chips"]["after"] == "borva"


def test_too_few_permutations_give_no_p(changed):
    answer = ct.drift(changed, permutations=3)
    assert answer["p"].null_count() == len(answer)
    assert "p and q need at least 10 permutations; 200 is usual." in answer.notes


def test_what_cannot_be_resampled_is_refused(changed, split, tmp_path):
    changed.save(tmp_path / "model.ct")
    strange = ct.load(tmp_path / "model.ct", run=split.counts.folder)
    for settings in ({"permutations": 5}, {"seeds": 1}):
        with pytest.raises(InputError, match="another run"):
            ct.drift(strange, **settings)
    with pytest.raises(InputError, match="another run"):
        ct.series(strange, "bank", bootstrap=5)
    assert ct.drift(strange)["documents"][0] is None
    other = ct.ConditionedModel(dimensions=10, epochs=1).fit(changed.counts)
    with pytest.raises(SettingsError, match="common contexts"):
        ct.drift(other, permutations=5)
    with pytest.raises(SettingsError, match="common contexts"):
        ct.series(other, "bank", bootstrap=5)
    assert ct.drift(other)["p"][0] is None


def test_conditions_that_came_with_extend_have_no_resamples(changed, tmp_path):
    later = ct.invented_world(years=range(1992, 1993), places=("arlen",), documents=60)
    new = ct.count(ct.read_corpus(later.records, time="time"), min_count=1)
    ct.extend(changed, new).save(tmp_path / "longer.ct")
    longer = ct.load(tmp_path / "longer.ct", run=changed.counts.folder)
    for ask in (
        lambda: ct.drift(longer, permutations=2),
        lambda: ct.drift(longer, "1990", "1992", permutations=2, bootstrap=2),
        lambda: ct.series(longer, "bank", bootstrap=2),
    ):
        with pytest.raises(SettingsError, match="no text of 1992, which came with `extend`"):
            ask()
    with pytest.raises(SettingsError, match="extended"):
        ct.drift(longer, seeds=1)
    assert len(ct.drift(longer, "1990", "1991", permutations=2))


def test_a_planted_change_comes_out_with_every_seed(changed, tmp_path):
    """The seeds are those that follow the model's own, and finished models are not trained again."""
    counts, stages = changed.counts, []
    model = ct.ConditionedModel(dimensions=20, epochs=10, seed=7).fit(counts)

    def asked(seeds):
        stages.clear()
        return ct.drift(model, seeds=seeds, keep_in=tmp_path, progress=lambda stage, *_: stages.append(stage), **EVERY)

    answer = asked(1)
    assert set(stages) == {"training with seed 8"}
    assert answer.signature.endswith("|seeds 1")
    bank = by_word(answer)["bank"]
    other = by_word(ct.drift(ct.ConditionedModel(dimensions=20, epochs=10, seed=8).fit(counts), **EVERY))["bank"]
    assert bank["seed_spread"] == pytest.approx(np.std([bank["change"], other["change"]], ddof=1), abs=1e-6)
    assert bank["seed_stability"] == 1
    assert set(answer["seed_stability"]) == {0, 0.5, 1}, "noise that leads once does not lead always"
    assert asked(1).to_json() == answer.to_json()
    assert not stages
    asked(2)
    assert set(stages) == {"training with seed 9"}


def test_graph_hardly_depends_on_its_seed(changed):
    answer = ct.drift(changed, seeds=1, **EVERY)
    assert np.median(answer["seed_spread"] / np.maximum(answer["change"], 1e-6)) < 0.2


def test_places_are_strata_without_being_kept(over_both):
    for asked in ({"permutations": 2}, {"bootstrap": 2}):
        assert len(ct.drift(over_both, over="steps", within="place", min_count=3, **asked))
