"""Choose the device: the GPU if there is one with enough memory, else the CPU. CuPy is imported lazily."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from chronotope.config import one_of
from chronotope.errors import MissingExtraError, SettingsError, first_line, import_extra

DEVICES = ("auto", "cpu", "cuda")
# Memory for libraries and the driver besides our arrays, in bytes.
RESERVED = 512 << 20

Result = TypeVar("Result")


@dataclass(frozen=True)
class Gpu:
    """A GPU that can be used: its name, and the free bytes of its memory."""

    name: str
    free: int


@dataclass(frozen=True)
class Choice:
    """The chosen device: a line for the user, and the name of the GPU, empty for the CPU."""

    line: str
    gpu: str = ""

    @property
    def recorded(self) -> str:
        """The device for the model file; the CPU has no name, since results do not depend on it."""
        return f"cuda ({self.gpu})" if self.gpu else "cpu"

    @property
    def packages(self) -> dict[str, str]:
        """The version of CuPy if a GPU is used."""
        return {"cupy": str(cupy().__version__)} if self.gpu else {}


def find_gpu() -> Gpu | str:
    """Return the GPU, or the reason why there is none."""
    if find_spec("cupy") is None:
        driver = shutil.which("nvidia-smi") or Path("/dev/nvidiactl").exists()
        return "the NVIDIA GPU needs: pip install 'chronotope[gpu]'" if driver else "no NVIDIA GPU found"
    try:
        cp = cupy()
        number = cp.cuda.Device()
        name = cp.cuda.runtime.getDeviceProperties(number.id)["name"].decode()
        return Gpu(name, int(number.mem_info[0] + cp.get_default_memory_pool().free_bytes()))
    except Exception as error:  # CuPy raises errors of many kinds where the driver or a library is missing
        return f"no GPU answers ({first_line(error)})"


def choose(asked: str, need: int, found: Gpu | str) -> Choice:
    """Choose the device; `need` is the GPU memory in bytes, `found` the result of `find_gpu`."""
    one_of("device", asked, DEVICES)
    if asked == "cpu":
        return Choice("training on the CPU")
    if isinstance(found, Gpu):
        if need + RESERVED <= found.free:
            return Choice(f"training on the GPU ({found.name})", found.name)
        free, takes = (f"{size / 1e9:.1f} GB" for size in (found.free, need + RESERVED))
        return Choice(f"training on the CPU: {found.name} has {free} free and this takes {takes}")
    if asked == "auto":
        return Choice(f"training on the CPU: {found}")
    if find_spec("cupy") is None:
        raise MissingExtraError("training on a GPU", "gpu")
    raise SettingsError(f"{found}; train with --device cpu, or install: pip install 'chronotope[gpu]'")


def train_on(asked: str, need: int, train: Callable[[Choice], Result], say: Callable[[str], None]) -> Result:
    """Train on the chosen device; fall back to the CPU if the memory of the GPU runs out."""
    choice = choose(asked, need, "" if asked == "cpu" else find_gpu())
    say(choice.line)
    if not choice.gpu:
        return train(choice)
    try:
        return train(choice)
    except cupy().cuda.memory.OutOfMemoryError:
        cupy().get_default_memory_pool().free_all_blocks()
    say(f"training on the CPU: the memory of {choice.gpu} ran out")
    return train(Choice(""))


def torch_device(torch: Any, asked: str) -> str:
    """Return the device for PyTorch: 'cuda' if there is a GPU and it may be used, else 'cpu'."""
    available = bool(torch.cuda.is_available())
    if asked == "cuda" and not available:
        raise SettingsError("PyTorch finds no GPU; train with --device cpu")
    return "cuda" if available and asked != "cpu" else "cpu"


def cupy() -> Any:
    """Return CuPy; MissingExtraError if it is not installed."""
    return import_extra("cupy", "training on a GPU", "gpu")
