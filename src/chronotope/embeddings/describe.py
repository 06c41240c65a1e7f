"""Describe embeddings: the signature, and the table that a notebook shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronotope.frames import MOST_ROWS, html
from chronotope.io.provenance import checksum_of, package_version

if TYPE_CHECKING:
    from chronotope.embeddings.conditioned import ConditionedEmbeddings


def signature(embeddings: ConditionedEmbeddings) -> str:
    """Return one line with everything that could change an answer."""
    provenance = embeddings.provenance
    versions = provenance.get("versions")
    parts = [
        None if provenance.get("corpus") in (None, "records") else provenance["corpus"],
        f"chronotope {versions.get('chronotope') if isinstance(versions, dict) else package_version()}",
        provenance.get("method"),
        f"{embeddings.dimensions} dimensions",
        f"{len(embeddings.conditions):,} conditions",
        f"{len(embeddings):,} words",
        f"seed {provenance['seed']}" if "seed" in provenance else None,
        f"settings {checksum_of(provenance['settings'])[:8]}" if provenance.get("settings") else None,
        f"edges {checksum_of(provenance['place_edges'])[:8]}" if provenance.get("place_edges") else None,
        f"extended {checksum_of(provenance['extended'])[:8]}" if provenance.get("extended") else None,
        provenance["device"] if provenance.get("device", "cpu") != "cpu" else None,
        f"run {str(provenance['run'])[:8]}" if provenance.get("run") else None,
        None if embeddings.counted else "no counts",
    ]
    return "|".join(str(part) for part in parts if part)


def html_table(embeddings: ConditionedEmbeddings) -> str:
    """Return the facts about embeddings, and a row for each condition, as HTML."""
    provenance = embeddings.provenance
    facts = {
        "words": len(embeddings),
        "dimensions": embeddings.dimensions,
        "conditions": len(embeddings.conditions),
        "axis": embeddings.conditions.axis,
        "method": provenance.get("method"),
        "seed": str(provenance["seed"]) if "seed" in provenance else None,
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
