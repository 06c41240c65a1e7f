"""One word in every year of every place: in dorria, from 1995 on, it has other neighbors."""

import sys

import chronotope as ct

records = ct.invented_world().records
counts = ct.count(ct.read_corpus(records, time="time", place="place"), min_count=5)
model = ct.GraphModel(dimensions=50).fit(counts)
ct.grid(model, "gas").save(sys.argv[1] if len(sys.argv) > 1 else "time_and_place.png")
