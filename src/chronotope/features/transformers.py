"""Transformers for scikit-learn that look up word vectors."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from chronotope.config import CorpusSettings, at_least, one_of
from chronotope.corpus.lexicon import Normalizer
from chronotope.corpus.tokenizer import split_texts
from chronotope.embeddings import ConditionedEmbeddings, load
from chronotope.embeddings.nearest import unit_rows
from chronotope.errors import InputError, UnknownConditionError, UnknownWordError
from chronotope.features.rows import MISSING, find_conditions, find_labels, read_columns, refuse_missing
from chronotope.runtime.blas import one_blas_thread

WEIGHTINGS = ("mean", "tfidf", "sif")
IF_MISSING = ("error", "zero")
OVERALL = "overall"


class EmbeddingTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base class: opens the embeddings and describes the transformer to scikit-learn."""

    embeddings: Any

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the names of the columns: dimension0, dimension1, …"""
        check_is_fitted(self)
        return np.array([f"dimension{at}" for at in range(self.embeddings_.dimensions)], dtype=object)

    def _open(self) -> None:
        model = load(Path(self.embeddings)) if isinstance(self.embeddings, str | PathLike) else self.embeddings
        if not isinstance(model, ConditionedEmbeddings):
            raise InputError(f"embeddings must be a model or its file, not {type(model).__name__}")
        self.embeddings_ = model
        self.word_numbers_ = {word: number for number, word in enumerate(self.embeddings_.words)}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags


@dataclass(eq=False, repr=False)
class WordInCondition(EmbeddingTransformer):
    """The vector of each word in its condition.

    Warning: such vectors reveal their condition. A classifier that predicts the condition, or anything correlated with
    it, learns it from the vectors, not from the text; compare with `condition="overall"`.

    Parameters
    ----------
    embeddings
        The embeddings, or the file that holds them.
    word, condition
        The columns of the word and of its condition; rows without names have them in this order. With
        `condition="overall"` every word has its overall vector, and only `word` is read.
    unit
        Whether to scale vectors to length one, so that only their direction counts, as for every similarity.
    missing
        'error' or 'zero': the result for an unknown word or condition. A known word that is absent from the condition
        gets the vector of its other conditions.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 2, 4]), np.array([0, 1] * 2), np.array([9] * 4))
    >>> vectors = [[1, 0], [-1, 0], [0, 1], [0, -1]]
    >>> embeddings = ConditionedEmbeddings(["bank", "of"], Conditions.of_times(["1990", "2000"]), support, vectors)
    >>> WordInCondition(embeddings).fit_transform([("bank", "1990"), ("bank", "2000")]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    embeddings: Any
    _: KW_ONLY
    word: str = "word"
    condition: str = "condition"
    unit: bool = True
    missing: str = "error"

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: ARG002, N803
        """Open the embeddings; the rows are ignored."""
        one_of("missing", self.missing, IF_MISSING)
        self._open()
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:  # noqa: N803
        """Return the (N, D) vectors for a frame of polars or pandas, a list of mappings, or of (word, condition)."""
        check_is_fitted(self)
        overall = self.condition == OVERALL
        words, *others = read_columns(X, [self.word] if overall else [self.word, self.condition])
        conditions = self.embeddings_.conditions
        word = np.array([self.word_numbers_.get(word, MISSING) for word in words], dtype=np.int64)
        labels = words if overall else others[0]
        where = np.zeros(len(words), np.int64) if overall else find_labels(conditions.labels, labels)
        bad = np.flatnonzero((word == MISSING) | (where == MISSING))
        if len(bad) and self.missing == "error":
            if word[bad[0]] == MISSING:
                raise UnknownWordError(str(words[bad[0]]), self.embeddings_.words, len(self.embeddings_))
            raise UnknownConditionError(str(labels[bad[0]]), conditions.labels)
        where[bad] = MISSING
        result = np.zeros((len(words), self.embeddings_.dimensions), dtype=np.float32)
        for at in np.unique(where[where != MISSING]).tolist():
            vectors = self.embeddings_.rows(word[where == at], None if overall else conditions.labels[at])
            result[where == at] = unit_rows(vectors) if self.unit else vectors
        return result


@dataclass(eq=False, repr=False)
class DocumentVectors(EmbeddingTransformer):
    """Dated and placed documents as vectors.

    A document is the weighted mean of its words, each with its unit vector in the condition of the document: `bank` in
    a text of 1990 and `bank` in one of 2010 are different features. Words that the model does not know are left out; a
    document without known words is zero.

    Warning: such vectors reveal their condition. A classifier that predicts the time or the place of a document, or
    anything correlated with them, learns it from the vectors, not from the text. For such a task, and as a baseline for
    every other task, use `condition="overall"`.

    Parameters
    ----------
    embeddings
        The embeddings, or the file that holds them.
    text, time, place
        The columns of the text, of its time (a year, a date, a timestamp, or the label of a bin) and of its place; time
        and place are read only if the embeddings have that axis. Rows without names have them in this order.
    condition
        'own': the vectors of the document's time and place. 'overall': every word has its overall vector, and time and
        place are not read.
    weighting
        'mean': equal weights. 'tfidf': inverse document frequency in the documents of `fit`. 'sif' (Arora et al. 2017):
        a word has the weight a / (a + its share of all words), and the first principal axis of the documents of `fit`
        is removed.
    sif
        The a of 'sif'.
    min_count
        Minimum count of a word in the condition; 0 includes absent words, with the vectors of their other conditions.
    tokenizer, lowercase, strip_accents
        How texts are tokenized; use the settings that the model's corpus was read with.
    missing
        'error' or 'zero': the result for a document in no condition of the model.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 2, 4]), np.array([0, 1] * 2), np.array([9] * 4))
    >>> vectors = [[1, 0], [-1, 0], [0, 1], [0, -1]]
    >>> embeddings = ConditionedEmbeddings(["bank", "of"], Conditions.of_times(["1990s", "2000s"]), support, vectors)
    >>> documents = [{"text": "The bank!", "time": "1994-05-01"}, {"text": "The bank!", "time": 2003}]
    >>> DocumentVectors(embeddings).fit_transform(documents).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    embeddings: Any
    _: KW_ONLY
    text: str = "text"
    time: str = "time"
    place: str = "place"
    condition: str = "own"
    weighting: str = "mean"
    sif: float = 1e-3
    min_count: int = 0
    tokenizer: Any = "words"
    lowercase: bool = True
    strip_accents: bool = False
    missing: str = "error"

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002, N803
        """Open the embeddings, and learn the weights of 'tfidf' or 'sif' from the documents."""
        one_of("condition", self.condition, ("own", OVERALL))
        one_of("weighting", self.weighting, WEIGHTINGS)
        one_of("missing", self.missing, IF_MISSING)
        at_least("min_count", self.min_count, 0)
        if self.sif <= 0:
            raise InputError(f"sif must be above 0, not {self.sif}")
        self._open()
        self.longest_phrase_ = max(word.count("_") + 1 for word in self.embeddings_.words)
        self.common_axis_ = None
        self.word_weights_ = np.ones(len(self.embeddings_))
        if self.weighting == "tfidf":
            counts = self._counts(self._columns(X)[0])
            documents = np.bincount(counts.indices, minlength=len(self.embeddings_))
            self.word_weights_ = np.log((1 + counts.shape[0]) / (1 + documents)) + 1
        elif self.weighting == "sif":
            observed = self.embeddings_.observed
            totals = np.bincount(observed.word, observed.count, len(self.embeddings_))
            self.word_weights_ = self.sif / (self.sif + totals / totals.sum())
            means = self._means(X)
            if len(means):
                with one_blas_thread():
                    self.common_axis_ = np.linalg.svd(means, full_matrices=False)[2][0]
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:  # noqa: N803
        """Return the (N, D) vectors for a frame of polars or pandas, a list of mappings, or of (text, time, place)."""
        check_is_fitted(self)
        means = self._means(X)
        if self.common_axis_ is not None:
            means -= np.outer(means @ self.common_axis_, self.common_axis_)
        return means.astype(np.float32)

    def _means(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the (N, D) weighted means."""
        texts, columns = self._columns(X)
        conditions = self.embeddings_.conditions
        where = np.zeros(len(texts), dtype=np.int64)
        if columns:
            where = find_conditions(conditions, columns.get("time", []), columns.get("place", []))
        if self.missing == "error":
            refuse_missing(where, columns, conditions)
        counts = self._counts(texts)
        means = np.zeros((len(texts), self.embeddings_.dimensions))
        for at in np.unique(where[where != MISSING]).tolist():
            rows = np.flatnonzero(where == at)
            label = None if self.condition == OVERALL else conditions.labels[at]
            matrix = self.embeddings_.matrix(label, self.min_count)
            weights = csr_array(counts[rows][:, matrix.word] * self.word_weights_[matrix.word])
            total = np.asarray(weights.sum(axis=1)).reshape(-1, 1)
            means[rows] = (weights @ matrix.unit.astype(np.float64)) / np.where(total > 0, total, 1)
        return means

    def _columns(self, X: Any) -> tuple[list[str], dict[str, list[Any]]]:  # noqa: N803
        """Return the texts, and the times and places that the conditions need."""
        conditions = self.embeddings_.conditions
        axes = {"time": self.time} if conditions.times else {}
        axes |= {"place": self.place} if conditions.places else {}
        axes = {} if self.condition == OVERALL else axes
        texts, *others = read_columns(X, [self.text, *axes.values()])
        return ["" if text is None else str(text) for text in texts], dict(zip(axes, others, strict=True))

    def _counts(self, texts: Sequence[str]) -> Any:
        """Return a sparse (N, W) matrix: how often each word of the model occurs in each text."""
        if not callable(self.tokenizer):
            one_of("tokenizer", self.tokenizer, ("words", "whitespace"))
        tokens = split_texts(pl.Series(texts, dtype=pl.String), self.tokenizer)
        normalize = Normalizer(CorpusSettings(lowercase=self.lowercase, strip_accents=self.strip_accents))
        words = [normalize(form, self.tokenizer != "words") for form in tokens.forms]
        split = np.split(tokens.code, np.cumsum(tokens.length))[:-1]
        documents = [[words[code] for code in codes.tolist()] for codes in split]
        counter = CountVectorizer(analyzer=self._join_phrases, vocabulary=self.word_numbers_, dtype=np.float64)
        return csr_array(counter.transform(documents))

    def _join_phrases(self, words: list[str]) -> Iterator[str]:
        """Yield words, joined where they are a phrase of the model; the longest phrase wins."""
        at = 0
        while at < len(words):
            sizes = range(min(self.longest_phrase_, len(words) - at), 0, -1)
            size = next((size for size in sizes if "_".join(words[at : at + size]) in self.word_numbers_), 1)
            yield "_".join(words[at : at + size])
            at += size
