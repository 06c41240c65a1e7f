import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from chronotope.embeddings.arrays import LRUCache


def test_the_least_recently_used_value_goes_first():
    cache, computed = LRUCache(limit=10), []
    for key in "ababcab":
        cache.get(key, lambda key=key: computed.append(key) or np.zeros(4, np.uint8))
    assert "".join(computed) == "abcab"
    assert len(cache) == 2


def test_a_value_above_the_limit_is_kept_alone():
    cache = LRUCache(limit=1)
    for key in "aabb":
        cache.get(key, lambda: np.zeros(9, np.uint8))
    assert len(cache) == 1


def test_threads_wait_for_one_computation():
    cache, computed = LRUCache(limit=100), []
    started = Barrier(8)

    def get(_):
        started.wait()
        return cache.get("key", lambda: computed.append(1) or np.zeros(1))

    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(get, range(8)))
    assert len(computed) == 1
    assert all(value is values[0] for value in values)


def test_an_error_is_raised_and_the_next_call_computes_again():
    cache = LRUCache(limit=100)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            cache.get("key", lambda: 1 // 0)
    assert len(cache) == 0
    assert cache.get("key", lambda: np.ones(1))[0] == 1


def test_a_pickle_holds_no_values():
    cache = LRUCache(limit=100)
    cache.get("key", lambda: np.ones(1))
    again = pickle.loads(pickle.dumps(cache))
    assert (again.limit, len(again)) == (100, 0)
