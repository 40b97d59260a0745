"""The gate of a policy as hooks of the Claude Agent SDK.

Run with claude-agent-sdk 0.2.187 and the Claude Code 2.1.330 in it. How to use it:

    options = Guard("policy.toml").options(ClaudeAgentOptions(...))
    async for message in query(prompt="what the user says", options=options):
        ...

Each session is a session of the gate, and the calls of its subagents are part of it. A refused call does not run, and
the model reads why; calls that the gate allows are still subject to the permission rules of the SDK. A verdict `ask`
asks a person: `can_use_tool`. An agent with open obligations is told to continue. Tools of servers are named `server`
and `tool` in the policy. A hook that fails or is too slow blocks the call. Not stopped: tools that run at the provider;
`@file` in prompts; what a script does inside; what other hooks change in a call.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher

from ._seat import PolicyArgument, Seat, Seats, StoreArgument


class Guard:
    """The gate in front of the tools of sessions."""

    def __init__(self, policy: PolicyArgument, *, store: StoreArgument = None, shadow: bool = False) -> None:
        self._seats = Seats(policy, store, shadow)

    def options(self, options: ClaudeAgentOptions) -> ClaudeAgentOptions:
        """The options with the hooks of the gate, after their own."""
        hooks = {**(options.hooks or {})}
        for event, hook in {
            "PreToolUse": self._before,
            "PostToolUse": self._after,
            "PostToolUseFailure": self._after,
            "UserPromptSubmit": self._prompt,
            "Stop": self._stop,
        }.items():
            failure: Any = "block" if event == "PreToolUse" else None
            hooks[event] = [*hooks.get(event, []), HookMatcher(hooks=[hook], timeout=30, on_failure=failure)]
        return dataclasses.replace(options, hooks=hooks)

    def _seat(self, told: Any) -> Seat:
        return self._seats.seat(str(told["session_id"]))

    async def _before(self, told: Any, id: Optional[str], _: Any) -> Any:
        decision, why = "deny", "the gate does not understand this call"
        try:
            parts = told["tool_name"].split("__", 2)
            is_served = len(parts) == 3 and parts[0] == "mcp" and all(parts)
            server, tool = parts[1:] if is_served else (None, told["tool_name"])
            more = {"server": server, "agent": told.get("agent_id")}
            decision, why = self._seat(told).judge(tool, told["tool_input"], told["tool_use_id"], **more)
        except Exception as error:
            why = f"the gate was not asked: {type(error).__name__}"
        if decision == "allow":
            return {}
        output = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": why}
        return {"hookSpecificOutput": output}

    async def _after(self, told: Any, id: Optional[str], _: Any) -> Any:
        result = told.get("tool_response", told.get("error"))
        fields = result if isinstance(result, dict) else {}
        ok: Optional[bool] = told["hook_event_name"] == "PostToolUse" and not (fields.get("is_error") or fields.get("isError"))
        if told.get("is_interrupt") or fields.get("interrupted") or fields.get("backgroundTaskId"):
            ok = None  # The outcome is not known.
        self._seat(told).tell(told["tool_use_id"], ok, result)
        return {}

    async def _prompt(self, told: Any, id: Optional[str], _: Any) -> Any:
        self._seat(told).say(told.get("prompt"), "user")
        return {}

    async def _stop(self, told: Any, id: Optional[str], _: Any) -> Any:
        seat = self._seat(told)
        seat.say(told.get("last_assistant_message"), "agent")
        why = seat.owed()
        return {} if why is None else {"decision": "block", "reason": why}
