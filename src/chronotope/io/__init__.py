"""Files: atomic writes, locks, the run folder, provenance, and untrusted files."""
