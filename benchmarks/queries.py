"""How fast many questions are answered: `python benchmarks/queries.py`.

A thousand `equivalents` between two conditions of an invented model: by cosine against gensim's `similar_by_vector` one
by one (NumPy where gensim is not installed), which gives the same answers; and by CSLS, asked first, when what helps to
answer has to be made, and asked again, as gensim is, whose norms are made before its clock runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from time import sleep

import numpy as np
from harness import peak_mb, record, timed

from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.embeddings.nearest import Floats

AT, TO = "1990", "2000"
TOP = 10
# How many turns there are, and how often ours are asked in each; the median of the turns counts. Seconds before each.
TURNS, AGAIN, REST = 5, 4, 0.1


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


def asking_one_by_one(embeddings: ConditionedEmbeddings) -> tuple[str, Callable[[Floats], list[list[str]]]]:
    """What others do: the name, and what answers queries."""
    matrix = embeddings.matrix(TO, 5)
    try:
        from gensim.models import KeyedVectors
    except ImportError:

        def by_numpy(queries: Floats) -> list[list[str]]:
            best = [np.argsort(-(matrix.unit @ query))[:TOP] for query in queries]
            return [[embeddings.words[word] for word in row] for row in best]

        return "NumPy, one by one", by_numpy
    vectors = KeyedVectors(embeddings.dimensions)
    vectors.add_vectors(list(embeddings.words), matrix.unit)
    vectors.fill_norms()
    return "gensim, one by one", lambda queries: [
        [word for word, _ in vectors.similar_by_vector(query, topn=TOP)] for query in queries
    ]


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
    name, one_by_one = asking_one_by_one(embeddings)
    for retrieval in ("cosine", "csls"):
        for number in (1, len(asked) // 10, len(asked)):
            fresh = ConditionedEmbeddings(
                embeddings.words, embeddings.conditions, embeddings.observed, embeddings.vectors
            )
            for condition in (AT, TO):
                fresh.matrix(condition, 5)
            queries = fresh.carried(asked[:number], AT, TO)
            with timed() as first:
                found = fresh.equivalents(asked[:number], AT, TO, TOP, retrieval=retrieval)
            theirs, ours, expected = [], [], []
            # In turn, so that what else the machine does falls on both: a part of the queries, and then ours, for about
            # as long.
            for part in range(TURNS):
                with timed() as timing:
                    expected += one_by_one(queries[part::TURNS])
                theirs.append(timing.seconds)
                # What libraries keep busy for a while after a product of matrices is not ours to pay.
                sleep(REST)
                with timed() as timing:
                    for _ in range(AGAIN):
                        found = fresh.equivalents(asked[:number], AT, TO, TOP, retrieval=retrieval)
                ours.append(timing.seconds / AGAIN)
            for time, taken in (("first", first.seconds), ("again", median(ours))):
                measured = {**about, "retrieval": retrieval, "asked": time, "queries": number}
                ratio = sum(theirs) / taken
                record("queries", **measured, seconds=taken, baseline=name, ratio=ratio, peak_mb=peak_mb())
        if retrieval == "cosine":
            order = [match.word for row in found for match in row]
            places = [row for part in range(TURNS) for row in range(part, len(asked), TURNS)]
            same = sum(order[TOP * row : TOP * (row + 1)] == other for row, other in zip(places, expected, strict=True))
            record("queries, same answers", **about, queries=len(asked), same=same)


if __name__ == "__main__":
    main()
