"""What protects a person who runs the explorer: who may ask, and what a page may do.

A page from elsewhere that the person has open could point a name of its own at this machine (DNS rebinding) and read
the answers; so a request must name this server in its Host header. And whatever the corpus holds, the page runs only
its own scripts and talks only to its own server.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from chronotope.views.explorer.answers import to_json

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANY_ADDRESS = ("0.0.0.0", "::")
LONGEST_QUERY = 8_000

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def host_name(header: str) -> str:
    """The name in a Host header, without its port.

    Examples
    --------
    >>> host_name("localhost:8000"), host_name("[::1]:8000"), host_name("EXAMPLE.org")
    ('localhost', '::1', 'example.org')
    """
    header = header.strip().casefold()
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]


class Guard:
    """Lets in only requests that name this server, and only to read; puts the headers on every answer.

    Parameters
    ----------
    app
        What answers.
    host
        The address that the server listens on: its own name counts, and on loopback all of the names of loopback. On
        every address at once (0.0.0.0) a request must name an address, not a name: a name could be anybody's.
    """

    def __init__(self, app: App, host: str = "127.0.0.1") -> None:
        self._app = app
        self._any = host in ANY_ADDRESS
        self._names = {*LOOPBACK, host.casefold()}
        self._headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in self._headers}
                given = [pair for pair in message.get("headers", ()) if pair[0].lower() not in own]
                message = {**message, "headers": [*given, *self._headers]}
            await send(message)

        refused = self._refusal(scope)
        if refused is None:
            await self._app(scope, receive, guarded)
            return
        status, text = refused
        body = to_json({"error": {"kind": "refused", "message": text, "did_you_mean": []}})
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await guarded({"type": "http.response.start", "status": status, "headers": headers})
        await guarded({"type": "http.response.body", "body": body})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is not answered: the status and one line; None where it is."""
        named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1 or not self._is_here(host_name(named[0])):
            return 421, "this server answers only to its own address"
        if self._from_elsewhere(scope["headers"]):
            return 403, "this server answers only its own page"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "this server only answers questions; it takes GET"
        if len(scope["query_string"]) > LONGEST_QUERY:
            return 414, f"the question is longer than {LONGEST_QUERY:,} bytes"
        return None

    def _is_here(self, name: str) -> bool:
        if name in self._names:
            return True
        return self._any and _is_address(name)

    @staticmethod
    def _from_elsewhere(headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Whether a browser says that another site's page asks; following a link to the page is no such thing."""
        said = dict(headers)
        site, mode = said.get(b"sec-fetch-site", b"none"), said.get(b"sec-fetch-mode", b"navigate")
        return site not in (b"same-origin", b"none") and mode != b"navigate"


def _is_address(name: str) -> bool:
    import ipaddress

    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
