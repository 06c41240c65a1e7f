from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

import chronotope
from chronotope.config import ConditionedSettings, Config, CorpusSettings, CountSettings, NamedBin, preset, read_config
from chronotope.errors import SettingsError


def test_names_that_are_loaded_when_first_used_are_all_there():
    assert {*chronotope.__all__} == {*dir(chronotope)}
    assert all(getattr(chronotope, name) is not None for name in chronotope.__all__)
    with pytest.raises(AttributeError, match="module 'chronotope' has no attribute 'nothing'"):
        chronotope.nothing  # noqa: B018


def test_settings_are_read_from_a_file(tmp_path):
    bins = (NamedBin("before the war", "1900", "1914-07"), NamedBin("after", "1918-11-11", "1939"))
    config = Config(
        CorpusSettings(time="date", bins=bins, phrases=("prime minister",), variants={"colour": "color"}),
        CountSettings(min_count=7),
        ConditionedSettings(smoothness=3),
    )
    (tmp_path / "c.toml").write_text(
        "[corpus]\ntime = 'date'\nphrases = ['prime minister']\nvariants = {colour = 'color'}\n"
        "bins = [{name = 'before the war', start = 1900, end = '1914-07'},"
        " {name = 'after', start = 1918-11-11, end = 1939}]\n"
        "[counting]\nmin_count = 7\n[cw2v]\nsmoothness = 3\n"
    )
    assert asdict(read_config(tmp_path / "c.toml")) == asdict(config)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[corpus]\ntmie = 'date'\n", "unknown setting 'corpus.tmie'; did you mean time"),
        ("[counting]\nwindow = 'five'\n", r"\[counting\] window must be int, not 'five'"),
        ("[counting]\nwindow = 4294967301\n", "window must be at most 31"),
        ("[corpus]\nevery = '1y'\n", "no time field was named"),
        ("[corpus]\nbins = [{name = 'a', start = '1900'}]\ntime = 'x'\n", "end"),
        ("[corpus\n", "not valid TOML"),
        ("[graph]\nhalf_trust = 10\n", "unknown setting 'graph.half_trust'; its name is now 'shrinkage'"),
        ("dimensions = 30\n", r"unknown setting 'dimensions'; it belongs in a table such as \[graph\]"),
        ("[corpus]\nplace = 'country//city'\n", "place 'country//city' has an empty name of a field"),
        ("[corpse]\n", "unknown setting 'corpse'; did you mean corpus"),
        ("corpus = 3\n", "'corpus' must be a table"),
        ("[corpus]\nphrases = ['a b', 3]\n", "phrases must be string, not 3"),
        ("[corpus]\ntokenizer = 'word'\n", "tokenizer must be words or whitespace, not 'word'; did you mean words"),
        ("[graph]\nsmoothness = nan\n", "smoothness must be a finite number, not nan"),
        ("[static]\nseed = 18446744073709551616\n", "seed must be less than 18446744073709551616"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, text, message):
    (tmp_path / "c.toml").write_text(text)
    with pytest.raises(SettingsError, match=message) as raised:
        read_config(tmp_path / "c.toml")
    assert str(tmp_path / "c.toml") in str(raised.value)


def test_presets_follow_the_paper_and_the_authors_program():
    assert (preset("paper", "time").smoothness, preset("paper", "place").smoothness) == (1.5, 1.0)
    assert preset("paper", "time").weight_cap == 0
    assert (preset("authors", "time").weight_cap, preset("authors", "place").weight_cap) == (6, 4)
    assert preset("authors", "time × place").rate == 0.04
    with pytest.raises(SettingsError, match="paper or authors"):
        preset("papper", "time")


def test_numbers_of_numpy_and_whole_numbers_are_taken():
    settings = ConditionedSettings(dimensions=np.int64(7), smoothness=3, rate=np.float32(0.5))
    assert (settings.dimensions, settings.smoothness, settings.rate) == (7, 3.0, 0.5)
    assert [type(value) for value in (settings.dimensions, settings.smoothness, settings.rate)] == [int, float, float]
