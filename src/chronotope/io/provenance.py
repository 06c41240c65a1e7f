"""The signature of a result: all that could change it, and nothing else (no time, host, path or thread count)."""

from __future__ import annotations

import hashlib
import json
import platform
from pathlib import Path
from typing import Any

COMPUTING_PACKAGES = ("numpy", "numba", "polars", "scipy")
BLOCK_BYTES = 1 << 20


def package_version() -> str:
    """Return the version of chronotope that runs."""
    return _version("chronotope") or "0"


def versions() -> dict[str, str]:
    """Return the versions of chronotope, Python and the numerical packages."""
    found = {"chronotope": package_version(), "python": platform.python_version()}
    return found | {name: there for name in COMPUTING_PACKAGES if (there := _version(name))}


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def checksum(path: str | Path) -> str:
    """Return the BLAKE2b checksum of an input file, as `b2sum -l 128` prints it."""
    return _digest(path, hashlib.blake2b(digest_size=16))


def quick_checksum(path: str | Path) -> str:
    """Return the XXH3 checksum of a file of a run; it is many times as fast as BLAKE2b."""
    import xxhash

    return f"xxh3:{_digest(path, xxhash.xxh3_128())}"


def _digest(path: str | Path, digest: Any) -> str:
    with open(path, "rb") as file:
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
    return str(digest.hexdigest())


def checksum_of(data: Any) -> str:
    """Return the checksum of plain data, whatever the order of its keys.

    Examples
    --------
    >>> checksum_of({"a": 1, "b": 2}) == checksum_of({"b": 2, "a": 1})
    True
    """
    return hashlib.blake2b(canonical_json(data).encode(), digest_size=16).hexdigest()


def canonical_json(data: Any) -> str:
    """Write plain data as the one JSON text that stands for it."""
    return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
