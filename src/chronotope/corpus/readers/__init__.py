"""Readers, one per format; each delivers the requested fields of its rows as strings, in pieces of bounded size."""
