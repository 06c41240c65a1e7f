"""The folders of SemEval-2020 Task 1 and of word usage graphs: texts and judgments."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import chronotope as ct
from chronotope.evaluation.gold import read_gold
from worlds import write

TOPICS = {"river": ["water", "shore", "boat"], "money": ["loan", "cash", "vault"]}


def sentences(period: int):
    """'plane' moves from rivers to money, 'tree' stays."""
    random = np.random.default_rng(period)
    for _ in range(200):
        yield " ".join(["plane", *random.choice(TOPICS["river" if period == 1 else "money"], 4)])
        yield " ".join(["tree", *random.choice(TOPICS["river"], 4)])
        yield " ".join(["bill", *random.choice(TOPICS["money"], 4)])


@pytest.fixture
def semeval(tmp_path):
    folder = tmp_path / "semeval"
    for period in (1, 2):
        text = "\n".join(sentences(period)).replace("plane", "plane_nn")
        write(folder / f"corpus{period}" / "lemma" / "ccoha.txt.gz", gzip.compress(text.encode()))
    write(folder / "truth" / "graded.txt", "plane_nn\t0.9\ntree\t0.1\nbill\t0.05\n")
    return folder


@pytest.fixture
def usage_graph(tmp_path):
    folder = tmp_path / "dwug_en"
    columns = ["lemma", "grouping", "context", "indexes_target_token"]
    for word in ("plane", "tree", "bill"):
        rows = [
            [f"{word}_nn", str(period), line.replace(word, word + "s"), f"0:{len(word) + 1}"]
            for period in (1, 2)
            for line in sentences(period)
            if line.startswith(word)
        ]
        text = "".join("\t".join(row) + "\n" for row in [columns, *rows])
        write(folder / "data" / word / "uses.csv", text)
    table = "lemma\tchange_binary\tchange_graded\nplane_nn\t1\t0.9\ntree_nn\t0\t0.1\nbill_nn\t0\t0.05\n"
    write(folder / "stats" / "opt" / "stats_groupings.csv", table)
    return folder


@pytest.mark.parametrize(("layout", "labels"), [("semeval", ("corpus1", "corpus2")), ("usage_graph", ("1", "2"))])
def test_change_is_judged_against_the_folder(layout, labels, request, chronotope, tmp_path):
    folder = request.getfixturevalue(layout)
    run, kind = tmp_path / "run", "semeval" if layout == "semeval" else "dwug"
    chronotope("prepare", folder, "-o", run, "--format", kind, "--min-count", "5")
    counts = ct.Counts.open(run)
    assert counts.conditions.labels == labels
    assert set(read_gold(folder).scores) <= set(counts.vocabulary.words)
    ct.GraphModel(dimensions=5).fit(counts).save(run / "model.ct")
    answer = ct.evaluate(run, gold=folder)
    assert answer.facts["spearman"] > 0.4
    assert folder.name in answer.signature


def test_another_folder_is_refused(chronotope, tmp_path):
    done = chronotope("prepare", tmp_path, tmp_path, "-o", tmp_path / "run", "--format", "dwug", code=2)
    assert "--format dwug reads one folder" in done.stderr
    with pytest.raises(ct.errors.InputError, match="not a folder of SemEval-2020"):
        ct.read_gold_corpus(tmp_path)
    with pytest.raises(ct.errors.InputError, match="has neither truth/graded"):
        read_gold(tmp_path)


def test_a_broken_use_is_named(usage_graph):
    path = usage_graph / "data" / "tree" / "uses.csv"
    path.write_text(path.read_text() + "tree_nn\t1\tno place\tx\n")
    with pytest.raises(ct.errors.InputError, match=r"uses.csv:402: expected the columns lemma"):
        ct.read_gold_corpus(usage_graph)
