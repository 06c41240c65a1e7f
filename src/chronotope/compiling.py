"""Compiled kernels, kept on disk so that each is compiled once, and never taken for those of other source.

A kernel depends on its source, but also on what it imports: a tuple with another field, a function that is compiled
into it. So the code of a module is kept in a folder of its own, whose name is the checksum of the module and of every
module of this package that it depends on and that holds such things; in the user's cache folder, since the package
itself may lie where nobody can write. NUMBA_CACHE_DIR puts it elsewhere.

Nothing is compiled or loaded before it is called. What was kept is called without numba (see `kept_code`), which is
imported only to compile, in the thread that needs it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from types import FunctionType
from typing import Any

from chronotope import kept_code
from chronotope.frame_room import with_room

PACKAGE = Path(__file__).parent
_IMPORTED = re.compile(rb"^(?:from|import) chronotope\.?([\w.]*)(?: import (?:\(([^)]*)\)|(.*)))?", re.MULTILINE)
_MATTERS = re.compile(rb"NamedTuple|@kernel\(|intrinsic\(")
# Of a module's earlier forms so many are kept, for other processes that run them still.
KEPT = 2


class Compiled:
    """A function that numba makes another of, when it is first needed; or that was kept for arguments of such a kind.

    Parameters
    ----------
    function
        The function as it is written.
    make
        What numba makes of it; and whether numba is to keep it.
    """

    def __init__(self, function: Callable[..., Any], make: Callable[[Callable[..., Any], bool], Any]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._make = make
        self._made: dict[bool, Any] = {}
        self._ready: dict[kept_code.Kind | None, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Call what there is for arguments of their kind."""
        kind = kept_code.kind_of(arguments)
        run = self._ready.get(kind)
        return run(*arguments) if run else self._first_called(kind, arguments)

    def _first_called(self, kind: kept_code.Kind | None, arguments: tuple[Any, ...]) -> Any:
        """Call it with arguments of another kind than before, and keep what is compiled for them."""
        if kind is None or not kept_code.usable() or not _is_ours(self._function):
            made = self._ready[kind] = self.made(kept_by_numba=True)
            return _called_with_room(made, arguments)
        spelt = hashlib.blake2b(kept_code.spelt(kind).encode(), digest_size=8).hexdigest()
        path = _folder(self._function.__module__) / f"{self._function.__name__}-{spelt}.kept"
        kept = kept_code.read(path, kind)
        if kept and (run := kept_code.load(kept)):
            self._ready[kind] = run
            return run(*arguments)
        made = self.made(kept_by_numba=kept is not None)
        before = set(made.overloads)
        result = _called_with_room(made, arguments)
        new = [of for types, of in made.overloads.items() if types not in before]
        if len(new) == 1 and not kept:
            kept_code.keep(path, kind, new[0])
        self._ready[kind] = made
        return result

    def made(self, kept_by_numba: bool = False) -> Any:
        """What numba makes of the function."""
        with kept_code.LOCK:
            if kept_by_numba not in self._made:
                self._made[kept_by_numba] = self._make(self._function, kept_by_numba)
                _names_for_numba(self._function.__globals__)
            return self._made[kept_by_numba]


@with_room
def _called_with_room(made: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """What a function returns that may have to be compiled: the first `prepare` takes a second less."""
    return made(*arguments)


def _for_numba(function: Any) -> Any:
    """The same function, where the names of others stand for what numba made of them: it must know what it calls."""
    names, _ = _known.setdefault(id(function.__globals__), ({}, function.__globals__))
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    copy.__module__, copy.__qualname__, copy.__doc__ = function.__module__, function.__qualname__, function.__doc__
    return copy


def _names_for_numba(names: dict[str, Any]) -> None:
    """Fill in the names of a module, as its functions that numba gets know them."""
    known, _ = _known.setdefault(id(names), ({}, names))
    known.update({name: of for name, of in names.items() if not isinstance(of, Compiled)})
    for name, of in list(names.items()):
        if isinstance(of, Compiled) and known.get(name) is None:
            known[name] = of.made()


# For each module that has kernels its names as numba gets them; beside them its own, which must not go.
_known: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}


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
    def compiled(function: Callable[..., Any], kept_by_numba: bool) -> Any:
        import numba

        function = _for_numba(function)
        if not kept_by_numba:
            return numba.njit(nogil=True, **options)(function)
        settings: Any = numba.config
        before = settings.CACHE_DIR
        try:
            # It is read while the function is decorated; others keep their own.
            settings.CACHE_DIR = str(_folder(function.__module__))
            return numba.njit(nogil=True, cache=True, **options)(function)
        except (RuntimeError, OSError):
            # Nowhere to keep it: no folder can be written to, or the function was typed in.
            return numba.njit(nogil=True, **options)(function)
        finally:
            settings.CACHE_DIR = before

    def decorated(function: Callable[..., Any]) -> Any:
        found = Compiled(function, compiled)
        # One inside another function may be called by its neighbors there, which are no names of the module.
        return found.made(kept_by_numba=True) if "<locals>" in function.__qualname__ else found

    return decorated


def intrinsic(function: Callable[..., Any]) -> Any:
    """`numba.extending.intrinsic`: a function that says which instructions are to be written in its place."""

    def made(function: Callable[..., Any], _: bool) -> Any:
        from numba.extending import intrinsic

        return intrinsic(function)

    return Compiled(function, made)


def _is_ours(function: Callable[..., Any]) -> bool:
    """Whether a function is one of this package, whose source the name of its folder tells."""
    name = function.__module__
    return name.startswith("chronotope.") and _source(name.removeprefix("chronotope.")) is not None


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
