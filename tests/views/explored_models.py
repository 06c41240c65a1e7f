"""Small models of every shape, with their runs: what the explorer's tests look at."""

from __future__ import annotations

from functools import cache

import numpy as np

import worlds
from chronotope.conditions import Conditions
from chronotope.cooccurrence import count
from chronotope.corpus.source import read_corpus
from chronotope.methods import GraphModel
from chronotope.views.explorer.explored import Explored
from embeddings.invented import model_of

MISSING = dict.fromkeys(("counts", "text", "bands", "coordinates"), "it is not there")
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'; drop table words; --",
    "a/b",
    "..",
    "../../etc/passwd",
    "100%",
    "%2e%2e",
    "a&b=c",
    "a+b c",
    "a#b?c",
    "back\\slash",
    "日本語",
    "e\u0301",
    "😀",
    "line\u2028end",
    "__proto__",
    "constructor",
)


@cache
def explored(kind: str) -> Explored:
    """A model by time, by place, by both, or by nested places, with its run and its text; places have coordinates."""
    makers = {"time": worlds.planted_drift, "place": worlds.places, "both": worlds.time_and_place}
    makers["nested"] = worlds.places
    fields = {name: name for name in ("time", "place") if kind in (name, "both")}
    records = makers[kind]().records
    if kind == "nested":
        records = [record | {"land": "low" if record["place"] < "d" else "high"} for record in records]
        fields = {"place": "land/place"}
    run = count(read_corpus(records, **fields), min_count=5)
    embeddings = GraphModel(dimensions=30, epochs=4).fit(run)
    coordinates = {place.casefold(): (10.0 * at, 5.0 * at) for at, place in enumerate(run.conditions.places)}
    missing = {} if coordinates else {"coordinates": "there are no places"}
    return Explored(embeddings, f"A world by {kind}", run, coordinates or None, missing)


@cache
def hostile() -> Explored:
    """A model without a run, whose words are meant to do harm."""
    words = [*HOSTILE, *(f"word{number}" for number in range(30))]
    vectors = np.random.default_rng(1).standard_normal((3, len(words), 8))
    model = model_of(vectors, Conditions.of_times(["1990", "<b>1991</b>", "1992"]), words)
    return Explored(model, "<i>Harm</i>", missing=MISSING)
