#!/usr/bin/env python3
"""The command line program of Cline from its npm package behind the gate, end to end, against a scripted model on this machine.

The home folder is thrown away. A denial ends a run of Cline, so that there are several: pushes before the tests have passed,
also after some that failed, must not happen. The push after the tests must happen.

    .ci/hosts/cline.py [PROGRAM]       PROGRAM is target/debug/tsl-synth if it is not named

Where Cline cannot be installed, the run is skipped with a notice and exit code 0.
"""

import tempfile

import scripted


def call(command, _tools):
    return "run_commands", {"commands": command}


RUNS = [
    (["touch pushed"], False),
    (["touch tested", "touch pushed"], False),
    (["touch tested no/such/folder"], None),
    (["touch pushed"], False),
    (["touch tested"], None),
    (["touch pushed"], True),
]
# Each run is a session of its own, so that what counts together stands in one: a list of calls, and whether it ends in a push.
SESSIONS = [RUNS[:1], RUNS[1:2], RUNS[2:4], RUNS[4:]]

host = scripted.program("Cline", "cline@3.0.65", "cline")
for session in SESSIONS:
    with tempfile.TemporaryDirectory() as folder:
        model = scripted.Model([commands for commands, _ in session], call)
        gate = scripted.Gate(folder, "cline", "run_commands", model)
        gate.environment["CI"] = "1"
        done = gate.run(host, "auth", "-p", "openai", "-k", "none", "-m", "scripted", "-b", f"{model.url}/v1")
        assert done.returncode == 0, done
        gate.install()
        gate.run(host, "-P", "openai", "-m", "scripted", "Push the work.")
        pushes = session[-1][1]
        assert gate.has_pushed() == pushes and len(model.requests) == len(session) + (1 if pushes else 0), session
        assert (scripted.WHY in gate.journals()) != pushes, session
print("Cline behind the gate: pushes without tests are refused, the one after them happens")
