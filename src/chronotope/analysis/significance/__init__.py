"""Is a change real: resamples of the documents, and what they say of each word's score."""
