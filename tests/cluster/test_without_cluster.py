"""What needs no cluster: clear refusals, stores elsewhere, and limits on memory."""

from __future__ import annotations

import json
import sys

import fsspec
import polars as pl
import pyarrow as pa
import pytest

import worlds
from chronotope.cooccurrence import count
from chronotope.corpus.source import read_corpus
from chronotope.errors import ClusterError, MissingExtraError, SettingsError
from chronotope.io.provenance import versions
from chronotope.runtime.cluster import check_versions, connect
from worlds import contents


def records():
    return worlds.planted_drift(documents=60).records


def test_without_the_extra_the_line_that_installs_it_is_shown(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'chronotope\[cluster\]'"):
        count(read_corpus(records(), time="time"), workers=2)


def test_a_scheduler_that_does_not_answer_is_an_error():
    with (
        pytest.raises(ClusterError, match=r"no scheduler answers at tcp://127\.0\.0\.1:1 \(waited 1 seconds\)"),
        connect("tcp://127.0.0.1:1", None, seconds=1.0),
    ):
        pass


def test_workers_of_another_version_are_refused():
    check_versions({"tcp://10.0.0.1:1": versions()})
    with pytest.raises(ClusterError, match=r"worker tcp://10\.0\.0\.2:1 has polars 0\.0, this machine"):
        check_versions({"tcp://10.0.0.1:1": versions(), "tcp://10.0.0.2:1": versions() | {"polars": "0.0"}})


def test_workers_here_or_a_cluster_not_both():
    with pytest.raises(SettingsError, match="not both"):
        count(read_corpus(records(), time="time"), workers=2, cluster="tcp://127.0.0.1:8786")


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("all.jsonl", "*.jsonl"), ("all.jsonl", ""), *((name, name) for name in ("a.jsonl.gz", "a.csv.zst", "a.parquet"))],
)
def test_text_in_a_store_is_read_as_text_in_files(tmp_path, name, pattern):
    frame, path = pl.DataFrame(records()), tmp_path / name
    if name.endswith("parquet"):
        frame.write_parquet(path)
    else:
        kind = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix)
        with pa.CompressedOutputStream(str(path), kind) if kind else path.open("wb") as file:
            file.write((frame.write_csv() if ".csv" in name else frame.write_ndjson()).encode())
    fsspec.filesystem("memory").pipe(f"/{name}s/{name}", path.read_bytes())
    here = count(read_corpus(path, time="time"), tmp_path / "here")
    there = count(read_corpus(f"memory://{name}s/{pattern}".rstrip("/"), time="time"), tmp_path / "there")
    assert contents(there.folder) == contents(here.folder)


def test_the_command_says_in_one_line_what_is_wrong(chronotope, tmp_path):
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records()))
    given = ("prepare", tmp_path / "all.jsonl", "-o", tmp_path / "run", "--time", "time", "--memory")
    for memory, said in (("lots", "write for instance 2GB"), ("100MB", "does not fit into 100 MB of memory; it needs")):
        assert said in chronotope(*given, memory, code=2).stderr
    assert not (tmp_path / "run").exists()
