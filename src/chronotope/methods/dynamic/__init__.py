"""`dynamic`: the joint factorization of Yao et al. (2018)."""
