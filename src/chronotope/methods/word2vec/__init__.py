"""word2vec in each condition: static, aligned, linear, compass."""
