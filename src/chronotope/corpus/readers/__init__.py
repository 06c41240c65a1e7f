"""Readers, one per format; each delivers the requested fields of its rows as strings, in pieces of bounded size."""

from chronotope.corpus.readers.opening import open_readers
from chronotope.corpus.readers.pieces import TOKEN_SEPARATOR, Batch, Fields, Piece, Reader

__all__ = ["TOKEN_SEPARATOR", "Batch", "Fields", "Piece", "Reader", "open_readers"]
