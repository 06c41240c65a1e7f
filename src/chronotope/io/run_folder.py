"""The folder of a run: whole or absent, replaced only when asked, and never at the cost of what else is in it.

A new run is built under a temporary name beside its place and renamed. One that replaces another is built inside the
old folder and becomes `.new` there; then its files take the places of the old ones, `run.json` last. A replacement that
was cut off is finished by whoever opens the run next. Nothing else in the folder (models, notes) is touched.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chronotope.errors import DamagedFileError, InputError
from chronotope.io.atomic import disk_errors, sync_all, sync_folder, temporary_folder, writable
from chronotope.io.locks import locked
from chronotope.io.provenance import checksum_of, quick_checksum
from chronotope.io.untrusted import read_json

FORMAT = 4  # of runs and of models
ABOUT = "run.json"
PENDING = ".new"
# What run.json holds.
KINDS: dict[type, tuple[str, ...]] = {
    dict: ("conditions", "corpus", "counting", "files", "versions", "vocabulary"),
    list: ("cells", "held_out", "pairs", "sources", "tokens"),
    str: ("asked", "checksum"),
}


def read_run(folder: Path) -> dict[str, Any]:
    """Return the content of run.json, checked as far as is cheap: its checksum, and the sizes of the files."""
    finish_replacing(folder)
    about = _read_about(folder)
    for name, entry in about["files"].items():
        if not (folder / name).exists() or (folder / name).stat().st_size != entry["bytes"]:
            raise DamagedFileError(f"{folder / name} is missing or cut short; prepare the run again")
    return about


def verify_run(folder: Path, names: tuple[str, ...] = ()) -> None:
    """Compare files of a run, by default all, with their checksums; raise DamagedFileError if one was altered."""
    files = read_run(folder)["files"]
    for name in names or sorted(files):
        if name in files and quick_checksum(folder / name) != files[name]["checksum"]:
            raise DamagedFileError(f"{folder / name} was altered, or belongs to another run; prepare the run again")


def no_model(folder: Path) -> InputError:
    """Return the error for a folder without a model: a run that has none yet, or something else."""
    finish_replacing(folder)
    if (folder / ABOUT).exists():
        return InputError(f"{folder} holds no model yet; make one with: chronotope train {folder}")
    return InputError(f"{folder} is neither a model nor a run; make a run with: chronotope prepare INPUT -o RUN")


@contextmanager
def building(run: Path, asked: dict[str, Any], force: bool) -> Iterator[Path | None]:
    """Yield a temporary folder whose content becomes the run when the block ends well, and is removed otherwise.

    Yield None if the run is there already, as asked. A folder that holds something else is refused. Nobody else may
    write the run meanwhile.
    """
    finish_replacing(run)
    if _is_there(run, asked, force):
        yield None
        return
    shown, run = run, Path(os.path.realpath(run))
    with writable(run.parent):
        run.parent.mkdir(parents=True, exist_ok=True)
    # Inside an existing folder, which may be a mount point: a folder cannot be renamed to another file system.
    parent = run if run.exists() else run.parent
    with temporary_folder(parent, run.name) as work, locked(run, "prepare"), disk_errors(shown):
        # Another process may have been faster.
        _move_in(run)
        if _is_there(run, asked, force):
            yield None
            return
        yield work
        sync_all(work)
        os.replace(work, run / PENDING if run.exists() else run)
        sync_folder(parent)
        _move_in(run)


def _is_there(run: Path, asked: dict[str, Any], force: bool) -> bool:
    """Return whether the run exists as asked; refuse a folder that is something else."""
    if not run.exists() or (run.is_dir() and all(path.suffix == ".partial" for path in run.iterdir())):
        return False
    if not (run / ABOUT).exists():
        raise InputError(f"{run} exists and is not a run; choose another folder")
    try:
        about = read_run(run)
    except DamagedFileError as error:
        if force:
            return False
        raise DamagedFileError(f"{error}, or again with --force to replace it") from None
    if force:
        return False
    if asked["tokenizer"] or any(source["checksum"] is None for source in asked["sources"]):
        raise InputError(
            f"{run} holds a run, and whether it is the same cannot be told (a tokenizer of your own, or a stream of "
            "records); choose another folder, or force=True (--force) to replace it"
        )
    if checksum_of(asked) != about["asked"]:
        raise InputError(
            f"{run} holds a run made from other input or settings; choose another folder, or force=True (--force) to "
            "replace it"
        )
    return True


def finish_replacing(run: Path) -> None:
    """Finish the replacement of a run that was cut off: the new one was complete."""
    if (run / PENDING).exists():
        with locked(run, "prepare"):
            _move_in(run)


def _move_in(run: Path) -> None:
    """Let the files in `.new` replace those of the older run; cut off anywhere, it can be done again."""
    pending = run / PENDING
    if (pending / ABOUT).exists():
        new = _files_of(pending)
        for name in _files_of(run) - new:
            (run / name).unlink(missing_ok=True)
        for name in sorted(new):
            if (pending / name).exists():
                os.replace(pending / name, run / name)
        sync_folder(run)
        os.replace(pending / ABOUT, run / ABOUT)
        sync_folder(run)
    if pending.exists():
        shutil.rmtree(pending)


def _read_about(folder: Path) -> dict[str, Any]:
    """Return the content of run.json if it is one."""
    path = folder / ABOUT
    try:
        about: dict[str, Any] = read_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{folder} is not a run; make one with: chronotope prepare INPUT -o {folder}") from None
    except (OSError, ValueError) as error:
        raise DamagedFileError(f"{path} cannot be read ({error}); prepare the run again") from None
    if not isinstance(about, dict) or not isinstance(about.get("format"), int):
        raise InputError(f"{path} was not written by chronotope; choose another folder")
    if about["format"] > FORMAT:
        raise DamagedFileError(f"{folder} was written by a newer chronotope; upgrade to read it")
    if about["format"] < FORMAT:
        raise DamagedFileError(f"{folder} was written by an older chronotope; prepare it again (--force replaces it)")
    try:
        fits = checksum_of({key: value for key, value in about.items() if key != "checksum"}) == about["checksum"]
        _check(about)
    except (KeyError, TypeError, ValueError, AttributeError):
        fits = False
    if not fits:
        raise DamagedFileError(f"{path} was altered; prepare the run again")
    return about


def _check(about: dict[str, Any]) -> None:
    """Raise for values that no run has, even if the checksum fits: someone may have written them on purpose."""
    for kind, names in KINDS.items():
        if not all(isinstance(about[name], kind) for name in names):
            raise ValueError
    conditions = len(about["pairs"])
    for name in ("cells", "pairs", "tokens"):
        if len(about[name]) != conditions or not all(_is_size(number) for number in about[name]):
            raise ValueError
    if about["held_out"] and len(about["held_out"]) != conditions:
        raise ValueError
    sizes = [about["vocabulary"][name] for name in ("size", "min_count", "dropped_words", "dropped_tokens")]
    if not all(_is_size(number) for number in (*about["held_out"], *sizes, about["unit"])):
        raise ValueError
    if not all(_is_plain(name) and _is_size(entry["bytes"]) for name, entry in about["files"].items()):
        raise ValueError


def _is_size(number: Any) -> bool:
    return type(number) is int and 0 <= number < 1 << 62


def _is_plain(name: Any) -> bool:
    """Return whether a name is that of a file in the folder itself."""
    return isinstance(name, str) and Path(name).name == name


def _files_of(folder: Path) -> set[str]:
    """Return the names of the files of a run, which may be damaged."""
    try:
        return {name for name in read_json((folder / ABOUT).read_bytes())["files"] if _is_plain(name)}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
