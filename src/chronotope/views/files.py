"""Answers as files: a chart or the rows, by the ending of the name."""

from __future__ import annotations

from pathlib import Path

from chronotope.analysis.answer import Answer
from chronotope.errors import SettingsError
from chronotope.io.atomic import atomic_write

CHARTS = (".png", ".svg", ".pdf", ".html")
ROWS = (".csv", ".json", ".md", ".parquet")


def check_ending(path: Path, *, chart: bool) -> None:
    """Raise SettingsError if the ending of a file is unknown, or that of a chart where there is none."""
    endings = (*CHARTS, *ROWS) if chart else ROWS
    if path.suffix.lower() not in endings:
        none = " (this answer has no chart)" if path.suffix.lower() in CHARTS else ""
        raise SettingsError(f"{path}: the name must end in {', '.join(endings[:-1])} or {endings[-1]}{none}")


def write_answer(answer: Answer, path: Path) -> None:
    """Write a chart (.png, .svg, .pdf, .html) or the rows (.csv, .json, .md, .parquet)."""
    check_ending(path, chart=answer.chart is not None)
    ending = path.suffix.lower()
    if ending in CHARTS:
        from chronotope.views.charts import write_chart

        write_chart(answer, path)
        return
    with atomic_write(path) as file:
        if ending == ".parquet":
            answer.frame.write_parquet(file)
        else:
            text = {".csv": answer.to_csv, ".json": answer.to_json, ".md": answer.to_markdown}[ending]()
            file.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8", newline="")
