"""Write and read vectors in the formats of other programs."""

from chronotope.embeddings.formats.export import FORMATS, MANIFEST, Exported, export
from chronotope.embeddings.formats.read import READABLE, files_and_names, only_condition, read_vectors

__all__ = ["FORMATS", "MANIFEST", "READABLE", "Exported", "export", "files_and_names", "only_condition", "read_vectors"]
