"""Compiled kernels, kept on disk so that each is compiled once, and never taken for those of other source.

numba keeps compiled code beside the source and compiles anew when that file changes. But a kernel also depends on what
it imports: a tuple with another field, a function that is compiled into it. So the code of a module is kept in a folder
of its own, whose name is the checksum of the module and of every module of this package that it depends on and that
holds such things; in the user's cache folder, since the package itself may lie where nobody can write. NUMBA_CACHE_DIR
puts it elsewhere.

Nothing is compiled or loaded before it is called, and numba itself is imported only then, in the thread that needs it:
it takes a quarter of a second, in which others can read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable
from functools import cache, update_wrapper, wraps
from importlib import import_module
from pathlib import Path
from typing import Any

from chronotope.frame_room import with_room

PACKAGE = Path(__file__).parent
_IMPORTED = re.compile(rb"^(?:from|import) chronotope\.?([\w.]*)(?: import (?:\(([^)]*)\)|(.*)))?", re.MULTILINE)
_MATTERS = re.compile(rb"NamedTuple|@kernel\(|intrinsic\(")
# Of a module's earlier forms so many are kept, for other processes that run them still.
KEPT = 2
# The versions of numba from which, and below which, kept code is known to need nothing but numba's runtime.
TRIED = ((0, 61), (0, 69))
# To import it makes known where Python keeps the secret of its hashes.
HASHING = "numba.cpython.hashing"
_lock = threading.RLock()


class Compiled:
    """A function that numba makes another of, when it is first needed.

    Parameters
    ----------
    function
        The function as it is written.
    make
        What numba makes of it, and whether it must know at once what the function calls.
    """

    def __init__(self, function: Callable[..., Any], make: Callable[[Callable[..., Any]], tuple[Any, bool]]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._make = make
        self._making: Any = None
        self._made: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Call what numba made of it."""
        return self.made()(*arguments)

    def made(self) -> Any:
        """What numba made of the function, which from then on stands in its place in the module."""
        if self._made is None:
            with _lock:
                if self._making is None:
                    self._making, at_once = self._make(self._function)
                    names = self._function.__globals__
                    if names.get(self._function.__name__) is self:
                        names[self._function.__name__] = self._making
                    if at_once:
                        _make_known(self._function)  # which may come back to this one
                    self._made = self._making
                return self._making
        return self._made


def _make_known(function: Callable[..., Any]) -> None:
    """Let what numba makes stand in the function's module itself: to compile it, numba must know all that it calls."""
    with _lock:
        names = function.__globals__
        waiting = [of for of in names.values() if isinstance(of, Compiled)]
        # All at once, for others that call them meanwhile.
        names.update({name: of.made() for name, of in list(names.items()) if isinstance(of, Compiled)})
        for of in waiting:
            _make_known(of._function)


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit` for functions that run without the interpreter's lock and are kept on disk, with more options.

    Examples
    --------
    >>> @kernel()
    ... def doubled(number):
    ...     return 2 * number
    >>> doubled(21)
    42
    """

    @with_room
    def compiled(function: Callable[..., Any]) -> tuple[Any, bool]:
        import numba

        settings: Any = numba.config
        before = settings.CACHE_DIR
        try:
            # It is read while the function is decorated; others keep their own.
            settings.CACHE_DIR = str(_folder(function.__module__))
            dispatcher = numba.njit(nogil=True, cache=True, **options)(function)
            return dispatcher, not _loads_lightly(dispatcher)
        except (RuntimeError, OSError):
            # Nowhere to keep it: no folder can be written to, or the function was typed in.
            return numba.njit(nogil=True, **options)(function), True
        finally:
            settings.CACHE_DIR = before

    def decorated(function: Callable[..., Any]) -> Any:
        found = Compiled(function, compiled)
        # One inside another function may be called by its neighbors there, which are no names of the module.
        return found.made() if "<locals>" in function.__qualname__ else found

    return decorated


def intrinsic(function: Callable[..., Any]) -> Any:
    """`numba.extending.intrinsic`: a function that says which instructions are to be written in its place."""

    def made(function: Callable[..., Any]) -> tuple[Any, bool]:
        from numba.extending import intrinsic

        return intrinsic(function), False

    return Compiled(function, made)


def _loads_lightly(dispatcher: Any) -> bool:
    """Let kept code be loaded without all that is needed to compile, for which numba takes 0.35 s.

    In the versions for which this was tried it needs no more than numba's runtime (and for hashes of texts one module,
    see below). False in others.
    """
    import numba

    cache = getattr(dispatcher, "_cache", None)  # without, where nothing is to be compiled (NUMBA_DISABLE_JIT)
    if cache is None or not TRIED[0] <= numba.version_info.short < TRIED[1]:
        return False
    _make_loading_light()

    def load_overload(signature: Any, context: Any) -> Any:
        found = None
        with cache._guard_against_spurious_io_errors():
            found = cache._load_overload(signature, context)
        if found is None:
            _make_known(dispatcher.py_func)  # it is compiled now
        return found

    cache.load_overload = load_overload
    dispatcher._compile_for_args = with_room(dispatcher._compile_for_args)  # the first `prepare` takes a second less
    return True


@cache
def _make_loading_light() -> None:
    """Let kept code find what it calls, with nothing compiled, and do without the modules that it was made from."""
    from llvmlite import binding

    environment: Any = import_module("numba.core.environment")
    runtime: Any = import_module("numba.core.runtime._nrt_python")
    for name, address in runtime.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    theirs = environment._rebuild_env

    @wraps(theirs)  # what is kept from now on names it as it names theirs
    def rebuilt(module: str, constants: list[Any], name: str) -> Any:
        found = environment.lookup_environment(name)
        if found is None and module.startswith("numba.") and module != HASHING and module not in sys.modules:
            # Only code that needs Python itself looks anything up in its module.
            found = environment.Environment({"__name__": module})
            found.consts[:] = constants
            found.env_name = name
            environment.Environment._memo[name] = found
        return found or theirs(module, constants, name)

    environment._rebuild_env = rebuilt


def cache_folder() -> Path:
    """Where compiled code is kept: under NUMBA_CACHE_DIR, or the user's folder for such things."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(given, "chronotope")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "chronotope" / "kernels"


@cache
def _folder(module: str) -> Path:
    """The folder for the compiled code of a module as its source is now; others of the same module are thinned out."""
    name = module.removeprefix("chronotope.")
    folder = cache_folder() / f"{name}-{source_checksum(module)}"
    with contextlib.suppress(OSError):
        if not folder.exists():
            _thin_out(folder.parent, f"{name}-")
        for path in folder.rglob("*.nb?"):
            if not path.stat().st_size:
                path.unlink()  # what a power cut leaves of a file; numba would stumble over it
    return folder


def _thin_out(parent: Path, prefix: str) -> None:
    found = [path for path in parent.iterdir() if path.name.startswith(prefix)]
    for path in sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)[KEPT:]:
        shutil.rmtree(path, ignore_errors=True)


def source_checksum(module: str) -> str:
    """The checksum of a module's source and of the tuples and kernels that it imports, directly or not."""
    seen: dict[Path, bytes] = {}
    own = _source(module.removeprefix("chronotope").lstrip("."))
    waiting = [own]
    while waiting:
        path = waiting.pop()
        if path is None or path in seen:
            continue
        seen[path] = path.read_bytes()
        for base, several, one in _IMPORTED.findall(seen[path]):
            waiting.append(_source(base.decode()))
            names = re.findall(r"\w+", (several or one).decode())
            waiting += [_source(f"{base.decode()}.{name}") for name in names]
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path, text in seen.items() if path == own or _MATTERS.search(text)):
        digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + hashlib.blake2b(seen[path]).digest())
    return digest.hexdigest()


@cache
def _source(name: str) -> Path | None:
    """The file of a module of this package; None where there is none of that name."""
    path = PACKAGE.joinpath(*name.strip(".").split("."))
    return next((found for found in (path / "__init__.py", path.with_suffix(".py")) if found.exists()), None)
