"""chronotope learns what words mean when and where.

>>> import chronotope as ct
>>> corpus = ct.read_corpus(ct.invented_world(documents=300).records, time="time")
>>> embeddings = ct.GraphModel(dimensions=50).fit(ct.count(corpus, min_count=5))
>>> len(embeddings.neighbors("river", at="1995", top=3))
3
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronotope.analysis.collocates import collocate_changes, collocates
    from chronotope.analysis.company import company
    from chronotope.analysis.drift import drift
    from chronotope.analysis.evidence import evidence
    from chronotope.analysis.frequency import frequency
    from chronotope.analysis.stability import stable
    from chronotope.cooccurrence import Counts, count
    from chronotope.corpus import Corpus, read_corpus
    from chronotope.datasets.invented import invented_world
    from chronotope.datasets.sotu import sotu_corpus
    from chronotope.embeddings import ConditionedEmbeddings, load
    from chronotope.embeddings.formats import export, read_vectors
    from chronotope.evaluation.evaluate import evaluate
    from chronotope.features import DocumentVectors, WordInCondition
    from chronotope.methods import (
        AlignedWord2Vec,
        BayesianModel,
        CompassWord2Vec,
        ConditionedModel,
        ContinuousModel,
        DynamicFactorization,
        GraphModel,
        LinearWord2Vec,
        StaticWord2Vec,
    )
    from chronotope.methods.align import align
    from chronotope.methods.extend import extend
    from chronotope.runtime.progress import show_progress

# Each name is imported at its first use, so that `import chronotope` costs nothing.
_HOME = {
    name: module
    for module, names in {
        "corpus": "Corpus read_corpus",
        "datasets.sotu": "sotu_corpus",
        "datasets.invented": "invented_world",
        "cooccurrence": "Counts count",
        "methods": "GraphModel ConditionedModel StaticWord2Vec LinearWord2Vec AlignedWord2Vec CompassWord2Vec "
        "DynamicFactorization BayesianModel ContinuousModel",
        "embeddings": "ConditionedEmbeddings load",
        "runtime.progress": "show_progress",
        "features": "WordInCondition DocumentVectors",
        "methods.align": "align",
        "methods.extend": "extend",
        "embeddings.formats": "export read_vectors",
        "evaluation.evaluate": "evaluate",
    }.items()
    for name in names.split()
}

__all__ = [
    "AlignedWord2Vec", "BayesianModel", "CompassWord2Vec", "ConditionedEmbeddings", "ConditionedModel",
    "ContinuousModel", "Corpus", "Counts", "DocumentVectors", "DynamicFactorization", "GraphModel", "LinearWord2Vec", "StaticWord2Vec", "WordInCondition",
    "align", "collocate_changes", "collocates", "company", "count", "drift", "evaluate", "evidence", "export",
    "extend", "frequency", "invented_world", "load", "read_corpus", "read_vectors", "show_progress", "sotu_corpus",
    "stable",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("chronotope.io.provenance").package_version()
    if name not in _HOME and not name.startswith("_"):
        from chronotope.analysis.answer import questions

        if name in (known := questions()):
            globals()[name] = known[name].ask
            return known[name].ask
    if name not in _HOME:
        # Submodules need no import of their own: `ct.analysis.series`.
        if name.startswith("_") or find_spec(f"chronotope.{name}") is None:
            raise AttributeError(f"module 'chronotope' has no attribute '{name}'")
        return import_module(f"chronotope.{name}")
    found = getattr(import_module(f"chronotope.{_HOME[name]}"), name)
    # Also takes precedence over a submodule of the same name, which the import may have set here.
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
