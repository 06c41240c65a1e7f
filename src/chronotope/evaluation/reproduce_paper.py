"""The figures that the paper prints (Gong, Bhat and Viswanath 2020, its two tables of ranking results).

They were measured on other corpora: 99,872 articles of the New York Times for time, the International Corpus of
English for places. So they are no yardstick for figures on open text, and are shown beside them only to be seen.
"""

from __future__ import annotations

from chronotope.evaluation.metrics import METRICS

# What the paper calls the methods that stand here under other names.
PAPER_NAMES = {"static": "BW2V", "linear": "TW2V", "aligned": "AW2V", "dynamic": "DW2V", "cw2v": "CW2V"}

# MRR, MP@1, MP@3, MP@5, MP@10.
_FIGURES: dict[str, dict[str, tuple[float, ...]]] = {
    "temporal 1": {
        "BW2V": (0.36, 0.27, 0.42, 0.48, 0.56),
        "TW2V": (0.09, 0.05, 0.12, 0.15, 0.19),
        "AW2V": (0.16, 0.11, 0.18, 0.22, 0.30),
        "DW2V": (0.42, 0.33, 0.49, 0.55, 0.62),
        "CW2V": (0.43, 0.34, 0.51, 0.55, 0.62),
    },
    "temporal 2": {
        "BW2V": (0.05, 0.00, 0.08, 0.08, 0.20),
        "TW2V": (0.07, 0.04, 0.08, 0.10, 0.14),
        "AW2V": (0.05, 0.02, 0.05, 0.08, 0.14),
        "DW2V": (0.14, 0.08, 0.16, 0.22, 0.38),
        "CW2V": (0.13, 0.08, 0.16, 0.19, 0.27),
    },
    "spatial": {
        "BW2V": (0.25, 0.20, 0.27, 0.29, 0.35),
        "TW2V": (0.00, 0.00, 0.00, 0.00, 0.00),
        "AW2V": (0.17, 0.11, 0.18, 0.24, 0.33),
        "DW2V": (0.12, 0.11, 0.11, 0.13, 0.14),
        "CW2V": (0.31, 0.24, 0.35, 0.39, 0.46),
    },
}


def paper_figures(test_set: str) -> dict[str, dict[str, float]]:
    """What the paper prints for each of its methods on a test set.

    Examples
    --------
    >>> paper_figures("spatial")["CW2V"]["mrr"]
    0.31
    """
    return {name: dict(zip(METRICS, figures, strict=True)) for name, figures in _FIGURES[test_set].items()}
