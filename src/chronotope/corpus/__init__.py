"""Text in, (condition, tokens) out."""
