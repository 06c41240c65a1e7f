"""A folder for the Hugging Face Hub: safetensors, config.json, the words, and a model card."""

import json
from pathlib import Path
from string import Template
from typing import Any

from chronotope.embeddings.conditioned import ConditionedEmbeddings

CARD = Path(__file__).with_name("card.md")  # without license and language: the owner of the text adds them
MAX_CARD_ROWS = 60
KINDS = {"time": "time bin", "place": "place", "time × place": "time bin in a place"}
ALIGNED = """

The conditions were aligned as in William L. Hamilton, Jure Leskovec and Dan Jurafsky, *Diachronic Word Embeddings
Reveal Statistical Laws of Semantic Change* (ACL 2016). Cite those who trained the models as well."""


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
    labels, observed = embeddings.conditions.labels, embeddings.observed
    ends = [set(observed.words_in(at).tolist()) for at in (0, len(labels) - 1)]
    long = (word for at, word in enumerate(embeddings.words) if len(word) > 6 and all(at in end for end in ends))
    word, first, last = (_json(part) for part in (next(long, embeddings.words[0]), labels[0], labels[-1]))
    limits = ""
    if embeddings.query_mapping is not None:
        limits += "- The conditions do not share a space: compare vectors within a condition only.\n"
    if not embeddings.counted:
        limits += "- Word counts are unknown for this model: a count only says that a word is present.\n"
    return Template(CARD.read_text(encoding="utf-8")).substitute(
        axis=embeddings.conditions.axis,
        dimensions=embeddings.dimensions,
        words=f"{len(embeddings):,}",
        conditions=f"{len(labels):,}",
        kind=KINDS.get(embeddings.conditions.axis, "text"),
        vectors=f"{len(observed.word):,}",
        space="; each condition has a space of its own" if embeddings.query_mapping else ", all in one space",
        table=_conditions(embeddings),
        text=_text(embeddings, about_run),
        method=embeddings.provenance.get("method", "unknown"),
        training=_training(embeddings),
        word=word,
        first=first,
        last=last,
        first_label=" ".join(labels[0].split()),
        limits=limits,
        aligned=ALIGNED if embeddings.provenance.get("method") in ("align", "aligned") else "",
        signature=embeddings.signature,
    )


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
    return "".join(f"\n- {name}: {_code(provenance[name])}" for name in names if provenance.get(name) is not None)


def _code(data: Any) -> str:
    return f"`{_json(data).replace('`', chr(39))}`"


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True)


def _cell(text: str) -> str:
    """Escape text for a table or list of Markdown."""
    return " ".join(str(text).split()).replace("|", r"\|").replace("<", "&lt;").replace("`", "'")
