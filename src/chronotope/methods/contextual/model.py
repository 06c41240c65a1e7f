"""`contextual`: the mean of a word's contextual vectors in each condition, by any encoder.

v(w, c) = 1/n Σ_k encoder(sentence_k, span of w in it)    over n ≤ per_pair usages of w in c
"""

import shutil
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from chronotope.config import ContextualSettings
from chronotope.cooccurrence import Counts
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.io.provenance import checksum_of
from chronotope.methods.base import FitOptions, Method, find_words
from chronotope.methods.contextual.encoders import open_encoder
from chronotope.methods.contextual.usages import FOLDER, encode_usages, open_usages, sample_usages


@dataclass(frozen=True, repr=False)
class ContextualModel(Method, ContextualSettings):
    """The mean of a word's contextual vectors in each condition: the sentences go through an encoder.

    The vectors of the single usages stay in the folder `usages` of the run, for `usage_change` and `senses`. A run is
    encoded once for the same settings, and an interrupted encoding resumes. The fields are those of
    `chronotope.config.ContextualSettings`. The run must have kept its text. The same seed gives the same usages; the
    vectors of a neural encoder are equal up to rounding.
    """

    supports = frozenset({"cuda"})
    _name = "contextual"

    def _fit(self, counts: Counts, options: FitOptions) -> ConditionedEmbeddings:
        if isinstance(self.words, int) or (isinstance(self.words, str) and self.words.isdecimal()):
            chosen = np.arange(min(int(self.words), len(counts.vocabulary)))
        else:
            chosen = find_words(self.words, counts.vocabulary, "words to encode")
        encoder = open_encoder(self, counts.settings.window, options)
        name = getattr(encoder, "name", None)
        named = replace(self, encoder=str(name or getattr(encoder, "__name__", type(encoder).__name__)))
        device, packages = str(getattr(encoder, "device", "cpu")), getattr(encoder, "packages", None)
        provenance = named.provenance(counts, options, device=device, packages=packages)
        identity = {part: provenance[part] for part in ("run", "window")}
        identity |= {"settings": provenance["settings"] | {"words": chosen.tolist()}}
        key = checksum_of(identity)[:16]
        folder = counts.folder / FOLDER / key
        if name is None:  # an encoder without a name may be another one next time
            shutil.rmtree(folder, ignore_errors=True)
        usages = sample_usages(counts, chosen, self.per_pair, self.seed)
        encode_usages(counts, usages, encoder, folder, options.on_step)
        usages, vectors = open_usages(folder)
        options.on_step(len(usages.word), len(usages.word))
        first = usages.groups()
        groups = pairwise([*first, len(vectors)])
        means = np.array([vectors[begin:end].astype(np.float32).mean(axis=0) for begin, end in groups])
        # Usages are sorted by word, embeddings by condition.
        by_condition = np.lexsort((usages.word[first], usages.condition[first]))
        support = counts.vocabulary.support
        kept = np.isin(support.word, chosen)
        start = np.append(0, np.cumsum(kept))[support.start]
        word = np.searchsorted(chosen, support.word[kept]).astype(np.int32)
        return ConditionedEmbeddings(
            [counts.vocabulary.words[word] for word in chosen.tolist()],
            counts.conditions,
            Support(start, word, support.count[kept]),
            means[by_condition],
            provenance=provenance | {"usages": key},
        )


def usage_folder(model: ConditionedEmbeddings) -> Any:
    """Return the folder with the vectors of a contextual model's usages."""
    return model.counts.folder / FOLDER / str(model.provenance["usages"])
