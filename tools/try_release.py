"""Install a wheel and an sdist in fresh environments, and go from a CSV file to a chart with what was installed.

    python tools/try_release.py dist python3.11 python3.12 …

For each Python: `pip install` of the wheel with its charts, `pip check`, the size of what was installed, how long help
and import take, `chronotope doctor`, then prepare, train, drift and plot. The sdist is installed and imported with the
first of them. Everything happens in a temporary folder. The first thing that fails ends it.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMANDS = (
    "doctor",
    "prepare texts.csv -o run --text text --time year --min-count 2",
    "train run --dimensions 10",
    "drift run --min-count 2",
    "neighbors run bank --at all -o bank.png",
)


def main() -> None:
    """Try every Python that is named."""
    folder, *pythons = sys.argv[1:]
    (wheel,), (sdist,) = Path(folder).glob("*.whl"), Path(folder).glob("*.tar.gz")
    print(f"wheel {wheel.stat().st_size / 1e6:.2f} MB, sdist {sdist.stat().st_size / 1e6:.2f} MB")
    for number, python in enumerate(pythons):
        with tempfile.TemporaryDirectory() as work:
            try_wheel(python, wheel.resolve(), Path(work))
        if not number:
            with tempfile.TemporaryDirectory() as work:
                bin_folder = installed(python, sdist.resolve(), Path(work))
                run([bin_folder / "python", "-c", "import chronotope; chronotope.GraphModel"], Path(work))
                print("the sdist installs and imports")


def installed(python: str, package: Path, work: Path) -> Path:
    """A fresh environment that holds the package; its folder of programs."""
    run([python, "-m", "venv", "venv"], work)
    programs = work / "venv" / ("Scripts" if os.name == "nt" else "bin")
    install = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*install, f"{package}[charts]"], work)
    run([programs / "python", "-m", "pip", "check"], work)
    return programs


def try_wheel(python: str, wheel: Path, work: Path) -> None:
    """From nothing to a chart."""
    began = time.perf_counter()
    programs = installed(python, wheel, work)
    seconds = time.perf_counter() - began
    version = run([programs / "python", "--version"], work).strip()
    print(f"{version}: installed in {seconds:.0f} s, {megabytes(work / 'venv'):.0f} MB with all that it needs")
    largest = sorted(((megabytes(path), path.name) for path in work.glob("venv/lib/*/site-packages/*")), reverse=True)
    print("  largest: " + ", ".join(f"{name} {size:.0f} MB" for size, name in largest[:6]))
    for name, call in (
        ("chronotope --help", [programs / "chronotope", "--help"]),
        ("import chronotope", [programs / "python", "-c", "import chronotope"]),
    ):
        print(f"  {name}: {min(timed(call, work) for _ in range(5)):.2f} s, the best of five")
    with (work / "texts.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("text", "year"))
        for year in range(1990, 2000):
            new = year >= 1995
            rows.writerows(
                [(f"the bank lent the {'money loan credit' if new else 'river water shore'} again", year)] * 40
            )
    for command in COMMANDS:
        print(f"  chronotope {command}: {timed([programs / 'chronotope', *command.split()], work):.1f} s")
    assert (work / "bank.png").stat().st_size > 10_000
    assert (work / "venv/share/man/man1/chronotope.1").exists() or os.name == "nt"


def timed(call: list[object], work: Path) -> float:
    """How many seconds a command takes."""
    began = time.perf_counter()
    run(call, work)
    return time.perf_counter() - began


def run(call: list[object], work: Path) -> str:
    """What a command prints; it must end well. It knows nothing of the environment that we run in."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([str(part) for part in call], cwd=work, capture_output=True, text=True, env=outside)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, call))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def megabytes(path: Path) -> float:
    """The size of a file or of all files in a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.lstat().st_size for file in files if file.is_file()) / 1e6


if __name__ == "__main__":
    if not shutil.which(sys.argv[2] if len(sys.argv) > 2 else ""):
        raise SystemExit(__doc__)
    main()
