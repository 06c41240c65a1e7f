"""The command line: each command parses, calls and prints."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line: exit 0 fine, 2 for what the user can put right, 1 for a fault of ours."""
    from chronotope.cli.app import app
    from chronotope.cli.console import talk
    from chronotope.errors import ChronotopeError

    try:
        app()
    except ChronotopeError as error:
        talk("[bold red]error[/]: {}", error)
        sys.exit(2)
    except KeyboardInterrupt:
        talk("stopped")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output went away (as `head` does): that is no fault.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        talk("[bold red]error[/]: {}", f"{error.filename}: {error.strerror}" if error.filename else error)
        sys.exit(2)
