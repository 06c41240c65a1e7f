"""`graph`, our own model: mutual information, zeros included, smoothed along the graph of conditions."""
