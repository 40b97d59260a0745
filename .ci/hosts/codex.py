#!/usr/bin/env python3
"""Codex from its npm package behind the gate, end to end, against a scripted model on this machine.

The home folder is thrown away. `shield install --host codex` puts the hook in place. The model asks for a push without the
tests, then for one after the tests whatever they say: neither must happen, and the model must be told why. Then it asks for
a push if the tests succeed, which must happen.

    .ci/hosts/codex.py [PROGRAM]       PROGRAM is target/debug/tsl-synth if it is not named

Where Codex cannot be installed, the run is skipped with a notice and exit code 0.
"""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

PACKAGE = "@openai/codex@0.169.0"
WHY = "Run the tests before you push."
POLICY = f"""policy = 1
name = "push"
unmatched = "allow"
[actions]
groups = [["push", "test"]]
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["touch", "pushed"]
action = "push"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["touch", "tested"]
action = "test"
[[law]]
id = "tests-first"
rule = "push requires test before"
why = "{WHY}"
"""
# Codex does not tell whether a command succeeded, so that the tests count only where the shell itself goes on after success.
COMMANDS = ["touch pushed", "touch tested; touch pushed", "touch tested && touch pushed"]


def skip(why):
    print(f"notice: Codex behind the gate is skipped: {why}")
    sys.exit(0)


def codex(folder):
    """The program of Codex, installed below a folder that is kept for the next run."""
    program = folder / "node_modules" / ".bin" / "codex"
    if not program.exists():
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except (OSError, subprocess.TimeoutExpired) as error:
            skip(str(error))
        if done.returncode != 0 or not program.exists():
            skip(done.stderr.strip()[-300:])
    try:
        subprocess.run([program, "--version"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        skip(str(error))
    return program


class Model(http.server.BaseHTTPRequestHandler):
    """Answers request number n with command number n, then with a message. Keeps what it was told."""

    requests = []
    project = None
    pushed = []

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(404)
        self.end_headers()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = len(self.requests)
        self.requests.append(body)
        self.pushed.append((self.project / "pushed").exists())
        if number < len(COMMANDS):
            item = self.call(number, [tool.get("name") for tool in body.get("tools", [])])
        else:
            text = [{"type": "output_text", "text": "Done."}]
            item = {"type": "message", "id": "m", "role": "assistant", "content": text}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        events = [
            {"type": "response.created", "response": {"id": f"r{number}"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": f"r{number}", "usage": usage}},
        ]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def call(self, number, tools):
        command = COMMANDS[number]
        if "exec_command" in tools:
            name, arguments = "exec_command", {"cmd": command}
        elif "shell_command" in tools:
            name, arguments = "shell_command", {"command": command}
        else:
            name, arguments = "shell", {"command": ["bash", "-lc", command]}
        return {
            "type": "function_call",
            "id": f"f{number}",
            "call_id": f"call_{number}",
            "name": name,
            "arguments": json.dumps(arguments),
        }


def told(call):
    """What the model was told about a call, of the last request."""
    for item in Model.requests[-1]["input"]:
        if item.get("type") == "function_call_output" and item.get("call_id") == call:
            return json.dumps(item["output"])
    return ""


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    ours = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else root / "target/debug/tsl-synth").resolve()
    host = codex(root / "target" / "hosts" / "codex")
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        project = home / "project"
        (home / ".codex").mkdir()
        project.mkdir()
        (project / "policy.toml").write_text(POLICY)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        Model.project = project
        threading.Thread(target=server.serve_forever, daemon=True).start()
        (home / ".codex" / "config.toml").write_text(
            'model = "scripted"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\n'
            f'base_url = "http://127.0.0.1:{server.server_port}/v1"\nwire_api = "responses"\n'
        )
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "CODEX_HOME": str(home / ".codex"),
            "TSL_SYNTH_STATE": str(home / "state"),
        }

        def run(*command):
            return subprocess.run(
                command, cwd=project, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=120,
            )

        installed = run(ours, "shield", "install", "--host", "codex", "--scope", "user", "--policy", "policy.toml")
        assert installed.returncode == 0, installed
        flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        done = run(host, "exec", *flags, "--dangerously-bypass-hook-trust", "Push the work.")
        if os.environ.get("HOST_VERBOSE"):
            print(installed.stdout, done.stdout, done.stderr, sep="\n---\n")
            for path in (home / "state").rglob("*.jsonl"):
                print(path.read_text())
        assert done.returncode == 0 and len(Model.requests) == 4, (done, len(Model.requests))
        assert not any(Model.pushed[:3]), "a push that was refused happened"
        for call in ("call_0", "call_1"):
            assert WHY in told(call), f"the model was not told why: {told(call)}"
        assert WHY not in told("call_2"), "a call that is allowed was refused"
        assert (project / "tested").exists() and (project / "pushed").exists(), "what is allowed happens"
    print("Codex behind the gate: pushes without tests are refused and explained, the one after them happens")


main()
