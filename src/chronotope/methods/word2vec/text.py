"""The text that word2vec is trained on: documents as lists of words, held-out ones left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from chronotope.cooccurrence import Counts

# gensim reads so many words of a document and silently drops the rest, so longer ones are cut.
LONGEST = 10_000


class TrainingText:
    """The documents of some conditions, in the order of the corpus; each pass reads them anew.

    A word is written as its number, and words outside the vocabulary are left out.

    Parameters
    ----------
    counts
        Where the text is.
    conditions
        Which conditions.
    """

    def __init__(self, counts: Counts, conditions: Sequence[int]) -> None:
        self._store = counts.store
        self._names = [str(word) for word in range(len(counts.vocabulary))]
        self._conditions = conditions

    def __iter__(self) -> Iterator[list[str]]:
        store, names = self._store, self._names
        for condition in self._conditions:
            documents = store.condition_slice(condition)
            for document in range(documents.start, documents.stop):
                if store.held_out[document]:
                    continue
                ids = np.asarray(store.ids[store.starts[document] : store.starts[document + 1]])
                ids = ids[ids < len(names)]
                for first in range(0, len(ids), LONGEST):
                    yield [names[word] for word in ids[first : first + LONGEST].tolist()]
