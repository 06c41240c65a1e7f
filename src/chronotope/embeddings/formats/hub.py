"""A folder for the Hugging Face Hub: safetensors, config.json, the words, and a model card."""

import json
from pathlib import Path
from typing import Any

from chronotope.embeddings.conditioned import ConditionedEmbeddings

MAX_CARD_ROWS = 60
KINDS = {"time": "time bin", "place": "place", "time × place": "time bin in a place"}
PAPER = """\
@inproceedings{gong-etal-2020-enriching,
  title = {Enriching Word Embeddings with Temporal and Spatial Information},
  author = {Gong, Hongyu and Bhat, Suma and Viswanath, Pramod},
  booktitle = {Proceedings of the 24th Conference on Computational Natural Language Learning},
  year = {2020}, pages = {1--11}, doi = {10.18653/v1/2020.conll-1.1}
}"""
ALIGNED = """

The conditions were aligned as in William L. Hamilton, Jure Leskovec and Dan Jurafsky, *Diachronic Word Embeddings
Reveal Statistical Laws of Semantic Change* (ACL 2016). Cite those who trained the models as well."""
# A license and a language are for the owner of the text to add.
FRONT_MATTER = """\
---
library_name: chronotope
tags:
- word-embeddings
- semantic-change
- diachronic
- chronotope
---"""
LIMITS = """\
- A word that is absent from a condition has no vector there. chronotope says so, or with `fallback=True` answers from
  its other conditions and marks the answer.
- The vector of a word that occurs only a few times is mostly noise; ask for a minimum count.
- Conditions differ in genre, sources, spelling and OCR errors, not only in what words meant. A change of sources looks
  like a change of meaning.
- Word vectors repeat the prejudices of their text.
- This model was not evaluated on test pairs unless its authors say so."""


def write_hub_folder(embeddings: ConditionedEmbeddings, folder: Path, about_run: dict[str, Any]) -> None:
    """Write the folder; `about_run` is the content of `run.json` of the training text, empty if unknown."""
    embeddings.save(folder / "model.safetensors")
    config = {
        "library_name": "chronotope",
        "model_type": "conditioned-word-embeddings",
        "dimensions": embeddings.dimensions,
        "words": len(embeddings),
        "axis": embeddings.conditions.axis,
        "conditions": list(embeddings.conditions.labels),
        "signature": embeddings.signature,
        "provenance": embeddings.provenance,
    }
    text = json.dumps(config, ensure_ascii=False, sort_keys=True, indent=2)
    (folder / "config.json").write_text(text + "\n", encoding="utf-8")
    (folder / "words.txt").write_text("\n".join(embeddings.words) + "\n", encoding="utf-8", newline="\n")
    (folder / "README.md").write_text(model_card(embeddings, about_run), encoding="utf-8", newline="\n")


def model_card(embeddings: ConditionedEmbeddings, about_run: dict[str, Any]) -> str:
    """Return the text of README.md."""
    aligned = embeddings.provenance.get("method") in ("align", "aligned")
    return f"""\
{FRONT_MATTER}

# Words by {embeddings.conditions.axis}

One vector of {embeddings.dimensions} numbers for each of {len(embeddings):,} words in each of \
{len(embeddings.conditions):,} conditions (a condition is a {KINDS.get(embeddings.conditions.axis, "text")}), \
{len(embeddings.observed.word):,} vectors in all\
{", all in one space" if embeddings.query_mapping is None else "; each condition has a space of its own"}.

## Conditions

{_conditions(embeddings)}

## Training text

{_text(embeddings, about_run)}

## Training

- method: `{embeddings.provenance.get("method", "unknown")}`
{_training(embeddings)}

## Use

{_use(embeddings)}

## Limits

{_limits(embeddings)}

## Citation

Please cite chronotope, and the paper whose line of models it continues:

```bibtex
{PAPER}
```{ALIGNED * aligned}

*This card was written by `chronotope export`. Signature: `{embeddings.signature}`.*
"""


def _conditions(embeddings: ConditionedEmbeddings) -> str:
    rows = []
    for number, label in enumerate(embeddings.conditions.labels):
        counts = embeddings.observed.counts_in(number)
        total = f"{int(counts.sum()):,}" if embeddings.counted else "unknown"
        rows.append(f"| {_cell(label)} | {len(counts):,} | {total} |")
    hidden = len(rows) - MAX_CARD_ROWS
    if hidden > 0:
        half = MAX_CARD_ROWS // 2
        rows = [*rows[:half], f"| … {hidden:,} more … | | |", *rows[-half:]]
    return "\n".join(["| condition | words | occurrences |", "| :--- | ---: | ---: |", *rows])


def _text(embeddings: ConditionedEmbeddings, about_run: dict[str, Any]) -> str:
    lines = []
    for source in about_run.get("sources", []):
        size = f", {source['bytes']:,} bytes" if source.get("bytes") else ""
        checksum = f", checksum `{source['checksum']}`" if source.get("checksum") else ""
        lines.append(f"- {_cell(source['name'])}{size}{checksum}")
    if lines:
        read = {key: value for key, value in about_run.get("corpus", {}).items() if value not in (None, (), [], {}, "")}
        lines += ["", f"Read with {_code(read)}.", f"Counted with {_code(about_run.get('counting', {}))}."]
        return "\n".join(lines)
    models = embeddings.provenance.get("models")
    if models:
        return "Models that were trained elsewhere and aligned:\n\n" + "\n".join(
            f"- {_cell(model['name'])}: {model['words']:,} words, checksum `{model['checksum']}`" for model in models
        )
    run = embeddings.provenance.get("run")
    return f"The model does not name its text{f'; its run has the checksum `{run}`' if run else ''}."


def _training(embeddings: ConditionedEmbeddings) -> str:
    provenance = embeddings.provenance
    names = ("settings", "seed", "min_count", "window", "device", "versions")
    return "\n".join(f"- {name}: {_code(provenance[name])}" for name in names if provenance.get(name) is not None)


def _use(embeddings: ConditionedEmbeddings) -> str:
    first, last = embeddings.conditions.labels[0], embeddings.conditions.labels[-1]
    ends = [set(embeddings.observed.words_in(at).tolist()) for at in (0, len(embeddings.conditions) - 1)]
    long = (word for at, word in enumerate(embeddings.words) if len(word) > 6 and all(at in end for end in ends))
    word, begin, end = (json.dumps(text, ensure_ascii=False) for text in (next(long, embeddings.words[0]), first, last))
    return f"""\
```python
import chronotope as ct

embeddings = ct.load("model.safetensors")
embeddings.neighbors({word}, at={begin})
embeddings.equivalents({word}, at={begin}, to={end})
```

Without chronotope (`pip install safetensors numpy`): the rows of condition c are `support_start[c]` to
`support_start[c + 1]`, and `support_word` has the word id of each. The vectors are not centered: before you compare
them, subtract the row of `center` of their condition.

```python
from safetensors.numpy import load_file

model = load_file("model.safetensors")
words = bytes(model["words"]).decode().split("\\n")
begin, end = model["support_start"][:2]                       # the first condition: {" ".join(first.split())}
vectors = model["vectors"][begin:end] - model["center"][0]
of = dict(zip((words[i] for i in model["support_word"][begin:end]), vectors))
```"""


def _limits(embeddings: ConditionedEmbeddings) -> str:
    more = ""
    if embeddings.query_mapping is not None:
        more += "- The conditions do not share a space: compare vectors within a condition only.\n"
    if not embeddings.counted:
        more += "- Word counts are unknown for this model: a count only says that a word is present.\n"
    return more + LIMITS


def _code(data: Any) -> str:
    return f"`{json.dumps(data, ensure_ascii=False, sort_keys=True).replace('`', chr(39))}`"


def _cell(text: str) -> str:
    """Escape text for a table or list of Markdown."""
    return " ".join(str(text).split()).replace("|", r"\|").replace("<", "&lt;").replace("`", "'")
