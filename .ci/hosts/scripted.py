"""What the runs of hosts behind the gate have in common: a host from npm, a model that plays a script, a throwaway home.

A host is a program that others wrote. The model is a server on this machine that answers each request with the next command of
a script, in the protocol of the path that was asked for, and then says that it is done. It keeps what it was told.
"""

import contextlib
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]


def skip(host, why):
    print(f"notice: {host} behind the gate is skipped: {why}")
    sys.exit(0)


def program(title, package, name):
    """A program of an npm package, installed below a folder that is kept for the next run."""
    folder = ROOT / "target" / "hosts" / package.rsplit("@", 1)[0].replace("/", "-")
    found = folder / "node_modules" / ".bin" / name
    stamp = folder / "package.txt"
    if not found.exists() or not stamp.exists() or stamp.read_text() != package:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text("{}")
            command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), package]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except (OSError, subprocess.TimeoutExpired) as error:
            skip(title, str(error))
        if done.returncode != 0 or not found.exists():
            skip(title, done.stderr.strip()[-300:])
        stamp.write_text(package)
    return found


def version(program):
    """What a program says about its version; nothing if it does not run."""
    try:
        return subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


class Model(http.server.ThreadingHTTPServer):
    """Answers the request number n that offers tools with turn number n, then with a message."""

    daemon_threads = True

    def __init__(self, turns, call, watch=lambda: None):
        """`call(turn, tools)` is the name and the arguments of the tool call for a turn; `watch` is asked at each request."""
        super().__init__(("127.0.0.1", 0), Protocols)
        self.turns, self.call, self.watch = turns, call, watch
        self.requests, self.seen, self.lock = [], [], threading.Lock()
        # Ids of calls are unique over all models: a session may go on with another one.
        self.name = uuid.uuid4().hex
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def next(self, body, tools):
        """The tool call to answer with, or none when the script is over."""
        if not tools:
            return None
        with self.lock:
            number = len(self.requests)
            self.requests.append(body)
            self.seen.append(self.watch())
        if number >= len(self.turns) or self.turns[number] is None:
            return None
        name, arguments = self.call(self.turns[number], tools)
        return number, name, arguments

    def told(self, number):
        """What the model was told after turn number n, as text."""
        after = self.requests[number + 1] if number + 1 < len(self.requests) else {}
        messages = after.get("messages") or after.get("input") or after.get("contents") or []
        before = self.requests[number]
        known = len(before.get("messages") or before.get("input") or before.get("contents") or [])
        return json.dumps(messages[known:])


class Protocols(http.server.BaseHTTPRequestHandler):
    """OpenAI Chat and Responses, Anthropic Messages, Gemini; streamed or not."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_HEAD(self):
        self.send(b"", "application/json")

    def do_POST(self):
        length = self.headers.get("Content-Length")
        body = json.loads(self.rfile.read(int(length)) if length else b"{}")
        if os.environ.get("HOST_VERBOSE"):
            print(self.path, json.dumps(body)[:300], file=sys.stderr)
        path = self.path.split("?")[0]
        if path.endswith("/responses"):
            self.speak_responses(body)
        elif path.endswith("/chat/completions"):
            self.speak_chat(body)
        elif path.endswith("/messages"):
            self.speak_messages(body)
        elif path.endswith("/messages/count_tokens"):
            self.answer({"input_tokens": 1})
        elif "enerateContent" in path:
            self.speak_gemini(body, path.endswith(":streamGenerateContent"))
        elif path.endswith(":countTokens"):
            self.answer({"totalTokens": 1})
        else:
            self.send_error(404)

    def answer(self, value):
        self.send(json.dumps(value).encode(), "application/json")

    def events(self, all_events):
        self.send("".join(all_events).encode(), "text/event-stream")

    def send(self, data, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def speak_responses(self, body):
        tools = {tool.get("name"): tool for tool in body.get("tools", [])}
        step = self.server.next(body, tools)
        if step:
            number, name, arguments = step
            item = {
                "type": "function_call",
                "id": f"f{number}",
                "call_id": f"call_{number}",
                "name": name,
                "arguments": json.dumps(arguments),
            }
        else:
            text = [{"type": "output_text", "text": "Done."}]
            item = {"type": "message", "id": "m", "role": "assistant", "content": text}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        told = [
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "r", "usage": usage}},
        ]
        self.events(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in told)

    def speak_chat(self, body):
        tools = {tool["function"]["name"]: tool["function"] for tool in body.get("tools") or []}
        step = self.server.next(body, tools)
        message, reason = {"role": "assistant", "content": "Done."}, "stop"
        if step:
            number, name, arguments = step
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
            message, reason = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "c", "created": 1, "model": body.get("model")}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            self.answer({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
            return
        head["object"] = "chat.completion.chunk"
        chunks = [
            {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
            {**head, "choices": [], "usage": usage},
        ]
        self.events([f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"])

    def speak_messages(self, body):
        """A turn of the script may be several calls, with what the agent says before them."""
        step = self.server.next(body, {tool["name"]: tool for tool in body.get("tools") or []})
        content = [{"type": "text", "text": "Done."}]
        if step:
            number, name, arguments = step
            content = [{"type": "tool_use", "id": f"toolu_{self.server.name}_{number}", "name": name, "input": arguments}]
            if "said" in arguments:
                content.insert(0, {"type": "text", "text": arguments.pop("said")})
        reason = "tool_use" if step else "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": f"msg_{len(self.server.requests)}", "type": "message", "role": "assistant", "model": body.get("model")}
        message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        if not body.get("stream"):
            self.answer({**message, "content": content, "stop_reason": reason})
            return
        told = [{"type": "message_start", "message": message}]
        for index, block in enumerate(content):
            whole = block.get("text") or json.dumps(block["input"])
            kind = ("text_delta", "text") if "text" in block else ("input_json_delta", "partial_json")
            empty = {**block, "text": ""} if "text" in block else {**block, "input": {}}
            told += [
                {"type": "content_block_start", "index": index, "content_block": empty},
                {"type": "content_block_delta", "index": index, "delta": {"type": kind[0], kind[1]: whole}},
                {"type": "content_block_stop", "index": index},
            ]
        told += [
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ]
        self.events(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in told)

    def speak_gemini(self, body, streams):
        declared = [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations", [])]
        step = self.server.next(body, {one["name"]: one for one in declared})
        part = {"text": "Done."}
        if step:
            part = {"functionCall": {"name": step[1], "args": step[2]}}
        elif "JSON" in json.dumps(body.get("generationConfig", {})).upper():
            part = {"text": json.dumps({"reasoning": "done", "next_speaker": "user", "complexity_score": 1})}
        content = {"role": "model", "parts": [part]}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        value = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}
        self.events([f"data: {json.dumps(value)}\n\n"]) if streams else self.answer(value)


WHY = "Run the tests before you push."
POLICY = """policy = 1
name = "push"
unmatched = "allow"
[actions]
groups = [["push", "test"]]
[[match]]
on = "call"
tool = "{shell}"
shell = "/arguments/command"
argv = ["touch", "pushed"]
action = "push"
[[match]]
on = "call"
tool = "{shell}"
shell = "/arguments/command"
argv = ["touch", "tested"]
action = "test"
[[law]]
id = "tests-first"
rule = "push requires test before"
why = "{why}"
"""
# After `;` the outcome of the tests is unknown, so that the second push is refused, too. A failed test does not count.
COMMANDS = [
    "touch pushed",
    "touch tested; touch pushed",
    "touch tested no/such/folder",
    "touch pushed",
    "touch tested",
    "touch pushed",
]
REFUSED = [0, 1, 3]


@contextlib.contextmanager
def home():
    """A throwaway home folder. Processes that a host left behind in it, as the hub of Cline, end before it is removed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            yield folder
        finally:
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):
                    if f"HOME={folder}".encode() in (process / "environ").read_bytes().split(b"\0"):
                        os.kill(int(process.name), signal.SIGKILL)


class Gate:
    """A home folder and a project in it, with the gate installed for a host."""

    def __init__(self, folder, name, shell, model):
        self.home, self.name, self.model = pathlib.Path(folder), name, model
        self.project = self.home / "project"
        self.project.mkdir()
        (self.project / "policy.toml").write_text(POLICY.format(shell=shell, why=WHY))
        model.watch = self.has_pushed
        self.ours = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/tsl-synth").resolve()
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "TSL_SYNTH_STATE": f"{folder}/state"}

    def has_pushed(self):
        return (self.project / "pushed").exists()

    def run(self, *command):
        done = subprocess.run(
            command, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=120,
        )
        if os.environ.get("HOST_VERBOSE"):
            print(command, done.stdout, done.stderr, sep="\n---\n")
        return done

    def install(self, program=None):
        """Installs the gate, or another program in its place."""
        gate = ["--host", self.name, "--scope", "user"]
        flags = ["--policy", "policy.toml"] + (["--program", str(program)] if program else [])
        done = self.run(self.ours, "shield", "install", *gate, *flags)
        assert done.returncode == 0, done
        if not program:
            done = self.run(self.ours, "shield", "doctor", *gate)
            assert done.returncode == 0, done

    def journals(self):
        return "".join(path.read_text() for path in (self.home / "state").rglob("*.jsonl"))


def held(title, name, host, shell, call, configure):
    """An agent that owes its tests does not stop, and why is not what the user said, though the host tells it like a prompt."""
    with home() as folder:
        model = Model([None, "touch pushed", "touch tested", None], call)
        gate = Gate(folder, name, shell, model)
        (gate.project / "policy.toml").write_text(POLICY.format(shell=shell, why=WHY) + OWED)
        environment, arguments = configure(gate.home, model)
        gate.environment.update(environment)
        gate.install()
        done = gate.run(host, *arguments)
        assert done.returncode == 0 and len(model.requests) == 4, (done, len(model.requests))
        assert YES in model.told(0), f"the model was not told what is owed: {model.told(0)}"
        assert (gate.project / "tested").exists() and not gate.has_pushed(), "a push was taken for confirmed"
    print(f"{title} behind the gate: the end is held while tests are owed, and the reason is no word of the user")


YES = "Test before the end: yes, always."
OWED = f"""
[propositions]
confirmed = {{}}
[[match]]
on = "message"
role = "user"
regex = '(?i)yes'
proposition = "confirmed"
[[law]]
id = "confirmed"
rule = "push requires confirmed before"
[[law]]
id = "tested"
rule = "end requires test"
why = "{YES}"
"""


def play(title, name, host, shell, call, configure, commands=COMMANDS, refused=REFUSED):
    """Lets a host run a script behind the gate, and looks at what happened and what the model was told.

    `shell` is the name of the tool that runs commands, in hooks; `call` as in Model; `configure(home, model)` writes the
    settings of the host and gives its environment and the arguments that it is started with.
    """
    with home() as folder:
        model = Model(commands, call)
        gate = Gate(folder, name, shell, model)
        environment, arguments = configure(gate.home, model)
        gate.environment.update(environment)
        gate.install()
        done = gate.run(host, *arguments)
        if os.environ.get("HOST_VERBOSE"):
            print(gate.journals())
        assert done.returncode == 0 and len(model.requests) == len(commands) + 1, (done, len(model.requests))
        for number, command in enumerate(commands):
            told = model.told(number)
            assert (WHY in told) == (number in refused), f"{command}: the model was told {told}"
        first = next(number for number in range(len(commands)) if "pushed" in commands[number] and number not in refused)
        assert not any(model.seen[: first + 1]), "a push that was refused happened"
        assert (gate.project / "tested").exists() and gate.has_pushed(), "what is allowed happens"
    broken(name, host, shell, call, configure)
    print(f"{title} behind the gate: pushes without tests are refused and explained, the one after them happens")


def broken(name, host, shell, call, configure):
    """Where the gate crashes, or is not there, no call runs."""
    for crash in ("kill -9 $$", None):
        with home() as folder:
            model = Model(["touch pushed"], call)
            gate = Gate(folder, name, shell, model)
            environment, arguments = configure(gate.home, model)
            gate.environment.update(environment)
            program = gate.home / "gate"
            # Prompts pass, so that the model can request a call.
            program.write_text(f"#!/bin/sh\ncase $* in *Prompt*|*BeforeAgent*) {PASS[name]} exit 0;; esac\n{crash}\n")
            program.chmod(0o755)
            gate.install(program)
            if crash is None:
                program.unlink()
            gate.run(host, *arguments)
            assert not gate.has_pushed(), f"a call ran although the gate did not answer: {crash}"
            asked = len(model.requests) > 0
            assert asked or (crash is None and name in REFUSES_PROMPTS), f"the model was never asked: {crash}"


# The command by which a hook lets a prompt pass, and the hosts that refuse prompts if the gate is missing.
PASS = {"claude-code": "", "codex": "", "copilot": "", "gemini-cli": "", "cline": "", "opencode": "echo '{\"verdict\":\"allow\"}';"}
REFUSES_PROMPTS = ["gemini-cli", "opencode"]
