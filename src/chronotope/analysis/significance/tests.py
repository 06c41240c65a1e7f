"""Statistics of change: p, q, intervals and stability, from resamples of documents and from other seeds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.analysis.measures import PEERS, Numbers, Task, model_rows
from chronotope.analysis.params import trained_on
from chronotope.analysis.significance.few_words import MOST_NOISE, student
from chronotope.analysis.significance.refit import FrozenModel, refittable_run
from chronotope.analysis.significance.resample import BOOTSTRAP, DIVISION, PERMUTATION, Documents, Resample
from chronotope.cooccurrence import Counts
from chronotope.errors import DamagedFileError, SettingsError
from chronotope.io.provenance import checksum_of
from chronotope.methods import METHODS, method_class
from chronotope.methods.checkpoint import Checkpoint, stop_requests
from chronotope.runtime.blas import one_blas_thread
from chronotope.runtime.resources import cores, in_order

Scores = NDArray[np.float32]

LEAST_RESAMPLES = 10  # fewer do not give a standard deviation
FOR_NOISE = 20  # permutations that measure the noise, if none were asked for
CHANCE = 0.95  # quantile of the changes by chance that is the default effect
MOST_TOP = 100
SCHEME = 3  # version of the way in which resamples are drawn; others are not resumed
MOST_FILES = 8  # questions whose scores are kept in a run
OBSERVED, SEEDS = "observed", "seeds"
NAMES = {PERMUTATION: "permutations", BOOTSTRAP: "bootstrap"}


def judge(
    task: Task, permutations: int, bootstrap: int, within: str | None, seed: int, effect: float | None = None
) -> dict[str, Numbers]:
    """Return columns of statistics of the measured words, from resamples of the run's documents.

    They are corrected, noise, effect, low, high, p, q and draw_stability, as far as they were asked for.
    """
    model, comparison, measured, min_count = task[:4]
    counts = refittable_run(model, comparison.conditions)
    documents = Documents.of(counts, comparison.conditions, within)
    file = ScoreFile(task, within=within, scheme=SCHEME, seed=seed)
    resampler = Resampler(task, counts, documents, seed, file)
    score, divided = resampler.observed()
    # The noise is measured by permutations, whatever was asked for.
    permuted = resampler.scores(PERMUTATION, permutations or FOR_NOISE)
    drawn = resampler.scores(BOOTSTRAP, bootstrap) if bootstrap else None
    documents_in = counts.vocabulary.documents_in
    # (C, K) the number of documents with each word.
    with_word = np.array([documents_in([condition])[measured.words] for condition in comparison.conditions])
    ends = (np.searchsorted(comparison.conditions, end) for end in (measured.before, measured.after))
    fewest = np.minimum(*(with_word[end, np.arange(len(measured.words))] for end in ends))
    peers = like_words(comparison.frequency(model, measured.words, min_count), with_word.sum(axis=0))
    mean = _moments(permuted)[1]
    columns = corrected(measured.change, mean, divided, peers)
    if permutations:
        columns |= exceeding(score, permuted, peers, effect)
    if drawn is not None:
        columns |= _intervals(columns["corrected"], columns["noise"], drawn, fewest)
    return columns


def corrected(change: Numbers, permuted: Numbers, divided: Numbers, peers: NDArray[np.int64]) -> dict[str, Numbers]:
    """Return the columns noise and corrected: the cosine is divided by the cosine under noise alone (Spearman 1904).

    `permuted` is the mean change of each word over permutations, whose contexts are not fitted to their labels. The
    contexts of a model are, and add to the change. How much they add is measured by a random division, `divided`, to
    which contexts were fitted.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        fitted = np.nan_to_num((1 - divided) / (1 - permuted), nan=1.0, posinf=1.0, neginf=1.0)
        kept = (1 - permuted) * np.minimum(np.median(fitted[peers], axis=1), 1)
        kept = np.where(kept >= 1 - MOST_NOISE, kept, np.nan)
    return {"noise": 1 - kept, "corrected": 1 - (1 - change) / kept}


def exceeding(score: Numbers, permuted: Numbers, peers: NDArray[np.int64], effect: float | None) -> dict[str, Numbers]:
    """Return p and q for changes above `effect`; the column effect (the uncorrected change of each word that equals it)
    and `least`, the effect itself.

    The default effect is the 95th percentile of the corrected change over permutations and words.
    """
    mean = _moments(permuted)[1]
    if effect is None:
        chance = ((permuted - mean) / (1 - mean))[np.isfinite(permuted)]
        effect = float(np.quantile(chance, CHANCE)) if len(chance) else 0.0
    reach = effect * (1 - mean)  # noise shrinks a change as it shrinks a cosine
    p = pooled_p(score - reach, permuted, peers)
    return {"effect": mean + reach, "p": p, "q": false_discovery_rates(p), "least": np.full(len(p), effect)}


def _intervals(corrected: Numbers, noise: Numbers, drawn: Numbers, documents: NDArray[np.int64]) -> dict[str, Numbers]:
    many, mean, _, squares = _moments(drawn)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = student(documents) * np.sqrt(np.where(many > 1, squares / (many - 1), np.nan)) / (1 - noise)
        # Draws vary around their own mean; here they are moved to vary around the corrected change.
        ranked = corrected + (drawn - mean) / (1 - noise)
    return {"low": corrected - reach, "high": corrected + reach, "draw_stability": _share_among_top(ranked)}


def most_changed(words: int) -> int:
    """Return how many words count as the most changed: a hundred, or the top tenth of a small vocabulary."""
    return min(MOST_TOP, -(-words // 10))


def _share_among_top(scores: Numbers) -> Numbers:
    """(K,) the share of the rows of (N, K) scores in which a word is among the most changed."""
    order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), axis=1, kind="stable")
    return np.asarray((np.argsort(order, axis=1) < most_changed(scores.shape[1])).mean(axis=0))


def like_words(*sizes: NDArray[Any], peers: int = PEERS) -> NDArray[np.int64]:
    """(K, peers) the words nearest to each in frequency and in number of documents, on logarithmic scales.

    >>> like_words(np.array([10, 90, 11, 99]), np.array([5, 50, 5, 50]), peers=2).tolist()
    [[0, 2], [1, 3], [2, 0], [3, 1]]
    """
    from scipy.spatial import KDTree

    places = np.log1p(np.stack(sizes, axis=1).astype(np.float64))
    if not len(places):
        return np.zeros((0, peers), dtype=np.int64)
    many = min(peers, len(places))
    return np.asarray(KDTree(places).query(places, many)[1], dtype=np.int64).reshape(len(places), many)


def pooled_p(observed: Numbers, permuted: Numbers, peers: NDArray[np.int64]) -> Numbers:
    """(K,) p-values from a null that each word shares with its (K, P) peers.

    Each score is studentized by the word's own permuted scores, each permuted score by the others of its word. The
    permuted scores (N, K) of all peers are the null, so that a few hundred permutations give p-values far below one in
    a few hundred. p is NaN with too few measured permutations, or if all are equal.
    """
    z, chance = studentized(observed, permuted)
    null = np.ascontiguousarray(np.where(np.isfinite(chance), chance, -np.inf).T)  # (K, N)
    many, p = np.isfinite(null).sum(axis=1), np.full(len(observed), np.nan)
    for word in np.flatnonzero(np.isfinite(z)):
        own = peers[word]
        p[word] = (1 + np.count_nonzero(null[own] >= z[word])) / (1 + many[own].sum())
    return p


def studentized(observed: Numbers, permuted: Numbers) -> tuple[Numbers, Numbers]:
    """(K,) and (N, K) scores minus the mean of a word's permuted scores, over their standard deviation.

    A permuted score is left out of its own mean and deviation.
    """
    many, mean, apart, squares = _moments(permuted)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (observed - mean) / np.sqrt(squares / (many - 1))
        # Without score b the mean moves by −apart_b / (n − 1), and the squares lose apart_b² n / (n − 1).
        left = np.maximum(squares - np.square(apart) * many / (many - 1), 0) / (many - 2)
        chance = (apart * many / (many - 1)) / np.sqrt(left)
    enough = (many >= LEAST_RESAMPLES) & (squares > 0)
    return np.where(enough, z, np.nan), np.where(np.isfinite(permuted) & enough, chance, np.nan)


def _moments(scores: Numbers) -> tuple[NDArray[np.int64], Numbers, Numbers, Numbers]:
    """Return number, mean, deviations (N, K) and sum of squared deviations of the finite scores of each word."""
    known = np.isfinite(scores)
    many = known.sum(axis=0)
    with np.errstate(invalid="ignore"):
        mean = np.where(known, scores, 0).sum(axis=0) / many
    apart = np.where(known, scores - mean, 0)
    return many, mean, apart, np.square(apart).sum(axis=0)


def false_discovery_rates(p: Numbers) -> Numbers:
    """Return q-values (Benjamini and Hochberg); NaN where p is NaN.

    >>> false_discovery_rates(np.array([0.01, 0.5, 0.02, np.nan])).round(3).tolist()
    [0.03, 0.5, 0.03, nan]
    """
    from scipy.stats import false_discovery_control

    q, known = np.full(len(p), np.nan), np.isfinite(p)
    q[known] = false_discovery_control(p[known])
    return q


def over_seeds(task: Task, seeds: int, noise: Numbers | None = None) -> dict[str, Numbers]:
    """Train further models with other seeds; return the columns seed_stability and seed_spread.

    Words are ranked by the corrected score if `noise` is known, as `drift` ranks them.
    """
    model, comparison, measured, min_count, threads, progress, _ = task
    made, counts = model.provenance, trained_on(model)
    method = made.get("method")
    if method not in METHODS or "extended" in made:
        what = f"of method {method}" if method not in METHODS else "extended"
        raise SettingsError(f"other seeds need a model that was trained on its run, and this one is {what}")
    if "seed" not in made["settings"]:
        raise SettingsError(f"{method} has no seed: it always gives the same vectors")
    file = ScoreFile(task)
    done = file.first(SEEDS, seeds)
    while len(done) < seeds:
        seed = int(made["settings"]["seed"]) + len(done) + 1

        def step(at: int, total: int, seed: int = seed) -> None:
            if progress:
                progress(f"training with seed {seed}", at, total)

        other = method_class(method)(**{**made["settings"], "seed": seed}).fit(
            counts, threads=threads, place_edges=made.get("place_edges"), on_step=step
        )
        # Words and counts are those of the run, so that the same words are measured.
        done.append(comparison.measure(model_rows(other, min_count), len(other)).change.astype(np.float32))
        file.save(SEEDS, done)
    scores = np.vstack([measured.change, *done])
    ranked = scores if noise is None else 1 - (1 - scores) / (1 - noise)
    return {"seed_stability": _share_among_top(ranked), "seed_spread": scores.std(axis=0, ddof=1)}


class ScoreFile:
    """The finished scores of one comparison, for resuming; `task` and `more` identify it."""

    def __init__(self, task: Task, **more: Any) -> None:
        identity: dict[str, Any] = {"model": checksum_of(task.model.provenance), "question": task.comparison}
        identity |= {"min_count": task.min_count, **more}
        path = Path(task.folder) / f"drift-{checksum_of(identity)[:16]}.resamples" if task.folder else None
        self._file = Checkpoint(path, identity)
        try:
            found = self._file.load(dict.fromkeys((OBSERVED, SEEDS, *NAMES.values()), (None, len(task.measured.words))))
        except DamagedFileError:
            raise DamagedFileError(f"{path} cannot be read; delete it, and ask again") from None
        self._done: dict[str, Scores] = dict(found[0]) if found else {}

    @property
    def due(self) -> bool:
        """Whether the last save was so long ago that another is due."""
        return self._file.due

    def first(self, kind: str, many: int) -> list[Scores]:
        """Return the finished scores of a kind, at most `many`."""
        return list(self._done.get(kind, ())[:many])

    def save(self, kind: str, done: list[Scores]) -> None:
        """Save the scores of a kind if there are more than before, and delete the oldest files of the folder."""
        if len(done) <= len(self._done.get(kind, ())):
            return
        self._done[kind] = np.array(done, dtype=np.float32)
        # Sorted: the same answer has the same bytes, whichever kind was finished first.
        self._file.save(dict(sorted(self._done.items())), {})
        if self._file.path:
            files = self._file.path.parent.glob("drift-*.resamples")
            for path in sorted(files, key=lambda path: path.stat().st_mtime_ns, reverse=True)[MOST_FILES:]:
                path.unlink(missing_ok=True)


@dataclass(frozen=True, eq=False)
class Resampler:
    """Measures the words in resamples, in several threads; resumable.

    The same seed gives the same resamples for any number of threads.
    """

    task: Task
    counts: Counts
    documents: Documents
    seed: int
    file: ScoreFile

    @property
    def division(self) -> Resample:
        """The random division of the documents that contexts are fitted to."""
        return self.documents.resample(DIVISION, self.seed, 0)

    def observed(self) -> tuple[Numbers, Numbers]:
        """Return (K,) scores of the words: for the true labels, and for the division that contexts were fitted to."""
        done = self.file.first(OBSERVED, 2)
        if not done:
            done = [self._measure(part) for part in (self.documents.all(), self.division._replace(permuted=False))]
            self.file.save(OBSERVED, done)
        return done[0].astype(np.float64), done[1].astype(np.float64)

    def scores(self, kind: int, many: int) -> Numbers:
        """(many, K) the score of each word in each resample; NaN where it could not be measured."""
        name, threads, progress = NAMES[kind], self.task.threads or cores(), self.task.progress
        done = self.file.first(name, many)
        if len(done) < many:
            self._model  # noqa: B018  # made once, before several threads ask for it

        def one(turn: int) -> Scores:
            return self._measure(self.documents.resample(kind, self.seed, turn))

        with ThreadPoolExecutor(threads) as pool, stop_requests() as stop:
            try:
                # Only a few ahead: each takes memory.
                for scores in in_order(pool, one, range(len(done), many), ahead=threads - 1):
                    done.append(scores)
                    if progress:
                        progress(name, len(done), many)
                    if self.file.due:
                        self.file.save(name, done)
                    if stop.is_set():
                        raise KeyboardInterrupt
            finally:
                self.file.save(name, done)
        return np.array(done, dtype=np.float64).reshape(many, len(self.task.measured.words))

    @cached_property
    def _model(self) -> FrozenModel:
        """The model whose rows are solved again; making it takes a while."""
        model, comparison, _, min_count, threads, progress, _ = self.task
        if progress:
            progress("preparing", 0, None)
        enough = {at: model.observed.counts_in(at) >= min_count for at in comparison.conditions}
        tested = {at: model.observed.words_in(at)[enough[at]].astype(np.int64) for at in enough}
        many = len(self.documents.number)
        return FrozenModel(model, self.counts, tested, many, self.division, threads or cores())

    def _measure(self, resample: Resample) -> Scores:
        with one_blas_thread():
            measured = self.task.comparison.measure(self._model.refit(resample), self._model.words)
        words = self.task.measured.words
        scores = np.full(len(words), np.nan, dtype=np.float32)
        _, place, found = np.intersect1d(words, measured.words, assume_unique=True, return_indices=True)
        scores[place] = measured.change[found]
        return scores
