import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from chronotope.embeddings.cache import LRUCache


def test_the_least_recently_used_value_goes_first():
    cache = LRUCache(limit=10, size=len)
    computed = []

    def get(key):
        return cache.get(key, lambda: computed.append(key) or key * 4)

    for key in "ababcab":
        assert get(key) == key * 4
    assert "".join(computed) == "abcab"
    assert len(cache) == 2


def test_a_value_above_the_limit_is_kept_alone():
    cache = LRUCache(limit=1, size=len)
    for key in "aabb":
        cache.get(key, lambda: bytes(9))
    assert len(cache) == 1


def test_threads_wait_for_one_computation():
    cache, computed = LRUCache(limit=100, size=len), []
    started = threading.Barrier(8)

    def get(_):
        started.wait()
        return cache.get("key", lambda: computed.append(1) or [1])

    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(get, range(8)))
    assert len(computed) == 1
    assert all(value is values[0] for value in values)


def test_an_error_is_raised_and_the_next_call_computes_again():
    cache = LRUCache(limit=100, size=len)

    def fail():
        raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            cache.get("key", fail)
    assert cache.get("key", lambda: "value") == "value"
    assert len(cache) == 1


def test_a_key_that_fails_and_is_computed_again_counts_once():
    """Sizes stay right: two values of half the limit fit, whatever happened before."""
    cache = LRUCache(limit=10, size=len)
    for key in "aab":
        with pytest.raises(ZeroDivisionError):
            cache.get(key, lambda: 1 // 0)
        cache.get(key * 2, lambda: bytes(5))
    assert len(cache) == 2
