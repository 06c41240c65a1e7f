"""A small public model, ready to upload: the UN General Debate by decade, with its card and its explorer.

    python benchmarks/gallery_model.py OUTPUT [SPEECHES.jsonl.zst]

Without a file: `ungdc.jsonl.zst` in $CHRONOTOPE_DATA or ../shared/data, one JSON object a line with `text`, `time` and
`place`. OUTPUT/model is a folder for the Hugging Face Hub, OUTPUT/explorer one for any web server. Both hold text under
CC0 only. The card gets what `export` cannot know: license, language, source, and how well the model follows words that
were renamed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import chronotope as ct
from chronotope.evaluation.renaming import renamed
from chronotope.views.explorer.explored import open_explored
from chronotope.views.explorer.export import export as write_explorer

NAME = "UN General Debate by decade"
FRONT = "---\nlicense: cc0-1.0\nlanguage: en\npretty_name: UN General Debate by decade\n"
ABOUT = """## Text

Speeches of heads of state and delegates before the General Assembly of the United Nations, 1946 to 2024, in English,
many of them translated: Slava Jankin, Alexander Baturo and Niheer Dasandi, *United Nations General Debate Corpus*,
Harvard Dataverse, doi:10.7910/DVN/0TJX8Y (CC0). Speeches before 1990 were read by OCR, so errors of spelling differ
between decades; the 1940s hold little text. A change of the members of the UN is also a change of the words.

## Evaluation

{share:.0%} of the words were renamed in a part of the decades and looked for under their other names: mean reciprocal
rank {mrr:.3f} ({pairs:,} questions, `{signature}`). No human judgments of change exist for this text.

## Conditions"""


def main(output: str, speeches: str | None = None) -> None:
    data = Path(os.environ.get("CHRONOTOPE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    path = Path(speeches or data / "ungdc.jsonl.zst")
    if not path.is_file():
        sys.exit(f"{path} is not there; name the file of speeches, or set CHRONOTOPE_DATA")
    folder = Path(output)
    corpus = ct.read_corpus(path, text="text", time="time", every="10y", keep="place")
    counts = ct.count(corpus, folder / "run", max_words=10_000)
    method = ct.GraphModel(dimensions=100)
    embeddings = method.fit(counts)
    embeddings.save(folder / "run" / "model.ct")
    share = 0.1
    scores = ct.evaluate(method, renamings=renamed(counts, share=share, seed=1))
    found = {"mrr": scores["mrr"][0], "pairs": scores["pairs"][0], "signature": scores.signature}
    ct.export(embeddings, folder / "model", "huggingface", force=True)
    card = folder / "model" / "README.md"
    text = card.read_text(encoding="utf-8").replace("---\n", FRONT, 1)
    text = text.replace("# Words by time", f"# {NAME}", 1).replace(
        "## Conditions", ABOUT.format(share=share, **found), 1
    )
    card.write_text(text.replace("- This model was not evaluated on test pairs unless its authors say so.\n", ""))
    explored = open_explored(folder / "run", title=NAME)
    written = write_explorer(explored, folder / "explorer", with_text=True, force=True)
    print(f"{card.parent}: {sum(file.stat().st_size for file in card.parent.iterdir()) / 1e6:.0f} MB")
    print(f"{folder / 'explorer'}: {written.size / 1e6:.0f} MB")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
