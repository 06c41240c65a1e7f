"""The explorer as a folder: the page, an engine that answers in the browser, and the data as scripts.

    index.html, …           the page of the server, with scripts of the engine and the data
    engine/*.js             the engine, which computes similarities of vectors
    data/manifest.js        the model, its words, the questions
    data/condition-N.js     the words of a condition, their counts, and their rounded vectors
    data/common.js          the overall vectors of all words, also used where a word is absent from a condition
    data/needed.js          the margins that equivalents need over their rivals, between every two conditions
    data/roles-N.js         the role maps from a condition to every other
    data/NAME-N.js          answers to a question that the engine does not compute
    data/sentences-N-M.js   sentences of a condition; index-N.js: positions of words in them (only `with_text`)

A page opened from disk may neither fetch nor import, so each part is a script that calls `chronotope.part`. Numbers are
compressed and encoded in base64.
"""

from __future__ import annotations

import shutil
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from chronotope.analysis.answer import questions
from chronotope.analysis.filters import Filters
from chronotope.analysis.measures import Comparison, model_rows
from chronotope.analysis.neighbors import bar_of
from chronotope.analysis.sentence_sample import sentence_sample
from chronotope.embeddings.nearest import Floats
from chronotope.errors import ChronotopeError, InputError, SettingsError
from chronotope.io.atomic import atomic_folder, recover_folder
from chronotope.io.untrusted import embed_json
from chronotope.runtime.blas import one_blas_thread
from chronotope.views.explorer.api import answer, describe, describe_questions
from chronotope.views.explorer.explored import Explored

HERE = Path(__file__).parent
PAGE, ENGINE = HERE / "page", HERE / "engine"
# In this order: each may use the scripts before it. The manifest comes after the first.
SCRIPTS = ("parts", "model", "lookup", "search", "meaning", "axis", "sentences", "engine")
MARK = "<!-- explorer:data -->"
FORMAT = 3
MIN_COUNT = 5
MOST_ROLE_MAPS = 400  # with more pairs of places, the folder answers without role maps
MOST_CONDITIONS = 40  # with more, `needed` is measured only from the middle one
SENTENCES_LISTED, SENTENCES_FROM_TOKENS = 10, 100_000
SENTENCES_IN_A_PART, WORDS_IN_A_PART = 256, 32
# The engine computes these; answers to the others are written, for this number of words.
COMPUTED = ("neighbors", "equivalents", "series", "matrix", "similarity", "axis", "analogy")
WRITTEN_WORDS = {"changepoints": 200, "trajectory": 120, "grid": 60, "map": 200, "frequency": 400, "collocates": 32}
# Number of rows of ranked answers, and the settings for which answers are written.
LISTED = {"drift": 50, "stable": 50, "collocates": 50}
VARIANTS: dict[str, list[dict[str, Any]]] = {"drift": [{}], "stable": [{}, {"least": True}], "places": [{}]}

Progress = Callable[[str, int, int | None], None]


class Written(NamedTuple):
    """The folder that was written, its first page, and its size in bytes."""

    folder: Path
    page: Path
    size: int


def export(
    explored: Explored, folder: str | Path, *, with_text: bool = False, force: bool = False, progress: Any = None
) -> Written:
    """Write the explorer of a model as a folder that needs no server; the same model gives the same bytes.

    `with_text` adds a sample of sentences for each word and condition; `force` replaces an existing explorer.
    """
    folder = Path(folder).absolute()
    recover_folder(folder)
    _check(explored, folder, with_text, force)
    # Many small products: threads would wait for each other. The limit needs scikit-learn to be loaded.
    import_module("sklearn.manifold")
    with atomic_folder(folder, "explore") as work, one_blas_thread(), threadpool_limits(1, user_api="openmp"):
        _Writer(explored, work, progress or (lambda *_: None)).write(with_text)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return Written(folder, folder / "index.html", size)


def _check(explored: Explored, folder: Path, with_text: bool, force: bool) -> None:
    if reason := explored.why_not("one_space"):
        raise SettingsError(f"{reason}, and a folder cannot map words between them; use a server")
    if with_text and explored.counts:
        words = explored.embeddings.words
        if explored.counts.vocabulary.words[: len(words)] != words:
            raise InputError("no sentences can be written, since the model lacks words of its run; omit --with-text")
    if with_text and (reason := explored.why_not("text")):
        raise InputError(f"no sentences can be written: {reason}")
    if folder.exists() and not folder.is_dir():
        raise SettingsError(f"{folder} is a file; name a folder")
    if folder.is_dir() and any(folder.iterdir()):
        if not force:
            raise SettingsError(f"{folder} exists already; replace it with --force, or name another folder")
        if not (folder / "data" / "manifest.js").exists():
            raise SettingsError(f"{folder} is not an explorer and will not be replaced; name another folder")


class _Writer:
    def __init__(self, explored: Explored, folder: Path, progress: Progress) -> None:
        self.explored, self.model = explored, explored.embeddings
        self.folder, self.data, self.progress = folder, folder / "data", progress
        self.labels = self.model.conditions.labels
        observed, size = self.model.observed, len(self.model)
        self.filters, self.questions = Filters(self.model), questions()
        self.present = np.bincount(observed.word, minlength=size)
        self.counts = np.bincount(observed.word, observed.count, size).astype(np.int64)
        self.counts //= self.model.conditions.levels  # a text counts once in each level of its place

    def write(self, with_text: bool) -> None:
        """Write all files; the manifest last, since it makes the folder an explorer."""
        self._page()
        self.data.mkdir()
        for number, label in self._counted("vectors", self.labels):
            write_part(self.data, f"condition-{number}", self._condition(label))
        write_part(self.data, "common", self._common())
        for number in range(len(self.labels)) if self.role_maps else ():
            write_part(self.data, f"roles-{number}", self._roles(number))
        write_part(self.data, "needed", self._needed())
        written = self._answers()
        if with_text:
            self._sentences()
        write_part(self.data, "manifest", self._manifest(written, with_text))

    def _counted(self, what: str, items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Yield numbered items, and report the progress."""
        for number, item in enumerate(items):
            self.progress(what, number, len(items))
            yield number, item
        self.progress(what, len(items), len(items))

    def _page(self) -> None:
        # Copy without the modes of the installed files: the umask applies.
        files = {path.relative_to(PAGE): path for path in PAGE.rglob("*.*") if ".d.ts" not in path.name}
        files |= {Path("engine", f"{name}.js"): ENGINE / f"{name}.js" for name in SCRIPTS}
        for target, source in files.items():
            (self.folder / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, self.folder / target)
        page = (self.folder / "index.html").read_text(encoding="utf-8")
        first, *others = (f"engine/{name}.js" for name in SCRIPTS)
        tags = [f'<script src="{script}" defer></script>' for script in (first, "data/manifest.js", *others)]
        (self.folder / "index.html").write_text(page.replace(MARK, "\n    ".join(tags)), encoding="utf-8")

    def _condition(self, label: str) -> dict[str, str]:
        matrix = self.model.matrix(label, 1)
        documents = self._documents([self.model.conditions.index(label)])[matrix.word]
        columns = {"word": matrix.word, "count": matrix.support, "documents": documents}
        vectors = packed(quantize(matrix.unit, np.int8)[0], np.int8)
        return {name: packed(values) for name, values in columns.items()} | {"vectors": vectors}

    def _documents(self, conditions: Iterable[int]) -> NDArray[np.int64]:
        """(W,) the number of documents in some conditions that contain each word; 0 if that is not known."""
        documents = self.filters.documents(conditions)
        return np.zeros(len(self.model), np.int64) if documents is None else documents

    def _common(self) -> dict[str, Any]:
        """Return the common vectors, and the factors and centers of each condition and, last, overall."""
        model = self.model
        rows, units = quantize(model.common, np.int16)
        factors = model.condition_factors
        overall = factors.mean(axis=0, dtype=np.float64, keepdims=True)
        center = (model.common[self.present > 0] * overall.astype(np.float32)).mean(axis=0, keepdims=True)
        both = {"factors": np.concatenate([factors, overall]), "center": np.concatenate([model.center, center])}
        short = {name: _short(rows.tolist()) for name, rows in {"scales": units, **both}.items()}
        return {"vectors": packed(rows, np.int16), **short}

    @cached_property
    def role_maps(self) -> int:
        """The number of role maps between places; 0 if there are too many to write."""
        search, numbers = self.model.search, range(len(self.labels))
        maps = sum(search.takes_role_map(one, other, None) for one in numbers for other in numbers)
        return maps if maps <= MOST_ROLE_MAPS else 0

    def _roles(self, source: int) -> dict[int, Any]:
        """Return the role maps of a condition, minus the identity, and the lengths of its mapped vectors."""
        unit, maps = self.model.matrix(self.labels[source], 1).unit, {}
        for target in range(len(self.labels)):
            if self.model.search.takes_role_map(source, target, None):
                role_map = self.model.search.role_map(source, target).astype(np.float32)
                rows, scales = quantize(role_map - np.eye(len(role_map), dtype=np.float32), np.int8)
                length, scale = quantize(np.linalg.norm(unit @ role_map, axis=1)[None], np.int16)
                fields = {"rows": packed(rows, np.int8), "scales": _short(scales.tolist())}
                maps[target] = {**fields, "lengths": packed(length, np.int16), "scale": float(scale[0])}
        return maps

    def _needed(self) -> list[list[Any]]:
        """Return for each source the margins that an equivalent in each condition needs."""
        numbers = range(len(self.labels))
        sources = numbers if len(numbers) <= MOST_CONDITIONS else [len(numbers) // 2]
        role_map = None if self.role_maps else False
        return [
            [_short(bar_of(self.model.search.bar(at, to, min_count=MIN_COUNT, role_map=role_map))) for to in numbers]
            for _, at in self._counted("false matches", sources)
        ]

    def _answers(self) -> dict[str, Any]:
        """Write the answers that the engine does not compute; return the words and settings of each question."""
        asked = {one["name"] for one in describe_questions(self.explored) if one["available"]}
        written: dict[str, Any] = {}
        words: list[str] = []
        for name in (*VARIANTS, *WRITTEN_WORDS):
            if name in asked.intersection(VARIANTS):
                answers = [self._answer(name, variant) for variant in VARIANTS[name]]
                write_part(self.data, f"{name}-0", [answers])
                words += [row[0] for found in answers if name != "places" for row in found.get("rows", ())[:20]]
                written[name] = {"words": None, "variants": VARIANTS[name], "listed": LISTED.get(name)}
            elif name in asked:
                written[name] = self._word_answers(name, words)
        return written

    def _word_answers(self, name: str, first: Sequence[str]) -> dict[str, Any]:
        """Write the answers to a question about a word: for the words of ranked answers, then by `_weights`."""
        conditions = self.model.conditions
        order = np.argsort(-self._weights, kind="stable").tolist()
        variants: list[dict[str, Any]] = [{}]
        if name == "changepoints" and conditions.places:
            variants = [{"place": place} for place in conditions.places]
        count = max(1, WRITTEN_WORDS[name] // len(variants))
        numbers = list(dict.fromkeys([*(self.model.index(word) for word in first), *order]))[:count]
        for part, begin in self._counted(name, range(0, len(numbers), WORDS_IN_A_PART)):
            words = [self.model.words[number] for number in numbers[begin : begin + WORDS_IN_A_PART]]
            answers = [[self._answer(name, {"word": word, **variant}) for variant in variants] for word in words]
            write_part(self.data, f"{name}-{part}", answers)
        return {"words": numbers, "variants": variants, "listed": LISTED.get(name)}

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """(W,) how likely readers ask about each word: the root of its count times its change."""
        comparison = Comparison("series", tuple(range(len(self.labels))))
        found = comparison.measure(model_rows(self.model, MIN_COUNT), len(self.model))
        weights = np.sqrt(self.counts, dtype=np.float64) / 1e6
        weights[found.words] += np.sqrt(self.counts[found.words]) * found.change
        return weights

    def _answer(self, name: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer with its rows as lists, or the error."""
        top = {"top": LISTED[name]} if name in LISTED else {}
        try:
            found = answer(self.explored, self.questions[name], {**values, **top})
        except ChronotopeError as error:
            _, kind, message = describe(error)
            return {"error": {"kind": kind, "message": message}}
        if found["signature"] == self.model.signature:
            del found["signature"]
        return dict(_short(found | {"rows": [list(row.values()) for row in found["rows"]]}))

    def _sentences(self) -> None:
        """Write the sentences of every condition, and the positions of words in them."""
        assert self.explored.counts is not None
        counts, limit = self.explored.counts, SENTENCES_FROM_TOKENS
        for number, _ in self._counted("sentences", self.labels):
            sample = sentence_sample(counts, number, len(self.model), SENTENCES_LISTED, most_tokens=limit)
            for begin in range(0, len(sample.sentences), SENTENCES_IN_A_PART):
                rows = [
                    [one.text, one.document, one.date, int(one.cut_before) + 2 * int(one.cut_after)]
                    for one in sample.sentences[begin : begin + SENTENCES_IN_A_PART]
                ]
                write_part(self.data, f"sentences-{number}-{begin // SENTENCES_IN_A_PART}", rows)
            columns = {"sizes": np.bincount(sample.word, minlength=len(self.model)), "sentence": sample.sentence}
            columns |= {"start": sample.start, "length": sample.end - sample.start}
            columns["documents"] = self._documents([number])
            share = {"searched": [sample.searched, sample.tokens]}
            write_part(self.data, f"index-{number}", {name: packed(values) for name, values in columns.items()} | share)

    def _manifest(self, written: Mapping[str, Any], with_text: bool) -> dict[str, Any]:
        about, described = self.explored.about(), describe_questions(self.explored)
        missing = {"bands": "a folder without a server cannot resample documents"}
        if not with_text:
            without = "this folder was written without its sentences (--with-text writes them)"
            missing["text"] = self.explored.missing.get("text", without)
        for name, reason in missing.items():
            about["available"][name], about["missing"][name] = False, reason
        about |= {
            "static": True,
            "precomputed": {name: len(what["words"]) for name, what in written.items() if what["words"] is not None},
            "exactness": "vectors rounded to 8 bits",
            "sample": SENTENCES_LISTED if with_text else None,
        }
        for question in described:
            name = question["name"]
            if question["available"] and name not in (*COMPUTED, *written, *(("evidence",) if with_text else ())):
                reason = "only the server answers this question: chronotope explore RUN"
                question |= {"available": False, "reason": missing["text"] if name == "evidence" else reason}
        everywhere = range(len(self.labels))
        counts = {"counts": self.counts, "present": self.present, "documents": self._documents(everywhere)}
        return (
            {"format": FORMAT, "min_count": MIN_COUNT, "role_maps": self.role_maps}
            | {"about": about, "questions": described, "written": written}
            | {"words_in_a_part": WORDS_IN_A_PART, "sentences_in_a_part": SENTENCES_IN_A_PART}
            | {"words": list(self.model.words), **{name: values.tolist() for name, values in counts.items()}}
            | {"documents_note": self.filters.notes(np.zeros(0, np.int64), [everywhere])}
        )


def _short(data: Any) -> Any:
    """Return plain data with its numbers rounded to six digits."""
    if isinstance(data, float):
        return float(f"{data:.6g}")
    if isinstance(data, dict):
        return {key: _short(value) for key, value in data.items()}
    return [_short(value) for value in data] if isinstance(data, list | tuple) else data


def write_part(folder: Path, name: str, data: Any) -> None:
    """Write plain data as a script that calls `chronotope.part` with its name and the data."""
    (folder / f"{name}.js").write_text(f'chronotope.part("{name}",{embed_json(data)});\n', encoding="utf-8", newline="")


def packed(values: NDArray[np.integer[Any]], kind: type[np.integer[Any]] = np.int32) -> str:
    """Return numbers of a kind as text: little-endian, compressed, in base64."""
    data = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).tobytes()
    return b64encode(zlib.compress(data, level=6)).decode("ascii")


def quantize(rows: Floats, kind: type[np.integer[Any]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Round rows to signed integers of a kind; also return the size of one step in each row.

    >>> quantize(np.array([[0.6, 0.8], [0, 0]], np.float32), np.int8)[0].tolist()
    [[95, 127], [0, 0]]
    """
    unit = np.abs(rows).max(axis=1, keepdims=True, initial=0).astype(np.float64) / np.iinfo(kind).max
    return np.rint(rows / np.where(unit == 0, 1, unit)).astype(np.int64), unit[:, 0]
