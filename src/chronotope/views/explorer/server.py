"""The explorer as a web server on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import os
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from chronotope.analysis.everywhere import DRAWS
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.errors import ChronotopeError, InputError, SettingsError, UnknownConditionError, UnknownWordError
from chronotope.io.provenance import package_version
from chronotope.runtime.blas import one_blas_thread
from chronotope.views.explorer import questions
from chronotope.views.explorer.answers import Lane, to_json
from chronotope.views.explorer.api import Asking, UnknownWordAskedError, routes
from chronotope.views.explorer.explored import Explored
from chronotope.views.explorer.leaving import Leaving
from chronotope.views.explorer.security import Guard

PAGE = Path(__file__).parent / "page"
DEFAULT_PORT = 8765
STARTS_SHOWN = 20
# What a page asks for has this support; its matrices are made before they are asked for.
USUAL_SUPPORT, USUAL_CHANCE = 5, 0.05
# What chance does is measured ahead where that takes some ten seconds of one core, not minutes.
MOST_OPERATIONS = 3 * 10**11
# Of the memory that is free, so much may hold matrices; they are what makes a new word fast.
SHARE_OF_MEMORY = 0.5
LEAST_MEMORY = 256 << 20

log = logging.getLogger(__name__)


def make_app(explored: Explored, *, host: str = "127.0.0.1", warm: bool = True) -> Guard:
    """The web application: the page, and the questions under /api.

    Parameters
    ----------
    explored
        What is looked at.
    host
        The address that it will be reached at.
    warm
        Prepare in the background, from the start on, what the first questions need.
    """
    asking = Asking(explored)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        stop = threading.Event()
        # Requests run beside each other, so that each has one core; and the same question gets the same bits.
        with one_blas_thread():
            task = asyncio.create_task(_warm(asking, stop)) if warm else None
            yield
            stop.set()
            if task is not None:
                task.cancel()
            asking.answers.close()

    app = FastAPI(
        title="chronotope explorer",
        version=package_version(),
        description="What words mean when and where. Every answer is exactly that of the library.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.include_router(routes(asking))
    app.add_exception_handler(ChronotopeError, _told)
    app.add_exception_handler(RequestValidationError, _told)
    app.add_exception_handler(HTTPException, _told)
    app.add_exception_handler(Exception, _told)
    app.mount("/", StaticFiles(directory=PAGE, html=True, check_dir=False))
    return Guard(Leaving(app), host)


async def _warm(asking: Asking, stop: threading.Event) -> None:
    """Make what the first questions need: the lists to start from, the matrices of all conditions, what chance does."""
    embeddings = asking.explored.embeddings
    embeddings.allow_memory(room_for_matrices(embeddings))
    try:
        await asking.ask(questions.starts, STARTS_SHOWN, lane=Lane.AHEAD)
        await asking.answers.value("warm", lambda: _prepare(embeddings, stop), lambda _: 0, Lane.AHEAD)
        if operations_for_chance(embeddings) <= MOST_OPERATIONS:
            for label in embeddings.conditions.labels:
                await asking.needed(label, USUAL_CHANCE, USUAL_SUPPORT, Lane.AHEAD)
    except ChronotopeError as error:
        # Whoever asks is told then.
        log.info("not prepared: %s", error)


def _prepare(embeddings: ConditionedEmbeddings, stop: threading.Event) -> None:
    for label in embeddings.conditions.labels:
        if stop.is_set():
            return
        embeddings.matrix(label, USUAL_SUPPORT)
    # It takes seconds to load, and the first trajectory would wait for it.
    importlib.import_module("sklearn.manifold")


def operations_for_chance(embeddings: ConditionedEmbeddings) -> int:
    """How many multiplications it takes to know what chance does between every two conditions."""
    return DRAWS * len(embeddings.observed.word) * embeddings.dimensions * len(embeddings.conditions)


def room_for_matrices(embeddings: ConditionedEmbeddings) -> int:
    """How many bytes of matrices to keep: all of them, with room for what CSLS adds, where memory allows."""
    wanted = 2 * len(embeddings.observed.word) * (4 * embeddings.dimensions + 16)
    return max(LEAST_MEMORY, min(wanted, int(SHARE_OF_MEMORY * _free_memory())))


def _free_memory() -> int:
    """The bytes of memory that nobody needs; where the system does not tell, half of what there is, or a guess."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            # What is kept of files is given back when it is needed: it counts as free.
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (ValueError, OSError, AttributeError):
        return 4 * LEAST_MEMORY


async def _told(request: Request, error: Exception) -> Response:
    """An error as JSON: its kind, and one line."""
    status, kind, message, alike = describe(error)
    if kind == "internal":
        log.error("no answer to %s", request.url.path, exc_info=error)
    body = {"error": {"kind": kind, "message": message, "did_you_mean": alike}}
    return Response(to_json(body), status, media_type="application/json")


def describe(error: Exception) -> tuple[int, str, str, list[str]]:
    """What an error is told as: the status, the kind, one line, and words that may have been meant."""
    message = " ".join(str(error).split())
    if isinstance(error, UnknownWordAskedError):
        return 404, "unknown_word", message, error.alike
    if isinstance(error, UnknownWordError):
        return 404, "unknown_word", message, []
    if isinstance(error, UnknownConditionError):
        return 404, "unknown_condition", message, []
    if isinstance(error, questions.UnavailableError):
        return 409, "unavailable", message, []
    if isinstance(error, InputError):
        return 422, "too_rare", message, []
    if isinstance(error, SettingsError):
        return 422, "bad_request", message, []
    if isinstance(error, ChronotopeError):
        return 500, "internal", message, []
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        return 422, "bad_request", f"{first['loc'][-1]}: {first['msg']}", []
    if isinstance(error, HTTPException):
        return error.status_code, "not_found", str(error.detail), []
    return 500, "internal", "something went wrong here; the server's log says what", []


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes any that is free. One that is taken is told in one line."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, since asyncio sends without delay only where it is: otherwise each answer waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as error:
        listener.close()
        reason = error.strerror or "it cannot be used"
        raise SettingsError(f"cannot listen on {host}, port {port} ({reason}); choose another with --port") from None
    except OverflowError:
        listener.close()
        raise SettingsError(f"{port} is no port; choose one from 0 to 65535") from None
    return listener


def address(host: str, listener: socket.socket) -> str:
    """Where a browser finds the page."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{listener.getsockname()[1]}/"


def serve(
    explored: Explored, listener: socket.socket, *, host: str = "127.0.0.1", on_ready: Callable[[], Any] | None = None
) -> None:
    """Answer until interrupted.

    Parameters
    ----------
    explored
        What is looked at.
    listener
        From `listen`.
    host
        The address that it listens on.
    on_ready
        Called when the first request can be answered.
    """
    config = uvicorn.Config(
        make_app(explored, host=host),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_keep_alive=60,
        timeout_graceful_shutdown=2,
    )
    server = _Server(config, on_ready)
    server.run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], Any] | None) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._on_ready is not None:
            self._on_ready()
