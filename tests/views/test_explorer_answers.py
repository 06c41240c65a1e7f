"""How the explorer's answers are made: each once, the quick ones at once, and none that nobody awaits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest

from chronotope.views.explorer.answers import Answers, Lane
from chronotope.views.explorer.leaving import Leaving


def in_a_loop(work: Coroutine[None, None, None]) -> None:
    """Run a coroutine in a thread of its own: where a browser was used before, a loop runs in this one already."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


class Slow:
    """Work that goes on until it is let go."""

    def __init__(self) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()

    def __call__(self) -> str:
        self.begun.set()
        assert self.let_go.wait(20)
        return "slow"


@asynccontextmanager
async def busy_answers() -> AsyncIterator[tuple[Answers, Slow, asyncio.Task[bytes]]]:
    """Answers with one thread a lane, whose lane of charts is busy."""
    answers, slow = Answers(1), Slow()
    waiting = asyncio.create_task(answers.json("slow", slow))
    await asyncio.to_thread(slow.begun.wait, 600)
    try:
        yield answers, slow, waiting
    finally:
        slow.let_go.set()
        await waiting
        answers.close()


def counter() -> tuple[list[int], Callable[[], str]]:
    """Work that notes that it was done."""
    done: list[int] = []
    return done, lambda: done.append(1) or "made"


async def asked(*coroutines) -> list[asyncio.Task]:
    """Tasks that have all asked."""
    tasks = [asyncio.create_task(one) for one in coroutines]
    await asyncio.sleep(0)
    return tasks


def test_what_a_reader_waits_for_does_not_stand_behind_charts():
    async def run() -> None:
        async with busy_answers() as (answers, _, waiting):
            assert await answers.json("near", lambda: "near", Lane.QUICK) == b'"near"'
            assert not waiting.done()

    in_a_loop(run())


def test_work_that_nobody_awaits_any_more_is_dropped():
    async def run() -> None:
        done, make = counter()
        async with busy_answers() as (answers, slow, waiting):
            for task in await asked(answers.json("chart", make), answers.json("chart", make)):
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            slow.let_go.set()
            await waiting
            assert await answers.json("last", lambda: "last") == b'"last"'
            assert not done
            # Who asks for it again gets it.
            assert await answers.json("chart", make) == b'"made"'
            assert len(done) == 1

    in_a_loop(run())


def test_one_who_goes_away_takes_nothing_from_the_others():
    async def run() -> None:
        done, make = counter()
        async with busy_answers() as (answers, slow, _):
            first, second = await asked(answers.json("chart", make), answers.json("chart", make))
            first.cancel()
            await asyncio.sleep(0)
            slow.let_go.set()
            assert await second == b'"made"'
            assert len(done) == 1

    in_a_loop(run())


def test_work_that_has_begun_is_finished_and_kept():
    async def run() -> None:
        answers, slow = Answers(1), Slow()
        task = asyncio.create_task(answers.json("slow", slow))
        await asyncio.to_thread(slow.begun.wait, 600)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        again = asyncio.create_task(answers.json("slow", lambda: "made again"))
        slow.let_go.set()
        assert await again == b'"slow"'
        answers.close()

    in_a_loop(run())


def test_a_request_ends_when_its_connection_is_closed():
    async def run() -> None:
        messages: asyncio.Queue[dict] = asyncio.Queue()
        messages.put_nowait({"type": "http.request", "body": b"", "more_body": False})
        begun, ended = asyncio.Event(), []

        async def app(scope, *_) -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(scope["path"])

        request = asyncio.create_task(Leaving(app)({"type": "http", "path": "/api/ranks"}, messages.get, None))
        await begun.wait()
        await asyncio.sleep(0.01)
        assert not request.done()
        messages.put_nowait({"type": "http.disconnect"})
        await asyncio.wait_for(request, 600)
        assert ended == ["/api/ranks"]

    in_a_loop(run())


def test_an_error_of_the_application_is_not_swallowed():
    async def run() -> None:
        async def app(*_) -> None:
            raise ValueError("ours")

        await Leaving(app)({"type": "http"}, asyncio.Queue().get, None)

    with pytest.raises(ValueError, match="ours"):
        in_a_loop(run())
