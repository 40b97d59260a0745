"""The program `tsl-synth`, as a console script and as `python -m tsl_synth`."""

from __future__ import annotations

import os
import sys
import sysconfig

from . import _native


def _program() -> str:
    """The file that starts the program: hooks that `shield install` writes, and child processes, start it again."""
    name = "tsl-synth.exe" if os.name == "nt" else "tsl-synth"
    started = os.path.abspath(sys.argv[0])
    for candidate in (started, started + ".exe", os.path.join(sysconfig.get_path("scripts"), name)):
        if os.path.basename(candidate) == name and os.path.isfile(candidate):
            return candidate
    return sys.executable


def main() -> None:
    """Runs the program and ends the process with its exit code."""
    _native.main(_program(), sys.argv[1:])


if __name__ == "__main__":
    main()
