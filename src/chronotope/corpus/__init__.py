"""Read text, tokenize it, and store its tokens by condition."""

from chronotope.corpus.pipeline import tokenize
from chronotope.corpus.problems import Problems
from chronotope.corpus.report import ConditionReport, CorpusReport
from chronotope.corpus.source import Corpus, read_corpus
from chronotope.corpus.tokens import TokenStore

__all__ = [
    "ConditionReport",
    "Corpus",
    "CorpusReport",
    "Problems",
    "TokenStore",
    "read_corpus",
    "tokenize",
]
