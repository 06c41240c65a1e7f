"""The base of all methods: `fit`, provenance, progress records, checkpoints, and arrays too large for memory."""

import shutil
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from chronotope import config
from chronotope.config import one_of
from chronotope.cooccurrence import Counts, count
from chronotope.cooccurrence.vocabulary import Vocabulary
from chronotope.corpus.source import Corpus, read_corpus
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.words import read_words, spellings
from chronotope.errors import InputError, SettingsError, did_you_mean, some_of
from chronotope.io.provenance import versions
from chronotope.methods.checkpoint import Checkpoint, Shapes, State, stop_requests
from chronotope.methods.device import DEVICES
from chronotope.runtime.memory import Memory, in_words
from chronotope.runtime.resources import cores

# Memory for the interpreter, compiled code and buffers, in bytes.
OVERHEAD = 150 << 20
# All that fastmath=True allows except nnan and ninf: with those the compiler deletes the divergence check.
FAST_BUT_NAN_SAFE = {"reassoc", "contract", "arcp", "nsz", "afn"}


@dataclass(frozen=True)
class Epoch:
    """Progress record of one epoch: `number`, from 1, `of` all."""

    number: int
    of: int
    loss: float  # per unit of weight for `cw2v`; for `graph` and `dynamic` relative to the loss of zero vectors
    held_out: float | None = None  # mean log-likelihood of held-out contexts

    def to_dict(self) -> dict[str, float]:
        """Return the figures for the model file."""
        return {"loss": self.loss} | ({} if self.held_out is None else {"held_out": self.held_out})


Floats = NDArray[np.float32]
OnStep = Callable[[int, int], None]
OnEpoch = Callable[[Epoch], None]


@dataclass(frozen=True)
class FitOptions:
    """The checked arguments of `Method.fit`; only `place_edges` changes the result."""

    threads: int = 1
    device: str = "auto"
    memory: Memory = field(default_factory=lambda: Memory.of(None))
    place_edges: list[tuple[str, str]] | None = None
    checkpoint: Path | None = None
    resume: bool = False
    on_step: OnStep = lambda *_: None
    on_epoch: OnEpoch = lambda _: None
    on_device: Callable[[str], None] = lambda _: None

    def cells_folder(self, kept: int, cells: int) -> Path | None:
        """Return the folder for `cells` bytes of cells if they exceed the memory limit, or None if all fits.

        `kept` bytes must stay in memory; raise SettingsError if they exceed the limit.
        """
        left = self.memory.room_for(kept + OVERHEAD, "training")
        if self.memory.limit is None or kept + cells + OVERHEAD <= left:
            return None
        folder = self.checkpoint.absolute().parent if self.checkpoint else Path(tempfile.gettempdir())
        limit = in_words(self.memory.limit)
        self.on_device(f"{limit} of memory: the counts ({cells / 1e9:.1f} GB) are read from {folder}")
        return folder


class Method:
    """Base of all methods: a subclass is a dataclass of settings and implements `_fit`.

    `get_params`, `set_params` and `sklearn.base.clone` work as for the estimators of scikit-learn.
    """

    supports: ClassVar[frozenset[str]] = frozenset()  # of: "cuda", "memory", "place_edges"
    _name: ClassVar[str]

    @property
    def method(self) -> str:
        """The name of the method."""
        return self._name

    def __repr__(self) -> str:
        """Return the settings that differ from their defaults."""
        chosen = [(field, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        shown = [f"{field.name}={value!r}" for field, value in chosen if value != field.default]
        return f"{type(self).__name__}({', '.join(shown)})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """Return all settings by name; `deep` has no effect."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **params: Any) -> Self:
        """Change settings and return the model; if one is wrong, raise SettingsError and change nothing."""
        known = self.get_params()
        if unknown := [name for name in params if name not in known]:
            raise SettingsError(f"{self.method} has no setting '{unknown[0]}'{did_you_mean(unknown[0], known)}")
        checked = replace(self, **params)  # type: ignore[type-var]
        for name in params:
            object.__setattr__(self, name, getattr(checked, name))
        return self

    def fit(
        self,
        data: Counts | Corpus | Any,
        *,
        text: str | None = None,
        time: str | None = None,
        place: str | None = None,
        every: str | None = None,
        threads: int | None = None,
        device: str = "auto",
        memory: str | int | None = None,
        place_edges: Iterable[tuple[str, str]] | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
        on_step: OnStep | None = None,
        on_epoch: OnEpoch | None = None,
        on_device: Callable[[str], None] | None = None,
    ) -> ConditionedEmbeddings:
        """Train on counts and return the embeddings.

        Parameters
        ----------
        data
            From `chronotope.count`, or the run; or a corpus, a polars or pandas frame, or records, which are counted
            with the default settings.
        text, time, place, every
            For a frame or records: the columns of the text ('text'), the time and the place, and the length of the time
            bins, as in `read_corpus`. A time or a place is needed.
        threads
            Number of cores; the result does not depend on it.
        device
            'cpu', 'cuda' or 'auto'. `graph`, `continuous` and `contextual` use a GPU: 'auto' takes it if there is one.
        memory
            Memory limit ('2GB' or a number of bytes) for `graph` and `cw2v`: counts that exceed it are read from
            disk. The result does not depend on it.
        place_edges
            Pairs of neighboring places; None: the default of the method.
        checkpoint, resume
            File for the state of training, and whether to continue from it (`graph` and `cw2v`; other methods start
            again). Ctrl-C saves the state and stops.
        on_step, on_epoch
            Called with (done, total), and with an `Epoch` after each epoch.
        on_device
            Called with a line that says where training runs.

        Raises
        ------
        SettingsError
            If the method does not support an option, or a frame is given without `time` and `place`.
        """
        one_of("device", device, DEVICES)
        if device == "cuda" and "cuda" not in self.supports:
            raise SettingsError(f"{self.method} trains only on the CPU; leave out --device cuda")
        if memory is not None and "memory" not in self.supports:
            raise SettingsError(f"{self.method} cannot keep its counts on disk; leave out --memory")
        smooth = getattr(self, "smoothness", None) != 0 and getattr(self, "condition_vectors", True)
        if place_edges is not None and not ("place_edges" in self.supports and smooth):
            raise SettingsError(f"{self.method} does not use neighboring places; leave the edges out")
        options = FitOptions(
            threads=threads or cores(),
            device=device,
            memory=Memory.of(memory),
            place_edges=None if place_edges is None else list(place_edges),
            checkpoint=Path(checkpoint) if checkpoint else None,
            resume=resume,
            on_step=on_step or (lambda *_: None),
            on_epoch=on_epoch or (lambda _: None),
            on_device=on_device or (lambda _: None),
        )
        columns = {"text": text, "time": time, "place": place, "every": every}
        counts = _count(data, {name: value for name, value in columns.items() if value is not None}, threads)
        if counts.conditions.axis == "none":
            warnings.warn("the corpus has neither time nor place: all text is one condition, 'all'", stacklevel=2)
        if place_edges is None and "place_edges" in self.supports:
            options = replace(options, place_edges=counts.conditions.tree_edges)
        embeddings = self._fit(counts, options)
        embeddings.trained_on = counts
        return embeddings

    def _fit(self, counts: Counts, options: FitOptions) -> ConditionedEmbeddings:
        raise NotImplementedError

    def provenance(
        self, counts: Counts, options: FitOptions, *, device: str = "cpu", packages: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Return everything that the embeddings depend on; `packages` are further packages with their versions."""
        settings = config.to_dict(self)
        return {
            "method": self.method,
            "settings": settings,
            "seed": settings["seed"],
            "run": counts.checksum,
            "corpus": counts.store.sources[0]["name"] if len(counts.store.sources) == 1 else None,
            "min_count": counts.vocabulary.min_count,
            "window": counts.settings.window,
            "place_edges": options.place_edges,
            "device": device,
            "versions": versions() | dict(packages or {}),
        }


def _count(data: Any, columns: dict[str, Any], threads: int | None) -> Counts:
    """Return the counts of the data that `fit` takes."""
    if isinstance(data, str | Path) and (Path(data) / "run.json").is_file():
        data = Counts.open(data)
    if isinstance(data, Counts | Corpus):
        if columns:
            raise SettingsError(f"{', '.join(columns)}: only for frames and records; {type(data).__name__} has its own")
        return data if isinstance(data, Counts) else count(data, threads=threads)
    if "time" not in columns and "place" not in columns:
        record = data[0] if isinstance(data, list) and data and isinstance(data[0], Mapping) else ()
        known = list(getattr(data, "columns", record))
        which = f"; columns: {some_of([str(name) for name in known])}" if known else ""
        raise SettingsError(f"fit needs time= or place=, the column with the condition of each text{which}")
    return count(read_corpus(data, **columns), threads=threads)


def embeddings_of(
    counts: Counts, vectors: NDArray[np.float32], provenance: dict[str, Any], **parts: Any
) -> ConditionedEmbeddings:
    """Return embeddings with the words, conditions and support of the counts."""
    words, support = counts.vocabulary.words, counts.vocabulary.support
    return ConditionedEmbeddings(words, counts.conditions, support, vectors, provenance=provenance, **parts)


def uncentered(
    counts: Counts, vectors: NDArray[np.float32], provenance: dict[str, Any], **parts: Any
) -> ConditionedEmbeddings:
    """Return embeddings whose (P, D) vectors are not centered, as in word2vec."""
    center = np.zeros((len(counts.conditions), vectors.shape[1]))
    return embeddings_of(counts, vectors, provenance, center=center, **parts)


def find_words(words: str | Sequence[str], vocabulary: Vocabulary, what: str) -> NDArray[np.int64]:
    """Return the ids of words in a list or file, ascending; warn about unknown words, InputError if all are unknown."""
    known = set(vocabulary.words)
    listed = {word: next((form for form in spellings(word) if form in known), None) for word in read_words(words) or ()}
    missing = [word for word, form in listed.items() if form is None]
    if len(missing) == len(listed):
        raise InputError(f"none of the {what} is in the vocabulary")
    if missing:
        warnings.warn(f"not in the vocabulary, and left out: {some_of(missing)}", stacklevel=2)
    return np.unique([vocabulary.index(form) for form in listed.values() if form])


def check_dimensions(dimensions: int, words: int) -> None:
    """Raise SettingsError for more dimensions than words."""
    if dimensions > words:
        raise SettingsError(f"{dimensions} dimensions are more than the {words} words; ask for fewer")


class TrainingRun:
    """The threads, history and checkpoint of a training in progress; `training_run` opens it."""

    def __init__(
        self, options: FitOptions, provenance: dict[str, Any], pool: ThreadPoolExecutor, stop: threading.Event
    ) -> None:
        self.pool, self.threads = pool, options.threads
        self.history: list[dict[str, float]] = []
        self._options, self._stop = options, stop
        self._checkpoint = Checkpoint(options.checkpoint, provenance)

    def load(self, shapes: Shapes) -> State | None:
        """Return the tensors and the state to resume from, and restore the history; None to start from scratch."""
        loaded = self._checkpoint.load(shapes) if self._options.resume else None
        if loaded:
            self.history = loaded[1].pop("history")
        return loaded

    def save_if_due(self, tensors: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> None:
        """Save a checkpoint if the last one is old or a stop was requested; then stop with KeyboardInterrupt."""
        if self._stop.is_set() or self._checkpoint.due:
            self._checkpoint.save(tensors, {**state, "history": self.history})
        if self._stop.is_set():
            raise KeyboardInterrupt

    def report(self, epoch: Epoch) -> None:
        """Add an epoch to the history and report it."""
        self.history.append(epoch.to_dict())
        self._options.on_epoch(epoch)


@contextmanager
def training_run(options: FitOptions, provenance: dict[str, Any]) -> Iterator[TrainingRun]:
    """Open a training that can be stopped and resumed; a checkpoint of another provenance is refused."""
    with ThreadPoolExecutor(options.threads) as pool, stop_requests() as stop:
        yield TrainingRun(options, provenance, pool, stop)


def empty_array(shape: tuple[int, ...], dtype: DTypeLike, folder: Path | None) -> NDArray[Any]:
    """Return an uninitialized array: in memory, or memory-mapped to an unnamed file in `folder`."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if folder is None or size == 0:
        return np.empty(shape, dtype=dtype)
    # A write to a mapped page of a full disk would kill the process.
    if size > shutil.disk_usage(folder).free:
        raise InputError(f"the disk of {folder} is full; free {in_words(size)}, or allow more memory")
    with tempfile.TemporaryFile(dir=folder, prefix="chronotope-") as file:
        return np.asarray(np.memmap(file, dtype=dtype, mode="w+", shape=shape))
