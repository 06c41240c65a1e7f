"""Sentences for a folder without a server: a sample for each word and condition, by parts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from chronotope.analysis.sentence_sample import SampledSentence, sentence_sample
from chronotope.cooccurrence import Counts
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.views.explorer.parts import as_object, as_script, write_part
from chronotope.views.explorer.text_code import counted

# So many sentences of a word are listed in each condition, at most.
SENTENCES_LISTED = 10
# So many sentences lie in one part: a word's few sentences are spread over a few parts.
IN_A_PART = 256


def write_sentences(
    counts: Counts, embeddings: ConditionedEmbeddings, folder: Path, progress: Callable[[str, int, int | None], None]
) -> None:
    """Write the sentences of every condition, and where the words of the model stand in them."""
    labels = counts.conditions.labels
    for number in range(len(labels)):
        progress("sentences", number, len(labels))
        sample = sentence_sample(counts, number, len(embeddings), SENTENCES_LISTED)
        for part in range(0, len(sample.sentences), IN_A_PART):
            name = f"sentences-{number}-{part // IN_A_PART}"
            rows = [_row(sentence) for sentence in sample.sentences[part : part + IN_A_PART]]
            write_part(folder, name, as_script(rows))
        sizes = np.bincount(sample.word, minlength=len(embeddings))
        fields = {
            "sizes": counted(sizes),
            "sentence": counted(sample.sentence),
            "start": counted(sample.start),
            "length": counted(sample.end - sample.start),
            "documents": counted(sample.documents),
        }
        write_part(folder, f"index-{number}", as_object(fields))
    progress("sentences", len(labels), len(labels))


def _row(sentence: SampledSentence) -> list[object]:
    return [sentence.text, sentence.document, sentence.date, int(sentence.cut_before) + 2 * int(sentence.cut_after)]
