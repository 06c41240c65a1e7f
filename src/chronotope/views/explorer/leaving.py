"""Who goes away need not be answered: a page that goes on to another word gives up what it asked about the last one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import MutableMapping
from typing import Any

from chronotope.views.explorer.security import App, Receive, Scope, Send


class Leaving:
    """Ends a request whose connection is closed, so that work that only it awaited can be dropped.

    Parameters
    ----------
    app
        What answers; it reads no bodies.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or stop when nobody waits for it any more."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        left = asyncio.ensure_future(_left(receive))

        async def nothing() -> MutableMapping[str, Any]:
            return await asyncio.shield(left)

        answered = asyncio.ensure_future(self._app(scope, nothing, send))
        try:
            await asyncio.wait({left, answered}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            left.cancel()
            answered.cancel()  # where the answer is complete, this does nothing
        with contextlib.suppress(asyncio.CancelledError):
            await answered


async def _left(receive: Receive) -> MutableMapping[str, Any]:
    """Waits until the connection is closed."""
    while (message := await receive())["type"] != "http.disconnect":
        pass
    return message
