"""Files: atomic writes, locks, the run folder, provenance, and files from strangers."""
