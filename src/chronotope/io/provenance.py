"""The identity of a result: versions and checksums, without time, host, path or number of threads."""

import hashlib
import json
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

COMPUTING_PACKAGES = ("numpy", "numba", "polars", "scipy")


@cache
def package_version() -> str:
    """Return the version of chronotope, or 0 if it is not installed."""
    try:
        return version("chronotope")
    except PackageNotFoundError:
        return "0"


def versions() -> dict[str, str]:
    """Return the versions of chronotope, Python and the numerical packages."""
    packages = {name: version(name) for name in COMPUTING_PACKAGES}
    return {"chronotope": package_version(), "python": platform.python_version(), **packages}


def quick_checksum(path: str | Path) -> str:
    """Return the XXH3 checksum of a file of a run, many times as fast as BLAKE2b."""
    import xxhash

    with open(path, "rb") as file:
        return f"xxh3:{hashlib.file_digest(file, xxhash.xxh3_128).hexdigest()}"


def checksum_of(data: Any) -> str:
    """Return the checksum of plain data; the order of keys does not matter."""
    return hashlib.blake2b(canonical_json(data).encode(), digest_size=16).hexdigest()


def canonical_json(data: Any) -> str:
    """Write plain data as JSON in a canonical form."""
    return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
