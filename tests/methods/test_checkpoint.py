"""How often the state of a training is saved."""

import time

import numpy as np

from chronotope.methods import checkpoint
from chronotope.methods.checkpoint import Checkpoint


def test_a_state_that_takes_long_to_write_is_written_less_often(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(checkpoint, "SHARE_OF_THE_TIME", 0.5)
    write = checkpoint.write_tensors

    def slowly(*arguments):
        time.sleep(0.2)
        write(*arguments)

    monkeypatch.setattr(checkpoint, "write_tensors", slowly)
    state = Checkpoint(tmp_path / "state", {})
    state.save({"vectors": np.zeros(3, np.float32)}, {})
    assert not state.due
    time.sleep(0.2)
    assert not state.due
    time.sleep(0.25)
    assert state.due


def test_without_a_file_nothing_is_due(monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN", -1.0)
    assert not Checkpoint(None, {}).due
