"""Other ways to the same object: the methods that the paper compares with, and some that came after."""

from chronotope.baselines.aligned import AlignedWord2Vec
from chronotope.baselines.compass import CompassWord2Vec
from chronotope.baselines.dynamic.model import DynamicFactorization
from chronotope.baselines.linear import LinearWord2Vec
from chronotope.baselines.static import StaticWord2Vec

__all__ = ["AlignedWord2Vec", "CompassWord2Vec", "DynamicFactorization", "LinearWord2Vec", "StaticWord2Vec"]
