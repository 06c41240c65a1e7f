"""BLAS threads while several users hold them to one."""

import threading

import numpy as np
from threadpoolctl import threadpool_info

from chronotope.runtime.blas import one_blas_thread


def blas_threads():
    np.ones((2, 2)) @ np.ones((2, 2))  # loads BLAS
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_overlapping_users_in_two_threads_restore_the_limit_when_the_last_one_leaves():
    entered, leave = threading.Event(), threading.Event()

    def second_user():
        with one_blas_thread():
            entered.set()
            leave.wait()

    before = blas_threads()
    with one_blas_thread():
        other = threading.Thread(target=second_user)
        other.start()
        entered.wait()
    assert blas_threads() == {1}, "the second user is still inside"
    leave.set()
    other.join()
    assert blas_threads() == before
