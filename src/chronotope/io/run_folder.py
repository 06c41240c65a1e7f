"""The folder of a run: whole or absent, replaced only when asked, and never at the cost of what else is in it.

A new run is built beside its place under a temporary name and renamed. One that replaces another moves into the old
folder, as `.new`, from where its files take the places of the old ones: `run.json` goes first and comes last, so that
at no moment the files of two runs are taken for one. A replacement that was cut off is finished by whoever opens the
run next. Nothing else in the folder (models, notes) is touched.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from chronotope.errors import DamagedFile, InputError
from chronotope.io.atomic import atomic_write, disk_errors, partials, sync_all, sync_folder, writable
from chronotope.io.locks import locked
from chronotope.io.provenance import checksum_of, has_checksum
from chronotope.io.untrusted import read_json

FORMAT = 2  # 1: cells that did not tell the sides apart
ABOUT = "run.json"
PENDING = ".new"
GONE = ".gone"
# What run.json holds.
KINDS: dict[type, tuple[str, ...]] = {
    dict: ("conditions", "corpus", "counting", "files", "versions", "vocabulary"),
    list: ("cells", "held_out", "pairs", "sources", "tokens"),
    str: ("asked", "checksum"),
}


def read_run(folder: Path) -> dict[str, Any]:
    """What a run says of itself, checked as far as is cheap: its own checksum, and the sizes of its files."""
    finish_replacing(folder)
    about = _read_about(folder)
    for name, entry in about["files"].items():
        if not (folder / name).exists() or (folder / name).stat().st_size != entry["bytes"]:
            raise DamagedFile(f"{folder / name} is missing or cut short; prepare the run again")
    return about


def verify_run(folder: Path, names: tuple[str, ...] = ()) -> None:
    """Compare files of a run, by default all of them, with their checksums; one that was altered raises DamagedFile."""
    files = read_run(folder)["files"]
    for name in names or sorted(files):
        if name in files and not has_checksum(folder / name, files[name]["checksum"]):
            raise DamagedFile(f"{folder / name} was altered, or belongs to another run; prepare the run again")


def no_model(folder: Path) -> InputError:
    """What to say of a folder without a model: it is a run that has none yet, or something else."""
    finish_replacing(folder)
    if (folder / ABOUT).exists():
        return InputError(f"{folder} holds no model yet; make one with: chronotope train {folder}")
    return InputError(f"{folder} is neither a model nor a run; make a run with: chronotope prepare INPUT -o RUN")


@contextmanager
def building(run: Path, asked: dict[str, Any], force: bool) -> Iterator[Path | None]:
    """A temporary folder beside the run, whose content becomes the run when the block ends well, and goes otherwise.

    It is None where the run is there already, as asked. A folder that holds something else is refused. Nobody else may
    write the run meanwhile; what killed processes left of theirs is removed.
    """
    finish_replacing(run)
    if _is_there(run, asked, force):
        yield None
        return
    with locked(run, "prepare"):
        # Another process may have been faster.
        _move_in(run)
        if _is_there(run, asked, force):
            yield None
            return
        for left in partials(run):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
        with writable(run.parent):
            work = Path(tempfile.mkdtemp(prefix=f".{run.name}.", suffix=".partial", dir=run.parent))
        try:
            with disk_errors(run):
                yield work
                _put_in_place(work, run)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _is_there(run: Path, asked: dict[str, Any], force: bool) -> bool:
    """Whether the run exists as asked; an existing folder that is something else is refused."""
    if not run.exists() or (run.is_dir() and not any(run.iterdir())):
        return False
    if not (run / ABOUT).exists():
        raise InputError(f"{run} exists and is not a run; choose another folder")
    try:
        about = read_run(run)
    except DamagedFile as error:
        if force:
            return False
        raise DamagedFile(f"{error}, or again with --force to replace it") from None
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
    if not (run / PENDING).exists():
        return
    with locked(run, "prepare"):
        _move_in(run)


def _put_in_place(work: Path, run: Path) -> None:
    """Move a finished folder to its place; of an older run there only its own files go, the rest stays."""
    os.chmod(work, 0o755)
    sync_all(work)
    if run.exists():
        # Somebody may stand in that folder: it is filled, not exchanged.
        os.replace(work, run / PENDING)
        sync_folder(run)
        _move_in(run)
    else:
        os.replace(work, run)
    sync_folder(run.parent)


def _move_in(run: Path) -> None:
    """Let the files in `.new` take the places of those of the older run; cut off anywhere, it can be done again."""
    pending = run / PENDING
    if (pending / ABOUT).exists():
        new = {path.name for path in pending.iterdir()}
        if old := _files_of(run) - new:
            # A list of what goes, since the old list is about to go itself.
            with atomic_write(pending / GONE) as temporary:
                temporary.write_text(json.dumps(sorted(old)), encoding="utf-8")
        (run / ABOUT).unlink(missing_ok=True)
        sync_folder(run)
        for name in _gone(pending):
            (run / name).unlink(missing_ok=True)
        for name in sorted(new - {ABOUT}):
            if not name.startswith("."):
                os.replace(pending / name, run / name)
        sync_folder(run)
        os.replace(pending / ABOUT, run / ABOUT)
        sync_folder(run)
    if pending.exists():
        shutil.rmtree(pending)


def _gone(pending: Path) -> list[str]:
    with suppress(OSError, ValueError):
        return [name for name in json.loads((pending / GONE).read_text(encoding="utf-8")) if _is_plain(name)]
    return []


def _read_about(folder: Path) -> dict[str, Any]:
    """The content of run.json, if it is one."""
    path = folder / ABOUT
    try:
        about: dict[str, Any] = read_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{folder} is not a run; make one with: chronotope prepare INPUT -o {folder}") from None
    except (OSError, ValueError) as error:
        raise DamagedFile(f"{path} cannot be read ({error}); prepare the run again") from None
    if not isinstance(about, dict) or not isinstance(about.get("format"), int):
        raise InputError(f"{path} was not written by chronotope; choose another folder")
    if about["format"] > FORMAT:
        raise DamagedFile(f"{folder} was written by a newer chronotope; upgrade to read it")
    if about["format"] < FORMAT:
        raise DamagedFile(f"{folder} was written by an older chronotope; prepare it again (--force replaces it)")
    try:
        fits = checksum_of({key: value for key, value in about.items() if key != "checksum"}) == about["checksum"]
        _check(about)
    except (KeyError, TypeError, ValueError, AttributeError):
        fits = False
    if not fits:
        raise DamagedFile(f"{path} was altered; prepare the run again")
    return about


def _check(about: dict[str, Any]) -> None:
    """Refuse what no run says, whether or not its checksum fits: someone may have written it on purpose."""
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
    """Whether a name is that of a file in the folder itself."""
    return isinstance(name, str) and Path(name).name == name


def _files_of(folder: Path) -> set[str]:
    """The files that belong to a run, which may be damaged."""
    try:
        return {name for name in read_json((folder / ABOUT).read_bytes())["files"] if _is_plain(name)}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
