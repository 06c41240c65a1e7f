"""Write the pages that are made from the code: docs/reference/*.md and man/chronotope.1.

    python tools/reference.py           writes them
    python tools/reference.py --check   writes nothing; names the stale ones, and exits with 1

The same code gives the same bytes: no date, no path, no width of a terminal.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import reference_cli  # noqa: E402
import reference_questions  # noqa: E402
import reference_settings  # noqa: E402
from chronotope.analysis.answer import questions  # noqa: E402

NOTE = "<!-- Made from the code by tools/reference.py: change the code, then run `make docs`. -->\n\n"

# A page of the API: its title, what it is about, and the modules whose public names it shows.
API = {
    "reading": (
        "Reading and counting",
        "From text to counts.",
        ("chronotope.corpus", "chronotope.datasets", "chronotope.cooccurrence"),
    ),
    "training": (
        "Training",
        "Each method has settings and `fit`; the settings are explained [on a page of their own](settings.md).",
        ("chronotope.methods",),
    ),
    "embeddings": (
        "Embeddings",
        "The result of training: vectors, neighbors, equivalents; files of other programs; scikit-learn transformers.",
        ("chronotope.embeddings", "chronotope.features"),
    ),
    "judging": ("Judging", "Test pairs, scores, comparisons; a report.", ("chronotope.evaluation", "chronotope.views")),
    "errors": ("Errors", "Exceptions that a program may catch.", ("chronotope.errors", "chronotope.runtime.progress")),
}
# Names that users need and that `chronotope` itself does not have.
MORE = {
    "judging": (
        "chronotope.evaluation.pairs.read_pairs",
        "chronotope.evaluation.pairs.TestPair",
        "chronotope.evaluation.renaming.renamed",
    ),
}


def api_pages() -> dict[str, str]:
    """Return the pages of the API: headings and the marks that mkdocstrings fills."""
    package = importlib.import_module("chronotope")
    public = [getattr(package, name) for name in package.__all__ if name not in questions()]
    names = {f"{thing.__module__}.{thing.__qualname__}" for thing in public}
    names.update(_errors(), *MORE.values())
    pages, shown = {}, set()
    for page, (title, about, modules) in API.items():
        homes = sorted(name for name in names if name.startswith(tuple(f"{module}." for module in modules)))
        shown.update(homes)
        # Functions first, then classes.
        homes.sort(key=lambda name: (name.rsplit(".", 1)[1][0].isupper(), name.rsplit(".", 1)[1].lower()))
        blocks = "".join(f"::: {name}\n\n" for name in homes)
        pages[f"docs/reference/{page}.md"] = f"{NOTE}# {title}\n\n{about}\n\n{blocks}"
    if left := names - shown:
        raise SystemExit(f"no page of the reference shows {', '.join(sorted(left))}; see API in tools/reference.py")
    return pages


def _errors() -> list[str]:
    module = importlib.import_module("chronotope.errors")
    return [
        f"chronotope.errors.{name}"
        for name, thing in vars(module).items()
        if inspect.isclass(thing) and issubclass(thing, Exception)
    ]


def pages() -> dict[str, str]:
    """Return all generated files: path and content."""
    made = api_pages()
    made["docs/reference/answers.md"] = NOTE + reference_questions.page()
    made["docs/reference/commands.md"] = NOTE + reference_cli.page()
    made["docs/reference/settings.md"] = NOTE + reference_settings.page()
    made["man/chronotope.1"] = reference_cli.man_page()
    return {path: f"{text.rstrip()}\n" for path, text in made.items()}


def stale() -> list[str]:
    """Return the generated files that differ from what the code gives now."""
    return [
        path
        for path, text in pages().items()
        if not (ROOT / path).exists() or (ROOT / path).read_text(encoding="utf-8") != text
    ]


def main() -> None:
    """Write, or check."""
    if "--check" in sys.argv:
        if old := stale():
            raise SystemExit(f"stale: {', '.join(old)}; run: python tools/reference.py")
        return
    for path, text in pages().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
