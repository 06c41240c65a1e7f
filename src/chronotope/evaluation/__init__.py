"""Test pairs, gold scores of change, renamed words, and the scores of models on them."""
