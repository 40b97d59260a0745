"""The gate of a policy as middleware of the Microsoft Agent Framework.

Run with agent-framework-core 1.23.0. How to use it, as the last middleware, which is nearest to the tools:

    agent = Agent(client=client, tools=[first, second], middleware=[*others, *guarded("policy.toml")])
    response = await agent.run("what the user says", session=agent.create_session())

Each `AgentSession` is a session of the gate; all runs without one share a session. A refused call does not run, and
the model reads why. With `approvals=True` a verdict `ask` becomes a request for approval, which needs a
session. An agent with open obligations is told to continue, except in runs with `stream=True`, whose end the gate does
not check.
Not stopped: tools that run at the provider; what middleware after this one changes.
"""

from __future__ import annotations

import json
from typing import Any

from agent_framework import AgentMiddleware, Content, FunctionMiddleware, Message, MiddlewareTermination

from ._seat import PolicyArgument, Seat, Seats, StoreArgument


def _seat(seats: Seats, context: Any) -> Seat:
    return seats.seat(str(getattr(context.session, "session_id", None) or "session"))


class _Calls(FunctionMiddleware):
    """The gate in front of the tools of an agent."""

    def __init__(self, seats: Seats, approvals: bool) -> None:
        self._seats, self._approvals = seats, approvals

    async def process(self, context: Any, call_next: Any) -> None:
        seat, tool, call = _seat(self._seats, context), context.function.name, context.metadata["call_id"]
        given = context.arguments
        arguments = given.model_dump(mode="json") if hasattr(given, "model_dump") else dict(given)
        verdict, why = seat.judge(tool, arguments, call)
        approval = context.metadata.get("approval_response")
        if verdict == "ask" and approval is not None:
            verdict = "allow" if approval.approved is True else "deny"
        if verdict == "ask" and self._approvals:
            name = context.metadata.get("function_call_occurrence_id") or call
            asked = Content.from_function_call(call, tool, arguments=json.dumps(arguments), id=name)
            context.result = Content.from_function_approval_request(name, asked, additional_properties={"reason": why})
            raise MiddlewareTermination("a person must approve of a call")
        if verdict != "allow":
            context.result = why
            return
        try:
            await call_next()
        except BaseException as error:
            seat.tell(call, False if isinstance(error, Exception) else None, str(error))
            raise
        result = context.result
        told = [item.text for item in result if item.type == "text"] if isinstance(result, list) else result
        failed = isinstance(result, list) and any(item.exception is not None for item in result)
        seat.tell(call, not failed, told[0] if isinstance(told, list) and len(told) == 1 else told)


class _Ends(AgentMiddleware):
    """Asks the gate whether an agent may stop."""

    def __init__(self, seats: Seats) -> None:
        self._seats = seats

    async def process(self, context: Any, call_next: Any) -> None:
        seat = _seat(self._seats, context)
        for message in context.messages[-1:]:
            if message.role == "user":
                seat.say(message.text, "user")
        await call_next()
        while not context.stream and not context.result.user_input_requests:
            seat.say(context.result.text, "agent")
            why = seat.owed()
            if why is None:
                return
            known = [] if context.session is not None else [*context.messages, *context.result.messages]
            context.messages = [*known, Message("user", [why])]
            await call_next()


def guarded(
    policy: PolicyArgument, *, store: StoreArgument = None, shadow: bool = False, approvals: bool = False
) -> list[Any]:
    """The middleware of one gate."""
    seats = Seats(policy, store, shadow)
    return [_Ends(seats), _Calls(seats, approvals)]
