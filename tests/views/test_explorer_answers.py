"""How the explorer's answers are made: each once, the quick ones at once, and none that nobody awaits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest

from chronotope.views.explorer.answers import Answers, Lane
from chronotope.views.explorer.security import Guard


def in_a_loop(work: Callable[[], Awaitable[None]]) -> None:
    """Run in a thread of its own: if a browser was used before, a loop runs in this one already."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(work())).result()


class Slow:
    """Work that goes on until it is released, and reports progress once before its end."""

    def __init__(self) -> None:
        self.begun, self.released, self.finished = threading.Event(), threading.Event(), False

    def __call__(self, progress: Callable[[], None]) -> str:
        self.begun.set()
        assert self.released.wait(600)
        progress()
        self.finished = True
        return "slow"


@asynccontextmanager
async def busy_answers() -> AsyncIterator[tuple[Answers, Slow, asyncio.Task[str]]]:
    """Answers with one thread a lane, whose lane of charts is busy."""
    answers, slow = Answers(1), Slow()
    waiting = asyncio.create_task(answers.value("slow", slow, len))
    await asyncio.to_thread(slow.begun.wait, 600)
    try:
        yield answers, slow, waiting
    finally:
        slow.released.set()
        await asyncio.gather(waiting, return_exceptions=True)
        answers.close()


async def leave(task: asyncio.Task[str]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_quick_answers_do_not_wait_for_charts():
    async def run() -> None:
        async with busy_answers() as (answers, _, waiting):
            assert await answers.value("near", lambda _: "near", len, Lane.QUICK) == "near"
            assert not waiting.done()

    in_a_loop(run)


def test_work_that_nobody_awaits_is_dropped_and_one_who_leaves_takes_nothing_from_the_others():
    async def run() -> None:
        done: list[str] = []

        def make(_: object) -> str:
            done.append("made")
            return "made"

        async with busy_answers() as (answers, slow, waiting):
            first, second, third = (asyncio.create_task(answers.value(key, make, len)) for key in "aab")
            await asyncio.sleep(0)
            await leave(first)
            await leave(third)
            slow.released.set()
            assert await second == "made"
            await waiting
            assert done == ["made"]
            # Cached from now on; and dropped work is done if somebody asks again.
            assert await answers.value("a", make, len) == await answers.value("b", make, len) == "made"
            assert done == ["made", "made"]

    in_a_loop(run)


@pytest.mark.parametrize("returns", [True, False])
def test_work_that_has_begun_stops_at_its_next_progress_unless_somebody_asks_again(returns):
    async def run() -> None:
        async with busy_answers() as (answers, slow, waiting):
            await leave(waiting)
            again = asyncio.create_task(answers.value("slow", lambda _: "made again", len)) if returns else None
            await asyncio.sleep(0)
            slow.released.set()
            if again is not None:
                assert await again == "slow"
            # The lane has one thread: when this is answered, the slow work has ended.
            assert await answers.value("last", lambda _: "last", len) == "last"
            assert slow.finished == returns

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
