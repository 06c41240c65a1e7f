"""The questions as addresses: GET /api/<name>?…, each answer exactly what the library says, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response

from chronotope.analysis.changepoints import ChangePoints
from chronotope.analysis.collocates import Collocates
from chronotope.analysis.comparison import Comparison
from chronotope.analysis.everywhere import Everywhere, needed_cosines
from chronotope.analysis.frequency import Frequency
from chronotope.analysis.grid import Grid
from chronotope.analysis.lookup import Lookup
from chronotope.analysis.maps import WordMap
from chronotope.analysis.places import PlaceDistances
from chronotope.analysis.ranks import Ranks
from chronotope.analysis.series import SelfSimilarity, Series
from chronotope.analysis.trajectory import Trajectory
from chronotope.errors import ChronotopeError, number_of
from chronotope.runtime.resources import cores
from chronotope.views.explorer import questions
from chronotope.views.explorer.answers import Answers, Lane, to_json
from chronotope.views.explorer.explored import Explored

LONGEST_WORD, LONGEST_FORMULA, LONGEST_QUERY = 200, 500, 100
MOST, MOST_WORDS, MOST_SUPPORT, MOST_DRAWS = 50, 5, 1_000_000, 200

Word = Annotated[str, Query(min_length=1, max_length=LONGEST_WORD, description="A word.")]
SomeWords = Annotated[
    list[Annotated[str, Query(min_length=1, max_length=LONGEST_WORD)]],
    Query(min_length=1, max_length=MOST_WORDS, description="A word; may be repeated."),
]
At = Annotated[str, Query(max_length=LONGEST_WORD, description="A condition: 1998, canada, 1998/canada.")]
AnyAt = Annotated[str | None, Query(max_length=LONGEST_WORD, description="A condition; without it, all.")]
Place = Annotated[str | None, Query(max_length=LONGEST_WORD, description="The place whose time line is meant.")]
Near = Annotated[str | None, Query(max_length=LONGEST_WORD, description="A word that stands near by.")]
Against = Annotated[str, Query(max_length=LONGEST_WORD, description="first, previous, overall, or a condition.")]
Formula = Annotated[str, Query(max_length=LONGEST_FORMULA, description="An axis: fruit - company.")]
AnyFormula = Annotated[str | None, Query(max_length=LONGEST_FORMULA, description="An axis: fruit - company.")]
Top = Annotated[int, Query(ge=1, le=MOST, description="How many.")]
Offset = Annotated[int, Query(ge=0, le=questions.MOST_SENTENCES, description="How many to pass over.")]
MinCount = Annotated[int, Query(ge=0, le=MOST_SUPPORT, description="How often a word must occur to be an answer.")]
Enough = Annotated[int, Query(ge=1, le=MOST_SUPPORT, description="How often a word must occur to be judged.")]
Retrieval = Annotated[str, Query(pattern="^(cosine|csls)$", description="How answers are ranked.")]
Method = Annotated[str, Query(pattern="^(lle|pca)$", description="How the picture is made.")]
Chance = Annotated[float, Query(gt=0, le=1, description="How often a vector without meaning may have a match.")]


class UnknownWordAskedError(ChronotopeError):
    """A word is not among those of the model; `alike` holds words that may be meant."""

    def __init__(self, word: str, alike: Sequence[str], count: int) -> None:
        proposed = f"; did you mean {', '.join(alike[:3])}?" if alike else ""
        super().__init__(f"'{word}' is not among the {number_of(count, 'words')} of this model{proposed}")
        self.alike = list(alike)


class Asking:
    """The answers to questions about one model.

    Parameters
    ----------
    explored
        What is looked at.
    answers
        Where answers are made and kept; by default with as many threads as there are cores.
    """

    def __init__(self, explored: Explored, answers: Answers | None = None) -> None:
        self.explored = explored
        self.answers = answers or Answers(cores())

    async def ask(
        self, question: Callable[..., Any], *given: Any, words: Sequence[str] = (), lane: Lane = Lane.CHARTS
    ) -> Response:
        """The answer to a question as a response; `words` must be words of the model."""
        await self.check(words)
        key = (question.__name__, *(tuple(one) if isinstance(one, list) else one for one in given))
        body = await self.answers.json(key, lambda: question(self.explored, *given), lane)
        return Response(body, media_type="application/json")

    async def check(self, words: Sequence[str]) -> None:
        """Refuse words that the model does not have, and say which may be meant."""
        embeddings, index = self.explored.embeddings, self.explored.words
        for word in words:
            if word not in embeddings:
                found = await self.answers.value(
                    ("alike", word), partial(index.alike, word), lambda rows: 100 * len(rows), Lane.QUICK
                )
                raise UnknownWordAskedError(word, [row.word for row in found], len(embeddings))

    async def needed(self, at: str, chance: float, min_count: int, lane: Lane = Lane.CHARTS) -> tuple[float, ...]:
        """What a match needs in each condition; the same for every word, so that it is kept by itself."""
        embeddings = self.explored.embeddings
        at = embeddings.conditions.labels[embeddings.conditions.index(at)]
        found: tuple[float, ...] = await self.answers.value(
            ("needed", at, chance, min_count),
            lambda: needed_cosines(embeddings, at, chance=chance, min_count=min_count),
            lambda values: 32 * len(values),
            lane,
        )
        return found


REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"description": "The model has no such word or condition."},
    409: {"description": "What is looked at has not what the question needs: places, times or text."},
}


def routes(asking: Asking) -> APIRouter:
    """The addresses of all questions."""
    api = APIRouter(prefix="/api", default_response_class=Response, responses=REFUSALS)
    ask = asking.ask

    @api.get("/about")
    async def about() -> Response:
        """What is looked at: its conditions, its words, its signature, and what can be asked."""
        return await ask(Explored.about, lane=Lane.QUICK)

    @api.get("/words", response_model=Lookup)
    async def words(query: Annotated[str, Query(max_length=LONGEST_QUERY)] = "", limit: Top = 10) -> Response:
        """The words that begin with some letters, or hold them."""
        return await ask(questions.words, query, limit, lane=Lane.QUICK)

    @api.get("/starts")
    async def starts(top: Top = 20) -> Response:
        """The most changed and the most stable words."""
        return await ask(questions.starts, top)

    @api.get("/neighbors")
    async def neighbors(
        word: Word,
        at: AnyAt = None,
        place: Place = None,
        top: Top = 10,
        min_count: MinCount = 5,
        retrieval: Retrieval = "cosine",
    ) -> Response:
        """The nearest words of a word, in one condition or in all."""
        # What takes as long as a chart is one: all conditions, or all places of a time bin.
        lane = Lane.QUICK if at in asking.explored.embeddings.conditions.labels else Lane.CHARTS
        return await ask(questions.neighbors, word, at, place, top, min_count, retrieval, words=[word], lane=lane)

    @api.get("/ranks", response_model=Ranks)
    async def ranks(word: Word, place: Place = None, top: Top = 5, min_count: Enough = 5) -> Response:
        """The ranks of the nearest words in every condition."""
        return await ask(questions.ranks_of, word, place, top, min_count, words=[word])

    @api.get("/company")
    async def company(word: Word, top: Top = 4, limit: Top = 12, min_count: Enough = 5) -> Response:
        """The similarity of a word with those that are near it somewhere."""
        return await ask(questions.company_of, word, top, limit, min_count, words=[word])

    @api.get("/series", response_model=Series)
    async def series(
        word: Word,
        against: Against = "first",
        place: Place = None,
        min_count: Enough = 5,
        bootstrap: Annotated[int, Query(ge=0, le=MOST_DRAWS, description="Draw documents again, for bands.")] = 0,
    ) -> Response:
        """The similarity of a word with itself, condition by condition."""
        lane = Lane.CHARTS if bootstrap else Lane.QUICK
        return await ask(questions.series_of, word, against, place, min_count, bootstrap, words=[word], lane=lane)

    @api.get("/similarity", response_model=SelfSimilarity)
    async def similarity(word: Word, place: Place = None, min_count: Enough = 5) -> Response:
        """The similarity of a word in every condition with itself in every other."""
        return await ask(questions.similarity, word, place, min_count, words=[word])

    @api.get("/changepoints", response_model=ChangePoints)
    async def changepoints(word: Word, place: Place = None, min_count: Enough = 5) -> Response:
        """When a word changed, and who joined and left it there."""
        return await ask(questions.changepoints, word, place, min_count, words=[word])

    @api.get("/trajectory", response_model=Trajectory)
    async def trajectory(word: Word, method: Method = "lle", min_count: Enough = 5) -> Response:
        """The path of a word among its company."""
        return await ask(questions.trajectory_of, word, method, min_count, words=[word])

    @api.get("/map", response_model=WordMap)
    async def word_map(word: Word, formula: AnyFormula = None, min_count: Enough = 5) -> Response:
        """A word in each place."""
        return await ask(questions.map_of, word, formula or None, min_count, words=[word])

    @api.get("/places", response_model=PlaceDistances)
    async def places(min_count: Enough = 10) -> Response:
        """How far apart places are in their use of words."""
        return await ask(questions.places, min_count)

    @api.get("/grid", response_model=Grid)
    async def grid(word: Word, formula: AnyFormula = None, min_count: Enough = 5) -> Response:
        """A word in every time bin of every place."""
        return await ask(questions.grid_of, word, formula or None, min_count, words=[word])

    @api.get("/everywhere", response_model=Everywhere)
    async def everywhere(word: Word, at: At, top: Top = 3, chance: Chance = 0.05, min_count: MinCount = 5) -> Response:
        """Who plays a word's part in every condition."""
        await asking.check([word])
        needed = await asking.needed(at, chance, min_count)
        return await ask(questions.everywhere, word, at, top, chance, min_count, needed, words=[word])

    @api.get("/equivalents")
    async def equivalents(
        word: Word, at: At, to: At, top: Top = 10, min_count: MinCount = 5, retrieval: Retrieval = "csls"
    ) -> Response:
        """Who plays in one condition the part that a word plays in another."""
        return await ask(questions.equivalents, word, at, to, top, min_count, retrieval, words=[word])

    @api.get("/compare", response_model=Comparison)
    async def compare(
        word: SomeWords, against: Against = "first", place: Place = None, min_count: Enough = 5
    ) -> Response:
        """Two words or more side by side."""
        return await ask(questions.compare, word, against, place, min_count, words=word)

    @api.get("/axis")
    async def axis(word: SomeWords, formula: Formula, fixed: bool = False, min_count: Enough = 5) -> Response:
        """Where words stand along an axis of other words."""
        return await ask(questions.axis, word, formula, fixed, min_count, words=word)

    @api.get("/frequency", response_model=Frequency)
    async def frequency(word: SomeWords) -> Response:
        """How often words are used in each condition, with intervals."""
        return await ask(questions.frequency_of, word)

    @api.get("/collocates", response_model=Collocates)
    async def collocates(word: Word, at: AnyAt = None, top: Top = 20, min_count: Enough = 5) -> Response:
        """Which words stand beside a word more often than chance would have it."""
        return await ask(questions.collocates_of, word, at, top, min_count)

    @api.get("/evidence")
    async def evidence(
        word: Word, at: AnyAt = None, near: Near = None, offset: Offset = 0, limit: Top = 10
    ) -> Response:
        """The sentences behind an answer."""
        found = await asking.answers.value(
            ("sentences", word, at, near or None),
            lambda: questions.sentences(asking.explored, word, at, near or None),
            lambda answer: 600 * (1 + len(answer["examples"])),
        )
        return Response(to_json(questions.leaf(found, offset, limit)), media_type="application/json")

    return api
