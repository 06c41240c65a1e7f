"""`cw2v`: the model of Gong, Bhat and Viswanath (2020); `objective` holds its loss."""
