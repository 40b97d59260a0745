"""The adapter for the Claude Agent SDK: the Claude Code that is in its package, and a server that plays a script."""

import asyncio
import http.server
import json
import os
import tempfile
import sys
import threading
import uuid

import world
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    PermissionResultDeny,
    create_sdk_mcp_server,
    tool,
)


class Messages(http.server.BaseHTTPRequestHandler):
    """The Messages API of Anthropic: a request with the tools of the world is a turn, others get a word."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send(b"{}", "application/json")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if not self.path.split("?")[0].endswith("/messages"):
            return self.send(b'{"input_tokens": 1}', "application/json")
        names = {tool["name"] for tool in body.get("tools", [])}
        ours = any(name.startswith("mcp__world__") for name in names)
        turn = self.server.told.next(body["messages"]) if ours else "done"
        if isinstance(turn, str):
            blocks = [{"type": "text", "text": turn}]
        else:
            blocks = [
                {"type": "tool_use", "id": call, "name": f"mcp__world__{tool}", "input": self.server.told.arguments(value)}
                for call, tool, value in turn
            ]
        stop = "end_turn" if isinstance(turn, str) else "tool_use"
        message = {"id": f"msg_{uuid.uuid4()}", "type": "message", "role": "assistant", "model": body.get("model"), "stop_sequence": None}
        usage = {"input_tokens": 1, "output_tokens": 1}
        if not body.get("stream"):
            return self.send(json.dumps({**message, "content": blocks, "stop_reason": stop, "usage": usage}).encode(), "application/json")
        events = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "usage": usage}}]
        for index, block in enumerate(blocks):
            is_text = block["type"] == "text"
            empty = {**block, "text": ""} if is_text else {**block, "input": {}}
            delta = {"type": "text_delta", "text": block["text"]} if is_text else {
                "type": "input_json_delta", "partial_json": json.dumps(block["input"])
            }
            events += [
                {"type": "content_block_start", "index": index, "content_block": empty},
                {"type": "content_block_delta", "index": index, "delta": delta},
                {"type": "content_block_stop", "index": index},
            ]
        events += [
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ]
        text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        self.send(text.encode(), "text/event-stream")

    def send(self, data, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def served(told, made):
    @tool(made.__name__, "Does it.", {told.argument: str})
    async def act(arguments):
        try:
            return {"content": [{"type": "text", "text": await asyncio.to_thread(made, arguments[told.argument])}]}
        except RuntimeError as error:
            return {"content": [{"type": "text", "text": f"failed: {error}"}], "is_error": True}

    return act


async def play(told, adapter, home):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Messages)
    server.told = told
    threading.Thread(target=server.serve_forever, daemon=True).start()
    approves = told.scenario == "approved"

    async def asked(*_):
        told.effects.append(["approved" if approves else "asked", "", ""])
        return PermissionResultAllow() if approves else PermissionResultDeny(message="Nobody is there.")

    tools = [served(told, made) for made in told.tools()]
    options = ClaudeAgentOptions(
        mcp_servers={"world": create_sdk_mcp_server("world", tools=tools)},
        tools=[],
        allowed_tools=[f"mcp__world__{name}" for name in told.names],
        can_use_tool=asked,
        cwd=home,
        setting_sources=[],
        model="claude-sonnet-4-5",
        env={
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CONFIG_DIR": home,
            "HOME": home,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
        stderr=lambda line: print(line, file=sys.stderr),
    )
    async with ClaudeSDKClient(adapter.Guard().options(options)) as client:
        await client.query("Serve the lines.")
        async for message in client.receive_response():
            if os.environ.get("SDKS_VERBOSE"):
                print(message, file=sys.stderr)


def run(told, adapter):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        asyncio.run(play(told, adapter, home))


world.main(run)
