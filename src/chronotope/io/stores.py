"""Files by name, here or in any store that fsspec can open by its address: s3://…, gs://…, memory://…"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from chronotope.errors import InputError, MissingExtra


def is_remote(name: str) -> bool:
    """Whether a name is an address such as s3://bucket/file.

    Examples
    --------
    >>> is_remote("s3://bucket/1998.jsonl"), is_remote("C:/texts"), is_remote("file:///texts"), is_remote("1998.jsonl")
    (True, False, False, False)
    """
    return "://" in name and not name.startswith("file://")


def here(name: str) -> Path:
    """The path of a file of this machine; file:// may stand before it."""
    return Path(name.removeprefix("file://"))


@contextmanager
def reading(name: str) -> Iterator[Any]:
    """A file, opened to read its bytes."""
    opening = here(name).open
    if is_remote(name):
        system, path = store_of(name)
        opening = partial(system.open, path)
    with asked(name, lambda: opening("rb")) as file:
        yield file


@contextmanager
def writing(name: str) -> Iterator[Any]:
    """A file to write bytes to, which is there under its name when the block ends well, and whole."""
    if is_remote(name):
        system, path = store_of(name)
        asked(name, lambda: system.makedirs(path.rpartition("/")[0], exist_ok=True))
        with asked(name, lambda: system.open(path, "wb")) as file:
            yield file
        return
    target = here(name)
    asked(name, lambda: target.parent.mkdir(parents=True, exist_ok=True))
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".partial", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.replace(temporary, target)
    finally:
        Path(temporary).unlink(missing_ok=True)


def exists(name: str) -> bool:
    """Whether there is such a file or folder."""
    if not is_remote(name):
        return here(name).exists()
    system, path = store_of(name)
    return bool(asked(name, lambda: system.exists(path)))


def remove(name: str) -> None:
    """Remove a file or a folder with all that is in it, if it is there."""
    if is_remote(name):
        system, path = store_of(name)
        if exists(name):
            asked(name, lambda: system.rm(path, recursive=True))
    elif here(name).is_dir():
        shutil.rmtree(here(name), ignore_errors=True)
    else:
        here(name).unlink(missing_ok=True)


def store_of(url: str) -> tuple[Any, str]:
    """The store of an address, as a file system of fsspec, and the path in it."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtra(f"an address such as {url.split('://')[0]}://…", "cluster") from None
    try:
        system, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise InputError(f"cannot open {url}: {error}") from None
    return system, path


def asked(name: str, question: Callable[[], Any]) -> Any:
    """What a store answers; that it does not, or refuses, is an error in one line."""
    try:
        return question()
    except FileNotFoundError:
        raise InputError(f"there is no file or folder {name}") from None
    except Exception as error:  # every driver has its own kinds
        raise InputError(f"cannot open {name}: {next(iter(str(error).splitlines()), repr(error))}") from None
