#!/usr/bin/env python3
"""GitHub Copilot CLI from its npm package behind the gate, end to end, against a scripted model on this machine.

It runs offline with a provider of its own, which needs no account. The home folder is thrown away. The model asks for pushes
before the tests have passed, also after some that failed: none must happen, and the model must be told why. The push after the
tests must happen.

    .ci/hosts/copilot.py [PROGRAM]     PROGRAM is target/debug/tsl-synth if it is not named

Where Copilot CLI cannot be installed, the run is skipped with a notice and exit code 0.
"""

import scripted


def configure(home, model):
    environment = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "scripted",
        "COPILOT_AUTO_UPDATE": "false",
    }
    return environment, ["-p", "Push the work.", "--allow-all-tools"]


def call(command, _tools):
    return "bash", {"command": command, "description": "as asked"}


program = scripted.program("Copilot CLI", "@github/copilot@1.0.102", "copilot")
scripted.play("Copilot CLI", "copilot", program, "bash", call, configure)
scripted.held("Copilot CLI", "copilot", program, "bash", call, configure)
