"""Is a change more than noise: resamples of documents, refits and tests."""
