"""chronotope learns what words mean when and where.

>>> import chronotope as ct
>>> corpus = ct.read_corpus(ct.invented_world(documents=300).records, time="time")
>>> embeddings = ct.GraphModel(dimensions=50).fit(ct.count(corpus, min_count=5))
>>> len(embeddings.neighbors("river", at="1995", top=3))
3
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronotope.analysis.collocates import collocate_changes, collocates
    from chronotope.analysis.company import company
    from chronotope.analysis.drift import drift
    from chronotope.analysis.evidence import evidence
    from chronotope.analysis.frequency import frequency
    from chronotope.analysis.stability import stable
    from chronotope.baselines import (
        AlignedWord2Vec,
        CompassWord2Vec,
        DynamicFactorization,
        LinearWord2Vec,
        StaticWord2Vec,
    )
    from chronotope.baselines.given import align
    from chronotope.cooccurrence import Counts, count
    from chronotope.corpus import Corpus, read_corpus, sotu_corpus
    from chronotope.corpus.invented import invented_world
    from chronotope.embeddings import ConditionedEmbeddings, load
    from chronotope.embeddings.formats import export, read_vectors
    from chronotope.evaluation.evaluate import evaluate
    from chronotope.features import DocumentVectors, WordInCondition
    from chronotope.model import ConditionedModel, GraphModel, extend
    from chronotope.progress import show_progress

# Each name is loaded when it is first used, so that `import chronotope` costs nothing.
_HOME = {
    "Corpus": "corpus",
    "read_corpus": "corpus",
    "sotu_corpus": "corpus",
    "invented_world": "corpus.invented",
    "Counts": "cooccurrence",
    "count": "cooccurrence",
    "GraphModel": "model",
    "ConditionedModel": "model",
    "StaticWord2Vec": "baselines",
    "LinearWord2Vec": "baselines",
    "AlignedWord2Vec": "baselines",
    "CompassWord2Vec": "baselines",
    "DynamicFactorization": "baselines",
    "ConditionedEmbeddings": "embeddings",
    "load": "embeddings",
    "show_progress": "progress",
    "WordInCondition": "features",
    "DocumentVectors": "features",
    "align": "baselines.given",
    "export": "embeddings.formats",
    "read_vectors": "embeddings.formats",
    "drift": "analysis",
    "stable": "analysis",
    "company": "analysis",
    "evidence": "analysis",
    "frequency": "analysis",
    "collocates": "analysis",
    "collocate_changes": "analysis",
    "evaluate": "evaluation.evaluate",
    "extend": "model",
}
# The folders and files that documentation names: `ct.analysis.series` needs no import of its own.
_PARTS = (
    "analysis", "baselines", "conditions", "config", "cooccurrence", "corpus", "embeddings", "errors", "evaluation",
    "features", "methods", "model", "progress", "views", "vocabulary",
)  # fmt: skip

__all__ = [
    "AlignedWord2Vec",
    "CompassWord2Vec",
    "ConditionedEmbeddings",
    "ConditionedModel",
    "Corpus",
    "Counts",
    "DocumentVectors",
    "DynamicFactorization",
    "GraphModel",
    "LinearWord2Vec",
    "StaticWord2Vec",
    "WordInCondition",
    "align",
    "collocate_changes",
    "collocates",
    "company",
    "count",
    "drift",
    "evaluate",
    "evidence",
    "export",
    "extend",
    "frequency",
    "invented_world",
    "load",
    "read_corpus",
    "read_vectors",
    "show_progress",
    "sotu_corpus",
    "stable",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("chronotope.provenance").package_version()
    if name in _PARTS:
        return import_module(f"chronotope.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'chronotope' has no attribute '{name}'")
    found = getattr(import_module(f"chronotope.{_HOME[name]}"), name)
    # Kept, and put before a submodule of the same name that the import may have left here.
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
