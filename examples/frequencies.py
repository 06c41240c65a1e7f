"""How often words are used, with intervals over documents."""

import sys

import chronotope as ct

counts = ct.count(ct.sotu_corpus(every="20y"))
answer = ct.frequency(counts, ["railroads", "highways", "internet"])
answer.save(sys.argv[1] if len(sys.argv) > 1 else "frequencies.png")
