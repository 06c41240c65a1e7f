"""chronotope demo: from text to answers on a corpus that is included."""

from __future__ import annotations

import os
import shutil
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from chronotope.cli.answers import show_answer
from chronotope.cli.console import progress_bars, stdout, talk
from chronotope.cli.options import Threads

if TYPE_CHECKING:
    from chronotope.embeddings import ConditionedEmbeddings

DEMO = Path("chronotope-demo")
EVERY = "20y"
DIMENSIONS = 100  # two million words are little text
PICTURED = "security"
# A word, its time bin, and the time bins in which to look for equivalents.
EQUIVALENTS = (
    ("railroads", "1880-1899", ("1820-1839", "1940-1959", "2020-2039")),
    ("vietnam", "1960-1979", ("1860-1879", "1900-1919", "1940-1959", "2000-2019")),
    ("soviet", "1960-1979", ("1820-1839", "1900-1919", "2020-2039")),
)


def demo_command(
    output: Annotated[Path, Option("-o", "--output", metavar="DIR", help="Folder to write.")] = DEMO,
    open_page: Annotated[bool, Option("--open", help="Open the explorer when it is written.")] = False,
    threads: Threads = None,
) -> None:
    """Train on 236 years of presidential addresses, and show what changed."""
    import chronotope as ct
    from chronotope.views.explorer.explored import open_explored
    from chronotope.views.explorer.export import export

    talk("The State of the Union addresses, in bins of 20 years.")
    talk("The first run also compiles kernels, which are cached for the next.")
    embeddings = train_example(output, threads)
    show_changes(embeddings)
    ct.neighbors(embeddings, PICTURED, at="all", top=4).save(output / f"{PICTURED}.png")
    with progress_bars() as bars:
        explored = open_explored(output, title="State of the Union")
        page = export(explored, output / "explorer", with_text=True, force=True, progress=bars).page
    talk(
        "\nThe run, the model, a chart and a page to explore them are in [bold]{0}[/]. Open the page:\n"
        "  {2}\n"
        "or start a server, which finds every sentence:\n"
        "  {1} explore {0}\n"
        "Ask your own questions:\n"
        "  {1} neighbors {0} freedom --at 1940-1959\n"
        "  {1} equivalents {0} iraq --at 2000-2019 --to 1860-1879\n"
        "  {1} neighbors {0} energy --at all -o energy.png\n"
        "or prepare your own text:\n"
        "  {1} prepare speeches.csv -o run --text text --time date && {1} train run",
        output,
        command_name(),
        page.as_uri(),
    )
    if open_page:
        webbrowser.open(page.as_uri())


def command_name() -> str:
    """Return the name of the command line, or its path if it is not on PATH, as after `make demo`."""
    if shutil.which("chronotope"):
        return "chronotope"
    called = Path(sys.argv[0])
    return "python -m chronotope" if called.name == "__main__.py" else os.path.relpath(called)


def train_example(output: Path, threads: int | None) -> ConditionedEmbeddings:
    """Prepare the run and train the model unless both are there; return the model."""
    from chronotope.cooccurrence import count
    from chronotope.datasets.sotu import sotu_corpus
    from chronotope.embeddings import load
    from chronotope.methods.graph.model import GraphModel

    with progress_bars() as bars:
        bars("reading", 0)
        counts = count(sotu_corpus(every=EVERY), output, threads=threads, progress=bars)
        model = output / "model.ct"
        if not model.exists() or load(model).provenance["run"] != counts.checksum:
            step = lambda done, of: bars("training", done, of)  # noqa: E731
            GraphModel(dimensions=DIMENSIONS).fit(counts, threads=threads, on_step=step).save(model)
    embeddings = load(model)
    talk("{} words × {} time bins", f"{len(embeddings.words):,}", len(embeddings.conditions))
    return embeddings


def show_changes(embeddings: ConditionedEmbeddings) -> None:
    """Print words that changed, words that did not, and equivalents."""
    import chronotope as ct

    show_answer(ct.drift(embeddings, start="1900-1919", end="2000-2019", min_count=30, top=10))
    stdout.print("\nThe most stable words:", ", ".join(ct.stable(embeddings, min_count=20, top=12)["word"]))
    stdout.print("\nEquivalents: words used in another period as a word is used in its own")
    for word, at, times in EQUIVALENTS:
        for to in times:
            words = ", ".join(match.word for match in embeddings.equivalents(word, at, to, top=5))
            stdout.print(f"  {word} {at} → {to}: {words}", markup=False)
