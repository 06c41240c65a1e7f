"""`cw2v`: the model of Gong, Bhat and Viswanath (2020).

For word i, context j and condition c, with X the scaled co-occurrence counts, the loss is

    L = Σ_cells weight · ((v_i ⊙ q_c + d_ic) · (u_j ⊙ q_c + d'_jc) + b_ic + b'_jc − target)²
      + ½ Σ_(a,b)∈E α_ab ‖q_a − q_b‖²  +  ½ Σ_pairs β_p (‖d_p‖² + ‖d'_p‖²)

In the paper weight = 1, target = log X, and α_ab = α, β_p = β. The authors' program adds both penalties again at every
visited cell; that is the same loss with α and β multiplied by numbers of cells.
"""
