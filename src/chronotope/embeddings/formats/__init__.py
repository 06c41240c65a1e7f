"""Vectors in the formats of other programs: written, and read."""

from chronotope.embeddings.formats.exporting import FORMATS, MANIFEST, Exported, export
from chronotope.embeddings.formats.reading import READABLE, read_vectors

__all__ = ["FORMATS", "MANIFEST", "READABLE", "Exported", "export", "read_vectors"]
