"""From counts to conditioned embeddings: the paper's CW2V, and our own `graph`."""

from chronotope.model.cw2v.model import ConditionedModel
from chronotope.model.graph.model import GraphModel
from chronotope.model.progress import Epoch

__all__ = ["ConditionedModel", "Epoch", "GraphModel"]
