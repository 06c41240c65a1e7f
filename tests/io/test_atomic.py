"""Where results go: modes, symbolic links, devices, other file systems, and what killed processes left."""

from __future__ import annotations

import os
import secrets
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from chronotope.cooccurrence import Counts, count
from chronotope.corpus.source import read_corpus
from chronotope.embeddings.formats import export
from chronotope.errors import DamagedFileError, InputError
from chronotope.io.atomic import atomic_folder, atomic_write, temporary_path
from chronotope.methods import GraphModel
from worlds import contents, write

posix = pytest.mark.skipif(os.name != "posix", reason="modes, links and devices of POSIX")
RECORDS = [{"text": "river bank water boat loan money bank", "time": str(1990 + n % 2)} for n in range(40)]


def make_run(run, **settings):
    return count(read_corpus(RECORDS, time="time"), run, **{"min_count": 1, **settings})


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def other_device(tmp_path):
    """Return a new folder on another file system than `tmp_path`."""
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK) or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("/dev/shm is missing, or on the same device as the folder of the tests")
    return tempfile.TemporaryDirectory(dir=shared)


@posix
@pytest.mark.parametrize("mask", [0o077, 0o002])
def test_modes_are_those_of_the_umask(tmp_path, mask):
    program = """
import os, sys
os.umask(int(sys.argv[2]))
from test_atomic import make_run
from pathlib import Path
from chronotope.embeddings.formats import export
from chronotope.methods import GraphModel
from worlds import contents, write
from chronotope.views.explorer.explored import open_explored
from chronotope.views.explorer.export import export as export_page
counts = make_run(sys.argv[1] + "/run")
embeddings = GraphModel(dimensions=2, epochs=1).fit(counts)
embeddings.save(sys.argv[1] + "/run/model.ct")
export(embeddings, sys.argv[1] + "/vectors")
export_page(open_explored(Path(sys.argv[1], "run")), sys.argv[1] + "/page")
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    subprocess.run([sys.executable, "-c", program, str(tmp_path), str(mask)], check=True, env=environment)
    for path in tmp_path.rglob("*"):
        assert mode(path) == (0o777 if path.is_dir() else 0o666) & ~mask, path
    assert (tmp_path / "page" / "index.html").is_file()


@posix
def test_a_link_is_written_through(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "answer")
    for text in ("41", "42"):
        with atomic_write(tmp_path / "link") as temporary:
            temporary.write_text(text)
        assert (tmp_path / "link").is_symlink()
        assert [(path.name, path.read_text()) for path in (tmp_path / "real").iterdir()] == [("answer", text)]


@posix
def test_what_is_no_regular_file_is_refused_and_stays(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, message in (
        ("pipe", "not a regular file"),
        ("link", "not a regular file"),
        ("folder", "is a folder"),
        ("/dev/null", "not a regular file"),
        ("loop", "leads in a circle"),
    ):
        with pytest.raises(InputError, match=message), atomic_write(tmp_path / name):
            raise AssertionError("nothing was to be written")
    with pytest.raises(InputError, match="leads in a circle"):
        make_run(tmp_path / "loop")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert [path.name for path in tmp_path.iterdir() if path.is_symlink()] == ["link", "loop"]


@posix
def test_a_run_on_another_file_system(tmp_path):
    """Its folder is a link to another device, as a mounted volume would be."""
    with other_device(tmp_path) as folder:
        (tmp_path / "run").symlink_to(folder)
        counts = make_run(tmp_path / "run")
        assert make_run(tmp_path / "run").checksum == counts.checksum
        smaller = make_run(tmp_path / "run", max_words=4, force=True)
        assert Counts.open(tmp_path / "run").checksum == smaller.checksum
        assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]
        embeddings = GraphModel(dimensions=2, epochs=1).fit(smaller)
        (tmp_path / "vectors").symlink_to(Path(folder, "vectors"))
        export(embeddings, tmp_path / "vectors", "glove")
        export(embeddings, tmp_path / "vectors", "glove", force=True)
        assert (tmp_path / "vectors" / "1990.txt").is_file()


@pytest.fixture
def mount_point(tmp_path):
    """An empty file system of two megabytes."""
    if sys.platform != "linux":
        pytest.skip("mounting a file system needs Linux")
    folder = tmp_path / "run"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"cannot mount a file system: {getattr(error, 'stderr', '') or error}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_run_that_is_a_mount_point(mount_point):
    def names():
        return sorted(path.name for path in mount_point.iterdir())

    too_large = [{"text": f"{secrets.token_hex(500_000)} word", "time": "1990"} for _ in range(8)]
    with pytest.raises(OSError, match="No space left on device") as caught:
        count(read_corpus(too_large, time="time"), mount_point, min_count=1)
    assert caught.value.filename == str(mount_point)
    assert names() == []

    counts = make_run(mount_point)
    files = names()
    assert make_run(mount_point).checksum == counts.checksum
    with pytest.raises(InputError, match="made from other input or settings"):
        make_run(mount_point, max_words=4)
    smaller = make_run(mount_point, max_words=4, force=True)
    assert Counts.open(mount_point).checksum == smaller.checksum != counts.checksum
    assert names() == files
    assert os.path.ismount(mount_point)
    assert [path.name for path in mount_point.parent.iterdir()] == [mount_point.name]


@pytest.mark.skipif(not os.path.ismount("/dev/shm"), reason="/dev/shm is no mount point")
def test_a_mount_point_is_refused_before_the_work():
    with pytest.raises(InputError, match="mount point"), atomic_folder("/dev/shm", "export"):
        raise AssertionError("nothing was to be written")


def test_what_the_dead_left_goes_and_what_others_write_stays(tmp_path):
    program = "import os; print(os.getpid())"
    dead = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    left = temporary_path(tmp_path, "model.ct")
    left = left.with_name(left.name.replace(f"-{os.getpid()}-", f"-{dead}-"))
    left.write_text("half a mo")
    with atomic_write(tmp_path / "model.ct") as slow:
        slow.write_text("slow")
        with atomic_write(tmp_path / "model.ct") as quick:
            quick.write_text("quick")
        assert slow.exists(), "it has an owner"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("model.ct", "slow")]


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("notes.txt", b"precious", "exists and is not a run"),
        ("run.json", b'{"name": "another tool"}', "not written by chronotope"),
    ],
)
def test_a_folder_that_is_no_run_is_left_alone(tmp_path, name, content, line):
    write(tmp_path / "run" / name, content)
    with pytest.raises(InputError, match=line):
        make_run(tmp_path / "run", force=True)
    with pytest.raises((InputError, DamagedFileError)):
        Counts.open(tmp_path / "run")
    assert contents(tmp_path / "run") == {name: content}
