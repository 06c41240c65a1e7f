"""Every question of the registry by every door: Python, the command line and the API."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import cache
from inspect import Parameter

import pytest
from fastapi.testclient import TestClient

import chronotope as ct
from chronotope.analysis.answer import Answer, questions
from chronotope.analysis.columns import COLUMNS
from chronotope.analysis.params import INTERNAL
from chronotope.errors import ChronotopeError, SettingsError

QUESTIONS = questions()
AXES = ("time", "place", "both")
# A value for each parameter that has no default, by the world that is asked.
EXAMPLES = {
    "time": {"word": "bank", "at": "1990", "start": "1990", "end": "1999", "formula": "money - water"},
    "place": {"word": "chips", "at": "arlen", "start": "arlen", "end": "borva", "formula": "oven - screen"},
    "both": {"word": "gas", "at": "1990/arlen", "start": "1990/arlen", "end": "1995/arlen", "formula": "car - coal"},
}
EXAMPLES["one"] = {**EXAMPLES["time"], "at": "1990s", "start": "1990s", "end": "1990s"}
for _examples in EXAMPLES.values():
    _examples |= {"a": "river", "b": "water", "c": "money"}
# Further arguments: what makes sense only so, or quicker.
MORE = {
    "similarity": {"word": ["river", "water"]},
    "usage_change": {"words": "river", "min_count": 3},
    "senses": {"usages": 20},
}


def arguments(name, world, **more):
    """Arguments for everything that a question needs."""
    needed = [one.name for one in QUESTIONS[name].parameters if one.default is Parameter.empty]
    return {one: EXAMPLES[world][one] for one in needed} | MORE.get(name, {}) | more


@cache
def opened(path):
    """A model, opened once."""
    return ct.load(path)


def ask(name, path, **given):
    """The answer, or the one line that says why there is none."""
    try:
        return getattr(ct, name)(opened(path), **given)
    except ChronotopeError as error:
        message = str(error)
    assert message.strip()
    assert "\n" not in message
    return message


def command_line(name, path, given):
    """The same question as a command."""
    words, options = [], []
    for one in QUESTIONS[name].parameters:
        value = given.get(one.name)
        if value is None:
            continue
        if one.info.argument:
            words += [value] if isinstance(value, str) else value
        else:
            option = one.info.option or f"--{one.name.replace('_', '-')}"
            options.append(option if value is True else f"{option}={value}")
    return [name.replace("_", "-"), path, *options, "--", *words] if words else [name.replace("_", "-"), path, *options]


def query(name, given):
    """The same question as a query of the API."""
    names = {
        one.name: (one.info.option or one.name).lstrip("-").replace("-", "_") for one in QUESTIONS[name].parameters
    }
    return {names[key]: value for key, value in given.items()}


@pytest.fixture(scope="module")
def api(runs):
    """A client of the API for each world."""
    from chronotope.views.explorer import server
    from chronotope.views.explorer.explored import open_explored

    found = {}
    for world, path in runs.items():
        app = server.make_app(open_explored(path), warm=False)
        found[world] = TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False)
    return found


def plain_error(response):
    """One line of an error of the API."""
    assert response.status_code in (400, 404, 409, 422), response.text
    message = response.json()["error"]["message"]
    assert message
    assert "\n" not in message
    return message


def check_answer(question, answer):
    """What is true of every answer."""
    assert answer.frame.columns == list(question.columns)
    assert set(question.columns) <= COLUMNS.keys()
    assert answer.name == question.name
    assert answer.title
    assert "\n" not in answer.title
    assert answer.signature
    assert answer.facts
    if {"condition", "place", "time"} & set(question.columns):
        assert answer.facts["axis"] in ("time", "place", "time × place")
    for note in answer.notes:
        assert re.fullmatch(r".+[.?]", note), f"not a sentence: {note}"


def as_text(value):
    """A value as it stands in a CSV file."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    return "; ".join(value) if isinstance(value, list) else str(value)


def check_forms(answer):
    """The same columns and values in every form."""
    data = json.loads(answer.to_json())
    assert list(data) == ["rows", "title", "notes", "facts", "signature"]
    assert data["rows"] == answer.to_polars().to_dicts() == list(answer)
    header, *lines = csv.reader(io.StringIO(answer.to_csv()))
    assert header == answer.frame.columns
    assert len(lines) == len(answer)
    for line, row in zip(lines, answer, strict=True):
        for cell, value in zip(line, row.values(), strict=True):
            if isinstance(value, float):
                assert float(cell) == value
            else:
                assert cell.removeprefix("'") == as_text(value)
    assert list(answer.to_pandas().columns) == header
    assert len(answer.to_markdown().splitlines()) == len(answer) + 2
    assert len(repr(answer)) < 500
    assert "\n" not in repr(answer)
    assert answer._repr_html_().startswith("<div>")


@pytest.mark.parametrize("world", AXES)
@pytest.mark.parametrize("name", QUESTIONS)
def test_one_answer_in_every_form(runs, name, world):
    answer = ask(name, runs[world], **arguments(name, world))
    if isinstance(answer, Answer):
        check_answer(QUESTIONS[name], answer)
        check_forms(answer)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_has_an_answer_in_some_world(runs, name):
    answers = [ask(name, runs[world], **arguments(name, world)) for world in AXES]
    assert any(isinstance(answer, Answer) and len(answer) for answer in answers), answers


@pytest.mark.parametrize("world", AXES)
@pytest.mark.parametrize("name", [name for name, question in QUESTIONS.items() if question.chart])
def test_the_chart_is_drawn(runs, tmp_path, name, world):
    answer = ask(name, runs[world], **arguments(name, world))
    if isinstance(answer, Answer) and len(answer):
        answer.plot()
        answer.save(tmp_path / "a.svg")
        assert "<svg" in (tmp_path / "a.svg").read_text(encoding="utf-8")[:200]


@pytest.mark.parametrize("name", [name for name, question in QUESTIONS.items() if not question.chart])
def test_that_there_is_no_chart_is_said(runs, tmp_path, name):
    answer = ask(name, runs["time"], **arguments(name, "time"))
    assert isinstance(answer, Answer)
    with pytest.raises(SettingsError, match="no chart"):
        answer.save(tmp_path / "a.svg")


@pytest.mark.parametrize("world", AXES)
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_command_line_and_the_api_answer_as_python_does(runs, api, chronotope, name, world):
    given = arguments(name, world)
    answer = ask(name, runs[world], **given)
    command, response = (
        command_line(name, runs[world], given),
        api[world].get(f"/api/{name}", params=query(name, given)),
    )
    if isinstance(answer, str):
        assert answer in chronotope(*command, code=2).stderr
        plain_error(response)
        return
    assert json.loads(chronotope(command[0], "--json", *command[1:]).stdout) == json.loads(answer.to_json())
    assert response.json() == json.loads(answer.to_json())
    done = chronotope(command[0], "--csv", *command[1:])
    assert done.stdout == answer.to_csv()
    assert done.stderr.splitlines() == list(answer.notes)
    assert chronotope(command[0], "--markdown", *command[1:]).stdout == f"{answer.to_markdown()}\n"
    assert chronotope(*command).stdout.startswith(answer.title[:20])


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_schema_of_the_api_names_the_columns(api, name):
    schemas = api["time"].get("/api/openapi.json").json()["components"]["schemas"]
    row = schemas[f"{''.join(part.capitalize() for part in name.split('_'))}Row"]
    assert list(row["properties"]) == list(QUESTIONS[name].columns)


@pytest.mark.parametrize("ending", ["csv", "json", "md", "parquet"])
def test_rows_are_written_by_the_ending_of_the_file(runs, chronotope, tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    done = chronotope("series", runs["time"], "bank", "-o", path)
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == str(path)
    answer = ct.series(opened(runs["time"]), "bank")
    if ending == "parquet":
        import polars as pl

        assert pl.read_parquet(path).equals(answer.frame)
    else:
        text = {"csv": answer.to_csv, "json": answer.to_json, "md": answer.to_markdown}[ending]()
        assert path.read_text(encoding="utf-8").rstrip("\n") == text.rstrip("\n")


@pytest.mark.parametrize("name", [n for n, question in QUESTIONS.items() if question.parameters[0].name == "word"])
def test_an_unknown_word_gets_one_line(runs, refused, name):
    asked = {world: arguments(name, world) for world in AXES}
    world = next(world for world in AXES if isinstance(ask(name, runs[world], **asked[world]), Answer))
    given = asked[world] | {"word": "bnak" if isinstance(asked[world]["word"], str) else ["bnak", "river"]}
    answer = ask(name, runs[world], **given)
    if isinstance(answer, Answer):
        assert answer.notes
    else:
        assert "bnak" in refused(name, world, **given)


@pytest.mark.parametrize("world", ["time", "one"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_nothing_to_compare_is_said(runs, name, world):
    """One condition, or a minimum count that no word reaches: a row at most without values, a note, or one line."""
    rare = {"min_count": 10**8} if "min_count" in [one.name for one in QUESTIONS[name].parameters] else {}
    answer = ask(name, runs[world], **arguments(name, world, **rare))
    if isinstance(answer, Answer):
        check_answer(QUESTIONS[name], answer)
        check_forms(answer)
        assert len(answer) or answer.notes


@pytest.fixture
def refused(runs, api, chronotope):
    """Asks by every door; returns the line with which all of them refuse."""

    def asked(name, world, **given):
        given = arguments(name, world, **given)
        answer = ask(name, runs[world], **given)
        assert isinstance(answer, str)
        assert answer in chronotope(*command_line(name, runs[world], given), code=2).stderr
        if not any(one.info.local for one in QUESTIONS[name].parameters if one.name in given):
            plain_error(api[world].get(f"/api/{name}", params=query(name, given)))
        return answer

    return asked


LIMITS = [
    (name, one.name, value)
    for name, question in QUESTIONS.items()
    for one in question.parameters
    for value in (
        *((one.info.least - 1,) if one.info.least is not None else ()),
        *((one.info.most + 1,) if one.info.most is not None else ()),
    )
]


@pytest.mark.parametrize(("name", "parameter", "value"), LIMITS)
def test_limits_are_the_same_by_every_door(refused, name, parameter, value):
    told = refused(name, "time", **{parameter: value})
    assert re.match(f"{parameter} must be (a number of )?at (least|most) ", told)


# What a question cannot be asked, by the world of the model.
MISTAKES = [
    ("neighbors", "time", {"at": "all", "min_count": 100_000}, r"in no condition; lower min_count \(--min-count\)"),
    ("series", "place", {"against": "previous"}, "places, which have no order"),
    ("series", "both", {"against": "previous"}, r"name one place \(--place\): arlen, borva, celdon"),
    ("series", "time", {"against": "1890"}, "'1890' is not among the 10 conditions"),
    ("series", "time", {"quick": True, "bootstrap": 5}, "choose one"),
    ("similarity", "time", {"word": ["bank", "bank"]}, "two words"),
    ("similarity", "time", {"word": ["bank", "none"]}, "'none'"),
    ("analogy", "time", {"c": "none"}, "'none'"),
    ("changepoints", "place", {}, "no order in time"),
    ("changepoints", "both", {}, r"name one place \(--place\): arlen"),
    ("changepoints", "time", {"min_count": 10**6}, r"needs 4; lower min_count \(--min-count\), or take longer"),
    ("trajectory", "time", {"method": "tsne"}, "method must be lle or pca"),
    ("trajectory", "time", {"min_count": 10**6}, "this needs 2"),
    ("grid", "time", {}, "this model has no places"),
    ("places", "time", {}, "not places"),
    ("map", "time", {}, "not places"),
    ("drift", "place", {"start": "arlen"}, "name both conditions"),
    ("drift", "place", {"over": "steps"}, "have none"),
    ("drift", "place", {"start": "arlen", "end": "borva", "over": "series"}, "leave out --from"),
    ("drift", "time", {"start": "1990", "end": "1990"}, "both are 1990"),
    ("drift", "time", {"start": "1999", "end": "1990", "over": "steps"}, "swap them"),
    ("drift", "time", {"start": "1890"}, "'1890'"),
    ("drift", "time", {"over": "all"}, "over must be"),
    ("drift", "time", {"within": "place"}, "add --permutations or --bootstrap"),
    ("drift", "time", {"within": "genre", "permutations": 5}, "and not 'genre'; prepare it again with --keep genre"),
    ("drift", "place", {"within": "place", "permutations": 2}, "nothing to exchange"),
    ("drift", "time", {"effect": 0.1}, "--effect needs --permutations"),
    ("drift", "time", {"words": "bnak"}, "did you mean .*bank"),
    ("stable", "time", {"exclude": "stopwords:xx"}, "no stop words for 'xx'"),
    ("axis", "time", {"formula": "nosuchword - money"}, "'nosuchword'"),
    ("axis", "time", {"min_count": 10**6}, "frequent enough in no condition"),
    ("axis", "time", {"formula": ""}, "no word to point to"),
    ("axis", "time", {"formula": "(river"}, "not closed"),
    ("axis", "time", {"formula": "river)"}, "closing parenthesis too many"),
    ("axis", "time", {"formula": "river - river"}, "both sides"),
    ("axis", "time", {"formula": "river - "}, "ends with a sign"),
    ("axis", "time", {"formula": "river + - money"}, "no word before '-'"),
    ("axis", "time", {"formula": "river - ()"}, r"no word before '\)'"),
    ("axis", "time", {"formula": "river-money"}, "write 'river - money'"),
    ("axis", "time", {"formula": "bank - money"}, "itself a seed"),
    ("collocate_changes", "time", {"end": "1890"}, "'1890'"),
    ("evidence", "both", {"at": "1990/arlan"}, "did you mean 1990/arlen"),
    ("evidence", "time", {"word": "…"}, "contains no word"),
    ("evidence", "time", {"distance": 3}, "needs the other word"),
    ("evidence", "time", {"against": "1991"}, "needs the first condition"),
    ("evidence", "place", {"start": "arlen"}, "needs time bins"),
    ("frequency", "both", {"start": "1991", "end": "1990"}, "comes after"),
    ("frequency", "both", {"start": "arlen"}, "not a range"),
    ("frequency", "both", {"start": "1990/borva", "end": "1991/arlen"}, "not a range"),
    ("frequency", "both", {"at": "1990", "start": "1990"}, "not both"),
]


@pytest.mark.parametrize(("name", "world", "given", "message"), MISTAKES)
def test_what_cannot_be_asked_is_refused_by_every_door(refused, name, world, given, message):
    assert re.search(message, refused(name, world, **given))


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_help_explains_every_parameter(chronotope, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "200")
    done = chronotope(name.replace("_", "-"), "--help").stdout
    assert QUESTIONS[name].summary in done
    for one in QUESTIONS[name].parameters:
        if one.name not in INTERNAL:
            assert one.info.help.replace("`", "")[:30].removesuffix(".") in done
            assert (one.name.upper() if one.info.argument else one.info.option or one.name.replace("_", "-")) in done


def test_a_missing_condition_gets_the_list_of_conditions(runs, chronotope):
    for name, question in QUESTIONS.items():
        needed = [one for one in question.parameters if one.default is Parameter.empty and one.info.complete]
        if needed:
            given = {key: value for key, value in arguments(name, "time").items() if key != needed[0].name}
            told = chronotope(*command_line(name, runs["time"], given), code=2).stderr
            assert "with one of the 10 conditions: 1990, 1991" in told
