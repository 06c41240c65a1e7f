"""Print sentences of the package at random, to read them with a stranger's eyes: docstrings, help, errors, captions.

    python tools/sixty.py [SEED] [NUMBER]

The same seed and the same source give the same sentences. An error that is put together in the source shows `{…}`.
"""

from __future__ import annotations

import ast
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "chronotope"
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z`'\"])")
IN_SCRIPT = re.compile(r"""'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`""")
WORDS = re.compile(r"[A-Za-z]{2,}")


def python_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of a module that people may read, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in node.values),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            # Of numpydoc sections only the text; examples are code.
            prose = [block for block in node.value.split("\n\n") if ">>>" not in block and "SELECT" not in block]
            yield from ((node.lineno, re.sub(r"(?m)^\s*\w[\w, ]*\n\s*-{3,}$", "", block)) for block in prose)


def script_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of a script of the explorer, with their lines."""
    text = path.read_text(encoding="utf-8")
    for match in IN_SCRIPT.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, re.sub(r"\$\{[^}]*\}", "{…}", next(filter(None, match.groups())))


def sentences() -> list[str]:
    """Return all sentences of four words or more, each with its file and line."""
    found = []
    for path in sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js")]):
        if path.name == "invented_words.py":  # lists of words
            continue
        for line, text in (python_texts if path.suffix == ".py" else script_texts)(path):
            for sentence in SENTENCE.split(" ".join(text.split())):
                if (
                    len(WORDS.findall(sentence)) > 3
                    and " " in sentence
                    and not re.search(r"[;=]>|[{<]/|\bconst\b", sentence)
                ):
                    found.append(f"{path.relative_to(SOURCE)}:{line}: {sentence}")
    return found


if __name__ == "__main__":
    seed, number = [*map(int, sys.argv[1:]), *(1, 60)[len(sys.argv) - 1 :]]
    print("\n".join(random.Random(seed).sample(sentences(), number)))
