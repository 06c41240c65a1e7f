"""What goes out: the wheel and the sdist, quick starts, completion, the man page, and what `doctor` says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import chronotope as ct
from chronotope.cli import doctor

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "import sys; sys.argv[0] = 'chronotope'; from chronotope.cli import main; main()"]
# Each costs a tenth of a second or more; none is needed before a command runs.
HEAVY = {
    "altair",
    "fastapi",
    "numba",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "safetensors",
    "scipy",
    "sklearn",
    "uvicorn",
}


def modules_after(program: str) -> set[str]:
    """The top packages that are loaded when a program ends."""
    told = f"{program}\nimport json, sys; print(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_loads_nothing_heavy():
    assert not modules_after("import chronotope") & HEAVY


@pytest.mark.parametrize(
    ("command", "light"), [("", {"numpy", "polars", "pyarrow", "safetensors"}), ("prepare", set())]
)
def test_help_loads_nothing_heavy(command, light):
    """The help of all commands reads the registry of questions; that of `prepare` does not."""
    program = (
        f"import contextlib, io, sys\nsys.argv = ['chronotope', *{command.split()}, '--help']\n"
        "from chronotope.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main()"
    )
    assert not modules_after(program) & HEAVY - light


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=ROOT, check=True, capture_output=True
    )
    return folder


def test_the_wheel_holds_the_package_and_the_man_page_and_no_more(built):
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = {
        f"chronotope/{path.relative_to(ROOT / 'src/chronotope').as_posix()}"
        for path in (ROOT / "src/chronotope").rglob("*")
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in path.parts)
    }
    assert sources <= names
    others = {name for name in names - sources if ".dist-info/" not in name}
    assert {name.split(".data/")[1] for name in others} == {"data/share/man/man1/chronotope.1"}
    assert wheel.stat().st_size < 5_000_000


def test_the_sdist_holds_what_tests_and_documentation_need(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"tests/worlds.py", "docs/index.md", "examples/frequencies.py", "mkdocs.yml", "LICENSE"} <= names


def proposed(typed: str, folder: Path) -> list[str]:
    """What the shell would propose for the last of the words that are typed, which may be empty."""
    asked = {
        "_CHRONOTOPE_COMPLETE": "complete_bash",
        "COMP_WORDS": f"chronotope {typed}",
        "COMP_CWORD": str(len(f"chronotope {typed}".split(" ")) - 1),
    }
    done = subprocess.run(COMMAND, env={**os.environ, **asked}, cwd=folder, capture_output=True, text=True)
    assert not done.stderr
    return done.stdout.split()


def test_the_shell_completes_commands_options_and_the_conditions_of_a_run(tmp_path):
    assert proposed("dr", tmp_path) == ["drift"]
    assert proposed("drift run --perm", tmp_path) == ["--permutations"]
    assert proposed("train run --method com", tmp_path) == ["compass"]
    records = [{"text": "one two", "year": 1998 + number, "country": "Canada"} for number in range(3)]
    ct.count(ct.read_corpus(records, time="year", place="country"), tmp_path / "run", min_count=1)
    assert proposed("drift run --from 1999", tmp_path) == ["1999/Canada"]
    assert len(proposed("neighbors run one --at ", tmp_path)) == 3
    assert proposed("series run one --place C", tmp_path) == ["Canada"]
    assert proposed("neighbors nothing one --at ", tmp_path) == []


@pytest.mark.skipif(shutil.which("man") is None, reason="no man here")
def test_man_reads_the_page_without_complaint():
    page = ROOT / "man" / "chronotope.1"
    done = subprocess.run(
        ["man", "--warnings", "-l", page], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )
    assert done.returncode == 0
    assert not done.stderr
    assert "chronotope drift MODEL" in done.stdout


def examined(folder, **environment):
    """The findings of `chronotope doctor` in a folder, by what they are about."""
    command, environment = [*COMMAND, "doctor", "--json"], os.environ | environment
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return {finding["what"]: finding for finding in json.loads(done.stdout)["findings"]}


def test_doctor_finds_what_runs_here_and_says_how_to_install_the_rest(tmp_path):
    found = examined(tmp_path)
    assert {finding["state"] for finding in found.values()} <= {"ok", "missing"}
    assert found["numpy"]["state"] == "ok"
    for name in set(doctor.EXTRAS) - {"word2vec"}:
        finding = found[f"extra {name}"]
        assert finding["state"] == "ok" or finding["advice"] == f"pip install 'chronotope[{name}]'"
    assert not list(tmp_path.iterdir())


def test_doctor_survives_what_is_broken_and_says_how_to_mend_it(tmp_path):
    (tmp_path / "uvicorn.py").write_text("raise ImportError('no such library')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    found = examined(tmp_path, PYTHONPATH=path, NUMBA_CACHE_DIR="/proc/nowhere")
    assert found["uvicorn"]["state"] == "problem"
    assert found["uvicorn"]["advice"] == "pip install --force-reinstall uvicorn"
    if sys.platform == "linux":
        assert found["kernels"]["state"] == "problem"
        assert "NUMBA_CACHE_DIR" in found["kernels"]["advice"]


def test_doctor_knows_every_extra_and_every_requirement():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(doctor.EXTRAS) == set(project["optional-dependencies"]) - {"dev", "docs"}
    for name in doctor.EXTRAS:
        brought = " ".join(project["optional-dependencies"][name])
        assert all(package in brought for package in doctor.EXTRAS[name][1])
    required = {line.split(">=")[0] for line in project["dependencies"]}
    # Without these three it could not even say so.
    assert set(doctor.REQUIRED) == required - {"rich", "typer", "threadpoolctl"}


def test_words_of_any_language_go_into_a_pipe_on_a_system_without_utf8(tmp_path):
    records = [{"text": "café café thé été", "year": year} for year in (1990, 1991)] * 5
    (tmp_path / "texts.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    commands = (
        "prepare texts.jsonl -o run --time year --min-count 1",
        "train run --dimensions 2",
        "neighbors run café --at 1990 --json",
    )
    for command in commands:
        done = subprocess.run([*COMMAND, *command.split()], capture_output=True, cwd=tmp_path, env=plain)
        assert done.returncode == 0, done.stderr
    assert "été" in done.stdout.decode("utf-8")
