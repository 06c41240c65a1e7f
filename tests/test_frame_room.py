"""Calls at the end of a piece of Python's memory for frames do not take a new one each time."""

import sys

import pytest

from chronotope.frame_room import with_room

CALLS = 1000


def leaf() -> int:
    return 1


# Larger than the frames below it, so that there is a depth at which it alone does not fit any more.
leaf.__code__ = leaf.__code__.replace(co_stacksize=200)


def faults_at(depth: int) -> int:
    """How often the system had to give memory while a function was called so deep."""
    if depth:
        return faults_at(depth - 1)
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    for _ in range(CALLS):
        leaf()
    return int(resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before)


@pytest.mark.skipif(sys.platform != "linux", reason="counts the page faults of a thread")
def test_no_depth_costs_memory() -> None:
    roomy = with_room(faults_at)
    assert max(roomy(depth) for depth in range(300)) < CALLS // 10


def test_a_function_keeps_what_it_does() -> None:
    def given(one: int, *others: int, last: int = 0) -> list[int]:
        """Say what was given."""
        return [one, *others, last]

    roomy = with_room(given)
    assert roomy(1, 2, 3, last=4) == [1, 2, 3, 4]
    assert (roomy.__name__, roomy.__doc__) == ("given", "Say what was given.")
    with pytest.raises(TypeError, match="one"):
        roomy()  # type: ignore[call-arg]
