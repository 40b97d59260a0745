#!/usr/bin/env python3
"""OpenCode from its npm package behind the gate, end to end, against a scripted model on this machine.

The home folder is thrown away. The model asks for pushes before the tests have passed, also after some that failed: none must
happen, and the model must be told why. The push after the tests must happen.

    .ci/hosts/opencode.py [PROGRAM]    PROGRAM is target/debug/tsl-synth if it is not named

Where OpenCode cannot be installed, the run is skipped with a notice and exit code 0.
"""

import json

import scripted


def configure(home, model):
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": f"{model.url}/v1", "apiKey": "none"},
        "models": {"scripted": {"name": "scripted"}},
    }
    settings = {
        "autoupdate": False,
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "provider": {"scripted": provider},
    }
    (folder / "opencode.json").write_text(json.dumps(settings))
    environment = {
        "XDG_CONFIG_HOME": str(home / ".config"),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }
    return environment, ["run", "Push the work."]


def call(command, _tools):
    return "bash", {"command": command, "description": "as asked"}


program = scripted.program("OpenCode", "opencode-ai@1.18.33", "opencode")
scripted.play("OpenCode", "opencode", program, "bash", call, configure)
