"""Corpora to start with."""
