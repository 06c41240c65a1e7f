"""Whether a change is more than noise: resamples of documents, refits and tests."""
