"""The path of a word among its company, in a plane."""

import sys

import chronotope as ct
from chronotope.analysis import trajectory
from chronotope.views import charts, plane

counts = ct.count(ct.sotu_corpus(every="20y"))
embeddings = ct.GraphModel(dimensions=100).fit(counts)
chart = plane.trajectory(trajectory(embeddings, "credit"), subtitle="State of the Union addresses, 1790 to today")
charts.save(chart, sys.argv[1] if len(sys.argv) > 1 else "path_of_a_word.png")
