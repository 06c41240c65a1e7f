"""Charts, tables, files and the explorer; no computation here."""
