"""Embeddings as a notebook shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronotope.frames import MOST_ROWS, html

if TYPE_CHECKING:
    from chronotope.embeddings.conditioned import ConditionedEmbeddings


def embeddings_html(embeddings: ConditionedEmbeddings) -> str:
    """What the embeddings are, and what each condition holds."""
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
        most = embeddings.observed.words_in(number)[(-counts).argsort(kind="stable")[:5]]
        named = [embeddings.words[word] for word in most.tolist()]
        rows.append((label, len(counts), int(counts.sum()) if embeddings.counted else None, named))
    columns = ("condition", "words", "occurrences", "most frequent" if embeddings.counted else "first words")
    left_out = len(embeddings.conditions) - len(rows)
    return html("ConditionedEmbeddings", facts, columns, rows, left_out=left_out, note=embeddings.signature)
