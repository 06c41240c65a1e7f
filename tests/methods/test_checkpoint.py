"""How often the state of a training is saved."""

import numpy as np

from chronotope.methods.checkpoint import SECONDS_BETWEEN, SHARE_OF_THE_TIME, Checkpoint

STATE = {"vectors": np.zeros(3, np.float32)}


def test_a_state_is_due_after_some_time(tmp_path):
    now = [0.0]
    state = Checkpoint(tmp_path / "state", {}, clock=lambda: now[0])
    state.save(STATE, {})
    assert not state.due
    now[0] += 1.1 * SECONDS_BETWEEN
    assert state.due
    assert not Checkpoint(None, {}, clock=lambda: now[0]).due, "without a file nothing is due"


def test_a_state_that_takes_long_to_write_is_written_less_often(tmp_path):
    ticks = iter([0.0, 0.0, 100.0])  # made, saving, saved: it took 100 seconds
    now = [100.0 + 0.9 * 100 / SHARE_OF_THE_TIME]
    state = Checkpoint(tmp_path / "state", {}, clock=lambda: next(ticks, now[0]))
    state.save(STATE, {})
    assert not state.due
    now[0] = 100.0 + 1.1 * 100 / SHARE_OF_THE_TIME
    assert state.due
