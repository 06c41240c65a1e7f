"""Token ids in, sparse counts out."""
