"""Words in a condition as features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from chronotope.config import one_of
from chronotope.embeddings.nearest import unit_rows
from chronotope.errors import UnknownCondition, UnknownWord
from chronotope.features.columns import read_columns
from chronotope.features.embeddings import MISSING, EmbeddingTransformer


class WordInCondition(EmbeddingTransformer):
    """The vector of each word in its condition, as a transformer of scikit-learn.

    Parameters
    ----------
    embeddings
        The embeddings, or the file that holds them.
    word, condition
        The columns of the word and of its condition; rows without names have them in this order.
    unit
        Scale vectors to length one, so that only their direction counts, as for every similarity.
    missing
        What a word or a condition that the model does not know comes to: an 'error', or 'zero'. A word that is known
        and absent from the condition has the vector of its other conditions.

    Examples
    --------
    >>> from chronotope.conditions import Conditions
    >>> from chronotope.embeddings import ConditionedEmbeddings
    >>> from chronotope.cooccurrence.vocabulary import Support
    >>> support = Support(np.array([0, 2, 4]), np.array([0, 1] * 2), np.array([9] * 4))
    >>> vectors = [[1, 0], [-1, 0], [0, 1], [0, -1]]
    >>> embeddings = ConditionedEmbeddings(["bank", "of"], Conditions.of_times(["1990", "2000"]), support, vectors)
    >>> WordInCondition(embeddings).fit_transform([("bank", "1990"), ("bank", "2000")]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(
        self,
        embeddings: Any,
        *,
        word: str = "word",
        condition: str = "condition",
        unit: bool = True,
        missing: str = "error",
    ) -> None:
        self.embeddings = embeddings
        self.word = word
        self.condition = condition
        self.unit = unit
        self.missing = missing

    def fit(self, X: Any = None, y: Any = None) -> WordInCondition:  # noqa: ARG002, N803
        """Open the embeddings; the rows are not looked at."""
        one_of("missing", self.missing, MISSING)
        self.embeddings_ = self._open()
        self.word_numbers_ = {word: number for number, word in enumerate(self.embeddings_.words)}
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:  # noqa: N803
        """(N, D) the vectors of the words.

        Parameters
        ----------
        X
            A frame of polars or pandas with both columns, a list of mappings, or of pairs (word, condition).
        """
        check_is_fitted(self)
        words, labels = read_columns(X, [self.word, self.condition])
        conditions = self.embeddings_.conditions
        known = {label.casefold(): number for number, label in enumerate(conditions.labels)}
        made = np.zeros((len(words), self.embeddings_.dimensions), dtype=np.float32)
        rows: dict[int, list[tuple[int, int]]] = {}
        for row, (word, label) in enumerate(zip(words, labels, strict=True)):
            number, at = self.word_numbers_.get(word), known.get(str(label).strip().casefold())
            if number is not None and at is not None:
                rows.setdefault(at, []).append((row, number))
            elif self.missing == "error":
                if number is None:
                    raise UnknownWord(str(word), self.embeddings_.words, len(self.embeddings_))
                raise UnknownCondition(str(label), conditions.labels)
        for at, pairs in rows.items():
            here, numbers = np.array(pairs).T
            vectors = self.embeddings_.rows(numbers, conditions.labels[at])
            made[here] = unit_rows(vectors) if self.unit else vectors
        return made
