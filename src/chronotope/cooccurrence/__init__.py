"""Token ids in, sparse counts out."""

from chronotope.cooccurrence.association import Association, PairMatrix, positive_pmi
from chronotope.cooccurrence.cells import CellArrays
from chronotope.cooccurrence.dataset import Counts, count
from chronotope.cooccurrence.weighting import (
    scale_of_conditions,
    symmetric,
    targets,
    weights,
)

__all__ = [
    "Association",
    "CellArrays",
    "Counts",
    "PairMatrix",
    "count",
    "positive_pmi",
    "scale_of_conditions",
    "symmetric",
    "targets",
    "weights",
]
