"""Is a change real: tests of the statistics on worlds whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest

from chronotope.analysis import drift
from chronotope.analysis.collocates import context_weights
from chronotope.analysis.concordance import Concordance, Term
from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.datasets.invented import TOPICS, Change, invented_world
from chronotope.errors import DamagedFileError, InputError, SettingsError
from chronotope.methods import ConditionedModel, GraphModel
from chronotope.methods.heldout import log_context_distribution

# Words that change company, the frequent ones first.
CHANGED = {"bank": 0.02, "apple": 0.014, "cell": 0.009, "pilot": 0.006}
NAMES = list(TOPICS)


def two_years(documents=1200, seed=1, changes=()):
    world = invented_world(
        years=range(1990, 1992), places=("arlen",), documents=documents, seed=seed, changes=changes or False
    )
    return [dict(record) for record in world.records]


def fitted(records, **options):
    counts = count(read_corpus(records, time="time", **options), min_count=5)
    return GraphModel(dimensions=50).fit(counts), counts


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
    changes = tuple(
        Change(word, TOPICS[NAMES[2 * at]], TOPICS[NAMES[2 * at + 1]], time="1991", share=share)
        for at, (word, share) in enumerate(CHANGED.items())
    )
    return fitted(two_years(changes=changes))


@pytest.fixture(scope="module")
def mixed():
    """'cell' is of prisons in reports and of telephones in advertisements; only their mixture changes."""
    change = Change("cell", TOPICS["law"], TOPICS["telephone"], place="ads", share=0.02)
    world = invented_world(
        years=range(1990, 1992), places=("reports", "ads"), documents=1200, seed=2, changes=(change,)
    )
    records, random = [], np.random.default_rng(3)
    for record in world.records:
        late = random.random() < (0.8 if record["place"] == "ads" else 0.2)
        records.append({"text": record["text"], "source": record["place"], "time": "1991" if late else "1990"})
    return fitted(records, keep="source")


def test_without_a_change_p_is_uniform_and_nothing_is_discovered(split):
    embeddings, counts = split
    answer = drift(embeddings, counts=counts, permutations=80)
    assert len(answer) > 400
    assert kstest(answer.judged.p, "uniform").pvalue > 0.05
    assert answer.discoveries(0.05) == 0


def test_the_corrected_score_of_an_unchanged_word_is_zero_at_any_frequency(split):
    embeddings, counts = split
    answer = drift(embeddings, counts=counts, permutations=80)
    frequency = np.bincount(embeddings.observed.word, embeddings.observed.count)[answer.words]
    for low, high in ((40, 80), (80, 160), (160, 10**6)):
        band = (frequency >= low) & (frequency < high)
        assert band.sum() >= 20
        noise = answer.scores[band].mean()
        assert noise > 5e-4
        assert abs(answer.judged.corrected[band].mean()) < 0.1 * noise


def test_planted_changes_are_discovered_and_hardly_anything_else(changed):
    embeddings, counts = changed
    answer = drift(embeddings, counts=counts, permutations=100)
    found = {row.word for row in answer.top(40) if row.q is not None and row.q < 0.05}
    assert set(CHANGED) <= found
    assert len(found - set(CHANGED)) <= 3
    assert [row.word for row in answer.top(1)] == ["bank"]
    assert answer.of("bank").corrected == pytest.approx(answer.of("bank").score, rel=0.03)
    assert (answer.judged.noise > 0).all()


def test_a_change_between_two_bins_is_not_smoothed_away(changed):
    """They are each other's only neighbors; with the smoothness that many bins have, most of it would be lost."""
    embeddings, counts = changed
    assert embeddings.provenance["settings"]["smoothness"] == 0.1
    smooth = GraphModel(dimensions=50, smoothness=1.0).fit(counts)
    for word in CHANGED:
        assert drift(embeddings).of(word).score > 0.6 > 3 * drift(smooth).of(word).score


def test_frequent_words_have_more_power():
    """A third of the documents are in the wrong year: the change is weak, and only frequent words show it clearly."""
    changes = tuple(
        Change(word, TOPICS[NAMES[2 * at]], TOPICS[NAMES[2 * at + 1]], time="1991", share=share)
        for at, (word, share) in enumerate(CHANGED.items())
    )
    clear = {word: [] for word in CHANGED}
    for seed in range(2):
        records, random = two_years(900, seed, changes), np.random.default_rng(seed)
        for record in records:
            if random.random() < 1 / 3:
                record["time"] = "1990" if record["time"] == "1991" else "1991"
        embeddings, counts = fitted(records)
        answer = drift(embeddings, counts=counts, permutations=50, min_count=5)
        for word, values in clear.items():
            values.append(answer.of(word).p)
    assert np.max(clear["bank"]) < 0.01
    assert np.mean(clear["bank"]) < np.mean(clear["pilot"])


def test_a_mixture_of_sources_is_a_change_unless_compared_within_them(mixed):
    embeddings, counts = mixed
    everywhere = drift(embeddings, counts=counts, permutations=50)
    assert everywhere.of("cell").q < 0.05
    within = drift(embeddings, counts=counts, permutations=50, within="source")
    assert within.of("cell").p > 0.05
    assert within.discoveries() == 0


def test_a_change_of_frequency_is_no_change_of_meaning():
    """In 1991 some words lose nine of ten occurrences, at random: rarer, and as noisy as rare words are."""
    records, random = two_years(1600), np.random.default_rng(7)
    rarer = {word for topic in NAMES[::4] for word in TOPICS[topic][:4]}
    for record, year in zip(records, random.integers(1990, 1992, len(records)).tolist(), strict=True):
        record["time"] = str(year)
        if year == 1991:
            words = record["text"].split()
            record["text"] = " ".join(
                word for word in words if word.strip(".").lower() not in rarer or random.random() < 0.1
            )
    embeddings, counts = fitted(records)
    answer = drift(embeddings, counts=counts, permutations=40, min_count=5)
    p = np.array([row.p for word in rarer & set(embeddings.words) if (row := answer.of(word, neighbors=0))])
    assert len(p) >= 20
    assert np.mean(p <= 0.05) < 0.2
    assert np.median(p) > 0.3


def test_the_same_bytes_for_any_number_of_threads(changed):
    embeddings, counts = changed
    one, three = (
        drift(embeddings, counts=counts, permutations=12, bootstrap=12, threads=threads).judged for threads in (1, 3)
    )
    for name in ("corrected", "low", "high", "p", "q", "stability"):
        assert getattr(one, name).tobytes() == getattr(three, name).tobytes()
    other = drift(embeddings, counts=counts, permutations=12, seed=2).judged
    assert (other.corrected != one.corrected).any()


def test_what_was_stopped_goes_on_to_the_same_answer(changed, tmp_path):
    embeddings, counts = changed
    whole = drift(embeddings, counts=counts, permutations=14, bootstrap=3)

    def stop(stage, done, _total):
        if stage == "permutations" and done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drift(embeddings, counts=counts, permutations=14, bootstrap=3, progress=stop, keep_in=tmp_path)
    calls = []
    told = {"progress": lambda *stage: calls.append(stage), "keep_in": tmp_path}
    resumed = drift(embeddings, counts=counts, permutations=14, bootstrap=3, **told)
    assert sum(stage == "permutations" for stage, _, _ in calls) == 9
    for name in ("corrected", "low", "p", "q", "stability"):
        assert getattr(resumed.judged, name).tobytes() == getattr(whole.judged, name).tobytes()
    calls.clear()
    again = drift(embeddings, counts=counts, permutations=14, bootstrap=3, **told)
    assert not [stage for stage, _, _ in calls if stage in ("permutations", "bootstrap")]
    assert again.judged.p.tobytes() == whole.judged.p.tobytes()
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:100])
    with pytest.raises(DamagedFileError, match="delete it"):
        drift(embeddings, counts=counts, permutations=14, keep_in=tmp_path)


def test_intervals_hold_zero_for_words_that_stay_and_not_for_those_that_change(changed):
    embeddings, counts = changed
    answer = drift(embeddings, counts=counts, permutations=40, bootstrap=40)
    for word in ("bank", "apple", "cell"):
        row = answer.of(word)
        assert 0 < row.low < row.corrected < row.high
        assert row.stability == 1
    still = ~np.isin(answer.words, [embeddings.index(word) for word in CHANGED])
    holds_zero = (answer.judged.low[still] <= 0) & (answer.judged.high[still] >= 0)
    assert holds_zero.mean() > 0.9


@pytest.mark.parametrize("over", ["series", "unusual", "steps"])
def test_over_several_conditions(over_places, over_time, counts_of, over):
    """The planted words are found by every measure; 'chips' in borva among them, and 'bank' in 1995."""
    import worlds

    if over == "steps":
        counts = counts_of(worlds.planted_drift(), time="time")
        answer = drift(over_time, over=over, counts=counts, permutations=40, min_count=8)
        row = answer.of("bank")
        assert (row.before.condition, row.after.condition) == ("1994", "1995")
        assert row.p < 0.01
        return
    counts = counts_of(worlds.places(documents=3000), place="place")
    answer = drift(over_places, over=over, counts=counts, permutations=30)
    assert {row.word for row in answer.top(4)} == {"chips", "boot", "pitch", "subway"}
    assert all(row.q < 0.05 for row in answer.top(4))
    assert answer.of("chips").after.condition == "borva"


def test_questions_that_cannot_be_answered(changed, split, mixed):
    embeddings, counts = changed
    with pytest.raises(SettingsError, match="give the run"):
        drift(embeddings, permutations=5)
    with pytest.raises(InputError, match="another run"):
        drift(embeddings, counts=split[1], permutations=5)
    with pytest.raises(InputError, match="--keep genre"):
        drift(mixed[0], counts=mixed[1], permutations=5, within="genre")
    other = ConditionedModel(dimensions=10, epochs=1).fit(counts)
    with pytest.raises(SettingsError, match="common contexts"):
        drift(other, counts=counts, permutations=5)
    assert drift(other).top(1)[0].p is None


def test_what_was_asked_before_is_answered_without_a_model(changed, tmp_path):
    """Finished resamples and the score itself are kept: asking again reads them, and gives the same figures."""
    embeddings, counts = changed
    stages = []

    def asked(permutations):
        stages.clear()
        answer = drift(
            embeddings,
            counts=counts,
            permutations=permutations,
            keep_in=tmp_path,
            progress=lambda stage, *_: stages.append(stage),
        )
        return answer.judged.p, set(stages)

    first, done = asked(12)
    assert done == {"getting ready; the first time, compiling", "permutations"}
    again, done = asked(12)
    assert not done
    assert first.tobytes() == again.tobytes()
    _, done = asked(14)
    assert "permutations" in done


def test_a_run_of_an_earlier_version_is_judged_in_its_own_unit(monkeypatch):
    """They counted 1/distance in units of 1/2520, whatever the window."""
    records = two_years(documents=200)
    records += [records[0] | {"text": "lonely"}] * 9
    model, counts = fitted(records)
    for module in ("counting", "dataset"):
        monkeypatch.setattr(f"chronotope.cooccurrence.{module}.units", lambda _: 2520)
    earlier_model, earlier = fitted(records)
    monkeypatch.undo()
    assert (counts.unit, earlier.unit) == (60, 2520)
    assert (earlier.cells(0).count == 42 * counts.cells(0).count).all()
    answers = [
        drift(one, counts=of, permutations=12, bootstrap=6, min_count=5).to_polars().sort("word").drop("q")
        for one, of in ((model, counts), (earlier_model, earlier))
    ]
    for column in answers[0].columns:
        if answers[0][column].dtype.is_numeric():
            np.testing.assert_allclose(answers[0][column], answers[1][column], atol=1e-3, err_msg=column)
    found = [context_weights(Concordance(of), Term("bank", (5,)), np.arange(50)) for of in (counts, earlier)]
    np.testing.assert_allclose(found[1], 42 * found[0])
    # Also what stands for half a pair, where a word has no company at all.
    assert "lonely" in counts.vocabulary.words
    np.testing.assert_allclose(log_context_distribution(counts), log_context_distribution(earlier))
