"""Answers and questions: an analysis is one function that returns one frame; everything else derives from it.

`@question` puts a function into the registry. Python, the command line, the API, the explorer and the reference all
read the registry: name, parameters, columns and chart of each question.
"""

from __future__ import annotations

import inspect
import json
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property, wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, ParamSpec, get_args, get_origin

from chronotope.analysis.charts import Chart
from chronotope.analysis.columns import COLUMNS
from chronotope.analysis.params import Param, open_source
from chronotope.conditions import SEPARATOR
from chronotope.config import at_least, one_of
from chronotope.errors import InputError, SettingsError
from chronotope.frames import MOST_ROWS, Framed, check_not_forked, format_value, html
from chronotope.io.atomic import atomic_write

if TYPE_CHECKING:
    import polars as pl

Group = Literal["A word", "All words", "The text"]
P = ParamSpec("P")
CHART_FILES, ROW_FILES = (".png", ".svg", ".pdf", ".html"), (".csv", ".json", ".md", ".parquet")


@dataclass(frozen=True, eq=False, repr=False)
class Answer(Framed):
    """The answer to a question: a frame with documented columns. It holds no model, and showing it computes nothing.

    Attributes
    ----------
    frame
        The rows; `chronotope.analysis.columns` says what each column means.
    title, name
        One line that describes the rows, and the name of the question.
    notes
        What is left out or hidden, and why, in sentences.
    facts
        Further results and the settings of the question, as plain data.
    signature
        Everything that could change the answer, in one line.
    chart
        The chart; None for an answer without one.

    Examples
    --------
    >>> answer = Answer({"word": ["bank"], "count": [7]}, title="Words")
    >>> answer
    <Answer 'Words': 1 row of word, count>
    >>> answer["word"].to_list(), answer.to_dict()["rows"]
    (['bank'], [{'word': 'bank', 'count': 7}])
    """

    rows: InitVar[Any]
    title: str
    notes: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    signature: str = ""
    name: str = ""
    chart: Chart | None = None
    frame: pl.DataFrame = field(init=False)

    def __post_init__(self, rows: Any) -> None:
        object.__setattr__(self, "frame", _with_types(rows))
        object.__setattr__(self, "notes", tuple(self.notes))

    def __len__(self) -> int:
        return self.frame.height

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self.frame.iter_rows(named=True)

    def __getitem__(self, column: str) -> pl.Series:
        if column not in self.frame.columns:
            raise InputError(f"no column '{column}' in this answer; columns: {', '.join(self.frame.columns)}")
        return self.frame[column]

    def __repr__(self) -> str:
        rows = f"{len(self):,} row{'' if len(self) == 1 else 's'}"
        return f"<Answer {self.title!r}: {rows} of {', '.join(self.frame.columns)}>"

    def _repr_html_(self) -> str:
        frame = self.shown_frame()
        rows = frame.head(MOST_ROWS).rows()
        note = " · ".join([*self.notes, self.signature])
        return html(self.title, None, frame.columns, rows, left_out=frame.height - len(rows), note=note)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: rows, title, notes, facts and signature."""
        data = {"rows": self.frame.to_dicts(), "title": self.title, "notes": list(self.notes)}
        return data | {"facts": dict(self.facts), "signature": self.signature}

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_csv(self) -> str:
        """Return the rows as CSV, lists joined by '; '.

        A text that begins with = + - @ gets a leading apostrophe, because spreadsheets would run it as a formula.
        """
        import polars as pl

        text = pl.col(pl.String)
        formula = text.str.contains(r"^[=+\-@\t\r]")
        frame = self.frame.with_columns(pl.col(pl.List(pl.String)).list.join("; "))
        return frame.with_columns(pl.when(formula).then("'" + text).otherwise(text).name.keep()).write_csv()

    def to_markdown(self) -> str:
        """Return the rows as a Markdown table, numbers rounded, without empty columns."""
        frame = self.shown_frame()
        rows = ([format_value(value).replace("|", "\\|").replace("\n", " ") for value in row] for row in frame.rows())
        return "\n".join(f"| {' | '.join(line)} |" for line in (frame.columns, ["---"] * frame.width, *rows))

    def shown_frame(self) -> pl.DataFrame:
        """Return the frame without columns that hold no value."""
        return self.frame.drop([column.name for column in self.frame if len(self) and column.null_count() == len(self)])

    def plot(self) -> Any:
        """Return an `altair.VConcatChart`; raise SettingsError if the answer has none."""
        from chronotope.views.charts import draw

        return draw(self)

    def save(self, path: str | Path) -> None:
        """Write a chart (.png, .svg, .pdf, .html) or the rows (.csv, .json, .md, .parquet), by the file's ending."""
        path, text = Path(path), {".csv": self.to_csv, ".json": self.to_json, ".md": self.to_markdown}
        check_ending(path, chart=self.chart is not None)
        ending = path.suffix.lower()
        with atomic_write(path) as file:
            if ending in CHART_FILES:
                from chronotope.views.charts import write_chart

                write_chart(self, file, ending)
            elif ending == ".parquet":
                self.frame.write_parquet(file)
            else:
                file.write_text(text[ending]().rstrip("\n") + "\n", encoding="utf-8", newline="")


def check_ending(path: Path, *, chart: bool) -> None:
    """Raise SettingsError for an unknown ending of a file, or a chart's ending if the answer has no chart."""
    endings = (*CHART_FILES, *ROW_FILES) if chart else ROW_FILES
    if path.suffix.lower() not in endings:
        none = " (this answer has no chart)" if path.suffix.lower() in CHART_FILES else ""
        raise SettingsError(f"{path}: the name must end in {', '.join(endings[:-1])} or {endings[-1]}{none}")
    if path.suffix.lower() in CHART_FILES:
        import_module("chronotope.views.charts")  # raises MissingExtraError before a long analysis


class Parameter(NamedTuple):
    """A parameter of a question: its name, its type, its default (`inspect.Parameter.empty`: none) and its Param."""

    name: str
    type: Any
    default: Any
    info: Param

    @property
    def kind(self) -> Any:
        """The type of one value: int, float, bool, a Literal, or else str."""
        kinds = [self.type] if get_origin(self.type) is Literal else get_args(self.type) or [self.type]
        return next((one for one in kinds if get_origin(one) is Literal or one in (bool, int, float, str)), str)

    @property
    def many(self) -> bool:
        """Whether there may be several values."""
        kinds = () if get_origin(self.type) is Literal else get_args(self.type)
        return any(get_origin(kind) not in (None, Literal) for kind in kinds)


@dataclass(frozen=True)
class Question:
    """An entry of the registry."""

    name: str
    group: Group
    columns: tuple[str, ...]
    chart: Chart | None
    ask: Callable[..., Answer]

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (self.ask.__doc__ or "").split("\n", 1)[0]

    @property
    def source(self) -> Parameter:
        """The first parameter: a model or a run."""
        return self._all[0]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters but the first."""
        return self._all[1:]

    @cached_property
    def _all(self) -> tuple[Parameter, ...]:
        parameters = []
        for one in inspect.signature(self.ask, eval_str=True).parameters.values():
            if get_origin(one.annotation) is not Annotated:
                raise TypeError(f"parameter '{one.name}' of question '{self.name}' needs a type from params")
            type_, *info = get_args(one.annotation)
            # The last description wins: Annotated[Top, Param(...)] narrows a shared one.
            parameters.append(Parameter(one.name, type_, one.default, info[-1]))
        return tuple(parameters)

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise SettingsError if a value is out of its limits."""
        for parameter in self.parameters:
            if parameter.name in values:
                _check(parameter, values[parameter.name])


_registry: dict[str, Question] = {}


def question(
    name: str, *, group: Group, columns: str, chart: Chart | None = None
) -> Callable[[Callable[P, Answer]], Callable[P, Answer]]:
    """Register a function as a question.

    The function gets a model or a run first, then parameters whose types come from `params`. The decorated function
    also takes the path of a model or run, and `topn` for `top`; it checks limits and column names, and adds the fact
    `axis` and the signature of the model. `group` is the heading in `--help`; `columns` are names from
    `columns.COLUMNS`, separated by spaces; one that the answer lacks is null.
    """
    names = tuple(columns.split())
    if unknown := [column for column in names if column not in COLUMNS]:
        raise ValueError(f"columns without a definition: {', '.join(unknown)}")

    def register(function: Callable[P, Answer]) -> Callable[P, Answer]:
        signature = inspect.signature(function)

        @wraps(function)
        def ask(*args: P.args, **kwargs: P.kwargs) -> Answer:
            check_not_forked()
            if "topn" in kwargs and "top" in signature.parameters:
                kwargs["top"] = kwargs.pop("topn")
            bound = signature.bind(*args, **kwargs)
            for one in entry.parameters:
                if one.info.complete and isinstance(bound.arguments.get(one.name), int):
                    bound.arguments[one.name] = str(bound.arguments[one.name])  # a year may be a number
            entry.check(bound.arguments)
            bound.apply_defaults()
            arguments, first = bound.arguments, entry.source
            source = arguments[first.name] = open_source(arguments[first.name], first.type)
            answer = function(*bound.args, **bound.kwargs)
            frame, facts = _with_types(answer.frame, names), _with_common_facts(answer, source, arguments)
            by = answer.signature or source.signature
            return replace(answer, rows=frame, facts=facts, signature=by, name=name, chart=chart)

        entry = Question(name, group, names, chart, ask)
        _registry[name] = entry
        return ask

    return register


def questions() -> dict[str, Question]:
    """Return all questions by name, ordered by group and name."""
    package = import_module("chronotope.analysis")
    for module in pkgutil.iter_modules(package.__path__):
        import_module(f"chronotope.analysis.{module.name}")
    order = get_args(Group)
    return dict(sorted(_registry.items(), key=lambda item: (order.index(item[1].group), item[0])))


def _with_common_facts(answer: Answer, source: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts; over time with all conditions in order, so that a chart shows a missing one as a gap."""
    facts = {"axis": "time" if arguments.get("place") else source.conditions.axis, **answer.facts}
    if facts["axis"] != "time" or "condition" not in answer.frame.columns or not len(answer):
        return facts
    place = (answer["condition"][0] or "").partition(SEPARATOR)[2]
    labels = [label for label in source.conditions.labels if label.partition(SEPARATOR)[2] == place]
    return {"conditions": labels, **facts}


def _check(parameter: Parameter, value: Any) -> None:
    """Check a value against the type and the limits of its parameter."""
    name, type_, info = parameter.name, parameter.type, parameter.info
    if value is None and (parameter.default is None or type(None) in get_args(type_)):
        return
    if get_origin(type_) is Literal:
        one_of(name, value, get_args(type_))
    if info.least is not None:
        kind = int if int in (type_, *get_args(type_)) else (int, float)
        if isinstance(value, bool) or not hasattr(value, "__index__" if kind is int else "__float__"):
            raise SettingsError(f"{name} must be a {'whole ' if kind is int else ''}number, not {value!r}")
        at_least(name, value, info.least)
    if info.most is not None and value > info.most:
        raise SettingsError(f"{name} must be at most {info.most:,}, not {value:,}")
    texts = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    if any(isinstance(text, str) and len(text) > info.longest for text in texts):
        raise SettingsError(f"{name} is longer than {info.longest} characters")


def _with_types(rows: Any, names: Sequence[str] | None = None) -> pl.DataFrame:
    """Return rows as a frame with the documented types; NaN, and columns of `names` that are missing, become null."""
    import polars as pl

    types: dict[str, Any] = {"str": pl.String, "int": pl.Int64, "float": pl.Float64, "bool": pl.Boolean}
    types["list[str]"] = pl.List(pl.String)
    if isinstance(rows, pl.DataFrame):
        frame = rows
    elif isinstance(rows, Mapping):
        frame = pl.DataFrame({name: pl.Series(name, list(values), strict=False) for name, values in rows.items()})
    else:
        frame = pl.DataFrame(rows, infer_schema_length=None)
    if names is not None:
        if unknown := set(frame.columns) - set(names):
            raise ValueError(f"columns that are not declared: {', '.join(sorted(unknown))}")
        frame = pl.concat([pl.DataFrame(schema=dict.fromkeys(names, pl.Null)), frame], how="diagonal_relaxed")
    known = [name for name in frame.columns if name in COLUMNS]
    frame = frame.with_columns(pl.col(name).cast(types[COLUMNS[name].type]) for name in known)
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))
