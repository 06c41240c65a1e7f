"""Word vectors as features for scikit-learn: of words in a condition, and of documents with a date and a place."""

from chronotope.features.transformers import DocumentVectors, WordInCondition

__all__ = ["DocumentVectors", "WordInCondition"]
