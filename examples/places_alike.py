"""Which places use words alike: an invented world of six places."""

import sys

import chronotope as ct
from chronotope.analysis import place_distances
from chronotope.views import charts, tiles

counts = ct.count(ct.read_corpus(ct.invented_world().records, place="place"), min_count=5)
embeddings = ct.GraphModel(dimensions=50).fit(counts)
chart = tiles.distances(place_distances(embeddings), subtitle="An invented world")
charts.save(chart, sys.argv[1] if len(sys.argv) > 1 else "places_alike.png")
