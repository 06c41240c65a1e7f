"""Kept code does what was compiled, without numba; and what cannot be used is compiled anew."""

import json
import os
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from chronotope import compiling, frame_room, kept_code

pytestmark = pytest.mark.skipif(not kept_code.usable(), reason=f"not tried on {sys.platform} with this numba")

PARTS = """
    import math
    from typing import NamedTuple

    import numpy as np

    from chronotope.compiling import kernel

    TABLE = np.array([2.0, 3.0, 5.0])

    class Pair(NamedTuple):
        first: object
        second: object

    @kernel()
    def halved(x):
        return x / 2
"""
KERNELS = """
    import numpy as np

    from chronotope.compiling import kernel
    from chronotope.parts import TABLE, Pair, halved, math

    @kernel()
    def summed(values):
        total = 0.0
        for number in values.flat:
            total += number
        return total

    @kernel()
    def made(count):
        return np.arange(count), Pair(np.full((2, 2), halved(count)), None is None), "text"[:0] == ""

    @kernel()
    def filled(pair, value):
        pair.first[:] = value
        pair.second[0] += TABLE[1]

    @kernel()
    def computed(x):
        return math.exp(x) + np.sort(np.array([x, -x]))[0] + np.linspace(0, x, 5).std()

    @kernel()
    def raising(number):
        if number > 3:
            raise ValueError("too large")
        return number

    @kernel()
    def hashed(count):
        found = {}
        for number in range(count):
            found[str(number)] = number
        return found["7"]

    @kernel(fastmath=True, error_model="numpy")
    def divided(a, b):
        return a / b
"""
PROGRAM = """
    import sys
    import numpy as np
    from chronotope import kernels
    from chronotope.parts import Pair

    numbers = np.arange(12.0).reshape(3, 4)
    fixed = numbers.copy()
    fixed.flags.writeable = False
    small = np.arange(16, dtype=np.uint8)
    print(*map(kernels.summed, (numbers, numbers.T, numbers[:, ::2], fixed, numbers.astype("f"))))
    print(*map(kernels.summed, (numbers[0], np.array(3), numbers[:0], small[:5])))
    print(kernels.summed(np.ndarray((3,), np.uint64, small, strides=(1,))))
    array, pair, flag = kernels.made(3)
    print(array, type(array), array.flags.writeable, pair, type(pair).__name__, flag)
    pair = Pair(np.zeros(3), np.ones(1, np.float32))
    print(kernels.filled(pair, 7), pair)
    print(kernels.computed(0.5), kernels.raising(3), kernels.raising(np.int8(2)), kernels.divided(1, 0))
    for _ in range(2):
        try:
            kernels.raising(4)
        except ValueError as error:
            print(repr(error))
    print("numba" in sys.modules, file=sys.stderr)
    print(kernels.hashed(9))
"""


@pytest.fixture
def package(tmp_path):
    """A package with kernels of its own, run in a process of its own."""
    folder = tmp_path / "site" / "chronotope"
    folder.mkdir(parents=True)
    for module in (compiling, frame_room, kept_code):
        shutil.copy(module.__file__, folder)
    (folder / "__init__.py").write_text("")
    (folder / "parts.py").write_text(textwrap.dedent(PARTS))
    (folder / "kernels.py").write_text(textwrap.dedent(KERNELS))

    def run(program=PROGRAM, **more):
        environment = {
            **os.environ,
            "PYTHONPATH": str(folder.parent),
            "NUMBA_CACHE_DIR": str(tmp_path / "kept"),
            **more,
        }
        return subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program)],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )

    return run, tmp_path / "kept"


def test_kept_code_gives_what_compiled_code_gives(package):
    run, folder = package
    first, again = run(), run()
    assert (first.stderr, again.stderr) == ("True\n", "False\n")
    assert first.stdout == again.stdout
    assert first.stdout.startswith("66.0 66.0 30.0 66.0 66.0\n6.0 3.0 0.0 10.0\n")
    assert "[0 1 2] <class 'numpy.ndarray'> True Pair(" in first.stdout
    assert first.stdout.count("ValueError('too large')") == 2
    kept = len(list(folder.rglob("*.kept")))
    assert kept > 12
    run()
    assert len(list(folder.rglob("*.kept"))) == kept


def test_numba_can_be_imported_after_kept_code_was_called(package):
    run, _ = package
    after = """
        import numpy as np
        import numba
        @numba.njit
        def theirs(x):
            if x < 0:
                raise KeyError("negative")
            return np.zeros(3) + x
        print(theirs(2.0), kernels.summed(np.arange(3, dtype=np.int8)), kernels.made(2)[0])
        try:
            theirs(-1.0)
        except KeyError as error:
            print(repr(error))
    """
    program = textwrap.dedent(PROGRAM) + textwrap.dedent(after)
    for _ in range(2):
        assert run(program).stdout.endswith("[2. 2. 2.] 3.0 [0 1]\nKeyError('negative')\n")


def test_kept_code_is_called_while_other_code_is_compiled(package):
    """The array that is returned is made by what lies in numba, which is being imported just then."""
    run, folder = package
    run()
    for path in folder.rglob("raising-*.kept"):
        path.unlink()
    program = """
        import threading
        from chronotope import kernels
        done = []
        compiling = threading.Thread(target=lambda: done.append(kernels.raising(3)))
        compiling.start()
        while compiling.is_alive():
            assert kernels.made(2)[0].tolist() == [0, 1]
        print(done)
    """
    assert run(program).stdout == "[3]\n"


@pytest.mark.parametrize("damage", ["cut", "nothing", "altered", "other version"])
def test_what_cannot_be_used_is_compiled_anew(package, damage):
    run, folder = package
    program = "from chronotope.kernels import raising; import sys; print(raising(3), 'numba' in sys.modules)"
    assert run(program).stdout == "3 True\n"
    assert run(program).stdout == "3 False\n"
    (path,) = folder.rglob("raising-*.kept")
    data = path.read_bytes()
    numpy_version = json.dumps(np.__version__).encode()
    assert numpy_version in data
    other = {"cut": data[:-100], "nothing": b"", "altered": data[:-100] + bytes(100)}
    other["other version"] = data.replace(numpy_version, b'"0.0.0"', 1)
    path.write_bytes(other[damage])
    assert run(program).stdout == "3 True\n"
    assert run(program).stdout == "3 False\n"


def test_what_needs_more_than_is_here_is_kept_by_numba(package):
    """Hashes of texts need a secret of Python's; without it the process would end."""
    run, folder = package
    program = "from chronotope.kernels import hashed; import sys; print(hashed(9), 'numba' in sys.modules)"
    for kept_by_numba in (0, 1, 1):
        assert run(program).stdout == "7 True\n"
        assert len(list(folder.rglob("hashed-*.kept"))) == 1
        assert len(list(folder.rglob("*hashed*.nbc"))) == kept_by_numba


def test_numba_with_settings_of_its_own_is_left_alone(package):
    run, folder = package
    program = "from chronotope.kernels import raising; import sys; print(raising(3), 'numba' in sys.modules)"
    for _ in range(2):
        assert run(program, NUMBA_OPT="1").stdout == "3 True\n"
    assert not list(folder.rglob("*.kept"))


def test_kinds_that_numba_tells_apart_are_told_apart():
    zeros, fixed = np.zeros((2, 3)), np.zeros(3)
    fixed.flags.writeable = False
    different = [
        zeros, zeros.T, zeros[:, ::2], zeros[0], zeros.astype("f"), fixed, np.zeros((1, 1, 1)), 1, 1.0, True, None,
        (1,), (1.0,), (1, 1), np.uint8(1), np.int64(1), np.frombuffer(bytes(17), np.uint64, 2, 1),
    ]  # fmt: skip
    kinds = [kept_code.kind_of((value,)) for value in different]
    assert None not in kinds
    assert len(set(kinds)) == len(set(map(kept_code.spelt, kinds))) == len(kinds)
    for value in (
        "text",
        [1],
        1 << 63,
        1j,
        np.zeros(2, ">f8"),
        np.zeros(2, "i4,i4"),
        np.zeros(2, "U3"),
        object(),
        ([],),
    ):
        assert kept_code.kind_of((value,)) is None
