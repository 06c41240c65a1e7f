"""The command line: each command parses, calls and prints."""

from __future__ import annotations

import io
import os
import signal
import sys


def main() -> None:
    """Run the command line; exit with 0, 2 for errors that the user can fix, 1 for bugs, 130 after Ctrl-C."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever called us
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    try:
        from chronotope.cli.app import BrokenOutputError, InterruptedRunError, make_app
        from chronotope.cli.console import talk
        from chronotope.errors import ChronotopeError
    except KeyboardInterrupt:
        sys.exit(130)

    # UTF-8 in files and pipes on every system; what the encoding of a terminal lacks is escaped.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
    try:
        _check_arguments()
        sys.argv[1:] = sys.argv[1:] or ["--help"]
        sys.exit(make_app(sys.argv[1])())
    except ChronotopeError as error:
        talk("[bold red]error[/]: {}", error)
        sys.exit(2)
    except (InterruptedRunError, KeyboardInterrupt) as error:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not cut the message
        talk("{}", str(error) or "stopped")
        sys.exit(130)
    except BrokenOutputError:
        _exit_by_broken_pipe()
    except MemoryError as error:
        talk("[bold red]error[/]: {}", f"out of memory{f': {error}' if str(error) else '; try --memory'}")
        sys.exit(2)
    except OSError as error:
        talk("[bold red]error[/]: {}", f"{error.filename}: {error.strerror}" if error.filename else error)
        sys.exit(2)


def _check_arguments() -> None:
    from chronotope.errors import InputError

    for argument in sys.argv[1:]:
        if any("\ud800" <= letter <= "\udfff" for letter in argument):
            shown = str(os.fsencode(argument))[2:-1]
            raise InputError(f"'{shown}' is not in UTF-8; give words in UTF-8, and rename files with such a name")


def _exit_by_broken_pipe() -> None:
    """End quietly by the signal, as other tools do when the reader of their output (such as `head`) is gone."""
    # So that the interpreter can close its files.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    sys.exit(141)
