"""A folder as models on Hugging Face have it: safetensors, config.json, the words, and a model card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.embeddings.formats.model_card import model_card

MODEL = "model.safetensors"


def write_huggingface(embeddings: ConditionedEmbeddings, folder: Path, about_run: dict[str, Any]) -> None:
    """Write the folder; the model is the file that `save` writes: `chronotope.load` and safetensors open it."""
    embeddings.save(folder / MODEL)
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
