"""The path of a word among its neighbors, in a plane."""

import sys

import chronotope as ct

counts = ct.count(ct.sotu_corpus(every="20y"))
model = ct.GraphModel(dimensions=100).fit(counts)
ct.trajectory(model, "credit").save(sys.argv[1] if len(sys.argv) > 1 else "path_of_a_word.png")
