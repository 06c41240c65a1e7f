"""The numba decorator: kernels release the GIL and are cached on disk, in one folder for each package version."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import platformdirs

from chronotope.io.provenance import package_version


def cache_folder() -> Path:
    """Return the folder for compiled kernels: under NUMBA_CACHE_DIR if set, else the user's cache folder."""
    base = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("chronotope", appauthor=False)
    return Path(base, f"kernels-{package_version()}")


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Decorate a function with `numba.njit(nogil=True, cache=True)`; nothing is compiled before the first call.

    Numba notices changes in the file of a kernel, but not in the kernels that it calls in other files: after such a
    change delete the cache folder.
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
