#!/usr/bin/env python3
"""The command line program of Cline from its npm package behind the gate, end to end, against a scripted model on this machine.

The home folder is thrown away. A denial ends a run of Cline, so that there are several: pushes before the tests have passed,
also after some that failed, must not happen. The push after the tests must happen.

    .ci/hosts/cline.py [PROGRAM]       PROGRAM is target/debug/tsl-synth if it is not named

Where Cline cannot be installed, the run is skipped with a notice and exit code 0.
"""

import scripted


def call(commands, _tools):
    return "run_commands", {"commands": commands}


# Each run is a session: its gate (`None`: the program is missing), its calls, each a list of commands that run at the
# same time, and whether the push must happen.
SESSIONS = [
    (None, [["touch pushed"]], False),
    ("", [["touch pushed"]], False),
    ("", [["touch tested", "touch pushed"]], False),
    ("", [["touch tested no/such/folder"], ["touch pushed"]], False),
    ("", [["touch tested"], ["touch pushed"]], True),
]

host = scripted.program("Cline", "cline@3.0.65", "cline")
for program, calls, pushes in SESSIONS:
    with scripted.home() as folder:
        model = scripted.Model(calls, call)
        gate = scripted.Gate(folder, "cline", "run_commands", model)
        gate.environment["CI"] = "1"
        done = gate.run(host, "auth", "-p", "openai", "-k", "none", "-m", "scripted", "-b", f"{model.url}/v1")
        assert done.returncode == 0, done
        if program is None:
            gone = gate.home / "gone"
            gone.write_text("")
            gate.install(gone)
            gone.unlink()
        else:
            gate.install()
        gate.run(host, "-P", "openai", "-m", "scripted", "Push the work.")
        assert gate.has_pushed() == pushes and len(model.requests) == len(calls) + (1 if pushes else 0), calls
        assert (scripted.WHY in gate.journals()) == (not pushes and program is not None), calls
print("Cline behind the gate: pushes without tests are refused, the one after them happens")
