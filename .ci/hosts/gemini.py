#!/usr/bin/env python3
"""Gemini CLI from its npm package behind the gate, end to end, against a scripted model on this machine.

The home folder is thrown away. The model asks for pushes before the tests have passed, also after some that failed: none must
happen, and the model must be told why. The push after the tests must happen.

    .ci/hosts/gemini.py [PROGRAM]      PROGRAM is target/debug/tsl-synth if it is not named

Where Gemini CLI cannot be installed, the run is skipped with a notice and exit code 0.
"""

import json

import scripted


def configure(home, model):
    (home / ".gemini").mkdir()
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False}}
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings))
    environment = {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    return environment, ["--yolo", "-m", "gemini-2.5-flash", "-p", "Push the work."]


def call(command, _tools):
    return "run_shell_command", {"command": command, "description": "as asked"}


program = scripted.program("Gemini CLI", "@google/gemini-cli@0.61.0", "gemini")
scripted.play("Gemini CLI", "gemini-cli", program, "run_shell_command", call, configure)
scripted.held("Gemini CLI", "gemini-cli", program, "run_shell_command", call, configure)
