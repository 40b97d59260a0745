#!/usr/bin/env python3
"""Codex from its npm package behind the gate, end to end, against a scripted model on this machine.

The home folder is thrown away. The model asks for a push without the tests, then for one after the tests whatever they say:
neither must happen, and the model must be told why. Then it asks for a push if the tests succeed, which must happen: Codex
does not tell whether a command succeeded, so that the tests count only where the shell itself goes on after success.

    .ci/hosts/codex.py [PROGRAM]       PROGRAM is target/debug/tsl-synth if it is not named

Where Codex cannot be installed, the run is skipped with a notice and exit code 0.
"""

import scripted


def configure(home, model):
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(
        'model = "scripted"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\n'
        f'base_url = "{model.url}/v1"\nwire_api = "responses"\n'
    )
    flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    return {"CODEX_HOME": str(home / ".codex")}, ["exec", *flags, "Push the work."]


def call(command, tools):
    if "exec_command" in tools:
        return "exec_command", {"cmd": command}
    if "shell_command" in tools:
        return "shell_command", {"command": command}
    return "shell", {"command": ["bash", "-lc", command]}


COMMANDS = ["touch pushed", "touch tested; touch pushed", "touch tested && touch pushed"]
program = scripted.program("Codex", "@openai/codex@0.169.0", "codex")
scripted.play("Codex", "codex", program, "Bash", call, configure, COMMANDS, [0, 1])
