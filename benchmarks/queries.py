"""Speed of many queries: `python benchmarks/queries.py`.

`equivalents` between two conditions of an invented model, for one word and in batches, compared with a loop over
gensim's `similar_by_vector` for the same words. "first" includes filling the caches, "again" does not.
"""

from __future__ import annotations

import argparse
from statistics import median

from gensim.models import KeyedVectors
from harness import peak_mb, record, timed
from invented import invented_embeddings

from chronotope.embeddings import ConditionedEmbeddings

AT, TO = "1960", "1961"
TOP = 10
REPEATS = 3


def main() -> None:
    """Measure, and append rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--queries", type=int, default=1_000)
    arguments = parser.parse_args()
    embeddings = invented_embeddings(arguments.words, 2, arguments.dimensions)
    asked = list(embeddings.words[:: arguments.words // arguments.queries][: arguments.queries])
    gensim = KeyedVectors(embeddings.dimensions)
    gensim.add_vectors(list(embeddings.words), embeddings.matrix(TO, 5).unit)
    gensim.fill_norms()
    for retrieval in ("cosine", "csls"):
        for number in (1, len(asked) // 10, len(asked)):
            words = asked[:number]
            fresh = ConditionedEmbeddings(
                embeddings.words, embeddings.conditions, embeddings.observed, embeddings.vectors
            )
            with timed() as first:
                fresh.equivalents(words, AT, TO, TOP, retrieval=retrieval)
            ours, theirs = [], []
            for _ in range(REPEATS):
                with timed() as timing:
                    found = fresh.equivalents(words, AT, TO, TOP, retrieval=retrieval)
                ours.append(timing.seconds)
                queries = fresh.project(words, AT, TO)
                with timed() as timing:
                    expected = [[word for word, _ in gensim.similar_by_vector(query, topn=TOP)] for query in queries]
                theirs.append(timing.seconds)
            about = {"words": len(embeddings), "dimensions": embeddings.dimensions, "queries": number}
            about |= {"retrieval": retrieval, "baseline": "gensim, one by one", "baseline_seconds": median(theirs)}
            for when, seconds in (("first", first.seconds), ("again", median(ours))):
                ratio = median(theirs) / seconds
                record("queries", **about, asked=when, seconds=seconds, ratio=ratio, peak_mb=peak_mb())
        if retrieval == "cosine":
            same = sum([match.word for match in row] == other for row, other in zip(found, expected, strict=True))
            record("queries, same answers", words=len(embeddings), queries=len(asked), same=same)


if __name__ == "__main__":
    main()
