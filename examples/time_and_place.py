"""One word in every year of every place: in one place, from 1995 on, it keeps other company."""

import sys

import chronotope as ct
from chronotope.analysis import grid
from chronotope.views import charts, tiles

records = ct.invented_world().records
counts = ct.count(ct.read_corpus(records, time="time", place="place"), min_count=5)
embeddings = ct.GraphModel(dimensions=50).fit(counts)
chart = tiles.grid(grid(embeddings, "gas"), subtitle="An invented world: 'gas' was planted to change in dorria in 1995")
charts.save(chart, sys.argv[1] if len(sys.argv) > 1 else "time_and_place.png")
