"""How the cost of `prepare` grows with the text: `python benchmarks/growth.py [--tokens N …] [--memory 2GB]`.

The words are drawn independently of each other, which makes far more distinct pairs than people do: counting is shown
at its worst. Each size runs `chronotope prepare` in its own process; printed are its processor seconds, its wall
seconds and its peak memory, and the processor seconds per million tokens as a ratio to the smallest size.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import peak_mb, record, timed
from zipfian import invented_text

from chronotope.cooccurrence import Counts

SIZES = (1_000_000, 10_000_000, 100_000_000)
TOKENS_AT_ONCE = 10_000_000


def write_text(tokens: int, words: int, folder: Path) -> Path:
    """Write invented documents as Parquet files, a part at a time."""
    folder.mkdir()
    for seed, done in enumerate(range(0, tokens, TOKENS_AT_ONCE)):
        frame = invented_text(min(TOKENS_AT_ONCE, tokens - done), words, seed)
        frame.write_parquet(folder / f"part-{seed:03}.parquet")
    return folder


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, nargs="+", default=SIZES)
    parser.add_argument("--words", type=int, default=300_000, help="distinct words")
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--memory", help="as for `prepare`")
    asked = parser.parse_args()
    first = None
    for tokens in sorted(asked.tokens):
        with tempfile.TemporaryDirectory() as folder:
            text = write_text(tokens, asked.words, Path(folder, "text"))
            command = [sys.executable, "-m", "chronotope", "prepare", text, "-o", f"{folder}/run", "--time", "year"]
            command += ["--no-text", "--min-count", asked.min_count]
            command += ["--memory", asked.memory] if asked.memory else []
            with timed() as timing:
                subprocess.run(list(map(str, command)), check=True, capture_output=True)
            per_token = timing.cpu_seconds / tokens
            first = first or per_token
            counts = Counts.open(f"{folder}/run")
            record(
                "growth of prepare", tokens=tokens, words=len(counts.vocabulary), cells=counts.size,
                cpu_seconds=timing.cpu_seconds, seconds=timing.seconds, peak_mb=peak_mb(resource.RUSAGE_CHILDREN),
                ratio=per_token / first,
            )  # fmt: skip


if __name__ == "__main__":
    main()
