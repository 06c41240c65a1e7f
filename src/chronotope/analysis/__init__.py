"""Answers: which words changed, which stayed, when, where and how; each a small frozen dataclass."""

from chronotope.analysis.analogy import Analogy, Relation, analogy, relation
from chronotope.analysis.axes import Positions, positions
from chronotope.analysis.changepoints import ChangePoint, ChangePoints, change_points
from chronotope.analysis.collocates import CollocateChanges, Collocates, collocate_changes, collocates
from chronotope.analysis.company import Companion, Company, company
from chronotope.analysis.drift import Drift, DriftRow, drift
from chronotope.analysis.everywhere import Everywhere, equivalents_everywhere
from chronotope.analysis.evidence import Evidence, evidence
from chronotope.analysis.frequency import Frequency, frequency
from chronotope.analysis.grid import Grid, grid
from chronotope.analysis.maps import WordMap, word_map
from chronotope.analysis.places import PlaceDistances, place_distances
from chronotope.analysis.properties import condition_bound, consistency, deviations
from chronotope.analysis.ranks import Ranks, ranks
from chronotope.analysis.series import SelfSimilarity, Series, self_similarity, series
from chronotope.analysis.stability import Stability, StableWord, stable
from chronotope.analysis.trajectory import Trajectory, trajectory

__all__ = [
    "Analogy",
    "ChangePoint",
    "ChangePoints",
    "CollocateChanges",
    "Collocates",
    "Companion",
    "Company",
    "Drift",
    "DriftRow",
    "Everywhere",
    "Evidence",
    "Frequency",
    "Grid",
    "PlaceDistances",
    "Positions",
    "Ranks",
    "Relation",
    "SelfSimilarity",
    "Series",
    "Stability",
    "StableWord",
    "Trajectory",
    "WordMap",
    "analogy",
    "change_points",
    "collocate_changes",
    "collocates",
    "company",
    "condition_bound",
    "consistency",
    "deviations",
    "drift",
    "equivalents_everywhere",
    "evidence",
    "frequency",
    "grid",
    "place_distances",
    "positions",
    "ranks",
    "relation",
    "self_similarity",
    "series",
    "stable",
    "trajectory",
    "word_map",
]
