"""How often words are used, with intervals that take whole documents as what was drawn."""

import sys

import chronotope as ct
from chronotope.views import charts, frequency_chart

counts = ct.count(ct.sotu_corpus(every="20y"))
answer = ct.frequency(counts, ["railroads", "highways", "internet"])
chart = frequency_chart.frequency(answer, subtitle="State of the Union addresses, 1790 to today")
charts.save(chart, sys.argv[1] if len(sys.argv) > 1 else "frequencies.png")
