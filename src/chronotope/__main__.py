"""The command line as `python -m chronotope`, for systems where the command is not on the path."""

from chronotope.cli import main

if __name__ == "__main__":
    main()
