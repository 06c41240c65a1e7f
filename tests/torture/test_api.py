"""Strange questions to the explorer's server: each is answered, or refused as a mistake of who asks."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("fastapi", reason="the explorer is an extra")

from fastapi.testclient import TestClient

from chronotope.views.explorer import server
from views.explored_models import explored

STRANGE = [
    *("", "x", "river", "mountain river", "1991/arlen", "arlen", "1991", "first", "overall", "all", "a" * 200),
    *("é\u0301", "\x00", "\x1b[31m", "🦜", "' OR 1=1 --", "../../etc/passwd", "<script>", "mountain - river"),
    *("((a + b) - ", "-1", "0", "1", "5", "50", "1e3", "0.05", "NaN", "inf", "9" * 30, "csls", "lle", "true", "[]"),
]


def test_no_question_is_a_fault_of_the_server():
    chosen = random.Random(1)
    app = server.make_app(explored("both"), warm=False)
    statuses = set()
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
        paths = client.get("/api/openapi.json").json()["paths"]
        for path, methods in paths.items():
            for _ in range(12):
                asked = [
                    (parameter["name"], chosen.choice(["mountain", "1991/arlen", *STRANGE]))
                    for parameter in methods["get"].get("parameters", [])
                    if parameter.get("required") or chosen.random() < 0.4
                ]
                response = client.get(path, params=asked)
                documented = {int(status) for status in methods["get"]["responses"]}
                assert response.status_code in documented, (path, asked, response.text[:300])
                statuses.add(response.status_code)
    assert {200, 422} & statuses
