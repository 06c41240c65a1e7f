import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from chronotope.embeddings.arrays import LRUCache


def test_the_least_recently_used_value_goes_first_and_a_large_one_stays_alone():
    cache, computed = LRUCache(limit=10), []
    for key in "ababcab":
        cache.get(key, lambda key=key: computed.append(key) or np.zeros(4, np.uint8))
    assert ("".join(computed), len(cache)) == ("abcab", 2)
    cache.get("large", lambda: np.zeros(11, np.uint8))
    assert len(cache) == 1
    again = pickle.loads(pickle.dumps(cache))
    assert (again.limit, len(again)) == (10, 0)


def test_threads_wait_for_one_computation_and_an_error_is_not_kept():
    cache, computed, started = LRUCache(limit=100), [], Barrier(8)
    with pytest.raises(ZeroDivisionError):
        cache.get("key", lambda: 1 // 0)

    def get(_):
        started.wait()
        return cache.get("key", lambda: computed.append(1) or np.zeros(1))

    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(get, range(8)))
    assert len(computed) == 1
    assert all(value is values[0] for value in values)
