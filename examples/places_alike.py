"""Which places use words alike: an invented world of six places."""

import sys

import chronotope as ct

counts = ct.count(ct.read_corpus(ct.invented_world().records, place="place"), min_count=5)
model = ct.GraphModel(dimensions=50).fit(counts)
ct.places(model).save(sys.argv[1] if len(sys.argv) > 1 else "places_alike.png")
