"""Threads, memory, clusters, progress and compiled kernels."""
