"""Answers: which words changed, which stayed; each a small frozen dataclass."""
