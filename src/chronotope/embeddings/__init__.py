"""The result: one vector for each word in each condition, and the questions it answers."""
