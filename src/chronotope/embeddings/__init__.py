"""The result of training: one vector for each word in each condition, and the search in these vectors."""

from chronotope.embeddings.conditioned import ConditionedEmbeddings
from chronotope.embeddings.mapping import LocalLinearMap
from chronotope.embeddings.retrieval import ConditionMatrix, Match, Matches
from chronotope.embeddings.storage import load
from chronotope.embeddings.word_vectors import WordVectors

__all__ = ["ConditionMatrix", "ConditionedEmbeddings", "LocalLinearMap", "Match", "Matches", "WordVectors", "load"]
