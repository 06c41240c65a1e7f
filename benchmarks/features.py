"""Do vectors of the time help a classifier? Accuracy on UN speeches, five folds: own vectors, overall ones, TF-IDF.

    python benchmarks/features.py RUN SPEECHES.jsonl.zst

RUN is the speeches by decade, with a model. The country is a task to which the time should add something; the decade
is one that vectors of the decade give away.
"""

from __future__ import annotations

import sys

import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

import chronotope as ct

COUNTRIES, SPEECHES = 20, 1500


def main(run: str, path: str) -> None:
    speeches = pl.read_ndjson(path).filter(pl.col("text").str.len_chars() > 2000)
    names = speeches["place"].value_counts(sort=True)["place"].head(COUNTRIES).to_list()
    speeches = speeches.filter(pl.col("place").is_in(names)).sample(SPEECHES, seed=1)
    embeddings = ct.load(run)
    forms = {
        condition: StandardScaler().fit_transform(
            ct.DocumentVectors(embeddings, condition=condition, weighting="tfidf").fit_transform(speeches)
        )
        for condition in ("own", "overall")
    }
    forms["TF-IDF"] = TfidfVectorizer(min_df=3, sublinear_tf=True, max_features=30_000).fit_transform(speeches["text"])
    decade = (speeches["time"].cast(pl.String).str.slice(0, 3) + "0s").to_list()
    for task, wanted in (("country", speeches["place"].to_list()), ("decade", decade)):
        most = max(map(wanted.count, set(wanted))) / len(wanted)
        print(f"{task}: always the most frequent {most:.3f}")
        for name, rows in forms.items():
            classifier = LogisticRegression(C=100 if name == "TF-IDF" else 0.01, max_iter=1000)
            print(f"  {name:8} {cross_val_score(classifier, rows, wanted, cv=5).mean():.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
