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
from typing import Any, TypeAlias

import psutil
import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from chronotope.analysis.answer import questions
from chronotope.errors import ChronotopeError, SettingsError, UnknownConditionError, UnknownWordError
from chronotope.io.provenance import package_version
from chronotope.runtime.blas import one_blas_thread
from chronotope.views.explorer.answers import Lane, to_json
from chronotope.views.explorer.api import Asking, describe, routes
from chronotope.views.explorer.explored import Explored
from chronotope.views.explorer.security import Guard

PAGE = Path(__file__).parent / "page"
DEFAULT_PORT = 8765
USUAL_MIN_COUNT = 5  # the default of the page
SHARE_OF_MEMORY, LEAST_MEMORY = 0.5, 256 << 20  # for matrices: share of the free memory, and bytes
MOST_LABELS = 200

log = logging.getLogger(__name__)
Ready: TypeAlias = Callable[[], Any] | None


def make_app(
    explored: Explored, *, host: str = "127.0.0.1", port: int | None = None, warm: bool = True, on_ready: Ready = None
) -> Guard:
    """Return the web application: the page, and the questions under /api.

    `warm` prepares the first questions in the background; `on_ready` is called when requests can be answered.
    """
    asking = Asking(explored)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        stop = threading.Event()
        # Requests run in parallel, so each has one core; and the same question gets the same bits.
        with one_blas_thread():
            task = asyncio.create_task(_warm(asking, stop)) if warm else None
            if on_ready is not None:
                on_ready()
            yield
            stop.set()
            if task is not None:
                task.cancel()
            asking.answers.close()

    about = "What words mean when and where. Every answer is the same as in Python."
    title: dict[str, Any] = {"title": "chronotope explorer", "version": package_version(), "description": about}
    app = FastAPI(**title, openapi_url="/api/openapi.json", docs_url=None, redoc_url=None, lifespan=lifespan)
    app.include_router(routes(asking))

    async def refuse(request: Request, error: Exception) -> Response:
        status, kind, message = describe(error)
        alike: list[str] = []
        if isinstance(error, UnknownWordError):
            alike = [found.word for found in await asyncio.to_thread(explored.words.alike, error.word)]
        elif isinstance(error, UnknownConditionError):
            alike = error.labels[:MOST_LABELS]
        if kind == "internal":
            log.error("no answer to %s", request.url.path, exc_info=error)
        body = {"error": {"kind": kind, "message": message, "did_you_mean": alike}}
        return Response(to_json(body), status, media_type="application/json")

    for kind in (ChronotopeError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, refuse)
    app.mount("/", StaticFiles(directory=PAGE, html=True, check_dir=False))
    return Guard(app, host, port)


async def _warm(asking: Asking, stop: threading.Event) -> None:
    """Prepare the lists of the start page, and the matrices of all conditions."""
    embeddings = asking.explored.embeddings
    # All matrices, with room for what CSLS adds, if memory allows.
    wanted = 2 * len(embeddings.observed.word) * (4 * embeddings.dimensions + 16)
    free = int(SHARE_OF_MEMORY * psutil.virtual_memory().available)
    embeddings.allow_memory(max(LEAST_MEMORY, min(wanted, free)))

    def prepare(_: object) -> bytes:
        for label in embeddings.conditions.labels:
            if not stop.is_set():
                embeddings.matrix(label, USUAL_MIN_COUNT)
        # The first trajectory would wait seconds for this import.
        importlib.import_module("sklearn.manifold")
        return b""

    for name in ("drift", "stable"):
        # The error is raised again when a page asks.
        with contextlib.suppress(ChronotopeError):
            await asking.ask(questions()[name], {}, Lane.SLOW)
    await asking.answers.value("warm", prepare, Lane.SLOW)


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes any free port. Raise SettingsError if the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio disables Nagle's delay (40 ms an answer) only for sockets with an explicit protocol.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or "it cannot be used"
        raise SettingsError(f"cannot listen on {host}, port {port} ({reason}); choose another with --port") from None
    return listener


def address(host: str, listener: socket.socket) -> str:
    """Return the address of the page for a browser."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{listener.getsockname()[1]}/"


def serve(explored: Explored, listener: socket.socket, *, host: str = "127.0.0.1", on_ready: Ready = None) -> None:
    """Answer at a socket from `listen` until interrupted; `on_ready` is called when requests can be answered."""
    app = make_app(explored, host=host, port=listener.getsockname()[1], on_ready=on_ready)
    quiet: dict[str, Any] = {"log_level": "warning", "access_log": False, "server_header": False}
    config = uvicorn.Config(app, lifespan="on", timeout_keep_alive=60, timeout_graceful_shutdown=2, **quiet)
    uvicorn.Server(config).run(sockets=[listener])
