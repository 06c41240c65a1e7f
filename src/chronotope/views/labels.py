"""Where labels go so that they can be read: none over another, each as near to its place as that allows."""

from __future__ import annotations

from collections.abc import Sequence


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """New places in the same order, at least `gap` apart, between `low` and `high` where they all fit there.

    Labels that would touch form a cluster around the mean of the places they want; clusters that meet are joined.

    Examples
    --------
    >>> spread([0.50, 0.51, 0.9], gap=0.1, low=0, high=1)
    [0.455, 0.555, 0.9]
    """

    def bottom(cluster: list[float]) -> float:
        """Where the lowest label of a cluster goes."""
        reach = gap * (len(cluster) - 1)
        if reach > high - low:
            return (low + high - reach) / 2
        return min(max(sum(cluster) / len(cluster) - reach / 2, low), high - reach)

    clusters: list[list[float]] = []
    for place in sorted(places):
        clusters.append([place])
        while len(clusters) > 1 and bottom(clusters[-2]) + gap * len(clusters[-2]) > bottom(clusters[-1]):
            joined = clusters.pop()
            clusters[-1].extend(joined)
    found = iter([bottom(cluster) + gap * step for cluster in clusters for step in range(len(cluster))])
    result = [0.0] * len(places)
    for i in sorted(range(len(places)), key=lambda i: places[i]):
        result[i] = round(next(found), 9)
    return result
