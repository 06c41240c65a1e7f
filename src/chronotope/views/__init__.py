"""Charts and tables; no computation here."""
