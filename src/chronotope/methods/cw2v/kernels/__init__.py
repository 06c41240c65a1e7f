"""One training pass over the cells: the legible reference and the fast kernels that equal it."""
