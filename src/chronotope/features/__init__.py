"""Vectors as features for scikit-learn: of words in a condition, of documents with a date and a place."""

from chronotope.features.documents import DocumentVectors
from chronotope.features.words import WordInCondition

__all__ = ["DocumentVectors", "WordInCondition"]
