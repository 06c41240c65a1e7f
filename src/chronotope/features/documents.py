"""Documents as features: the weighted mean of the vectors that their words have at their time and place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from chronotope.config import CorpusSettings, at_least, one_of
from chronotope.corpus.lexicon import Normalizer
from chronotope.corpus.tokenizer import split_texts
from chronotope.errors import InputError
from chronotope.features.columns import read_columns
from chronotope.features.embeddings import MISSING, EmbeddingTransformer
from chronotope.features.placing import NOWHERE, place_in_conditions, refuse
from chronotope.runtime.blas import one_blas_thread

WEIGHTINGS = ("mean", "tfidf", "sif")


class DocumentVectors(EmbeddingTransformer):
    """Dated and placed documents as vectors, as a transformer of scikit-learn.

    A document is the weighted mean of its words, each with the vector (of length one) that it has in the condition of
    the document: `bank` in a text of 1990 and `bank` in one of 2010 are not the same feature. Words that the model
    does not know are left out; a document without known words is zero.

    Parameters
    ----------
    embeddings
        The embeddings, or the file that holds them.
    text, time, place
        The columns of the text, of its time (a year, a date, a timestamp, or the label of a bin) and of its place; the
        last two matter only where the embeddings have that axis. Rows without names have them in this order.
    weighting
        'mean': every occurrence counts the same. 'tfidf': rare words count more, by the documents of `fit`. 'sif'
        (Arora et al. 2017): a word counts a / (a + its share of all words), and what all documents of `fit` have in
        common, their first principal axis, is taken off.
    sif
        The a of 'sif'.
    min_support
        A word counts where it occurs at least so often in the condition; 0: also where it is absent, with the vector
        of its other conditions.
    tokenizer, lowercase, strip_accents
        How texts are cut into words; the same as for `read_corpus` when the model was made.
    missing
        What a document in no condition of the model comes to: an 'error', or 'zero'.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.embeddings import ConditionedEmbeddings
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 2, 4]), np.array([0, 1] * 2), np.array([9] * 4))
    >>> vectors = [[1, 0], [-1, 0], [0, 1], [0, -1]]
    >>> embeddings = ConditionedEmbeddings(["bank", "of"], Conditions.of_times(["1990s", "2000s"]), support, vectors)
    >>> documents = [{"text": "The bank!", "time": "1994-05-01"}, {"text": "The bank!", "time": 2003}]
    >>> DocumentVectors(embeddings).fit_transform(documents).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(
        self,
        embeddings: Any,
        *,
        text: str = "text",
        time: str = "time",
        place: str = "place",
        weighting: str = "mean",
        sif: float = 1e-3,
        min_support: int = 0,
        tokenizer: Any = "words",
        lowercase: bool = True,
        strip_accents: bool = False,
        missing: str = "error",
    ) -> None:
        self.embeddings = embeddings
        self.text = text
        self.time = time
        self.place = place
        self.weighting = weighting
        self.sif = sif
        self.min_support = min_support
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.missing = missing

    def fit(self, X: Any, y: Any = None) -> DocumentVectors:  # noqa: ARG002, N803
        """Open the embeddings, and learn the weights from documents where the weighting has any to learn."""
        one_of("weighting", self.weighting, WEIGHTINGS)
        one_of("missing", self.missing, MISSING)
        at_least("min_support", self.min_support, 0)
        if self.sif <= 0:
            raise InputError(f"sif must be above 0, not {self.sif}")
        self.embeddings_ = self._open()
        self.word_numbers_ = {word: number for number, word in enumerate(self.embeddings_.words)}
        self.longest_phrase_ = max(word.count("_") + 1 for word in self.embeddings_.words)
        self.common_axis_ = None
        self.word_weights_ = np.ones(len(self.embeddings_))
        if self.weighting == "tfidf":
            counted = self._counted(self._columns(X)[0])
            found = np.bincount(counted.indices, minlength=len(self.embeddings_))
            self.word_weights_ = np.log((1 + counted.shape[0]) / (1 + found)) + 1
        elif self.weighting == "sif":
            observed = self.embeddings_.observed
            counts = np.bincount(observed.word, observed.count, len(self.embeddings_))
            self.word_weights_ = self.sif / (self.sif + counts / counts.sum())
            made = self._means(X)
            if len(made):
                # The sign of an axis does not matter: what is taken off is the same.
                with one_blas_thread():
                    self.common_axis_ = np.linalg.svd(made, full_matrices=False)[2][0]
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:  # noqa: N803
        """(N, D) the vectors of the documents.

        Parameters
        ----------
        X
            A frame of polars or pandas, a list of mappings, or of rows (text, time, place).
        """
        check_is_fitted(self)
        made = self._means(X)
        if self.common_axis_ is not None:
            made -= np.outer(made @ self.common_axis_, self.common_axis_)
        return made.astype(np.float32)

    def _means(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """(N, D) the weighted means."""
        texts, times, places = self._columns(X)
        conditions = self.embeddings_.conditions
        if conditions.times or conditions.places:
            where = place_in_conditions(conditions, times, places)
        else:
            where = np.zeros(len(texts), dtype=np.int64)
        if self.missing == "error":
            told = {"time": times, "place": places}
            refuse(where, {name: values for name, values in told.items() if values}, conditions)
        counted = self._counted(texts)
        made = np.zeros((len(texts), self.embeddings_.dimensions))
        for at in np.unique(where[where != NOWHERE]).tolist():
            here = np.flatnonzero(where == at)
            matrix = self.embeddings_.matrix(conditions.labels[at], self.min_support)
            weights = counted[here][:, matrix.word] * self.word_weights_[matrix.word]
            total = np.asarray(weights.sum(axis=1)).reshape(-1, 1)
            made[here] = (csr_array(weights) @ matrix.unit.astype(np.float64)) / np.where(total > 0, total, 1)
        return made

    def _columns(self, X: Any) -> tuple[list[str], list[Any], list[Any]]:  # noqa: N803
        conditions = self.embeddings_.conditions
        names = [self.text] + [self.time] * bool(conditions.times) + [self.place] * bool(conditions.places)
        columns = read_columns(X, names)
        texts = ["" if text is None else str(text) for text in columns[0]]
        times = columns[1] if conditions.times else []
        return texts, times, columns[-1] if conditions.places else []

    def _counted(self, texts: Sequence[str]) -> Any:
        """(N, W) how often each word of the model occurs in each text, sparse."""
        own = "words" if self.tokenizer is None else self.tokenizer
        if isinstance(own, str):
            one_of("tokenizer", own, ("words", "whitespace"))
        tokens = split_texts(pl.Series(texts, dtype=pl.String), own)
        normalize = Normalizer(CorpusSettings(lowercase=self.lowercase, strip_accents=self.strip_accents))
        as_it_is = own != "words"
        words = [normalize(form, as_it_is) for form in tokens.forms]
        rows = np.repeat(np.arange(len(texts)), tokens.length)
        if self.longest_phrase_ == 1:
            numbers = np.array([self.word_numbers_.get(word, NOWHERE) for word in words], dtype=np.int64)[tokens.code]
        else:
            ends = np.cumsum(tokens.length)
            found = [self._with_phrases([words[form] for form in part]) for part in np.split(tokens.code, ends[:-1])]
            rows = np.repeat(np.arange(len(texts)), [len(part) for part in found])
            numbers = np.array([number for part in found for number in part], dtype=np.int64)
        known = numbers != NOWHERE
        shape = (len(texts), len(self.embeddings_))
        counted = csr_array((np.ones(int(known.sum())), (rows[known], numbers[known])), shape=shape)
        counted.sum_duplicates()
        return counted

    def _with_phrases(self, words: list[str]) -> list[int]:
        """The numbers of the words that the model knows; words that are a phrase of it together count as that."""
        found = []
        at = 0
        while at < len(words):
            for size in range(min(self.longest_phrase_, len(words) - at), 0, -1):
                number = self.word_numbers_.get("_".join(words[at : at + size]))
                if number is not None:
                    found.append(number)
                    break
            else:
                size = 1
            at += size
        return found
