"""chronotope explore: the model as a page in a browser."""

from __future__ import annotations

import contextlib
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from chronotope.cli.console import progress_bars, talk
from chronotope.cli.options import Coordinates, Model, warn_if_earlier
from chronotope.errors import SettingsError

if TYPE_CHECKING:
    from chronotope.views.explorer.explored import Explored


def explore_command(
    model: Model,
    run: Annotated[Path | None, Option(metavar="RUN", help="Run of the model, if it is not beside it.")] = None,
    port: Annotated[int | None, Option(min=0, max=65535, help="Port (default: 8765); 0 takes any free one.")] = None,
    host: Annotated[str, Option(help="Address to listen on; 0.0.0.0 lets other machines connect.")] = "127.0.0.1",
    no_open: Annotated[bool, Option("--no-open", help="Do not open a browser.")] = False,
    export: Annotated[Path | None, Option(metavar="DIR", help="Write a folder that needs no server.")] = None,
    with_text: Annotated[
        bool, Option("--with-text", help="With --export: include sentences, if you may publish them.")
    ] = False,
    force: Annotated[bool, Option("--force", help="With --export: replace the folder.")] = False,
    coordinates: Coordinates = None,
    title: Annotated[str | None, Option(help="Title of the page.")] = None,
) -> None:
    """Look at MODEL in a browser: its words, when and where they changed, and the sentences."""
    from chronotope.views.explorer.explored import open_explored

    if export is None and (with_text or force):
        raise SettingsError("--with-text and --force belong to --export DIR")
    explored = open_explored(model, run, coordinates=coordinates, title=title)
    if run is None:
        warn_if_earlier(model, explored.embeddings)
    if export is not None:
        from chronotope.views.explorer.export import export as write

        with progress_bars() as bars:
            written = write(explored, export, with_text=with_text, force=force, progress=bars)
        talk("{} MB in [bold]{}[/]; open {}", f"{written.size / 1e6:,.1f}", export, written.page.as_uri())
    else:
        _serve(explored, host, port, no_open)


def _serve(explored: Explored, host: str, port: int | None, no_open: bool) -> None:
    from chronotope.views.explorer import server

    try:
        listener = server.listen(host, server.DEFAULT_PORT if port is None else port)
    except SettingsError:
        if port is not None:
            raise
        listener = server.listen(host, 0)  # any free one instead of the usual one
    address = server.address(host, listener)
    if host not in ("127.0.0.1", "localhost", "::1"):
        talk("[yellow]other machines can reach this page, and read what it shows; there is no password[/]")

    def ready() -> None:
        talk("{} is at [bold]{}[/]  (Ctrl-C ends it)", explored.title, address)
        if not no_open:
            webbrowser.open(address)

    with contextlib.suppress(KeyboardInterrupt):
        server.serve(explored, listener, host=host, on_ready=ready)
    talk("ended")
