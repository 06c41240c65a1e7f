"""The company that a word keeps over time: who joins, who leaves."""

import sys

import chronotope as ct
from chronotope.views import charts

counts = ct.count(ct.sotu_corpus(every="20y"))
embeddings = ct.GraphModel(dimensions=100).fit(counts)
answer = ct.company(embeddings, "energy")
chart = charts.company(answer, subtitle="State of the Union addresses, 1790 to today")
charts.save(chart, sys.argv[1] if len(sys.argv) > 1 else "company_over_time.png")
