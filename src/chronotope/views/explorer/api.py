"""The API: `GET /api/NAME?…` for every question of the registry, with the same answers as in Python."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal, get_args, get_origin

from fastapi import APIRouter, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, Field, create_model
from starlette.exceptions import HTTPException

from chronotope.analysis.answer import Parameter, Question, questions
from chronotope.analysis.columns import COLUMNS
from chronotope.analysis.params import INTERNAL
from chronotope.cooccurrence import Counts
from chronotope.errors import (
    ChronotopeError,
    InputError,
    SettingsError,
    UnknownConditionError,
    UnknownWordError,
    did_you_mean,
)
from chronotope.runtime.resources import cores
from chronotope.views.explorer.answers import Answers, Lane, Progress, to_json
from chronotope.views.explorer.explored import About, Explored, Lookup

MOST_WORDS, LONGEST_LETTERS = 20, 100
# Needs of questions besides their parameters: axes of the model, or names from `AVAILABLE`.
NEEDS = {
    "changepoints": ("times", "one_space"),
    "contexts": ("counts",),
    "evidence": ("text",),
    "grid": ("times", "places", "one_space"),
    "map": ("places", "one_space"),
    "places": ("places", "one_space"),
    "senses": ("counts", "one_space"),
    "trajectory": ("one_space",),
    "usage_change": ("counts", "one_space"),
}
HEAVY = ("bootstrap", "quick", "permutations", "within")  # these read the text of the run: seconds or minutes
MANY = 1000  # results or shuffles; answers with as many or more are slow
TYPES: dict[str, Any] = {"str": str, "int": int, "float": float, "bool": bool, "list[str]": list[str]}
REFUSALS: dict[int | str, dict[str, Any]] = {
    404: {"description": "The model has no such word or condition."},
    409: {"description": "The model lacks what the question needs: places, times, the run or its text."},
    422: {"description": "A parameter is missing, unknown or out of range, or the word is too rare."},
}


class UnavailableError(ChronotopeError):
    """The model, its run or its text cannot answer a question."""


KINDS: tuple[tuple[type[Exception], int, str], ...] = (
    (UnknownWordError, 404, "unknown_word"),
    (UnknownConditionError, 404, "unknown_condition"),
    (UnavailableError, 409, "unavailable"),
    (InputError, 422, "too_rare"),
    (SettingsError, 422, "bad_request"),
    (ChronotopeError, 500, "internal"),
)


class ParameterAbout(BaseModel):
    """A parameter of a question."""

    name: str
    help: str
    type: Literal["str", "int", "float", "bool"]
    many: bool = Field(description="may be repeated")
    required: bool
    default: str | int | float | bool | None
    choices: list[str] | None
    complete: Literal["conditions", "places"] | None = Field(description="kind of its values, for completion")
    least: float | None
    most: float | None


class ColumnAbout(BaseModel):
    """A column of an answer."""

    name: str
    type: Literal["str", "int", "float", "bool", "list[str]"]
    meaning: str


class QuestionAbout(BaseModel):
    """A question: its parameters, columns and chart, and the reason if this model cannot answer it."""

    name: str
    group: Literal["A word", "All words", "The text"]
    summary: str
    parameters: list[ParameterAbout]
    columns: list[ColumnAbout]
    chart: dict[str, Any] | None
    available: bool
    reason: str | None


def offered(question: Question) -> list[Parameter]:
    """Return the parameters that the API offers: all but threads, files and other local ones."""
    return [one for one in question.parameters if not one.info.local and one.name not in INTERNAL]


def name_of(parameter: Parameter) -> str:
    """Return the name in the API, the same as on the command line: `from` and `to` for `start` and `end`."""
    return (parameter.info.option or parameter.name).lstrip("-").replace("-", "_")


def why_not(explored: Explored, question: Question) -> str | None:
    """Return why a question cannot be asked about this model; None if it can."""
    needs = NEEDS.get(question.name, ()) + (("counts",) if question.source.type is Counts else ())
    return next(filter(None, map(explored.why_not, needs)), None)


def describe_questions(explored: Explored) -> list[dict[str, Any]]:
    """Return the answer to /api/questions."""
    return [_describe(explored, one).model_dump() for one in questions().values()]


def _describe(explored: Explored, question: Question) -> QuestionAbout:
    parameters = []
    for one in offered(question):
        kind = one.kind
        choices = list(get_args(kind)) if get_origin(kind) is Literal else None
        required, info = one.default is inspect.Parameter.empty, one.info
        about = {"name": name_of(one), "help": info.help, "type": "str" if choices else kind.__name__, "many": one.many}
        about |= {"required": required, "default": None if required else one.default, "choices": choices}
        parameters.append(about | {"complete": info.complete, "least": info.least, "most": info.most})
    reason, chart = why_not(explored, question), question.chart
    about = {"name": question.name, "group": question.group, "summary": question.summary, "parameters": parameters}
    about |= {"columns": [{"name": name, **COLUMNS[name]._asdict()} for name in question.columns]}
    about |= {"chart": chart and chart.to_dict(), "available": reason is None, "reason": reason}
    return QuestionAbout.model_validate(about)


def answer_schema(name: str, columns: Sequence[str]) -> type[BaseModel]:
    """Return the schema of the answer to a question: its rows by their columns; any value may be null."""
    title = "".join(part.capitalize() for part in name.split("_"))
    known = {name: COLUMNS[name] for name in columns}
    fields: Any = {name: (TYPES[one.type] | None, Field(description=one.meaning)) for name, one in known.items()}
    row = create_model(f"{title}Row", **fields)
    return create_model(
        f"{title}Answer",
        rows=(list[row], ...),  # type: ignore[valid-type]
        title=(str, Field(description="one line that says what the rows are")),
        notes=(list[str], Field(description="what is left out or hidden, and why")),
        facts=(dict[str, Any], Field(description="further results, and the settings of the question")),
        signature=(str, Field(description="everything that could change the answer")),
    )


class Asking:
    """Answers questions about one model, with as many threads as there are cores."""

    def __init__(self, explored: Explored) -> None:
        self.explored, self.answers = explored, Answers(cores())

    async def respond(self, key: Hashable, make: Callable[[Progress], Any], lane: Lane = Lane.QUICK) -> Response:
        """Return plain data as a response; it is made once and cached."""
        body = await self.answers.value(key, lambda progress: to_json(make(progress)), lane)
        return Response(body, media_type="application/json")

    async def ask(self, question: Question, given: Mapping[str, Any], lane: Lane | None = None) -> Response:
        """Return the answer to a question; optional parameters that are empty are left out."""
        optional = {one.name for one in question.parameters if one.default is None}
        values = {name: value for name, value in given.items() if value or value == 0 or name not in optional}
        heavy = any(values.get(name) for name in HEAVY)
        refits = heavy and question.name != "usage_change"
        if reason := why_not(self.explored, question) or (self.explored.why_not("bands") if refits else None):
            raise UnavailableError(reason)
        one_condition = values.get("at") in self.explored.embeddings.conditions.labels
        quick = question.name == "series" or (question.name == "neighbors" and one_condition)
        slow = heavy or max(values.get(name, 0) for name in ("top", "shuffles")) >= MANY
        usual = Lane.SLOW if slow else Lane.QUICK if quick else Lane.CHARTS
        key = (question.name, *sorted((name, repr(value)) for name, value in values.items()))
        return await self.respond(
            key, lambda progress: answer(self.explored, question, values, progress), lane or usual
        )


def answer(
    explored: Explored, question: Question, values: Mapping[str, Any], progress: Progress | None = None
) -> dict[str, Any]:
    """Return the answer to a question as plain data, with one thread, since requests run in parallel."""
    takes = {one.name for one in question.parameters}
    local = {"threads": 1, "progress": progress, "coordinates": explored.coordinates}
    extra = {name: value for name, value in local.items() if name in takes and value is not None}
    source = explored.counts if question.source.type is Counts else explored.embeddings
    return question.ask(source, **values, **extra).to_dict()


def describe(error: Exception) -> tuple[int, str, str]:
    """Return the status, the kind and one line for an error."""
    message = " ".join(str(error).split())
    for kind, status, name in KINDS:
        if isinstance(error, kind):
            return status, name, message
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        return 422, "bad_request", f"{first['loc'][-1]}: {first['msg']}"
    if isinstance(error, HTTPException):
        return error.status_code, "not_found", str(error.detail)
    return 500, "internal", "internal error; see the log of the server"


def routes(asking: Asking) -> APIRouter:
    """Return the addresses of all questions."""
    api = APIRouter(prefix="/api", responses=REFUSALS)
    explored = asking.explored

    @api.get("/about", response_model=About)
    async def about() -> Response:
        """The model: its conditions, its words, its signature, and the questions it can answer."""
        return await asking.respond("about", lambda _: explored.about())

    @api.get("/questions", response_model=list[QuestionAbout])
    async def all_questions() -> Response:
        """All questions: parameters, columns and chart of each, and whether this model can answer it."""
        return await asking.respond("questions", lambda _: describe_questions(explored))

    @api.get("/words", response_model=Lookup)
    async def words(
        query: Annotated[str, Query(max_length=LONGEST_LETTERS, description="First letters or a part.")] = "",
        limit: Annotated[int, Query(ge=1, le=50, description="Number of results.")] = 10,
    ) -> Response:
        """Words that begin with the given letters or contain them."""
        return await asking.respond(("words", query, limit), lambda _: asdict(explored.words.find(query, limit)))

    for question in questions().values():
        schema = answer_schema(question.name, question.columns)
        api.add_api_route(f"/{question.name}", _endpoint(asking, question), response_model=schema)
    return api


def _endpoint(asking: Asking, question: Question) -> Callable[..., Any]:
    """Return a function whose signature tells FastAPI the parameters of a question."""

    names = [name_of(one) for one in offered(question)]

    async def endpoint(request: Request, **given: Any) -> Response:
        for name in request.query_params:
            if name not in names:
                raise SettingsError(f"{question.name} has no parameter '{name}'{did_you_mean(name, names)}")
        return await asking.ask(question, given)

    endpoint.__name__, endpoint.__doc__ = question.name, question.summary
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("request", kind, annotation=Request)]
    parameters += [inspect.Parameter(one.name, kind, **_query(one)) for one in offered(question)]
    endpoint.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return endpoint


def _query(parameter: Parameter) -> dict[str, Any]:
    """Return the default and the annotation of a parameter for FastAPI."""
    kind = parameter.kind
    info, required = parameter.info, parameter.default is inspect.Parameter.empty
    limits: dict[str, Any] = {"max_length": info.longest} if kind is str else {"ge": info.least, "le": info.most}
    type_ = kind
    if parameter.many:
        type_ = list[Annotated[str, Field(**limits)]]
        limits = {"min_length": int(required), "max_length": MOST_WORDS}
    query = Query(alias=name_of(parameter), description=info.help, **limits)
    if required:
        return {"annotation": Annotated[type_, query]}
    type_ = type_ | None if parameter.default is None else type_
    return {"annotation": Annotated[type_, query], "default": parameter.default}
