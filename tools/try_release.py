"""Install a wheel and an sdist in fresh environments, and go from a CSV file to a chart with what was installed.

    python tools/try_release.py dist python3.11 python3.12 …

For each Python: `pip install` of the wheel with its charts, `pip check`, and the commands below. The sdist is installed
and imported with the first of them. Everything happens in a temporary folder. The first failure ends it.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
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
    for number, python in enumerate(pythons):
        with tempfile.TemporaryDirectory() as work:
            try_wheel(python, wheel.resolve(), Path(work))
        if not number:
            with tempfile.TemporaryDirectory() as work:
                programs = install(python, sdist.resolve(), Path(work))
                run([programs / "python", "-c", "import chronotope; chronotope.GraphModel"], Path(work))
        print(f"{python}: installed and tried")


def install(python: str, package: Path, work: Path) -> Path:
    """Install the package in a fresh environment; return its folder of programs."""
    run([python, "-m", "venv", "venv"], work)
    programs = work / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip = [programs / "python", "-m", "pip"]
    run([*pip, "install", "--quiet", "--disable-pip-version-check", f"{package}[charts]"], work)
    run([*pip, "check"], work)
    return programs


def try_wheel(python: str, wheel: Path, work: Path) -> None:
    """Go from a wheel and a CSV file to a chart."""
    programs = install(python, wheel, work)
    with (work / "texts.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("text", "year"))
        for year in range(1990, 2000):
            company = "money loan credit" if year >= 1995 else "river water shore"
            rows.writerows([(f"the bank lent the {company} again", year)] * 40)
    for command in COMMANDS:
        run([programs / "chronotope", *command.split()], work)
    assert (work / "bank.png").stat().st_size > 10_000
    assert (work / "venv/share/man/man1/chronotope.1").exists() or os.name == "nt"


def run(call: list[object], work: Path) -> None:
    """Run a command, without the environment variables of the Python that runs us; stop if it fails."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run([str(part) for part in call], cwd=work, capture_output=True, text=True, env=outside)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, call))} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    if not shutil.which(sys.argv[2] if len(sys.argv) > 2 else ""):
        raise SystemExit(__doc__)
    main()
