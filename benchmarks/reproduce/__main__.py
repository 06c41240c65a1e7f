"""The paper's tables on open text: `python -m benchmarks.reproduce TABLE`, or `make reproduce TABLE=...`.

Markdown (or JSON) goes to stdout, messages to stderr; counts, models, charts and `results.jsonl` into the output
folder. The same command continues a stopped run.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.reproduce import gold, report
from benchmarks.reproduce.run import Result, data_folder, run_table, say
from benchmarks.reproduce.tables import EXAMPLES, GOLD, NEWS, PLACES, TIME, Choice, Table, choices, contenders, held_out

from chronotope import ConditionedEmbeddings, load, stable
from chronotope.analysis.answer import Answer
from chronotope.analysis.charts import Ranked
from chronotope.errors import ChronotopeError, SettingsError

TABLES = {table.name: table for table in (PLACES, TIME, NEWS)}
SEEDS, DIMENSIONS = 3, 50
# The words whose neighbors the paper shows, and the queries that it answers differently than its test pairs want.
WORDS = {"time": ("apple", "windows", "policies"), "place": ("president", "program")}
FAILURES = (("website", "2014", "1990", "address"), ("bitcoin", "2015", "1992", "investment"))
MOST_CONDITIONS, STABLE_WORDS, NEIGHBORS, MIN_COUNT = 9, 35, 8, 5


def main(arguments: list[str] | None = None) -> None:
    """Parse the arguments, make the table, print it."""
    parser = argparse.ArgumentParser(prog="make reproduce", description=__doc__)
    parser.add_argument("table", choices=[*TABLES, "qualitative", "ablation", "gold"])
    parser.add_argument("-o", "--output", type=Path, default=Path("chronotope-reproduce"), metavar="DIR")
    parser.add_argument("--data", type=Path, help="folder with the data ($CHRONOTOPE_DATA, else ../shared/data)")
    parser.add_argument("--methods", help="only these, separated by commas: graph,cw2v-paper")
    parser.add_argument("--seeds", type=int, help=f"number of seeds ({SEEDS}; ablation: 1)")
    parser.add_argument("--dimensions", type=int, help=f"common length of vectors ({DIMENSIONS})")
    parser.add_argument("--threads", type=int, help="cores to use (all)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    options = parser.parse_args(arguments)
    options.methods = [name.strip() for name in options.methods.split(",")] if options.methods else None
    make = {"qualitative": qualitative, "ablation": ablation, "gold": judgments}.get(options.table, table)
    try:
        if options.output.exists() and not options.output.is_dir():
            raise SettingsError(f"{options.output} is a file; name a folder for the results")
        data, text = make(options)
    except ChronotopeError as error:
        say(f"error: {error}")
        sys.exit(2)
    except KeyboardInterrupt:
        say("stopped; the same command continues with the fit that was interrupted")
        sys.exit(130)
    sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n" if options.json else text)


def table(options: argparse.Namespace) -> tuple[Any, str]:
    """Make one of the paper's tables, and a chart for each file of pairs."""
    chosen = TABLES[options.table]
    who = contenders(chosen.axis, options.dimensions or DIMENSIONS, options.methods)
    result = _run(chosen, options, who, options.seeds or SEEDS)
    sections = report.summarize(result)
    for section in sections:
        _chart(section, options.output / f"{chosen.name}-{Path(section['pairs']).stem}.png")
    data = {
        "table": chosen.name,
        "title": chosen.title,
        "words": len(result.counts.vocabulary),
        "conditions": list(result.counts.conditions.labels),
        "tokens": int(result.counts.tokens.sum()),
        "sections": sections,
        "skipped": result.skipped,
    }
    return data, report.table_report(result, sections)


def _run(chosen: Table, options: argparse.Namespace, who: Any, seeds: int, **keywords: Any) -> Result:
    data = data_folder(options.data, chosen)
    options.output.mkdir(parents=True, exist_ok=True)
    return run_table(chosen, data, options.output, who, range(1, seeds + 1), options.threads, **keywords)


def _chart(section: dict[str, Any], path: Path) -> None:
    rows = [
        {"model": line["contender"], "mrr": line["mean"]["mrr"]}
        | dict(zip(("low", "high"), line["interval"], strict=True))
        | {"standing": _standing(line["behind"])}
        for line in sorted(section["lines"], key=lambda line: -line["mean"]["mrr"])
    ]
    notes = ["Interval: 95 %, from draws of the words asked about."]
    chart = Ranked(label="model", value="mrr", band=("low", "high"), detail=("standing",))
    Answer(rows, title=f"{section['size']:,} pairs of {section['pairs']}", notes=notes, chart=chart).save(path)
    say(str(path))


def _standing(behind: dict[str, Any] | None) -> str:
    return "best" if behind is None else "behind" if behind["real"] else "not clearly behind"


def ablation(options: argparse.Namespace) -> tuple[Any, str]:
    """Change one setting of our models at a time, on time and on places."""
    if options.dimensions is not None:
        raise SettingsError("the ablation changes dimensions itself; leave --dimensions out")
    tried = choices(options.methods)
    data_folder(options.data, TIME, PLACES)
    figures: dict[str, dict[str, Any]] = {}
    skipped: dict[str, str] = {}
    for chosen in (TIME, PLACES):
        here = [choice for choice in tried if choice.axis in (None, chosen.axis)]
        plain = _ablation_runs(chosen, options, here, renamed=False)
        trained = {fit["contender"] for one in plain for fit in one.fits}
        again = _ablation_runs(chosen, options, [one for one in here if one.name in trained], renamed=True)
        figures[chosen.name] = report.ablation_figures(here, plain, again)
        skipped |= {f"{name}, {chosen.name}": why for one in plain for name, why in one.skipped.items()}
    titles = {chosen.name: chosen.title for chosen in (TIME, PLACES)}
    rows = [
        {"choice": one.name, "figures": {name: figures[name][one.name] for name in titles if one.name in figures[name]}}
        for one in tried
    ]
    text = report.ablation_report(tried, figures, titles, skipped)
    return {"tables": titles, "rows": rows, "skipped": skipped}, text


def _ablation_runs(chosen: Table, options: argparse.Namespace, tried: list[Choice], *, renamed: bool) -> list[Result]:
    """Train the choices, those on flat counts separately; the models are not kept."""
    return [
        _run(
            held_out(chosen, flat=flat, renamed=renamed),
            options,
            [choice.contender() for choice in tried if choice.flat == flat],
            options.seeds or 1,
            keep_models=False,
        )
        for flat in sorted({choice.flat for choice in tried})
    ]


def judgments(options: argparse.Namespace) -> tuple[Any, str]:
    """Compare every method with human judgments of change."""
    data = data_folder(options.data, *GOLD)
    rows: dict[str, dict[str, Any]] = {}
    about, skipped = [], {}
    for one in GOLD:
        scores = gold.gold_scores(data, one)
        who = gold.with_words(contenders(one.axis, DIMENSIONS, options.methods), scores)
        result = _run(one, options, who, options.seeds or SEEDS)
        for name, cells in gold.judged(result, scores, options.output).items():
            rows.setdefault(name, {}).update(cells)
        tokens, words = int(result.counts.tokens.sum()), len(result.counts.vocabulary)
        about.append(f"{one.title}: {tokens:,} running words of {words:,} words.")
        skipped |= result.skipped
    titles = [one.title for table in GOLD for one in table.judgments]
    about += [f"{name} was skipped: {why}" for name, why in skipped.items()]
    return {"rows": rows, "skipped": skipped}, gold.gold_report(rows, titles, about)


def qualitative(options: argparse.Namespace) -> tuple[Any, str]:
    """Show stable words, neighbors over conditions and the paper's two failures, for our model and the paper's."""
    chosen = options.methods or ["graph", "cw2v"]
    data_folder(options.data, EXAMPLES, PLACES)
    found = []
    for one in (EXAMPLES, PLACES):
        who = [who for who in contenders(one.axis, options.dimensions or DIMENSIONS, chosen) if who.name in chosen]
        result = _run(one, options, who, seeds=1)
        found += [_examples(load(options.output / fit["model"]), fit["contender"], one.axis) for fit in result.fits]
    return found, report.examples_report(found)


def _examples(embeddings: ConditionedEmbeddings, contender: str, axis: str) -> dict[str, Any]:
    same = stable(embeddings, min_conditions=max(2, len(embeddings.conditions)), top=STABLE_WORDS)
    return {
        "method": contender,
        "axis": axis,
        "signature": embeddings.signature,
        "stable": same["word"].to_list(),
        "neighbors": [row for word in WORDS[axis] if word in embeddings for row in _neighbors(embeddings, word)],
        "failures": [_failure(embeddings, *asked) for asked in FAILURES] if axis == "time" else [],
    }


def _neighbors(embeddings: ConditionedEmbeddings, word: str) -> list[dict[str, Any]]:
    """Return the neighbors of a word in evenly spaced conditions where it is frequent enough."""
    support = embeddings.count(word)
    labels = [label for label, times in support.items() if times >= MIN_COUNT]
    if len(labels) > MOST_CONDITIONS:
        step = (len(labels) - 1) / (MOST_CONDITIONS - 1)
        labels = [labels[round(number * step)] for number in range(MOST_CONDITIONS)]
    return [
        {
            "word": word,
            "at": label,
            "count": support[label],
            "found": [one.word for one in embeddings.neighbors(word, label, NEIGHBORS, min_count=MIN_COUNT)],
        }
        for label in labels
    ]


def _failure(embeddings: ConditionedEmbeddings, word: str, at: str, to: str, wanted: str) -> dict[str, Any]:
    known = word in embeddings and {at, to} <= set(embeddings.conditions.labels)
    count = embeddings.count(word, at) if known else 0
    found = embeddings.equivalents(word, at, to, NEIGHBORS, min_count=MIN_COUNT) if count else []
    return {"word": word, "at": at, "to": to, "count": count, "found": [one.word for one in found], "wanted": wanted}


if __name__ == "__main__":
    main()
