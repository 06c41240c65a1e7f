"""The numba decorator: kernels release the GIL and are cached on disk, in one folder for each state of the package."""

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs

from chronotope.io.provenance import package_version

PACKAGE = Path(__file__).parents[1]


@cache
def _package_state() -> str:
    """Return a checksum of the names and times of all files: numba notices changes only in the file of a kernel."""
    state = [f"{path.relative_to(PACKAGE)} {path.stat().st_mtime_ns}" for path in sorted(PACKAGE.rglob("*.py"))]
    return hashlib.blake2b("\n".join(state).encode(), digest_size=6).hexdigest()


def cache_folder() -> Path:
    """Return the folder for compiled kernels: under NUMBA_CACHE_DIR if set, else the user's cache folder."""
    base = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("chronotope", appauthor=False)
    return Path(base, f"kernels-{package_version()}-{_package_state()}")


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a function with `numba.njit(nogil=True, cache=True)`; nothing is compiled before the first call.

    A floating-point kernel that another kernel calls needs `forceinline=True`: otherwise the copy that numba loads from
    the cache may round differently from the copy that it has just compiled.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        settings: Any = numba.config
        before, settings.CACHE_DIR = settings.CACHE_DIR, str(cache_folder())
        try:
            return numba.njit(nogil=True, cache=True, **options)(function)
        except (RuntimeError, OSError):  # no writable folder, or no source file
            return numba.njit(nogil=True, **options)(function)
        finally:
            settings.CACHE_DIR = before

    return decorate
