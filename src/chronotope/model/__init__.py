"""From counts to conditioned embeddings: the paper's CW2V."""
