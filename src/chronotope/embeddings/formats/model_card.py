"""The model card: what the vectors are of, how they were made, what they cannot tell, how to cite them."""

from __future__ import annotations

import json
from typing import Any

from chronotope.embeddings.conditioned import ConditionedEmbeddings

MOST_ROWS = 60
PAPER = """\
@inproceedings{gong-etal-2020-enriching,
  title = {Enriching Word Embeddings with Temporal and Spatial Information},
  author = {Gong, Hongyu and Bhat, Suma and Viswanath, Pramod},
  booktitle = {Proceedings of the 24th Conference on Computational Natural Language Learning},
  year = {2020}, pages = {1--11}, doi = {10.18653/v1/2020.conll-1.1}
}"""
ALIGNED = """

The conditions were turned into one space as William L. Hamilton, Jure Leskovec and Dan Jurafsky do in *Diachronic Word
Embeddings Reveal Statistical Laws of Semantic Change* (ACL 2016). Cite those who trained the models as well."""


def model_card(embeddings: ConditionedEmbeddings, about_run: dict[str, Any]) -> str:
    """The text of README.md.

    Parameters
    ----------
    embeddings
        The embeddings.
    about_run
        What `run.json` says of the text that they were trained on; empty where that is not known.
    """
    parts = [
        _front_matter(),
        f"# Words by {embeddings.conditions.axis}",
        _summary(embeddings),
        "## Conditions",
        _conditions(embeddings),
        "## What it was trained on",
        _text(embeddings, about_run),
        "## How it was made",
        _making(embeddings),
        "## Use",
        _use(embeddings),
        "## Limits",
        _limits(embeddings),
        "## Citation",
        f"Please cite chronotope, and the paper whose line of models it continues:\n\n```bibtex\n{PAPER}\n```"
        + ALIGNED * (embeddings.provenance.get("method") in ("align", "aligned")),
        f"*This card was written by `chronotope export`. Signature: `{embeddings.signature}`.*",
    ]
    return "\n\n".join(parts) + "\n"


def _front_matter() -> str:
    """What the Hub reads; a license and a language only the owner of the text can tell."""
    tags = ["word-embeddings", "semantic-change", "diachronic", "chronotope"]
    return "\n".join(["---", "library_name: chronotope", "tags:", *(f"- {tag}" for tag in tags), "---"])


def _summary(embeddings: ConditionedEmbeddings) -> str:
    return (
        f"One vector of {embeddings.dimensions} numbers for each of {len(embeddings):,} words in each of "
        f"{len(embeddings.conditions):,} conditions (a condition is a {_kind(embeddings)}), "
        f"{len(embeddings.observed.word):,} vectors in all"
        + (", all in one space." if embeddings.query_mapping is None else "; each condition has a space of its own.")
    )


def _kind(embeddings: ConditionedEmbeddings) -> str:
    kinds = {"time": "time bin", "place": "place", "time × place": "time bin in a place"}
    return kinds.get(embeddings.conditions.axis, "text")


def _conditions(embeddings: ConditionedEmbeddings) -> str:
    rows = []
    for number, label in enumerate(embeddings.conditions.labels):
        counts = embeddings.observed.counts_in(number)
        told = f"{int(counts.sum()):,}" if embeddings.counted else "not known"
        rows.append(f"| {_cell(label)} | {len(counts):,} | {told} |")
    left_out = len(rows) - MOST_ROWS
    if left_out > 0:
        half = MOST_ROWS // 2
        rows = [*rows[:half], f"| … {left_out:,} more … | | |", *rows[-half:]]
    return "\n".join(["| condition | words | occurrences of them |", "| :--- | ---: | ---: |", *rows])


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
        return "Models that were trained elsewhere and turned into one space:\n\n" + "\n".join(
            f"- {_cell(model['name'])}: {model['words']:,} words, checksum `{model['checksum']}`" for model in models
        )
    run = embeddings.provenance.get("run")
    return f"The text is not named in the model{f'; its run has the checksum `{run}`' if run else ''}."


def _making(embeddings: ConditionedEmbeddings) -> str:
    made = embeddings.provenance
    lines = [f"- method: `{made.get('method', 'unknown')}`"]
    for name in ("settings", "seed", "min_count", "window", "device", "versions"):
        if made.get(name) is not None:
            lines.append(f"- {name}: {_code(made[name])}")
    return "\n".join(lines)


def _use(embeddings: ConditionedEmbeddings) -> str:
    word = _typical_word(embeddings)
    first, last = embeddings.conditions.labels[0], embeddings.conditions.labels[-1]
    return f"""\
```python
import chronotope as ct

embeddings = ct.load("model.safetensors")
embeddings.neighbors({_quoted(word)}, at={_quoted(first)})
embeddings.equivalents({_quoted(word)}, at={_quoted(first)}, to={_quoted(last)})
```

Without chronotope (`pip install safetensors numpy`); the rows of condition c are `support_start[c]` to
`support_start[c + 1]`, and `support_word` says whose they are. Vectors are as the method left them: before you compare
them, subtract the row of `center` of their condition.

```python
from safetensors.numpy import load_file

model = load_file("model.safetensors")
words = bytes(model["words"]).decode().split("\\n")
begin, end = model["support_start"][:2]                       # the first condition: {_comment(first)}
vectors = model["vectors"][begin:end] - model["center"][0]
of = dict(zip((words[i] for i in model["support_word"][begin:end]), vectors))
```"""


def _typical_word(embeddings: ConditionedEmbeddings) -> str:
    """A frequent word that is likely to mean something, and occurs at both ends."""
    ends = [set(embeddings.observed.words_in(at).tolist()) for at in (0, len(embeddings.conditions) - 1)]
    long = (word for at, word in enumerate(embeddings.words) if len(word) > 6 and all(at in end for end in ends))
    return next(long, embeddings.words[0])


def _limits(embeddings: ConditionedEmbeddings) -> str:
    lines = [
        "- A word that is absent from a condition has no vector of its own there; chronotope answers from its other "
        "conditions and says that its support is 0.",
        "- A word that is seen a few times has a vector of chance; ask for a minimum of support.",
        "- Conditions differ in what was written down and kept (genre, sources, spelling, errors of reading), not only "
        "in what words meant. A change of the sources looks like a change of meaning.",
        "- Vectors of words repeat the prejudices of their text.",
        "- Nothing here was measured against test pairs unless the authors of this model say so.",
    ]
    if not embeddings.counted:
        lines.insert(
            1, "- How often words occur is not known for this model: every support in it stands for 'present', no more."
        )
    if embeddings.query_mapping is not None:
        lines.insert(0, "- The conditions are not in one space: compare vectors within a condition only.")
    return "\n".join(lines)


def _code(data: Any) -> str:
    return f"`{json.dumps(data, ensure_ascii=False, sort_keys=True).replace('`', chr(39))}`"


def _cell(text: str) -> str:
    """A text that cannot break out of a table or a list."""
    return " ".join(str(text).split()).replace("|", r"\|").replace("<", "&lt;").replace("`", "'")


def _comment(text: str) -> str:
    return " ".join(text.split())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
