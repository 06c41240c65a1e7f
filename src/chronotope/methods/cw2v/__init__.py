"""CW2V, the model of Gong, Bhat and Viswanath (2020): objective, layout of the cells, kernels, training."""
