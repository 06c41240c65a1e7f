"""How fast many questions are answered: `python benchmarks/queries.py`.

A thousand `equivalents` between two conditions of an invented model: by cosine against gensim's `similar_by_vector` one
by one (NumPy where gensim is not installed), which gives the same answers; and by CSLS, asked first and asked again.
"""

from __future__ import annotations

import argparse

import numpy as np
from harness import peak_mb, record, timed

from chronotope.conditions import Conditions
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.vocabulary import Support

AT, TO = "1990", "2000"
TOP = 10


def invented_embeddings(words: int, dimensions: int, seed: int = 1) -> ConditionedEmbeddings:
    """Words in groups of about thirty, in two conditions; a few dimensions hold most of the variance."""
    random = np.random.default_rng(seed)
    scale = np.linspace(2, 0.3, dimensions)
    centers = random.standard_normal((words // 30, dimensions)) * scale
    common = (
        centers[random.integers(0, len(centers), words)] + 0.7 * random.standard_normal((words, dimensions)) * scale
    )
    vectors = [common + 0.3 * random.standard_normal((words, dimensions)) * scale for _ in (AT, TO)]
    support = Support(np.array([0, words, 2 * words]), np.tile(np.arange(words), 2), np.full(2 * words, 10))
    names = [f"word{number}" for number in range(words)]
    return ConditionedEmbeddings(names, Conditions.of_times([AT, TO]), support, np.concatenate(vectors))


def one_by_one(embeddings: ConditionedEmbeddings, asked: list[str]) -> tuple[str, float, list[list[str]]]:
    """What others do: the name, the seconds, and the answers."""
    queries = embeddings.carried(asked, AT, TO)
    matrix = embeddings.matrix(TO, 5)
    try:
        from gensim.models import KeyedVectors
    except ImportError:
        with timed() as timing:
            scores = (matrix.unit @ query for query in queries)
            best = [np.argsort(-score)[:TOP] for score in scores]
        return "NumPy, one by one", timing.seconds, [[embeddings.words[word] for word in row] for row in best]
    vectors = KeyedVectors(embeddings.dimensions)
    vectors.add_vectors(list(embeddings.words), matrix.unit)
    vectors.fill_norms()
    with timed() as timing:
        found = [vectors.similar_by_vector(query, topn=TOP) for query in queries]
    return "gensim, one by one", timing.seconds, [[word for word, _ in row] for row in found]


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--queries", type=int, default=1_000)
    arguments = parser.parse_args()
    embeddings = invented_embeddings(arguments.words, arguments.dimensions)
    asked = list(embeddings.words[:: arguments.words // arguments.queries][: arguments.queries])
    about = {"words": len(embeddings), "dimensions": embeddings.dimensions}
    embeddings.equivalents(asked, AT, TO)  # compiled, or loaded, before the clock runs
    name, baseline, expected = one_by_one(embeddings, asked)
    for retrieval in ("cosine", "csls"):
        for number in (1, len(asked) // 10, len(asked)):
            fresh = ConditionedEmbeddings(
                embeddings.words, embeddings.conditions, embeddings.observed, embeddings.vectors
            )
            for condition in (AT, TO):
                fresh.matrix(condition, 5)
            for time in ("first", "again"):
                with timed() as timing:
                    found = fresh.equivalents(asked[:number], AT, TO, TOP, retrieval=retrieval)
                measured = {**about, "retrieval": retrieval, "asked": time, "queries": number}
                ratio = baseline * number / len(asked) / timing.seconds
                record("queries", **measured, seconds=timing.seconds, baseline=name, ratio=ratio, peak_mb=peak_mb())
        if retrieval == "cosine":
            same = sum([match.word for match in row] == other for row, other in zip(found, expected, strict=True))
            record("queries, same answers", **about, queries=len(asked), same=same)


if __name__ == "__main__":
    main()
