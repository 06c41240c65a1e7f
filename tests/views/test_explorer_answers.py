"""How the explorer's answers are made: each once, the quick ones at once, and none that nobody awaits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from chronotope.views.explorer.answers import Answers, Lane
from chronotope.views.explorer.security import Guard


def in_a_loop(work: Callable[[], Awaitable[None]]) -> None:
    """Run in a thread of its own: if a browser was used before, a loop runs in this one already."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(work())).result()


async def leave(task: asyncio.Task[bytes]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_work_that_nobody_awaits_is_dropped_and_one_who_leaves_takes_nothing_from_the_others():
    async def run() -> None:
        answers, done = Answers(1), []
        begun, released = threading.Event(), threading.Event()

        def slow(_: object) -> bytes:
            begun.set()
            assert released.wait(600)
            return b"slow"

        def make(_: object) -> bytes:
            done.append("made")
            return b"made"

        waiting = asyncio.create_task(answers.value("slow", slow))
        await asyncio.to_thread(begun.wait, 600)
        assert await answers.value("near", lambda _: b"near", Lane.QUICK) == b"near", "it waits for no chart"
        first, second, third = (asyncio.create_task(answers.value(key, make)) for key in "aab")
        await asyncio.sleep(0)
        await leave(first)
        await leave(third)
        released.set()
        assert (await second, await waiting, done) == (b"made", b"slow", ["made"])
        # Cached from now on; and dropped work is done if somebody asks again.
        assert await answers.value("a", make) == await answers.value("b", make) == b"made"
        assert done == ["made", "made"]
        answers.close()

    in_a_loop(run)


def test_a_request_ends_when_its_connection_is_closed_and_errors_are_not_swallowed():
    async def run() -> None:
        messages: asyncio.Queue[dict] = asyncio.Queue()
        messages.put_nowait({"type": "http.request", "body": b"", "more_body": False})
        begun, ended = asyncio.Event(), []
        scope = {"type": "http", "method": "GET", "query_string": b"", "headers": [(b"host", b"localhost")]}

        async def app(*_: object) -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("ended")

        request = asyncio.create_task(Guard(app)(scope, messages.get, None))
        await begun.wait()
        assert not request.done()
        messages.put_nowait({"type": "http.disconnect"})
        await request
        assert ended == ["ended"]

        async def broken(*_: object) -> None:
            raise ValueError("ours")

        with pytest.raises(ValueError, match="ours"):
            await Guard(broken)(scope, messages.get, None)

    in_a_loop(run)
