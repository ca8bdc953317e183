"""The command line. `steelyard --version` is answered before anything else is imported."""

from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 2 bad input, 130 interrupted."""
    given = sys.argv[1:] if arguments is None else arguments
    if given == ["--version"]:
        from steelyard._version import __version__

        print(f"steelyard {__version__}")
        return 0
    from steelyard.cli.app import run

    return run(given)
