"""The explorer's server: its answers are the library's, and it answers only its own page."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient

import chronotope.analysis as analysis
from chronotope.analysis.comparison import compare_words
from chronotope.analysis.lookup import WordIndex
from chronotope.errors import InputError, SettingsError
from chronotope.views.explorer import server
from chronotope.views.explorer.explored import Explored, open_explored
from chronotope.views.explorer.security import HEADERS
from views.explored_models import HOSTILE, explored, hostile


def client(what: Explored, **settings: object) -> TestClient:
    app = server.make_app(what, warm=False, **settings)
    return TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False)


@pytest.fixture(scope="module")
def both():
    """A server of time × place."""
    with client(explored("both")) as asked:
        yield asked


def get(asked: TestClient, name: str, **params: object) -> dict:
    response = asked.get(f"/api/{name}", params=params)
    assert response.status_code == 200, response.text
    return response.json()


def plain(answer: object) -> object:
    """As JSON makes it."""
    return json.loads(json.dumps(answer))


def library_answers() -> list[tuple[str, dict, object]]:
    what = explored("both")
    model, run, where = what.embeddings, what.counts, what.coordinates
    word, other, at, place = "mountain", "river", "1991/arlen", "arlen"
    return [
        ("words", {"query": "mou", "limit": 5}, WordIndex(model).find("mou", 5).to_dict()),
        ("ranks", {"word": word}, analysis.ranks(model, word).to_dict()),
        ("ranks", {"word": word, "place": place, "top": 3}, analysis.ranks(model, word, place=place, top=3).to_dict()),
        ("company", {"word": word}, analysis.company(model, word).to_dict()),
        ("series", {"word": word}, analysis.series(model, word).to_dict()),
        (
            "series",
            {"word": word, "against": "previous", "place": place},
            analysis.series(model, word, "previous", place=place).to_dict(),
        ),
        ("similarity", {"word": word, "place": place}, analysis.self_similarity(model, word, place=place).to_dict()),
        ("changepoints", {"word": word, "place": place}, analysis.change_points(model, word, place=place).to_dict()),
        ("trajectory", {"word": word}, analysis.trajectory(model, word).to_dict()),
        ("map", {"word": word}, analysis.word_map(model, word, coordinates=where).to_dict()),
        ("places", {}, analysis.place_distances(model).to_dict()),
        ("grid", {"word": word}, analysis.grid(model, word).to_dict()),
        ("everywhere", {"word": word, "at": at}, analysis.equivalents_everywhere(model, word, at).to_dict()),
        ("compare", {"word": [word, other]}, compare_words(model, [word, other]).to_dict()),
        ("frequency", {"word": [word, other]}, analysis.frequency(run, [word, other]).to_dict()),
        ("collocates", {"word": word, "at": at}, analysis.collocates(run, word, at=at).to_dict()),
    ]


@pytest.mark.parametrize("case", range(16))
def test_answers_are_exactly_those_of_the_library(both, case):
    name, params, expected = library_answers()[case]
    assert get(both, name, **params) == plain(expected)


def test_matches_are_exactly_those_of_the_library(both):
    model = explored("both").embeddings
    found = get(both, "neighbors", word="mountain", at="1991/arlen", retrieval="csls")
    expected = model.neighbors("mountain", "1991/arlen", retrieval="csls")
    assert found["rows"][0]["matches"] == [match.to_dict() for match in expected]
    assert len(get(both, "neighbors", word="mountain")["rows"]) == len(model.conditions)
    of_a_year = get(both, "neighbors", word="mountain", at="1991")["rows"]
    assert [row["condition"] for row in of_a_year] == ["1991/arlen", "1991/borva", "1991/celdon"]
    of_a_place = get(both, "neighbors", word="mountain", place="borva")["rows"]
    assert {row["condition"].split("/")[1] for row in of_a_place} == {"borva"}
    found = get(both, "equivalents", word="mountain", at="1991/arlen", to="1994/borva")
    expected = model.equivalents("mountain", "1991/arlen", "1994/borva")
    assert found["matches"] == [match.to_dict() for match in expected]


def test_bands_come_from_documents_drawn_again(both):
    what = explored("both")
    expected = analysis.series(what.embeddings, "mountain", place="arlen", counts=what.counts, bootstrap=20)
    found = get(both, "series", word="mountain", place="arlen", bootstrap=20)
    assert found == plain(expected.to_dict())
    assert any(low is not None for low in found["low"])


def test_words_to_start_from(both):
    model = explored("both").embeddings
    found = get(both, "starts", top=3)
    assert found["changed"] == plain(analysis.drift(model, over="series").to_dict(3))
    assert len(found["stable"]["most"]) == 3


def test_axis_by_formula(both):
    found = get(both, "axis", word=["mountain", "forest"], formula="river - money")
    expected = [analysis.positions(explored("both").embeddings, w, "river - money") for w in ("mountain", "forest")]
    assert found["answers"] == plain([answer.to_dict() for answer in expected])
    assert found["formula"] == "river − money"


def test_sentences_can_be_leafed_through(both):
    everything = get(both, "evidence", word="mountain", at="1991/arlen", limit=50)
    total = everything["page"]["total"]
    assert total == len(everything["examples"]) > 4
    pages = [
        get(both, "evidence", word="mountain", at="1991/arlen", offset=at, limit=2)["examples"]
        for at in range(0, total, 2)
    ]
    assert [example for page in pages for example in page] == everything["examples"]
    for example in everything["examples"]:
        assert example["text"][example["start"] : example["end"]].casefold() == "mountain"


def test_the_page_knows_what_it_can_ask(both):
    about = get(both, "about")
    assert about["axis"] == "time × place"
    assert set(about["available"].values()) == {True}
    first = about["conditions"][1]
    assert (first["label"], first["time"], first["place"]) == ("1990/borva", 0, 1)
    with client(hostile()) as asked:
        about = get(asked, "about")
        assert [name for name, there in about["available"].items() if there] == ["one_space"]
        response = asked.get("/api/series", params={"word": "word1", "bootstrap": 20})
        assert response.json()["error"]["kind"] == "unavailable"
        for name in ("frequency", "collocates", "evidence"):
            response = asked.get(f"/api/{name}", params={"word": "word1"})
            assert (response.status_code, response.json()["error"]["kind"]) == (409, "unavailable")
        for name in ("map", "grid"):
            response = asked.get(f"/api/{name}", params={"word": "word1"})
            assert response.json()["error"]["kind"] == "unavailable"


def test_words_that_are_meant_to_do_harm_are_only_words():
    """Whatever stands in a word, it comes back as it is, and nothing else happens."""
    with client(hostile()) as asked:
        for word in HOSTILE:
            assert get(asked, "series", word=word)["word"] == word
            assert get(asked, "neighbors", word=word, at="<b>1991</b>")["rows"][0]["condition"] == "<b>1991</b>"
            found = get(asked, "words", query=word[:99])["matches"]
            assert word in [match["word"] for match in found]
        response = asked.get("/api/series", params={"word": "<script>"})
        assert response.status_code == 404
        assert response.headers["content-type"] == "application/json"


def test_an_unknown_word_comes_with_words_that_may_be_meant(both):
    response = both.get("/api/series", params={"word": "mountian"})
    error = response.json()["error"]
    assert (response.status_code, error["kind"]) == (404, "unknown_word")
    assert error["did_you_mean"][0] == "mountain"
    assert "did you mean mountain" in error["message"]
    assert get(both, "words", query="mountian")["did_you_mean"][0]["word"] == "mountain"


@pytest.mark.parametrize(
    ("name", "params", "kind"),
    [
        ("series", {}, "bad_request"),
        ("series", {"word": "x" * 201}, "bad_request"),
        ("words", {"query": "x" * 101}, "bad_request"),
        ("words", {"limit": 51}, "bad_request"),
        ("neighbors", {"word": "mountain", "top": 0}, "bad_request"),
        ("neighbors", {"word": "mountain", "top": 51}, "bad_request"),
        ("neighbors", {"word": "mountain", "min_count": -1}, "bad_request"),
        ("neighbors", {"word": "mountain", "retrieval": "magic"}, "bad_request"),
        ("neighbors", {"word": "mountain", "at": "1066"}, "unknown_condition"),
        ("series", {"word": "mountain", "place": "nowhere"}, "unknown_condition"),
        ("changepoints", {"word": "mountain"}, "bad_request"),
        ("compare", {"word": ["mountain"]}, "bad_request"),
        ("compare", {"word": ["mountain"] * 6}, "bad_request"),
        ("axis", {"word": "mountain", "formula": "x" * 501}, "bad_request"),
        ("axis", {"word": "mountain", "formula": "(river"}, "bad_request"),
        ("everywhere", {"word": "mountain", "at": "1991/arlen", "chance": 0}, "bad_request"),
        ("series", {"word": "mountain", "min_count": 999_999}, "too_rare"),
        ("evidence", {"word": "mountain", "offset": 51}, "bad_request"),
    ],
)
def test_what_cannot_be_answered_is_told_in_one_line(both, name, params, kind):
    response = both.get(f"/api/{name}", params=params)
    error = response.json()["error"]
    assert error["kind"] == kind
    assert 400 <= response.status_code < 500
    assert error["message"]
    assert "\n" not in error["message"]


@pytest.mark.parametrize("path", ["/", "/source.js", "/api/about", "/api/series", "/api/nothing", "/nothing"])
def test_every_answer_has_the_headers_that_protect(both, path):
    headers = both.get(path).headers
    for name, value in HEADERS.items():
        assert headers[name] == value
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in headers["content-security-policy"]


def test_only_requests_that_name_this_server_are_answered(both):
    """A page from elsewhere can point its own name at this machine; its requests then carry that name."""
    for host in (
        "evil.example",
        "evil.example:8765",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "",
        "10.0.0.1",
    ):
        response = both.get("/api/about", headers={"host": host})
        assert (response.status_code, response.json()["error"]["kind"]) == (421, "refused")
    for host in ("localhost:8765", "127.0.0.1", "[::1]:8765", "LOCALHOST"):
        assert both.get("/api/about", headers={"host": host}).status_code == 200


def test_pages_of_other_sites_get_nothing(both):
    assert both.get("/api/about", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}).status_code == 403
    assert (
        both.get("/source.js", headers={"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"}).status_code == 403
    )
    assert both.get("/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}).status_code == 200
    assert both.post("/api/about").status_code == 405
    assert both.get(f"/api/series?word={'x' * 9_000}").status_code == 414


def test_on_every_address_a_name_could_be_anybodys():
    with client(hostile(), host="0.0.0.0") as asked:
        assert asked.get("/api/about", headers={"host": "192.0.2.7:8765"}).status_code == 200
        assert asked.get("/api/about", headers={"host": "evil.example"}).status_code == 421


def test_nothing_beside_the_page_is_served(both):
    for path in (
        "/../server.py",
        "/%2e%2e/server.py",
        "/..%2fserver.py",
        "/engine/engine.js",
        "/__init__.py",
        "/views",
    ):
        assert both.get(path).status_code == 404
    assert "<!-- explorer:data -->" in both.get("/").text


def test_the_questions_are_described(both):
    described = both.get("/api/openapi.json").json()
    assert {path.removeprefix("/api/") for path in described["paths"]} >= {
        *("about", "words", "starts", "neighbors", "ranks", "company", "series", "similarity", "changepoints"),
        *("trajectory", "map", "places", "grid", "everywhere", "equivalents", "compare", "axis", "frequency"),
        *("collocates", "evidence"),
    }
    for path in described["paths"].values():
        assert path["get"]["description"]
        assert "200" in path["get"]["responses"]
    assert both.get("/docs").status_code == both.get("/redoc").status_code == 404


def test_a_hundred_at_once_get_the_same_answers():
    what = explored("time")
    words = what.embeddings.words[40:60]
    expected = {word: plain(analysis.ranks(what.embeddings, word).to_dict()) for word in words}
    fresh = Explored(
        type(what.embeddings)(
            what.embeddings.words,
            what.embeddings.conditions,
            what.embeddings.observed,
            what.embeddings.vectors,
            common=what.embeddings.common,
            condition_factors=what.embeddings.condition_factors,
            center=what.embeddings.center,
            provenance=what.embeddings.provenance,
        ),
        "fresh",
    )
    with client(fresh) as asked, ThreadPoolExecutor(100) as pool:
        asked_for = [words[number % len(words)] for number in range(200)]
        answers = list(pool.map(lambda word: get(asked, "ranks", word=word), asked_for))
    assert answers == [expected[word] for word in asked_for]


def test_a_port_that_is_taken_is_told_in_one_line():
    first = server.listen("127.0.0.1", 0)
    try:
        port = first.getsockname()[1]
        assert port > 0
        with pytest.raises(SettingsError, match=f"port {port} .*--port"):
            server.listen("127.0.0.1", port)
    finally:
        first.close()


def test_a_run_that_is_named_must_be_that_of_the_model(tmp_path):
    explored("time").embeddings.save(tmp_path / "model.ct")
    found = open_explored(tmp_path / "model.ct", explored("time").counts.folder, title="Named")
    assert (found.title, found.missing.get("text")) == ("Named", None)
    with pytest.raises(InputError, match="was not trained on"):
        open_explored(tmp_path / "model.ct", explored("place").counts.folder)
    alone = open_explored(tmp_path / "model.ct")
    assert alone.counts is None
    assert "--run" in alone.missing["counts"]


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_the_command_serves_until_it_is_interrupted(tmp_path):
    explored("time").embeddings.save(tmp_path / "model.ct")
    command = [Path(sys.executable).parent / "chronotope", "explore", tmp_path / "model.ct", "--port", "0", "--no-open"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stderr.readline()
        address = next(part for part in line.split() if part.startswith("http://127.0.0.1:"))
        with urllib.request.urlopen(f"{address}api/series?word={quote('bank')}") as response:
            assert json.load(response)["word"] == "bank"
        process.send_signal(signal.SIGINT)
        rest, said = process.communicate(timeout=600)
    finally:
        process.kill()
    assert (process.returncode, rest) == (0, "")
    assert "Traceback" not in said
