"""The command line: each command parses, calls and prints."""

from __future__ import annotations

import io
import os
import signal
import sys

LEAST_ADDRESS_SPACE = 4_000_000_000


def main() -> None:
    """Run the command line: exit 0 fine, 2 what the user can put right, 1 our bug, 130 after Ctrl-C."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever called us
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    try:
        from chronotope.cli.app import BrokenOutputError, InterruptedRunError, make_app
        from chronotope.cli.console import talk
        from chronotope.errors import ChronotopeError

        app = make_app(sys.argv[1] if len(sys.argv) > 1 else None)
    except KeyboardInterrupt:
        sys.exit(130)

    _write_any_letter()
    try:
        _check_letters()
        _check_address_space()
        app()
    except ChronotopeError as error:
        talk("[bold red]error[/]: {}", error)
        sys.exit(2)
    except (InterruptedRunError, KeyboardInterrupt) as error:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it was heard
        talk("{}", str(error) or "stopped")
        sys.exit(130)
    except BrokenOutputError:
        _end_as_by_a_broken_pipe()
    except MemoryError as error:
        talk("[bold red]error[/]: {}", f"out of memory{f': {error}' if str(error) else '; try --memory'}")
        sys.exit(2)
    except OSError as error:
        talk("[bold red]error[/]: {}", f"{error.filename}: {error.strerror}" if error.filename else error)
        sys.exit(2)


def _write_any_letter() -> None:
    """Files and pipes get UTF-8 on every system; a terminal that takes less shows the other letters escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            if stream.isatty():
                stream.reconfigure(errors="backslashreplace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _check_letters() -> None:
    """Refuse arguments that are no text."""
    from chronotope.errors import InputError

    for given in sys.argv[1:]:
        if any("\ud800" <= letter <= "\udfff" for letter in given):
            shown = str(os.fsencode(given))[2:-1]
            raise InputError(f"'{shown}' is not in UTF-8; give words in UTF-8, and rename files with such a name")


def _check_address_space() -> None:
    """Refuse a tight `ulimit -v`: libraries abort when they cannot reserve addresses for their threads."""
    import psutil

    if hasattr(psutil, "RLIMIT_AS"):
        limit = psutil.Process().rlimit(psutil.RLIMIT_AS)[0]
        if 0 <= limit < LEAST_ADDRESS_SPACE:
            raise MemoryError(f"ulimit -v allows {limit / 1e9:.1f} GB of addresses, and 4 GB are needed")


def _end_as_by_a_broken_pipe() -> None:
    """End as other tools do when the reader of their output goes away (as `head` does): quietly, by the signal."""
    # Nothing is left to be written when the interpreter closes its files.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    sys.exit(141)
