"""The folder of a run: whole or absent, replaced only when asked, and never at the cost of what else is in it."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from chronotope.errors import DamagedFile, InputError
from chronotope.provenance import checksum_of

FORMAT = 2  # 1: cells that did not tell the sides apart


def read_run(folder: Path) -> dict[str, Any]:
    """What a run says of itself, checked as far as is cheap."""
    try:
        about: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{folder} is not a run; make one with: chronotope prepare INPUT -o {folder}") from None
    except (OSError, ValueError) as error:
        raise DamagedFile(f"{folder / 'run.json'} cannot be read ({error}); prepare the run again") from None
    if not isinstance(about, dict) or not isinstance(about.get("format"), int):
        raise InputError(f"{folder / 'run.json'} was not written by chronotope; choose another folder")
    if about["format"] > FORMAT:
        raise DamagedFile(f"{folder} was written by a newer chronotope; upgrade to read it")
    if about["format"] < FORMAT:
        raise DamagedFile(f"{folder} was written by an older chronotope; prepare it again (--force replaces it)")
    for name, entry in about["files"].items():
        if not (folder / name).exists() or (folder / name).stat().st_size != entry["bytes"]:
            raise DamagedFile(f"{folder / name} is missing or cut short; prepare the run again")
    return about


def already_there(run: Path, asked: dict[str, Any], force: bool) -> bool:
    """Whether the run exists as asked; an existing folder that is something else is refused."""
    if not run.exists() or (run.is_dir() and not any(run.iterdir())):
        return False
    if not (run / "run.json").exists():
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
            "records); choose another folder, or --force to replace it"
        )
    if checksum_of(asked) != about["asked"]:
        raise InputError(
            f"{run} holds a run made from other input or settings; choose another folder, or --force to replace it"
        )
    return True


def put_in_place(work: Path, run: Path) -> None:
    """Move a finished folder to its place; of an older run there only its own files go, the rest is kept."""
    os.chmod(work, 0o755)
    if not run.exists():
        os.replace(work, run)
    elif not any(run.iterdir()):
        # Somebody may stand in that folder: it is filled, not exchanged, and run.json comes last.
        for path in sorted(work.iterdir(), key=lambda path: path.name == "run.json"):
            os.replace(path, run / path.name)
    else:
        old = Path(tempfile.mkdtemp(prefix=f".{run.name}.", suffix=".old", dir=run.parent))
        os.replace(run, old / run.name)
        os.replace(work, run)
        own = {"run.json", *_files_of(old / run.name)}
        for path in (old / run.name).iterdir():
            if path.name not in own:
                os.replace(path, run / path.name)
        shutil.rmtree(old)


def _files_of(folder: Path) -> set[str]:
    """The files that belong to a run, which may be damaged."""
    try:
        return set(json.loads((folder / "run.json").read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return set()
