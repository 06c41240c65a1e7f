"""`contextual`: the vectors that an encoder gives to single occurrences of a word."""
