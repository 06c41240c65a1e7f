"""Nothing gets its final name before its bytes are on the disk, and the name is forced to the disk, too."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from chronotope import compiling, frame_room, kept_code
from chronotope.cooccurrence import count
from chronotope.corpus import read_corpus
from chronotope.model import ConditionedModel
from torture.watching import Disk


def test_results_are_on_the_disk_before_they_have_a_name(home, tmp_path, monkeypatch):
    monkeypatch.setattr("chronotope.model.checkpoint.SECONDS_BETWEEN", -1.0)
    disk = Disk(tmp_path)
    with disk.watched():
        corpus = read_corpus(home / "speeches.jsonl", time="time")
        counts = count(corpus, tmp_path / "run", min_count=3)
        model = ConditionedModel(dimensions=4, epochs=1).fit(counts, checkpoint=tmp_path / "state")
        model.save(tmp_path / "model.ct")
        count(corpus, tmp_path / "run", min_count=4, force=True)
    assert disk.renamed, "something was renamed"
    assert disk.faults == []
    assert disk.only_in_memory == set()


def test_a_kernel_is_compiled_anew_when_what_it_imports_changes(tmp_path):
    """An upgrade in place: the tuple that a kernel takes has another field, the kernel's own file is the same."""
    package = tmp_path / "site" / "chronotope"
    package.mkdir(parents=True)
    for module in (compiling, frame_room, kept_code):
        shutil.copy(module.__file__, package)
    (package / "__init__.py").write_text("")
    (package / "sums.py").write_text(
        textwrap.dedent("""
            from chronotope.compiling import kernel
            from chronotope.pairs import Pair, twice

            @kernel()
            def summed(pair):
                return twice(pair.a[0]) + pair.b[0]
        """)
    )

    def pairs(fields, factor):
        (package / "pairs.py").write_text(
            f"from typing import NamedTuple\nfrom chronotope.compiling import kernel\n"
            f"class Pair(NamedTuple):\n    {fields[0]}: object\n    {fields[1]}: object\n"
            f"@kernel()\ndef twice(x):\n    return {factor} * x\n"
        )

    def summed():
        program = "import numpy as np; from chronotope.sums import Pair, summed\n"
        program += "print(summed(Pair(a=np.ones(1), b=np.full(1, 5.0))))"
        environment = {**os.environ, "PYTHONPATH": str(package.parent), "XDG_CACHE_HOME": str(tmp_path / "cache")}
        environment.pop("NUMBA_CACHE_DIR", None)
        done = subprocess.run([sys.executable, "-B", "-c", program], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return float(done.stdout)

    pairs(("a", "b"), 2)
    assert summed() == 7
    kept = list((tmp_path / "cache" / "chronotope" / "kernels").glob("sums-*"))
    assert len(kept) == 1
    assert summed() == 7, "from the cache"
    pairs(("b", "a"), 10)
    assert summed() == 15
    assert not list(package.glob("__pycache__/*.nbi")), "nothing beside the source"


@pytest.mark.parametrize("home_folder", ["/proc/self/nowhere"])
def test_kernels_run_where_nothing_can_be_kept(home_folder):
    program = "from chronotope.compiling import kernel\nprint(kernel()(lambda x: x + 1)(41))"
    environment = {**os.environ, "XDG_CACHE_HOME": home_folder, "HOME": home_folder}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout == "42\n", done.stderr


def _is_hashed_too(name, source):
    """Whether a name comes from a module on whose source the kept code depends as well."""
    return any(
        name in re.findall(r"\w+", (several or one).decode())
        and compiling._MATTERS.search(compiling._source(base.decode()).read_bytes())
        for base, several, one in compiling._IMPORTED.findall(source)
    )


def test_constants_of_kernels_stand_in_their_own_modules():
    """A number that a kernel takes from another module is compiled into it, and nobody would notice that it changed."""
    import pkgutil
    from importlib import import_module
    from pathlib import Path

    import chronotope

    found = 0
    for module in pkgutil.walk_packages(chronotope.__path__, "chronotope."):
        if module.name.endswith("__main__") or "@kernel(" not in _source(module):
            continue
        here = import_module(module.name)
        for kernel in vars(here).values():
            if isinstance(kernel, compiling.Compiled) and kernel.__module__ == module.name:
                found += 1
                for name in kernel.__wrapped__.__code__.co_names:
                    if isinstance(vars(here).get(name), int | float | str | np.ndarray):
                        source = Path(here.__file__)
                        own = re.search(rf"^[\w, ]*\b{name}\b[\w, ]*(: .*)? = ", source.read_text(), re.M)
                        assert own or _is_hashed_too(name, source.read_bytes()), f"{module.name}: {name}"
    assert found > 20


def _source(module):
    from pathlib import Path

    path = Path(module.module_finder.path, module.name.rsplit(".", 1)[-1])
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path.read_text()


def test_kept_code_is_loaded_without_the_compiler(tmp_path):
    """To import numba takes longer than all the kernels of a command."""
    if not kept_code.usable():
        pytest.skip(f"not tried on {sys.platform} with this numba")
    program = """
import sys
import polars as pl
from chronotope.corpus.tokenizer import split_texts
assert split_texts(pl.Series(["some words"])).forms == ["some", "words"]
print("compiler" if "numba" in sys.modules else "kept code alone")
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    told = [
        subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert [done.stdout for done in told] == ["compiler\n", "kept code alone\n"]


def test_kernels_of_others_are_kept_by_numba(tmp_path):
    """Nobody knows whether their source has changed but numba; hashes of texts need a secret of Python's besides."""
    (tmp_path / "hashing.py").write_text("""
from numba import njit
from chronotope.compiling import kernel

@kernel()
def numbered(count):
    found = {}
    for number in range(count):
        found[str(number)] = number
    return found["7"] + (hash("a") == hash("a"))

@njit(cache=True)
def theirs(count):
    return sorted({str(number): number for number in range(count)}.values())
""")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    program = [sys.executable, "-c", "import hashing; print(hashing.numbered(9), hashing.theirs(3))"]
    for _ in range(2):
        done = subprocess.run(program, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout == "8 [0, 1, 2]\n"
    assert len(list(tmp_path.glob("kept/**/*.nbc"))) == 2


@pytest.mark.parametrize("tried", [((0, 0), (0, 1)), ((0, 0), (99, 0))])
def test_kernels_that_call_others_run_with_any_numba(tmp_path, tried):
    """Also with a version for which it was not tried to keep code here."""
    (tmp_path / "parts.py").write_text("""
from chronotope.bits import trailing_zeros
from chronotope.compiling import kernel

@kernel()
def lowest(bits):
    return trailing_zeros(bits)
""")
    (tmp_path / "whole.py").write_text("""
from chronotope.compiling import kernel
from parts import lowest

@kernel()
def one_more(bits):
    return lowest(bits) + 1

@kernel()
def twice(bits):
    return 2 * one_more(bits)
""")
    program = f"""
from chronotope import kept_code
kept_code.TRIED = {tried}
import whole
print(whole.twice(8))
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, cwd=tmp_path, capture_output=True, text=True
        )
        assert (done.stdout, done.stderr) == ("8\n", "")
