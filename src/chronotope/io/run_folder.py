"""The folder of a run: complete or absent, and replaced only on request; other files in it are not touched.

A new run is built in a temporary folder and renamed. A replacement is built inside the old folder and renamed to
`.new`; then its files replace the old ones, `run.json` last. The next process that opens the run finishes an
interrupted replacement.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chronotope.errors import DamagedFileError, InputError
from chronotope.io.atomic import disk_errors, follow_links, sync, sync_all, temporary_folder, writable
from chronotope.io.locks import locked
from chronotope.io.provenance import checksum_of, quick_checksum
from chronotope.io.untrusted import read_json

FORMAT = 4  # of runs and of models
ABOUT = "run.json"
PENDING = ".new"
REPLACE = "choose another folder, or replace it with force=True (--force)"
KINDS: dict[type, tuple[str, ...]] = {  # of the values in run.json
    dict: ("conditions", "corpus", "counting", "files", "versions", "vocabulary"),
    list: ("cells", "held_out", "pairs", "sources", "tokens"),
    str: ("asked", "checksum"),
}


def read_run(folder: Path) -> dict[str, Any]:
    """Return the content of run.json; check its checksum and the sizes of the files."""
    finish_replacing(folder)
    about = _read_about(folder)
    for name, entry in about["files"].items():
        if not (folder / name).exists() or (folder / name).stat().st_size != entry["bytes"]:
            raise DamagedFileError(f"{folder / name} is missing or cut short; prepare the run again")
    return about


def verify_run(folder: Path, names: tuple[str, ...] = ()) -> None:
    """Compare files of a run (by default all) with their checksums; raise DamagedFileError if one was altered."""
    files = read_run(folder)["files"]
    for name in names or sorted(files):
        if name in files and quick_checksum(folder / name) != files[name]["checksum"]:
            raise DamagedFileError(f"{folder / name} was altered, or belongs to another run; prepare the run again")


def no_model(folder: Path) -> InputError:
    """Return the error for a folder without a model, be it a run or not."""
    finish_replacing(folder)
    if (folder / ABOUT).exists():
        return InputError(f"{folder} holds no model yet; make one with: chronotope train {folder}")
    if (file := folder / "model.safetensors").exists():
        return InputError(f"{folder} is an export; open {file}")
    return InputError(f"{folder} is neither a model nor a run; make a run with: chronotope prepare INPUT -o RUN")


@contextmanager
def create_run(run: Path, asked: dict[str, Any], force: bool) -> Iterator[Path | None]:
    """Lock the run and yield a temporary folder that becomes it when the block succeeds, and is removed otherwise.

    Yield None if the same run exists already. A folder that holds something else is refused.
    """
    finish_replacing(run)
    if _same_run_exists(run, asked, force):
        yield None
        return
    shown, run = run, follow_links(run)
    with writable(run.parent):
        run.parent.mkdir(parents=True, exist_ok=True)
    # Inside an existing folder, which may be a mount point: a folder cannot be renamed to another file system.
    parent = run if run.exists() else run.parent
    with temporary_folder(parent, run.name) as work, locked(run, "prepare"), disk_errors(shown):
        # Another process may have made the run meanwhile.
        _install_pending(run)
        if _same_run_exists(run, asked, force):
            yield None
            return
        yield work
        sync_all(work)
        os.replace(work, run / PENDING if run.exists() else run)
        sync(parent)
        _install_pending(run)


def _same_run_exists(run: Path, asked: dict[str, Any], force: bool) -> bool:
    """Return whether the same run exists; refuse a folder with anything else."""
    if not run.exists() or (run.is_dir() and all(path.suffix == ".partial" for path in run.iterdir())):
        return False
    if not (run / ABOUT).exists():
        raise InputError(f"{run} exists and is not a run; choose another folder")
    try:
        about = read_run(run)
    except DamagedFileError as error:
        if not force:
            raise DamagedFileError(f"{error}, or again with --force to replace it") from None
    if force:
        return False
    if asked["tokenizer"] or any(source["checksum"] is None for source in asked["sources"]):
        why = "custom tokenizer or lemmas, or a stream of records"
        raise InputError(f"cannot check that {run} is made from this input ({why}); {REPLACE}")
    if checksum_of(asked) != about["asked"]:
        raise InputError(f"{run} holds a run made from other input or settings; {REPLACE}")
    return True


def finish_replacing(run: Path) -> None:
    """Finish an interrupted replacement by a complete new run."""
    if (run / PENDING).exists():
        with locked(run, "prepare"):
            _install_pending(run)


def _install_pending(run: Path) -> None:
    """Replace the files of the run by those in `.new`; safe to repeat after an interruption."""
    pending = run / PENDING
    if (pending / ABOUT).exists():
        new = _files_of(pending)
        for name in _files_of(run) - new:
            (run / name).unlink(missing_ok=True)
        for name in sorted(new):
            if (pending / name).exists():
                os.replace(pending / name, run / name)
        sync(run)
        os.replace(pending / ABOUT, run / ABOUT)
        sync(run)
    if pending.exists():
        shutil.rmtree(pending)


def _read_about(folder: Path) -> dict[str, Any]:
    """Return the content of run.json; raise InputError or DamagedFileError if it is invalid."""
    path = folder / ABOUT
    try:
        about: dict[str, Any] = read_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        name = "RUN" if folder.is_file() else folder
        raise InputError(f"{folder} is not a run; make one with: chronotope prepare INPUT -o {name}") from None
    except (OSError, ValueError) as error:
        raise DamagedFileError(f"{path} cannot be read ({error}); prepare the run again") from None
    if not isinstance(about, dict) or not isinstance(about.get("format"), int):
        raise InputError(f"{path} was not written by chronotope; choose another folder")
    if about["format"] > FORMAT:
        raise DamagedFileError(f"{folder} was written by a newer chronotope; upgrade to read it")
    if about["format"] < FORMAT:
        raise DamagedFileError(f"{folder} was written by an older chronotope; prepare it again (--force replaces it)")
    try:
        plain = {key: value for key, value in about.items() if key != "checksum"}
        fits = checksum_of(plain) == about["checksum"] and _is_valid(about)
    except (KeyError, TypeError, ValueError, AttributeError):
        fits = False
    if not fits:
        raise DamagedFileError(f"{path} was altered; prepare the run again")
    return about


def _is_valid(about: dict[str, Any]) -> bool:
    """Return whether the values are possible: a matching checksum can be forged."""
    counts = (about["vocabulary"][name] for name in ("size", "min_count", "dropped_words", "dropped_tokens"))
    sizes = [about["unit"], *counts, *(entry["bytes"] for entry in about["files"].values())]
    lengths = set()
    for name in ("cells", "pairs", "tokens", "held_out"):
        sizes += about[name]
        lengths.add(len(about[name] or about["pairs"]))
    return (
        all(isinstance(about[name], kind) for kind, names in KINDS.items() for name in names)
        and len(lengths) == 1
        and all(type(size) is int and 0 <= size < 1 << 62 for size in sizes)
        and all(map(_is_plain, about["files"]))
    )


def _is_plain(name: str) -> bool:
    """Return whether a name is a file name without a folder."""
    return Path(name).name == name


def _files_of(folder: Path) -> set[str]:
    """Return the names of the files of a run, which may be damaged."""
    try:
        return {name for name in read_json((folder / ABOUT).read_bytes())["files"] if _is_plain(name)}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
