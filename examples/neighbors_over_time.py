"""The neighbors of a word over time: which words join, which leave."""

import sys

import chronotope as ct

counts = ct.count(ct.sotu_corpus(every="20y"))
model = ct.GraphModel(dimensions=100).fit(counts)
answer = ct.neighbors(model, "energy", at="all", top=3)
answer.save(sys.argv[1] if len(sys.argv) > 1 else "neighbors_over_time.png")
