"""Compiled code that was kept, called without numba.

To import numba takes 0.15 s, and 10 ms more for each kernel that it kept: longer than many a command takes. What it
compiles is an object file with an entry for Python's objects. All that such code calls is found in three small modules
of numba, which need nothing of the rest, and llvmlite puts it into memory: 0.04 s in all, and 0.4 ms a kernel.

This depends on how numba builds such code, so it is done only where it was tried; elsewhere numba's own cache does.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import hashlib
import json
import os
import pickle
import re
import sys
import threading
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

# The versions of numba from which on, and below which, it was tried.
TRIED = ((0, 68), (0, 69))
# What code is for: types of arguments, arrays by letter, dimensions and what matters of their flags.
Kind = tuple[Any, ...]

# Settings of numba that change neither what is compiled nor where.
_HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER"}
_NUMBERS = "?bhilqBHILQfd"
_SCALARS: dict[type, str] = {np.dtype(letter).type: letter for letter in _NUMBERS}
_SCALARS |= {bool: "bool", float: "float", type(None): "None"}
_C, _F, _ALIGNED, _WRITEABLE = 0x1, 0x2, 0x100, 0x400
_ROW_BY_ROW, _OTHERWISE = _C | _ALIGNED | _WRITEABLE, _F | _ALIGNED | _WRITEABLE
# Held by who loads code, and by who imports numba: one must not find half of what the other brings.
LOCK = threading.RLock()


class Kept(NamedTuple):
    """A kernel for one kind of arguments.

    Attributes
    ----------
    made_by
        What it depends on beside its source: versions, and the processor.
    kind
        The kind of arguments, in words.
    entry
        The function in its code that takes Python's objects; empty where numba has to keep it.
    needed
        All that the code calls.
    environments
        The names of variables in it, each with the kinds of numbers that it has to lead to: first that of the kernel,
        then those of others that were compiled into it.
    code
        An object file.
    """

    made_by: list[str]
    kind: str
    entry: str
    needed: list[str]
    environments: list[tuple[str, list[str]]]
    code: bytes


def kind_of(arguments: tuple[Any, ...]) -> Kind | None:
    """What numba tells arguments apart by; None for such as are not told here.

    Examples
    --------
    >>> kind_of((np.zeros((2, 3)), 7, (True, np.uint8(1))))
    (('d', 2, 1281), 'int', (<class 'tuple'>, ('bool', 'B')))
    >>> kind_of(("text",)) is None
    True
    """
    kinds: list[Any] = []
    for argument in arguments:
        cls = type(argument)
        if cls is np.ndarray or cls is np.memmap:
            letter, flags = argument.dtype.char, argument.flags.num
            if letter not in _NUMBERS or not argument.dtype.isnative:
                return None
            kinds.append((letter, argument.ndim, flags & (_ROW_BY_ROW if flags & _C else _OTHERWISE)))
        elif cls is int:
            if not -(1 << 63) <= argument < 1 << 63:
                return None
            kinds.append("int")
        elif cls in _SCALARS:
            kinds.append(_SCALARS[cls])
        elif isinstance(argument, tuple) and (inner := kind_of(argument)) is not None:
            kinds.append((cls, inner))
        else:
            return None
    return tuple(kinds)


def spelt(kind: Kind) -> str:
    """A kind of arguments in words, the same in every process.

    Examples
    --------
    >>> spelt(kind_of((np.zeros((2, 3)), 7, (True,))))
    'd.2.1281 int builtins.tuple(bool)'
    """
    words = []
    for part in kind:
        if isinstance(part, str):
            words.append(part)
        elif isinstance(part[0], str):
            words.append(".".join(map(str, part)))
        else:
            words.append(f"{part[0].__module__}.{part[0].__qualname__}({spelt(part[1])})")
    return " ".join(words)


@cache
def usable() -> bool:
    """Whether code can be kept here: it was tried with this numba, which was not told to compile in another way."""
    if sys.platform != "linux" or any(name.startswith("NUMBA_") and name not in _HARMLESS for name in os.environ):
        return False
    found = re.search(r'"version": "(\d+)\.(\d+)', _numba_version())
    return bool(found and TRIED[0] <= (int(found[1]), int(found[2])) < TRIED[1]) and not Path(_CONFIG).exists()


_CONFIG = ".numba_config.yaml"


@cache
def _numba_folder() -> Path:
    spec = find_spec("numba")  # which imports nothing
    return Path(*(spec.submodule_search_locations or [""])[:1]) if spec else Path()


@cache
def _numba_version() -> str:
    try:
        return (_numba_folder() / "_version.py").read_text()
    except OSError:
        return ""


@cache
def _made_by() -> list[str]:
    """What compiled code depends on beside its source."""
    import llvmlite
    from llvmlite import binding

    processor = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    return [_numba_version(), llvmlite.__version__, np.__version__, sys.version, *processor]


def read(path: Path, kind: Kind) -> Kept | None:
    """What was kept for this kind of arguments; None where there is nothing, or not for here and now."""
    try:
        about, _, code = path.read_bytes().partition(b"\n")
        *facts, digest = json.loads(about)
        kept = Kept._make([*facts, code])
    except (OSError, ValueError, TypeError):
        return None
    is_whole = digest == _digest(code)
    return kept if is_whole and (kept.made_by, kept.kind) == (_made_by(), spelt(kind)) else None


def load(kept: Kept) -> Callable[..., Any] | None:
    """The kernel that was kept; None if it cannot be called without numba."""
    with LOCK:
        loader = _Loader.here()
        return loader.loaded(kept) if kept.entry and loader.has(kept.needed) else None


def keep(path: Path, kind: Kind, compiled: Any) -> None:
    """Keep what numba compiled; or that it must be kept by numba, since it cannot be called without it."""
    from numba import config

    settings: Any = config
    kept = Kept(_made_by(), spelt(kind), "", [], [], b"")
    own, others = compiled.environment, compiled._find_referenced_environments()
    constants = {of.env_name: list(of.consts) for of in (own, *others)}
    is_plain = all(isinstance(one, np.dtype) and one.isbuiltin for of in constants.values() for one in of)
    if is_plain and not (compiled.lifted or compiled.objectmode or compiled.reload_init or settings.USING_SVML):
        module = compiled.library._final_module
        declared = [of.name for of in (*module.functions, *module.global_variables) if of.is_declaration]
        kept = kept._replace(
            entry=compiled.fndesc.llvm_cpython_wrapper_name,
            needed=[name for name in declared if not name.startswith("llvm.")],
            environments=[(name, [one.str for one in of]) for name, of in constants.items()],
            code=compiled.library.serialize_using_object_code()[2][0],
        )
    about = json.dumps([*kept[:-1], _digest(kept.code)]).encode()
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(about + b"\n" + kept.code)
        os.replace(partial, path)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def _digest(code: bytes) -> str:
    return hashlib.blake2b(code, digest_size=16).hexdigest()


class _Loader:
    """Puts compiled code into memory, with what it calls."""

    @staticmethod
    @cache
    def here() -> _Loader:
        return _Loader()

    def __init__(self) -> None:
        from llvmlite import binding

        self._binding = binding
        self._functions = _extension("numba._dynfunc")
        helpers, runtime = _extension("numba._helperlib"), _extension("numba.core.runtime._nrt_python")
        addresses = {f"numba_{name}": of for part in (helpers, self._functions) for name, of in part.c_helpers.items()}
        addresses |= {name if name[0] == "_" else f"NRT_{name}": of for name, of in runtime.c_helpers.items()}
        errors = [of for of in vars(builtins).values() if isinstance(of, type) and issubclass(of, BaseException)]
        addresses |= {f"PyExc_{of.__name__}": id(of) for of in errors}
        addresses["_Py_NoneStruct"] = id(None)
        self._unpickle = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(_unpickled)
        self._unpickle_of_numba = addresses["numba_unpickle"]
        for name, address in addresses.items():
            binding.add_symbol(name, address)
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        machine = binding.Target.from_default_triple().create_target_machine(jit=True)
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)

    def has(self, names: list[str]) -> bool:
        """Whether all that code calls is here; if it were not, the process would end."""
        return all(self._binding.address_of_symbol(name) for name in names)

    def loaded(self, kept: Kept) -> Callable[..., Any]:
        """A function of Python."""
        engine, binding = self._engine, self._binding
        engine.add_object_file(binding.ObjectFileRef.from_data(kept.code))
        # Their own would import numba.
        binding.add_symbol("numba_unpickle", ctypes.cast(self._unpickle, ctypes.c_void_p).value)
        engine.finalize_object()
        binding.add_symbol("numba_unpickle", self._unpickle_of_numba)
        environments = []
        for variable, kinds in kept.environments:
            environments.append(self._functions.Environment({"__name__": __name__}))
            environments[-1].consts[:] = map(np.dtype, kinds)
            place = engine.get_global_value_address(variable)
            if place:  # else the code has no use for it
                ctypes.c_void_p.from_address(place).value = id(environments[-1])
        entry = engine.get_function_address(kept.entry)
        made: Callable[..., Any] = self._functions.make_function(
            sys, kept.entry, "", entry, environments[0], (self, environments)
        )
        return made


@cache
def _unpickled(place: int, size: int, _: int) -> Any:
    """An object that stands in compiled code: a type, or an error that the code raises."""
    return pickle.loads(ctypes.string_at(place, size))


def _extension(name: str) -> Any:
    """An extension module of numba, without numba; which finds it there when it is imported later."""
    if "numba" in sys.modules:
        return import_module(name)
    if name not in sys.modules:
        base = _numba_folder().joinpath(*name.split(".")[1:])
        path = next(path for suffix in EXTENSION_SUFFIXES if (path := Path(f"{base}{suffix}")).exists())
        spec = spec_from_file_location(name, path)
        assert spec
        assert spec.loader
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]
