"""When a checkpoint is due; conformance tests stop and resume trainings."""

import numpy as np

from chronotope.methods.checkpoint import Checkpoint


def test_a_checkpoint_is_due_after_its_pause_and_never_without_a_file(tmp_path):
    state = Checkpoint(tmp_path / "state", {}, seconds=-1.0)
    assert state.due
    state.save({"vectors": np.zeros(3, np.float32)}, {})
    assert (tmp_path / "state").exists()
    assert not Checkpoint(tmp_path / "state", {}, seconds=3600.0).due
    assert not Checkpoint(None, {}, seconds=-1.0).due


def test_what_was_saved_is_loaded(tmp_path):
    vectors = np.arange(6, dtype=np.float32).reshape(2, 3)
    Checkpoint(tmp_path / "state", {"seed": 1}).save({"vectors": vectors}, {"step": 7})
    tensors, about = Checkpoint(tmp_path / "state", {"seed": 1}).load({"vectors": (None, 3)})
    assert np.array_equal(tensors["vectors"], vectors)
    assert about == {"step": 7}
