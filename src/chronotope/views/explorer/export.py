"""The explorer as a folder: the page, an engine that answers in the browser, and the data as scripts, in parts.

    index.html, …           the page, as the server sends it, with the engine before it
    engine/*.js             what answers there
    data/manifest.js        what the model is; its words
    data/condition-N.js     which words occur in a condition, how often, and their rounded vectors
    data/common.js          what words mean everywhere, for those that are absent from a condition
    data/answers.js         what is computed once: the lists to start from, the distances of places, what chance does
    data/sentences-N.js …   sentences of a condition, and where its words stand in them (only where that is asked for)

A page that is opened from disk may neither fetch nor import; so each part is a script that calls `chronotope.part`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.analysis.everywhere import needed_cosines
from chronotope.errors import ChronotopeError, InputError, SettingsError
from chronotope.io.atomic import atomic_folder, recover_folder
from chronotope.runtime.blas import one_blas_thread
from chronotope.views.explorer import questions
from chronotope.views.explorer.explored import Explored
from chronotope.views.explorer.parts import as_object, as_script, write_part
from chronotope.views.explorer.quantize import COMMON_BITS, VECTOR_BITS, rounded, scales
from chronotope.views.explorer.sentence_parts import SENTENCES_LISTED, write_sentences
from chronotope.views.explorer.text_code import counted, packed

HERE = Path(__file__).parent
PAGE, ENGINE = HERE / "page", HERE / "engine"
# In this order: each may use those before it.
SCRIPTS = (
    "numbers",
    "parts",
    "model",
    "search",
    "random",
    "lookup",
    "meaning",
    "changes",
    "eigen",
    "plane",
    "places",
    "sentences",
    "engine",
)
MARK = "<!-- explorer:data -->"
FORMAT = 1
CHANCE, MIN_COUNT = 0.05, 5
# What chance does is measured between every two conditions, up to so many: beyond, from each to itself alone.
MOST_CONDITIONS = 40

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Written:
    """What was written: the folder, its first page, and how many bytes it has."""

    folder: Path
    page: Path
    size: int


def export(
    explored: Explored,
    folder: str | Path,
    *,
    with_text: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Written:
    """Write the explorer of a model as a folder that needs no server; the same model gives the same bytes.

    Parameters
    ----------
    explored
        What is looked at; its vectors are in one space.
    folder
        Where; it is written under a temporary name and renamed.
    with_text
        Write sentences, too: a sample for each word and condition.
    force
        Replace an explorer that is there already.
    progress
        Called with the stage, how much is done, and of how much.
    """
    folder = Path(folder).absolute()
    recover_folder(folder)
    _check(explored, folder, with_text, force)
    # Many small products: threads would only wait for each other.
    with atomic_folder(folder, "explore") as work, one_blas_thread():
        _write(explored, work, with_text, progress or _nothing)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return Written(folder, folder / "index.html", size)


def _nothing(*_: object) -> None:
    """What is told of progress where nobody asks."""


def _check(explored: Explored, folder: Path, with_text: bool, force: bool) -> None:
    if "one_space" in explored.missing:
        raise SettingsError(
            f"{explored.missing['one_space']}, and a folder cannot carry words between them; use a server"
        )
    if with_text and "text" in explored.missing:
        raise InputError(f"no sentences can be written: {explored.missing['text']}")
    if folder.exists() and not folder.is_dir():
        raise SettingsError(f"{folder} is a file; name a folder")
    if folder.is_dir() and any(folder.iterdir()):
        if not force:
            raise SettingsError(f"{folder} exists already; replace it with --force, or name another folder")
        if not (folder / "data" / "manifest.js").exists():
            raise SettingsError(f"{folder} is no explorer, and is not replaced; name another folder")


def _write(explored: Explored, folder: Path, with_text: bool, progress: Progress) -> None:
    # Without the modes of the installed files: those of the umask apply.
    sources = {path.relative_to(PAGE): path for path in PAGE.rglob("*") if path.is_file()}
    sources |= {Path("engine", f"{name}.js"): ENGINE / f"{name}.js" for name in SCRIPTS}
    for target, source in sources.items():
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / target)
    page = (folder / "index.html").read_text(encoding="utf-8")
    if page.count(MARK) != 1:
        raise ChronotopeError(f"the page has not one mark {MARK} where its data belong")
    scripts = [f"engine/{name}.js" for name in SCRIPTS[:2]] + ["data/manifest.js"]
    scripts += [f"engine/{name}.js" for name in SCRIPTS[2:]]
    tags = "\n    ".join(f'<script src="{script}" defer></script>' for script in scripts)
    (folder / "index.html").write_text(page.replace(MARK, tags), encoding="utf-8")

    data = folder / "data"
    data.mkdir()
    labels = explored.embeddings.conditions.labels
    for number in range(len(labels)):
        progress("vectors", number, len(labels))
        write_part(data, f"condition-{number}", _condition(explored, number))
    progress("vectors", len(labels), len(labels))
    write_part(data, "common", _common(explored))
    write_part(data, "answers", as_script(_answers(explored, progress)))
    if with_text:
        assert explored.counts is not None
        write_sentences(explored.counts, explored.embeddings, data, progress)
    # Last, as what makes the folder an explorer.
    write_part(data, "manifest", as_script(_manifest(explored, with_text)))


def _condition(explored: Explored, number: int) -> bytes:
    """The words of a condition, their counts and their vectors."""
    embeddings = explored.embeddings
    matrix = embeddings.matrix(embeddings.conditions.labels[number], 1)
    fields = {
        "size": str(len(matrix.word)).encode(),
        "word": counted(np.diff(matrix.word, prepend=-1) - 1),
        "support": counted(matrix.support),
        "vectors": packed(rounded(matrix.unit).ravel(), VECTOR_BITS),
    }
    return as_object(fields)


def _common(explored: Explored) -> bytes:
    """What every word means everywhere, and what makes of it a vector in a condition."""
    embeddings = explored.embeddings
    fields = {
        "vectors": packed(rounded(embeddings.common, COMMON_BITS).ravel(), COMMON_BITS),
        "scales": as_script([float(f"{scale:.6g}") for scale in scales(embeddings.common, COMMON_BITS)]),
        "factors": as_script([_short(row) for row in embeddings.condition_factors]),
        "center": as_script([_short(row) for row in embeddings.center]),
    }
    return as_object(fields)


def _short(row: Any) -> list[float]:
    return [float(f"{value:.6g}") for value in row]


def _answers(explored: Explored, progress: Progress) -> dict[str, Any]:
    """What is computed once and for all."""
    progress("words to start from", 0, 1)
    found: dict[str, Any] = {"starts": _told(questions.starts, explored, 50)}
    progress("words to start from", 1, 1)
    found["places"] = _told(questions.places, explored, 10)
    found["needed"] = list(_needed(explored, progress))
    return found


def _told(question: Callable[[Explored, int], Any], explored: Explored, top: int) -> Any:
    """The answer to a question, or why there is none: that is told to whoever asks, as by the server."""
    try:
        return question(explored, top)
    except ChronotopeError as error:
        return {"error": str(error)}


def _needed(explored: Explored, progress: Progress) -> Iterator[list[float]]:
    """For each condition asked from, the cosine that a match needs in each; see `needed_cosines`."""
    embeddings = explored.embeddings
    labels = embeddings.conditions.labels
    chosen = range(len(labels)) if len(labels) <= MOST_CONDITIONS else [len(labels) // 2]
    for done, number in enumerate(chosen):
        progress("what chance does", done, len(chosen))
        found = needed_cosines(embeddings, labels[number], chance=CHANCE, min_count=MIN_COUNT)
        yield [round(value, 4) for value in found]
    progress("what chance does", len(chosen), len(chosen))


def _manifest(explored: Explored, with_text: bool) -> dict[str, Any]:
    about = explored.about()
    available, missing = about["available"], about["missing"]
    for name, why in (
        ("counts", "a folder without a server holds no counts of the run"),
        ("bands", "a folder without a server cannot draw documents again"),
        (
            "text",
            explored.missing.get("text", "this folder was written without its sentences (--with-text writes them)"),
        ),
    ):
        if name != "text" or not with_text:
            available[name], missing[name] = False, why
    about |= {
        "static": True,
        "exactness": f"vectors rounded to {VECTOR_BITS} bits",
        "sample": SENTENCES_LISTED if with_text else None,
    }
    order = np.bincount(explored.embeddings.observed.word, explored.embeddings.observed.count, about["words"])
    present = np.bincount(explored.embeddings.observed.word, minlength=about["words"])
    return {
        "format": FORMAT,
        "about": about,
        "bits": VECTOR_BITS,
        "common_bits": COMMON_BITS,
        "words": list(explored.embeddings.words),
        "counts": order.astype(np.int64).tolist(),
        "present": present.tolist(),
        "coordinates": _coordinates(explored),
        "chance": CHANCE,
        "min_count": MIN_COUNT,
    }


def _coordinates(explored: Explored) -> list[list[float] | None] | None:
    if explored.coordinates is None:
        return None
    places = explored.embeddings.conditions.places
    found = [explored.coordinates.get(place.casefold()) for place in places]
    return [list(where) if where else None for where in found]
