"""`continuous`: a vector as a function of word and time (Rosenfeld and Erk 2018), by PyTorch.

    h(t) = tanh(W₂ tanh(W₁ t + b₁) + b₂),    u(w, t) = e_w (B + Σ_k h_k(t) T_k),
    loss = −Σ log σ(u(w, t) · v_c) − Σ log σ(−u(w, t) · v_n)

over pairs (w, c) that co-occur at time t, each with a few negative samples n. Contexts v have no time.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from chronotope.config import ContinuousSettings, CorpusSettings, from_dict
from chronotope.cooccurrence import Counts
from chronotope.corpus.binning import days_of, named_bins
from chronotope.corpus.dates import read_dates
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import InputError, SettingsError, import_extra
from chronotope.io.run_folder import read_run
from chronotope.methods.base import Epoch, FitOptions, Floats, Method, uncentered
from chronotope.methods.device import torch_device
from chronotope.methods.word2vec.cbow import sampling

DAYS_A_YEAR = 365.2425
PAIRS_TO_SEE = 20_000_000
MAX_EPOCHS = 50


class Pairs(NamedTuple):
    """The co-occurring pairs of one condition, to draw from."""

    word: NDArray[np.int32]  # (N,)
    context: NDArray[np.int32]  # (N,)
    cumulative: NDArray[np.float64]  # (N,) the sum of the counts up to each cell, after subsampling

    def draw(self, size: int, random: np.random.Generator) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Draw words and contexts; each pair of neighbors is drawn in both directions."""
        cell = np.searchsorted(self.cumulative, random.random(size) * self.cumulative[-1], side="right")
        swap = random.random(size) < 0.5
        word, context = self.word[cell], self.context[cell]
        return np.where(swap, context, word), np.where(swap, word, context)


@dataclass(frozen=True, repr=False)
class ContinuousModel(Method, ContinuousSettings):
    """Skip-gram whose word vectors are a smooth function of time (Rosenfeld and Erk 2018).

    `fit` returns the vectors at the middle of each time bin. Then `vector` and `speed` answer for any date: the network
    stays in this object, not in the model file. The fields are those of `chronotope.config.ContinuousSettings`.
    Differences from the original:

    - pairs are drawn from the counts, so their time is the middle of their bin, not the date of their document;
    - the map at a time has a constant part B, so that training starts from plain skip-gram;
    - sizes, optimizer and number of passes are ours.

    It needs PyTorch (the extra `contextual`) and a corpus with time and without places. On a CPU it trains on one
    thread, since PyTorch rounds differently with more; on a GPU results are equal up to rounding.
    """

    supports = frozenset({"cuda"})
    _name = "continuous"

    def _fit(self, counts: Counts, options: FitOptions) -> ConditionedEmbeddings:
        torch = import_extra("torch", "continuous", "contextual")
        if not counts.conditions.times or counts.conditions.places:
            raise SettingsError("continuous needs a corpus with time and without places; prepare it with --time alone")
        device = torch_device(torch, options.device)
        options.on_device(f"training on the {'GPU' if device == 'cuda' else 'CPU, on one thread'}")
        middle = bin_middles(counts)
        random = np.random.Generator(np.random.PCG64([self.seed, 0]))
        keep, noise = sampling(counts.vocabulary.counts, self.subsampling)
        pairs = []
        for cells in map(counts.cells, range(len(counts.conditions))):
            count = cells.count * keep[cells.word] * keep[cells.context] / counts.unit
            pairs.append(Pairs(cells.word, cells.context, np.cumsum(count)))
        mass = sum(part.cumulative[-1] for part in pairs if len(part.word))
        epochs = self.epochs or int(np.clip(np.ceil(PAIRS_TO_SEE / max(mass, 1)), 1, MAX_EPOCHS))
        settings = replace(self, epochs=epochs)
        packages = {"torch": torch.__version__.split("+")[0]}
        provenance = settings.provenance(counts, options, device=device, packages=packages)
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # rounding depends on the number of threads
        try:
            network = Network(torch, settings, len(counts.vocabulary), middle, device, random)
            history = train(network, settings, pairs, noise, random, options)
            words_in = counts.vocabulary.support.words_in
            vectors = np.concatenate([network.vectors(words_in(at), day) for at, day in enumerate(middle)])
        finally:
            torch.set_num_threads(threads)
        object.__setattr__(self, "_fitted", (network, counts.vocabulary))
        provenance |= {
            "training": history,
            "network": {"layers": [1, self.hidden, self.hidden], "days": middle.tolist()},
        }
        return uncentered(counts, vectors, provenance, contexts=network.contexts.detach().cpu().numpy())

    def vector(self, word: str, at: str) -> Floats:
        """(D,) the vector of a word at a date such as '1998-06-15' or '1998'; fit first."""
        network, vocabulary = self._network()
        return np.asarray(network.vectors(np.array([vocabulary.index(word)]), day_of(at))[0])

    def speed(self, word: str, at: str) -> float:
        """Return how fast a word changes at a date: the rotation of its vector in radians per year; fit first."""
        network, vocabulary = self._network()
        return float(network.speed(vocabulary.index(word), day_of(at)))

    def _network(self) -> Any:
        if not hasattr(self, "_fitted"):
            raise InputError("this model is not trained; call fit first")
        return self._fitted


class Network:
    """The parameters, and the vectors computed from them."""

    def __init__(
        self, torch: Any, settings: ContinuousSettings, words: int, middle: NDArray[np.float64], device: str,
        random: np.random.Generator,
    ) -> None:  # fmt: skip
        size, hidden = settings.dimensions, settings.hidden

        def parameter(scale: float, *shape: int) -> Any:
            values = scale * random.standard_normal(shape, dtype=np.float32)
            return torch.tensor(values, device=device, requires_grad=True)

        self.torch, self.middle, self._device = torch, middle, device
        self._center, self._span = (middle[0] + middle[-1]) / 2, max((middle[-1] - middle[0]) / 2, DAYS_A_YEAR)
        wide = 2 * size
        self.words, self.contexts = parameter(0.1, words, wide), parameter(0.0, words, size)
        self.first, self.first_bias = parameter(2.0, hidden), parameter(1.0, hidden)
        self.second, self.second_bias = parameter(hidden**-0.5, hidden, hidden), parameter(0.1, hidden)
        self.maps = parameter((hidden * wide) ** -0.5, hidden, wide, size)
        self.base = torch.eye(wide, size, device=device).requires_grad_()
        self.parameters = [value for value in vars(self).values() if getattr(value, "requires_grad", False)]

    def map_at(self, day: Any) -> Any:
        """(D, D) the map from words to their vectors at a day."""
        time = (day - self._center) / self._span
        hidden = self.torch.tanh(self.torch.tanh(self.first * time + self.first_bias) @ self.second + self.second_bias)
        return self.base + self.torch.einsum("h,hij->ij", hidden, self.maps)

    def index(self, numbers: NDArray[Any]) -> Any:
        """Copy word numbers to the device."""
        return self.torch.from_numpy(numbers.astype(np.int64)).to(self._device)

    def vectors(self, words: NDArray[Any], day: float) -> Floats:
        """(N, D) the vectors of words at a day."""
        with self.torch.no_grad():
            return np.asarray((self.words[self.index(words)] @ self.map_at(float(day))).cpu().numpy())

    def speed(self, word: int, day: float) -> float:
        """Return the length of the derivative of a word's unit vector, per year."""

        def direction(at: Any) -> Any:
            return self.torch.nn.functional.normalize(self.words[word] @ self.map_at(at), dim=0)

        at = self.torch.tensor(float(day), dtype=self.torch.float64, device=self._device)
        change = self.torch.autograd.functional.jacobian(direction, at)
        return float(change.norm()) * DAYS_A_YEAR


def train(
    network: Network, settings: ContinuousSettings, pairs: list[Pairs], noise: NDArray[np.float64],
    random: np.random.Generator, options: FitOptions,
) -> list[dict[str, float]]:  # fmt: skip
    """Train on batches of one condition each, by Adam with a falling rate."""
    torch, softplus = network.torch, network.torch.nn.functional.softplus
    optimizer = torch.optim.Adam(network.parameters, lr=settings.rate)
    steps = [int(np.ceil(part.cumulative[-1] / settings.batch)) if len(part.word) else 0 for part in pairs]
    epochs, history = settings.epochs or 1, []
    total, done = sum(steps) * epochs, 0
    for number in range(1, epochs + 1):
        losses = []
        for condition in random.permutation(np.repeat(np.arange(len(pairs)), steps)).tolist():
            optimizer.param_groups[0]["lr"] = settings.rate * (1 - done / total)
            word, context = pairs[condition].draw(settings.batch, random)
            negative = np.searchsorted(noise, random.random((settings.batch, settings.negative)), side="right")
            vectors = network.words[network.index(word)] @ network.map_at(float(network.middle[condition]))
            positive = (vectors * network.contexts[network.index(context)]).sum(dim=1)
            against = torch.einsum("bd,bnd->bn", vectors, network.contexts[network.index(negative)])
            loss = (softplus(-positive).sum() + softplus(against).sum()) / settings.batch
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
            done += 1
            if done % 100 == 0 or done == total:
                options.on_step(done, total)
        epoch = Epoch(number, epochs, float(torch.stack(losses).mean()) / (np.log(2) * (1 + settings.negative)))
        history.append(epoch.to_dict())
        options.on_epoch(epoch)
    return history


def bin_middles(counts: Counts) -> NDArray[np.float64]:
    """(C,) the day in the middle of each time bin, counted from 1970."""
    corpus = from_dict(CorpusSettings, read_run(counts.folder)["corpus"])
    named = named_bins(corpus.bins) if corpus.bins else None
    days = {name: named.days(key) for key, name in enumerate(named.names)} if named else {}
    labels = [counts.conditions.times[time] for time in counts.conditions.time_of]
    ends = np.array([days.get(label) or days_of(label) for label in labels], dtype=np.float64)
    return np.asarray(ends.mean(axis=1))


def day_of(date: str) -> float:
    """Return the day in the middle of a date such as '1998-06-15', '1998-06' or '1998', counted from 1970."""
    dates = read_dates(pl.Series([str(date)]))
    if not dates.readable[0]:
        raise InputError(f"cannot read '{date}' as a date; write it as 1998-06-15, 1998-06 or 1998")
    return float(dates.first_day[0] + dates.last_day[0]) / 2
