"""Where training runs: on the GPU if there is one and it has the memory, else on the CPU; and how rows lie on a GPU.

CuPy is loaded only when a GPU is looked for.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from chronotope.errors import MissingExtra, SettingsError, did_you_mean

DEVICES = ("auto", "cpu", "cuda")
# What libraries and the driver take beside our arrays.
RESERVED = 512 << 20

Result = TypeVar("Result")


@dataclass(frozen=True)
class Gpu:
    """A GPU that can be used: its name, and how many bytes of its memory are free."""

    name: str
    free: int


@dataclass(frozen=True)
class Need:
    """The bytes that training takes on a GPU.

    Attributes
    ----------
    parameters
        What is learned, and what goes with it: these must lie there.
    cells
        All the cells, and the room to arrange them.
    part
        The cells that are needed at one time where they come from the host in parts.
    """

    parameters: int
    cells: int
    part: int

    def or_more(self, other: Need) -> Need:
        """What is enough for the one and then for the other."""
        return Need(*map(max, astuple(self), astuple(other)))


@dataclass(frozen=True)
class Choice:
    """One way to train: 'cpu' or 'cuda', whether the cells come from the host in parts, and a line that says so."""

    device: str
    line: str
    gpu: str = ""
    streamed: bool = False

    @property
    def recorded(self) -> str:
        """What the model file says: nothing of the CPU's make, since its bytes do not depend on it."""
        return f"cuda ({self.gpu}{', cells from the host' if self.streamed else ''})" if self.gpu else self.device


def find_gpu() -> Gpu | str:
    """The GPU, or why there is none."""
    if find_spec("cupy") is None:
        return "the NVIDIA GPU needs: pip install 'chronotope[gpu]'" if gpu_seen() else "no NVIDIA GPU is here"
    try:
        cp = cupy()
        number = cp.cuda.Device()
        name = cp.cuda.runtime.getDeviceProperties(number.id)["name"].decode()
        pool = cp.get_default_memory_pool()
        return Gpu(name, int(number.mem_info[0] + pool.free_bytes()))
    except Exception as error:  # CuPy raises errors of many kinds where the driver or a library is missing
        return f"no GPU answers ({str(error).splitlines()[0] if str(error) else type(error).__name__})"


def gpu_seen() -> bool:
    """Whether this machine seems to have an NVIDIA GPU, by what its driver leaves; nothing is loaded."""
    return shutil.which("nvidia-smi") is not None or Path("/dev/nvidiactl").exists()


def choices(asked: str, need: Need, found: Gpu | str) -> Iterator[Choice]:
    """The ways to train that are worth trying, best first; the last is the CPU.

    Cells that come from the host in parts cost 10 bytes or so each time they are visited, which any bus carries faster
    than a CPU computes; so only what is learned must fit.

    Examples
    --------
    >>> [choice.device for choice in choices("auto", Need(1, 1, 1), "no NVIDIA GPU is here")]
    ['cpu']
    >>> tight = Gpu("Small", free=RESERVED + 50)
    >>> [(choice.device, choice.streamed) for choice in choices("auto", Need(40, 80, 10), tight)]
    [('cuda', True), ('cpu', False)]
    """
    if asked not in DEVICES:
        raise SettingsError(f"device must be auto, cpu or cuda, not '{asked}'{did_you_mean(asked, DEVICES)}")
    if asked == "cpu":
        yield Choice("cpu", "training on the CPU")
        return
    if isinstance(found, str):
        if asked == "auto":
            yield Choice("cpu", f"training on the CPU: {found}")
            return
        if find_spec("cupy") is None:
            raise MissingExtra("training on a GPU", "gpu")
        raise SettingsError(f"{found}; train with --device cpu, or install: pip install 'chronotope[gpu]'")
    whole, parts, free = need.parameters + need.cells, need.parameters + need.part, found.free - RESERVED
    needs = f"{found.name} has {_gigabytes(found.free)} free and this takes {_gigabytes(whole + RESERVED)}"
    if whole <= free:
        yield Choice("cuda", f"training on the GPU ({found.name})", found.name)
    if parts <= free:
        yield Choice("cuda", f"training on the GPU, the cells in parts from the host: {needs}", found.name, True)
    yield Choice("cpu", f"training on the CPU: {needs}")


def train_on(
    asked: str, need: Need, train: Callable[[Choice], Result], say: Callable[[str], None] | None = None
) -> Result:
    """What `train` makes on the best device; where its memory does not do after all, on the next."""
    say = say or (lambda _: None)
    for choice in choices(asked, need, "" if asked == "cpu" else find_gpu()):
        say(choice.line)
        if choice.device == "cpu":
            break
        try:
            return train(choice)
        except cupy().cuda.memory.OutOfMemoryError:
            say(f"the memory of {choice.gpu} ran out; this takes {_gigabytes(need.parameters + need.cells + RESERVED)}")
        cupy().get_default_memory_pool().free_all_blocks()
    return train(choice)


def gpu_versions(choice: Choice) -> dict[str, str]:
    """The version of what computes on the GPU, for the model file; nothing for the CPU."""
    return {} if choice.device == "cpu" else {"cupy": str(cupy().__version__)}


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def cupy() -> Any:
    """CuPy, or the line that installs it."""
    try:
        return import_module("cupy")
    except ImportError:
        raise MissingExtra("training on a GPU", "gpu") from None


class Shape(NamedTuple):
    """How a vector lies on a GPU: rows of `row` float4, of which each of `lanes` threads holds up to `kept`."""

    dimensions: int
    row: int
    lanes: int
    kept: int

    @classmethod
    def of(cls, dimensions: int) -> Shape:
        """The shape of vectors of a length.

        Examples
        --------
        >>> Shape.of(50), Shape.of(200)[1:]
        (Shape(dimensions=50, row=14, lanes=8, kept=2), (50, 32, 2))
        """
        row = 2 * -(-dimensions // 8)  # whole sectors of 32 bytes
        lanes = 8 if row <= 16 else 16 if row <= 32 else 32
        return cls(dimensions, row, lanes, -(-row // lanes))

    @property
    def stored(self) -> int:
        """How many numbers a stored row has; those past the dimensions are 0."""
        return 4 * self.row

    @property
    def options(self) -> tuple[str, ...]:
        """For the compiler."""
        names = {"DIMENSIONS": self.dimensions, "ROW": self.row, "LANES": self.lanes, "KEPT": self.kept}
        return ("-std=c++17", *(f"-D{name}={value}" for name, value in names.items()))


def padded(array: Any, shape: Shape) -> Any:
    """A copy on the GPU, rows padded with zeros to the length they are stored in."""
    cp = cupy()
    if array.ndim == 1:
        return cp.array(array)
    out = cp.zeros((len(array), shape.stored), dtype=cp.float32)
    out[:, : array.shape[1]] = cp.asarray(array)
    return out
