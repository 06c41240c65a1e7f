"""Everything public is documented, and the pages made from the code are those of this code."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import chronotope
from chronotope.analysis.answer import questions

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import reference  # noqa: E402
import reference_cli  # noqa: E402


def test_the_generated_pages_are_not_stale():
    assert reference.stale() == [], "run: python tools/reference.py"


def test_every_public_name_has_a_docstring_with_its_parameters_and_a_place_in_the_reference():
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs/reference").glob("*.md"))
    for name in set(chronotope.__all__) - set(questions()):
        thing = getattr(chronotope, name)
        assert inspect.getdoc(thing), name
        assert f"::: {thing.__module__}.{thing.__qualname__}\n" in pages, name
        if inspect.isfunction(thing):
            told = set(re.findall(r"\w+", inspect.getdoc(thing) or ""))
            missing = [part for part in inspect.signature(thing).parameters if part not in told]
            assert not missing, f"{name} does not explain {', '.join(missing)}"


def test_names_are_there_after_a_plain_import_and_no_module_hides_a_question():
    names = ["chronotope.errors.InputError", "chronotope.analysis", "chronotope.evaluation"]
    lines = ["import chronotope", *names, "import chronotope.analysis.series, chronotope.methods.align"]
    lines += ["assert callable(chronotope.series)", "assert callable(chronotope.align)"]
    done = subprocess.run([sys.executable, "-c", "; ".join(lines)], capture_output=True, text=True)
    assert done.stderr == ""
    assert not hasattr(chronotope, "plot")


def test_every_command_and_every_option_says_what_it_does():
    for command in reference_cli.commands():
        assert command.help, command.name
        for part in command.parameters:
            assert part.help, f"{command.name} {part.written}"


def test_every_command_line_in_the_documentation_exists():
    known = {
        command.name: {
            name
            for part in command.parameters
            for name in part.written.replace(",", "").split()
            if name.startswith("-")
        }
        for command in reference_cli.commands()
    }
    known["entropy"] = {"-o"}  # the example of CONTRIBUTING.md
    texts = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
    checked = 0
    for path in texts:
        text = path.read_text(encoding="utf-8")
        for line in re.findall(r"(?:^|`)(chronotope [^`\n#|]+)", text, re.MULTILINE):
            words = line.replace("…", " ").split()
            if not re.fullmatch("[a-z]+(-[a-z]+)*", words[1]):
                continue  # --version, or COMMAND
            assert words[1] in known, (path.name, line)
            options = {word for word in words[2:] if re.fullmatch(r"--?[a-z][a-z-]*", word)}
            assert options <= known[words[1]] | {"-h", "--help"}, (path.name, line)
            checked += 1
    assert checked > 150


def test_the_page_on_files_names_every_file_of_a_run_and_every_tensor_of_a_model(tmp_path):
    import chronotope as ct
    from chronotope.embeddings.storage import TENSORS

    records = [{"text": "one two three two one", "year": 1990 + number % 2, "kind": "a"} for number in range(4)]
    ct.count(ct.read_corpus(records, time="year", keep="kind"), tmp_path / "run", min_count=1)
    page = (ROOT / "docs/reference/files.md").read_text(encoding="utf-8")
    for path in (tmp_path / "run").iterdir():
        assert f"`{path.name}`" in page
    for name in TENSORS:
        assert f"`{name}`" in page
