"""The security of the explorer: which requests it answers, and what its page may load.

Another site could point a name of its own at this machine (DNS rebinding) and read the answers, so a request must name
this server in its Host header. Whatever the corpus contains, the page runs only its own scripts and connects only to
its own server.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chronotope.views.explorer.answers import to_json

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANY_ADDRESS = ("0.0.0.0", "::")
LONGEST_QUERY = 8_000

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
# Starlette's TrustedHostMiddleware knows neither IPv6 addresses nor ports.
_HOST = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9.-]+))(?::(?P<port>[0-9]{1,5}))?")


def host_and_port(header: str) -> tuple[str, int | None]:
    """Return the name and the port of a Host header; the name is '' if the header is malformed.

    >>> host_and_port("LOCALHOST:8000"), host_and_port("[::1]"), host_and_port("me@localhost")
    (('localhost', 8000), ('::1', None), ('', None))
    """
    found = _HOST.fullmatch(header.casefold())
    return (found["six"] or found["name"], int(found["port"]) if found["port"] else None) if found else ("", None)


class Guard:
    """Answer only GET and HEAD requests that name this server, and add security headers to every answer.

    Names of the server are those of loopback, and `host`, the address that it listens on. If it listens on every
    address (0.0.0.0), a request must name a numeric address, since any site could own a name. `port` None accepts any
    port. A request ends when its connection is closed, so that its work can be dropped. The application does not
    read request bodies.
    """

    def __init__(self, app: ASGIApp, host: str = "127.0.0.1", port: int | None = None) -> None:
        self._app, self._port = app, port
        self._any, self._names = host in ANY_ADDRESS, {*LOOPBACK, host.casefold()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refused = self._refusal(scope)
        if refused is None:
            await _until_left(self._app, scope, receive, guarded)
            return
        status, text = refused
        body = to_json({"error": {"kind": "refused", "message": text, "did_you_mean": []}})
        allow = {"allow": "GET, HEAD"} if status == 405 else None
        await Response(body, status, allow, "application/json")(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the reason why a request is refused; None if it is answered."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_here(*host_and_port(hosts[0])):
            return 421, "this server answers only to its own address"
        site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "navigate")
        # Following a link to the page from another site is fine; a script of another site is not.
        if site not in ("same-origin", "none") and mode != "navigate":
            return 403, "this server answers only its own page"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "this server answers only GET and HEAD requests"
        if len(scope["query_string"]) > LONGEST_QUERY:
            return 414, f"the question is longer than {LONGEST_QUERY:,} bytes"
        return None

    def _is_here(self, name: str, port: int | None) -> bool:
        if self._port is not None and (port or 80) != self._port:
            return False
        if name in self._names:
            return True
        with contextlib.suppress(ValueError):
            return self._any and bool(ipaddress.ip_address(name))
        return False


async def _until_left(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request, or stop when its connection is closed."""

    async def left() -> Message:
        while (message := await receive())["type"] != "http.disconnect":
            pass
        return message

    leaving = asyncio.ensure_future(left())

    async def nothing() -> Message:
        return await asyncio.shield(leaving)

    answered = asyncio.ensure_future(app(scope, nothing, send))
    try:
        await asyncio.wait({leaving, answered}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        leaving.cancel()
        answered.cancel()  # does nothing if the answer is complete
    with contextlib.suppress(asyncio.CancelledError):
        await answered
