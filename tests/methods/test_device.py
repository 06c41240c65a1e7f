"""Where training runs, and what it says about it."""

from __future__ import annotations

import pytest

from chronotope.errors import ChronotopeError, MissingExtraError, SettingsError
from chronotope.methods import GraphModel
from chronotope.methods.device import Gpu, choose, find_gpu

GB = 10**9
NONE = isinstance(find_gpu(), str)
without_gpu = pytest.mark.skipif(not NONE, reason="a GPU is there")


def test_the_gpu_is_taken_if_it_is_there_and_large_enough():
    large, small = Gpu("Large", 80 * GB), Gpu("Small", 12 * GB)
    assert choose("auto", 30 * GB, large).recorded == "cuda (Large)"
    assert choose("cuda", 30 * GB, large).line == "training on the GPU (Large)"
    assert choose("cpu", 30 * GB, large).recorded == "cpu"
    choice = choose("cuda", 30 * GB, small)
    assert choice.line == "training on the CPU: Small has 12.0 GB free and this takes 30.5 GB"
    assert choice.recorded == "cpu"


def test_no_gpu_is_one_line_for_auto_and_an_error_for_cuda():
    assert choose("auto", 1, "no GPU answers").line == "training on the CPU: no GPU answers"
    with pytest.raises((MissingExtraError, SettingsError), match=r"pip install 'chronotope\[gpu\]'"):
        choose("cuda", 1, "no GPU answers")
    with pytest.raises(SettingsError, match="did you mean cuda"):
        choose("cude", 1, "no GPU answers")


@without_gpu
def test_a_fit_says_where_it_runs_and_records_it(small):
    lines, model = [], GraphModel(dimensions=4, epochs=1)
    made = model.fit(small, on_device=lines.append).provenance
    assert len(lines) == 1
    assert lines[0].startswith("training on the CPU: ")
    assert made["device"] == "cpu"
    assert "cupy" not in made["versions"]
    assert model.fit(small, device="cpu").provenance == made
    with pytest.raises(ChronotopeError, match="chronotope\\[gpu\\]"):
        model.fit(small, device="cuda")


@without_gpu
def test_the_command_line_says_where_it_trains_and_refuses_a_gpu_that_is_not_there(chronotope, small, tmp_path):
    asked = ("train", small.folder, "-o", tmp_path / "m.ct")
    assert "pip install 'chronotope[gpu]'" in chronotope(*asked, "--device", "cuda", code=2).stderr
    other = chronotope(*asked, "--method", "dynamic", "--device", "cuda", code=2).stderr
    assert other == "error: dynamic trains only on the CPU; leave out --device cuda\n"
    done = chronotope(*asked, "--dimensions", 4, "--epochs", 1)
    assert sum(line.startswith("training on the CPU: ") for line in done.stderr.splitlines()) == 1
