"""chronotope learns what words mean when and where.

>>> import chronotope as ct
>>> corpus = ct.read_corpus(ct.invented_world(documents=300).records, time="time")
>>> embeddings = ct.GraphModel(dimensions=50).fit(ct.count(corpus, min_count=5))
>>> len(embeddings.neighbors("river", at="1995", top=3))
3
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Questions, for editors and type checkers; at run time they come from the registry.
    from chronotope.analysis.axes import axis
    from chronotope.analysis.changepoints import changepoints
    from chronotope.analysis.collocates import collocate_changes, collocates, contexts
    from chronotope.analysis.drift import drift
    from chronotope.analysis.evidence import evidence
    from chronotope.analysis.frequency import frequency
    from chronotope.analysis.neighbors import analogy, equivalents, neighbors
    from chronotope.analysis.places import grid, places
    from chronotope.analysis.places import word_map as map
    from chronotope.analysis.senses import senses
    from chronotope.analysis.series import matrix, series, similarity
    from chronotope.analysis.stability import stable
    from chronotope.analysis.trajectory import trajectory
    from chronotope.analysis.usage_change import usage_change
    from chronotope.cooccurrence import Counts, count
    from chronotope.corpus.source import Corpus, read_corpus
    from chronotope.datasets.gold_folders import read_gold_corpus
    from chronotope.datasets.invented import invented_world
    from chronotope.datasets.sotu import sotu_corpus
    from chronotope.embeddings import ConditionedEmbeddings, load
    from chronotope.embeddings.formats import export, read_vectors
    from chronotope.evaluation.evaluate import evaluate
    from chronotope.features import DocumentVectors, WordInCondition
    from chronotope.methods.align import align
    from chronotope.methods.bayesian import BayesianModel
    from chronotope.methods.contextual.model import ContextualModel
    from chronotope.methods.continuous import ContinuousModel
    from chronotope.methods.cw2v.model import ConditionedModel
    from chronotope.methods.dynamic import DynamicFactorization
    from chronotope.methods.extend import extend
    from chronotope.methods.graph.model import GraphModel
    from chronotope.methods.word2vec.compass import CompassWord2Vec
    from chronotope.methods.word2vec.models import AlignedWord2Vec, LinearWord2Vec, StaticWord2Vec
    from chronotope.runtime.progress import show_progress
    from chronotope.views.report import report

# The module of each name; a module is imported when its name is first used, so that `import chronotope` is cheap.
_HOME = {
    name: module
    for module, names in {
        "corpus.source": "Corpus read_corpus",
        "datasets.sotu": "sotu_corpus",
        "datasets.invented": "invented_world",
        "datasets.gold_folders": "read_gold_corpus",
        "cooccurrence": "Counts count",
        "methods": "GraphModel ConditionedModel StaticWord2Vec LinearWord2Vec AlignedWord2Vec CompassWord2Vec "
        "DynamicFactorization BayesianModel ContinuousModel ContextualModel",
        "embeddings": "ConditionedEmbeddings load",
        "runtime.progress": "show_progress",
        "features": "WordInCondition DocumentVectors",
        "methods.align": "align",
        "methods.extend": "extend",
        "embeddings.formats": "export read_vectors",
        "evaluation.evaluate": "evaluate",
        "views.report": "report",
    }.items()
    for name in names.split()
}

__all__ = [
    "AlignedWord2Vec", "BayesianModel", "CompassWord2Vec", "ConditionedEmbeddings", "ConditionedModel",
    "ContextualModel", "ContinuousModel", "Corpus", "Counts", "DocumentVectors", "DynamicFactorization", "GraphModel",
    "LinearWord2Vec", "StaticWord2Vec", "WordInCondition",
    "align", "analogy", "axis", "changepoints", "collocate_changes", "collocates", "contexts", "count", "drift",
    "equivalents", "evaluate", "evidence", "export", "extend", "frequency", "grid", "invented_world", "load", "map",
    "matrix", "neighbors", "places", "read_corpus", "read_gold_corpus", "read_vectors", "report", "senses", "series",
    "show_progress", "similarity", "sotu_corpus", "stable", "trajectory", "usage_change",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Return a public name, a question or a submodule."""
    if name in _HOME:
        value = getattr(import_module(f"chronotope.{_HOME[name]}"), name)
    elif name == "__version__":
        value = import_module("chronotope.io.provenance").package_version()
    elif not name.startswith("_") and find_spec(f"chronotope.{name}"):
        return import_module(f"chronotope.{name}")
    elif not name.startswith("_") and name in (questions := _questions()):
        value = questions[name].ask
    else:
        raise AttributeError(f"module 'chronotope' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_questions()})


def _questions() -> dict[str, Any]:
    found: dict[str, Any] = import_module("chronotope.analysis.answer").questions()
    return found
