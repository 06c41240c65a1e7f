"""The explorer's server: every question of the registry, answered as the library does, and only to its own page."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient

import chronotope as ct
import worlds
from chronotope.analysis.answer import questions
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


def test_the_registry_is_described_without_files_and_threads(both):
    described = get(both, "questions")
    assert [one["name"] for one in described] == list(questions())
    offered = {one["name"] for question in described for one in question["parameters"]}
    assert {"from", "to", "bootstrap"} <= offered
    assert not offered & {"threads", "seeds", "progress", "keep_in", "coordinates", "edges", "start", "end"}


def test_the_types_of_the_page_have_the_fields_of_the_schema(both):
    schemas = get(both, "openapi.json")["components"]["schemas"]
    types = (server.PAGE / "types.d.ts").read_text(encoding="utf-8")
    interfaces = {"About": "About", "Answer": "SeriesAnswer", "Lookup": "Lookup", "FoundWord": "FoundWord"}
    interfaces |= {name: f"{name}About" for name in ("Condition", "Question", "Parameter", "Column")}
    for name, schema in interfaces.items():
        fields = re.search(rf"^interface {name} {{\n(.*?)^}}", types, re.MULTILINE | re.DOTALL)[1]
        assert re.findall(r"(\w+): ", fields) == list(schemas[schema]["properties"])


def test_the_page_knows_what_it_can_ask(both):
    about = get(both, "about")
    assert about["axis"] == "time × place"
    assert set(about["available"].values()) == {True}
    first = about["conditions"][1]
    assert (first["label"], first["time"], first["place"]) == ("1990/borva", 0, 1)
    with client(hostile()) as asked:
        about = get(asked, "about")
        assert [name for name, there in about["available"].items() if there] == ["one_space"]
        described = {one["name"]: one for one in get(asked, "questions")}
        for name in ("frequency", "collocates", "evidence", "map", "grid", "places"):
            response = asked.get(f"/api/{name}", params={} if name == "places" else {"word": "word1"})
            error = response.json()["error"]
            assert (response.status_code, error["kind"]) == (409, "unavailable")
            assert (described[name]["available"], described[name]["reason"]) == (False, error["message"])
        response = asked.get("/api/series", params={"word": "word1", "bootstrap": 20})
        assert response.json()["error"]["kind"] == "unavailable"


def test_the_default_time_is_the_last_full_bin():
    records = worlds.planted_drift(documents=600).records
    assert explored("time").about()["default_time"] == "1999"
    run = ct.count(ct.read_corpus([*records, {**records[0], "time": "2000"}], time="time"), min_count=5)
    model = ct.GraphModel(dimensions=10, epochs=1).fit(run)
    for known in (run, None):
        assert Explored(model, "partial", known).about()["default_time"] == "1999"
    assert explored("place").about()["default_time"] is None


def test_words_of_a_hostile_corpus_are_only_words():
    """They come back as they are, and nothing else happens."""
    with client(hostile()) as asked:
        for word in HOSTILE:
            assert {row["word"] for row in get(asked, "series", word=word)["rows"]} == {word}
            assert get(asked, "neighbors", word=word, at="<b>1991</b>")["rows"][0]["condition"] == "<b>1991</b>"
            assert word in [match["word"] for match in get(asked, "words", query=word[:99])["matches"]]
        response = asked.get("/api/series", params={"word": "<script>"})
        assert (response.status_code, response.headers["content-type"]) == (404, "application/json")


def test_unknown_words_and_conditions_come_with_those_that_may_be_meant(both):
    error = both.get("/api/series", params={"word": "mountian"}).json()["error"]
    assert error["did_you_mean"][0] == "mountain"
    assert "did you mean mountain" in error["message"]
    assert get(both, "words", query="mountian")["did_you_mean"][0]["word"] == "mountain"
    found = [match["word"] for match in get(both, "words", query="SHI")["matches"]]
    assert found[0].startswith("shi"), "words that begin so come before those that hold it"
    error = both.get("/api/neighbors", params={"word": "mountain", "at": "1066"}).json()["error"]
    assert {"1990/arlen", "1990", "arlen"} <= set(error["did_you_mean"])


@pytest.mark.parametrize(
    ("name", "params", "kind"),
    [
        ("series", {}, "bad_request"),
        ("series", {"word": "x" * 201}, "bad_request"),
        ("series", {"word": ["mountain"] * 21}, "bad_request"),
        ("neighbors", {"word": "mountain", "retrieval": "magic"}, "bad_request"),
        ("neighbors", {"word": "mountain", "at": "1066"}, "unknown_condition"),
        ("series", {"word": "mountain", "place": "nowhere"}, "unknown_condition"),
        ("axis", {"word": "mountain", "formula": "x" * 501}, "bad_request"),
        ("series", {"word": "mountain", "min_count": 999_999}, "too_rare"),
        ("drift", {"words": "/etc/passwd"}, "unknown_word"),
        ("drift", {"tpo": 3}, "bad_request"),
    ],
)
def test_an_error_has_its_kind(both, name, params, kind):
    response = both.get(f"/api/{name}", params=params)
    assert (response.json()["error"]["kind"], response.status_code // 100) == (kind, 4)


STRANGE = [
    *("", "x", "mountain", "mountain river", "1991/arlen", "arlen", "1991", "first", "overall", "all", "a" * 200),
    *("\x00", "\x1b[31m", "' OR 1=1 --", "mountain - river", "((a + b) - ", "-1", "0", "1", "5", "50", "1e3", "0.05"),
    *("NaN", "inf", "9" * 30, "csls", "lle", "true", "[]", *HOSTILE),
]


def test_no_question_is_a_fault_of_the_server(both):
    """Strange questions are answered, or refused as the schema says."""
    chosen = random.Random(1)
    for path, methods in get(both, "openapi.json")["paths"].items():
        for _ in range(12):
            asked = [
                (parameter["name"], chosen.choice(["mountain", "1991/arlen", *STRANGE]))
                for parameter in methods["get"].get("parameters", [])
                if parameter.get("required") or chosen.random() < 0.4
            ]
            response = both.get(path, params=asked)
            documented = {int(status) for status in methods["get"]["responses"]}
            assert response.status_code in documented, (path, asked, response.text[:300])


@pytest.mark.parametrize("path", ["/", "/source.js", "/api/about", "/api/series", "/api/nothing", "/nothing"])
def test_every_answer_has_the_headers_that_protect(both, path):
    headers = both.get(path).headers
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in headers["content-security-policy"]


OTHER_HOSTS = ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[::1].evil.com", "me@127.0.0.1")


def test_only_requests_that_name_this_server_are_answered():
    """A page from elsewhere can point its own name at this machine; its requests then carry that name."""
    with client(hostile(), port=8765) as asked:

        def status(host: str) -> int:
            return asked.get("/api/about", headers={"host": host}).status_code

        refused = [*(f"{name}:8765" for name in OTHER_HOSTS), "", "10.0.0.1:8765", "localhost:8765:8765"]
        for host in (*refused, "localhost:80", "127.0.0.1", "localhost:x", "[::1]x:8765"):
            assert status(host) == 421, host
        for host in ("localhost:8765", "127.0.0.1:8765", "[::1]:8765", "LOCALHOST:8765"):
            assert status(host) == 200, host
    with client(hostile(), host="0.0.0.0") as asked:
        assert (status("192.0.2.7:8765"), status("evil.example")) == (200, 421)


def test_pages_of_other_sites_get_nothing(both):
    def status(path: str, site: str, mode: str) -> int:
        return both.get(path, headers={"sec-fetch-site": site, "sec-fetch-mode": mode}).status_code

    assert status("/api/about", "cross-site", "cors") == status("/source.js", "same-site", "no-cors") == 403
    assert status("/", "cross-site", "navigate") == 200
    refused = both.post("/api/about")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")
    assert both.get(f"/api/series?word={'x' * 9_000}").status_code == 414


def test_nothing_beside_the_page_is_served(both):
    for path in ("/../server.py", "/%2e%2e/server.py", "/..%2fserver.py", "/engine/engine.js", "/views", "/docs"):
        assert both.get(path).status_code == 404
    assert "<!-- explorer:data -->" in both.get("/").text


def test_work_that_nobody_awaits_is_dropped_and_who_leaves_takes_nothing_from_the_others():
    """Slow work has one thread: the second question is answered only if the first, of hours, does not hold it."""
    app = server.make_app(explored("time"), warm=False)

    async def asked(name: str, query: str, left: asyncio.Event) -> bytes:
        body: list[bytes] = []

        async def receive() -> dict:
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict) -> None:
            body.append(message.get("body", b""))

        scope = {"type": "http", "method": "GET", "path": f"/api/{name}", "query_string": query.encode()}
        await app(scope | {"headers": [(b"host", b"localhost")]}, receive, send)
        return b"".join(body)

    async def run() -> None:
        here, left = asyncio.Event(), asyncio.Event()
        endless = asyncio.create_task(asked("drift", "permutations=99999", left))
        assert b"rows" in await asked("series", "word=bank", here), "a quick question does not wait"
        leaving, staying = (asyncio.create_task(asked("drift", "permutations=10", event)) for event in (left, here))
        await asyncio.sleep(0)
        left.set()
        *given_up, answer = await asyncio.wait_for(asyncio.gather(endless, leaving, staying), 600)
        assert given_up == [b"", b""]
        assert b"rows" in answer

    with ThreadPoolExecutor(1) as pool:  # after a test with a browser a loop runs in this thread already
        pool.submit(asyncio.run, run()).result()


def test_a_port_that_is_taken_is_told_in_one_line():
    with server.listen("127.0.0.1", 0) as first, pytest.raises(SettingsError, match="choose another with --port"):
        server.listen("127.0.0.1", first.getsockname()[1])


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
    command = [sys.executable, "-m", "chronotope", "explore", tmp_path / "model.ct", "--port", "0", "--no-open"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stderr.readline()
        address = next(part for part in line.split() if part.startswith("http://127.0.0.1:"))
        with urllib.request.urlopen(f"{address}api/series?word=bank") as response:
            assert json.load(response)["rows"][0]["word"] == "bank"
        process.send_signal(signal.SIGINT)
        rest, said = process.communicate(timeout=600)
    finally:
        process.kill()
    assert (process.returncode, rest) == (0, "")
    assert "Traceback" not in said
