"""Describe embeddings: the signature, and the table that a notebook shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronotope.frames import MOST_ROWS, html
from chronotope.io.provenance import checksum_of, package_version

if TYPE_CHECKING:
    from chronotope.embeddings.conditioned import ConditionedEmbeddings


def signature(embeddings: ConditionedEmbeddings) -> str:
    """Return everything that could change an answer, in one line."""
    made = embeddings.provenance
    versions = made.get("versions")
    parts = [
        f"chronotope {versions.get('chronotope') if isinstance(versions, dict) else package_version()}",
        made.get("method"),
        f"{embeddings.dimensions} dimensions",
        f"{len(embeddings.conditions):,} conditions",
        f"{len(embeddings):,} words",
        f"seed {made['seed']}" if "seed" in made else None,
        f"settings {checksum_of(made['settings'])[:8]}" if made.get("settings") else None,
        f"edges {checksum_of(made['place_edges'])[:8]}" if made.get("place_edges") else None,
        f"extended {checksum_of(made['extended'])[:8]}" if made.get("extended") else None,
        made["device"] if made.get("device", "cpu") != "cpu" else None,
        f"run {str(made['run'])[:8]}" if made.get("run") else None,
        None if embeddings.counted else "no counts",
    ]
    return "|".join(str(part) for part in parts if part)


def html_table(embeddings: ConditionedEmbeddings) -> str:
    """Return the facts about embeddings, and a row for each condition, as HTML."""
    made = embeddings.provenance
    facts = {
        "words": len(embeddings),
        "dimensions": embeddings.dimensions,
        "conditions": len(embeddings.conditions),
        "axis": embeddings.conditions.axis,
        "method": made.get("method"),
        "seed": str(made["seed"]) if "seed" in made else None,
    }
    rows = []
    for number, label in enumerate(embeddings.conditions.labels[:MOST_ROWS]):
        counts = embeddings.observed.counts_in(number)
        top = embeddings.observed.words_in(number)[(-counts).argsort(kind="stable")[:5]]
        words = [embeddings.words[word] for word in top.tolist()]
        rows.append((label, len(counts), int(counts.sum()) if embeddings.counted else None, words))
    columns = ("condition", "words", "occurrences", "most frequent" if embeddings.counted else "first words")
    left_out = len(embeddings.conditions) - len(rows)
    return html("ConditionedEmbeddings", facts, columns, rows, left_out=left_out, note=embeddings.signature)
