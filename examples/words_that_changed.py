"""The words that changed most between two times, corrected for noise, with intervals over the speeches."""

import sys

import chronotope as ct

model = ct.GraphModel(dimensions=50).fit(ct.count(ct.sotu_corpus(every="20y")))
answer = ct.drift(model, "1880-1899", "1980-1999", permutations=20, bootstrap=20, top=15)
answer.save(sys.argv[1] if len(sys.argv) > 1 else "words_that_changed.png")
