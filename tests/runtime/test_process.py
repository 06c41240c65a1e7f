"""The process in which chronotope runs: what was imported before, its forked children, and its threads of BLAS."""

import multiprocessing
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import chronotope as ct
import worlds
from chronotope.errors import SettingsError
from chronotope.runtime.blas import one_blas_thread

PROGRAM = """
import sys
import chronotope as ct
corpus = ct.read_corpus(ct.invented_world(documents=60).records, time="time")
counts = ct.count(corpus, sys.argv[1], min_count=3)
for method in (ct.GraphModel, ct.ConditionedModel, ct.CompassWord2Vec):
    model = method(dimensions=4, epochs=2)
    model.fit(counts).save(f"{sys.argv[1]}/{model.method}.ct")
"""


def test_results_do_not_depend_on_an_earlier_import_of_numba_or_on_its_cache(tmp_path):
    """The first process compiles the kernels, the others load them."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    contents = []
    for number, before in enumerate(("", "", "import numba")):
        run = tmp_path / str(number)
        subprocess.run([sys.executable, "-c", before + PROGRAM, run], check=True, env=environment)
        contents.append({path.name: path.read_bytes() for path in run.iterdir()})
    assert {"cells.parquet", "graph.ct", "cw2v.ct", "compass.ct"} <= contents[0].keys()
    assert contents[0] == contents[1] == contents[2]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
def test_a_forked_child_is_refused_in_one_line_instead_of_waiting_forever():
    """The threads of polars do not survive a fork. What needs no polars, works."""
    corpus = ct.read_corpus(worlds.planted_drift(documents=60).records, time="time")
    counts = ct.count(corpus, min_count=3)
    embeddings = ct.GraphModel(dimensions=4, epochs=2).fit(counts)
    with multiprocessing.get_context("fork").Pool(1) as child:

        def call(function, *arguments):
            return child.apply_async(function, arguments).get(timeout=600)  # a child that hangs fails the test

        assert call(embeddings.neighbors, "river") == embeddings.neighbors("river")
        for function, *arguments in (
            (ct.count, corpus),
            (ct.Counts.open, counts.folder),
            (ct.frequency, counts, "river"),
            (ct.drift, embeddings),
        ):
            with pytest.raises(SettingsError, match=r"forked .* multiprocessing\.get_context\('spawn'\)"):
                call(function, *arguments)


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
