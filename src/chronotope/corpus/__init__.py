"""Text in, token ids out; each name is imported on first use, so that reading a finished run stays fast."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronotope.corpus.pipeline import tokenize
    from chronotope.corpus.report import CorpusReport
    from chronotope.corpus.source import Corpus, read_corpus
    from chronotope.corpus.tokens import TokenStore

_MODULES = {
    "Corpus": "source",
    "CorpusReport": "report",
    "TokenStore": "tokens",
    "read_corpus": "source",
    "tokenize": "pipeline",
}

__all__ = ["Corpus", "CorpusReport", "TokenStore", "read_corpus", "tokenize"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'chronotope.corpus' has no attribute '{name}'")
    return getattr(import_module(f"chronotope.corpus.{_MODULES[name]}"), name)
