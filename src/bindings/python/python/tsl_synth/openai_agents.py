"""The gate of a policy in front of the function tools of the OpenAI Agents SDK.

Run with openai-agents 0.24.0. How to use it, one guard for each conversation:

    guard = Guard("policy.toml")
    agent = Agent(name="assistant", tools=guard.tools([first_tool, second_tool]))
    result = await guard.run(agent, "what the user says")

A refused call does not run, and the model reads why. A verdict `ask` needs `needs_approval=True` at the tool: the SDK
then stops for a person, and a call that was approved runs. `guard.run` asks the gate whether the agent may stop; other
ways to run the agent do not.
Not stopped: hosted tools, which run at the provider; handoffs; tools of MCP servers and others that are not in `guard.tools`.
"""

from __future__ import annotations

import copy
import json
from typing import Any, Optional

from agents import Agent, FunctionTool, Runner, RunResult, ToolGuardrailFunctionOutput, ToolInputGuardrail
from agents.tool import resolve_function_tool_failure_error_function, set_function_tool_failure_error_function

from ._seat import PolicyArgument, Seats, StoreArgument


class Guard:
    """The gate in front of the tools of one conversation."""

    def __init__(
        self,
        policy: PolicyArgument,
        session: str = "session",
        *,
        store: StoreArgument = None,
        shadow: bool = False,
    ) -> None:
        self._seat = Seats(policy, store, shadow).seat(session)
        self._granted: set[tuple[str, str]] = set()

    def tools(self, tools: list[Any]) -> list[Any]:
        """The tools with the gate before each call. Tools other than function tools run elsewhere, and are refused."""
        for tool in tools:
            if not isinstance(tool, FunctionTool):
                raise TypeError(f"the gate does not see calls of {type(tool).__name__}: leave it out, or add it yourself")
        return [self._behind(tool) for tool in tools]

    def _behind(self, tool: FunctionTool) -> FunctionTool:
        inner, outer = copy.copy(tool), copy.copy(tool)
        shown = resolve_function_tool_failure_error_function(tool)
        set_function_tool_failure_error_function(inner, None)  # Then a failure raises an exception.

        async def judge(data: Any) -> ToolGuardrailFunctionOutput:
            call = data.context
            own = (call.tool_call_id, call.tool_arguments)
            self._granted.discard(own)
            approved = call.is_tool_approved(call.tool_name, call.tool_call_id) is True
            try:
                arguments = json.loads(call.tool_arguments or "{}")
            except ValueError:
                return ToolGuardrailFunctionOutput.reject_content("The arguments are no JSON.")
            verdict, why = self._seat.judge(tool.qualified_name, arguments, call.tool_call_id)
            if verdict != "allow" and not (verdict == "ask" and approved):
                return ToolGuardrailFunctionOutput.reject_content(why)
            self._granted.add(own)
            return ToolGuardrailFunctionOutput.allow()

        async def invoke(context: Any, arguments: str) -> Any:
            call = context.tool_call_id
            if (call, context.tool_arguments) not in self._granted or arguments != context.tool_arguments:
                return "The gate was not asked about this call."
            try:
                result = await inner.on_invoke_tool(context, arguments)
            except Exception as error:
                self._seat.tell(call, False, str(error))
                text = shown(context, error) if shown is not None else None
                text = await text if hasattr(text, "__await__") else text
                if text is None:
                    raise
                return text
            except BaseException:  # Canceled or timed out: the outcome is not known.
                self._seat.tell(call, None)
                raise
            self._seat.tell(call, True, result)
            return result

        outer.on_invoke_tool = invoke
        outer.tool_input_guardrails = [*(tool.tool_input_guardrails or []), ToolInputGuardrail(judge, "gate")]
        return outer

    async def run(self, agent: Agent[Any], user: Any, **more: Any) -> RunResult:
        """Runs the agent until it may stop; its open obligations are sent to it as often as the policy says."""
        self._seat.say(user, "user")
        while True:
            result = await Runner.run(agent, user, **more)
            if result.interruptions:
                return result
            self._seat.say(result.final_output, "agent")
            why = self._seat.owed()
            if why is None:
                return result
            user = [*result.to_input_list(), {"role": "user", "content": why}]
