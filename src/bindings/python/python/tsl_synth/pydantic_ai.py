"""The gate of a policy as a capability of agents of Pydantic AI.

Run with pydantic-ai-slim 2.68.0. How to use it:

    agent = Agent(model, tools=tools, capabilities=[Guard("policy.toml")], retries={"output": 3})
    result = await agent.run("what the user says")
    result = await agent.run("and then", message_history=result.all_messages())

Each conversation, which a message history continues, is a session of its own. A refused call does not run, and the model
reads why. With `approvals=True` and `DeferredToolRequests` as an output type, a verdict `ask` defers the call for
approval. An agent with open obligations is asked again: allow as many retries of the output as `end_refusals` says.
Not stopped: tools that run at the provider; output functions; capabilities that are innermost as well and come later.
"""

from __future__ import annotations

from typing import Any, Optional

from pydantic_ai import ApprovalRequired, CallDeferred, ModelRetry, ToolFailed
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_core import to_jsonable_python

from ._seat import PolicyArgument, Seat, Seats, StoreArgument


class Guard(AbstractCapability[Any]):
    """The gate in front of the tools of an agent."""

    def __init__(
        self, policy: PolicyArgument, *, store: StoreArgument = None, shadow: bool = False, approvals: bool = False
    ) -> None:
        self._approvals, self._seats = approvals, Seats(policy, store, shadow)
        self._granted: set[tuple[Seat, str]] = set()

    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position="innermost")  # So nothing changes arguments after the decision.

    def _seat(self, ctx: Any) -> Seat:
        return self._seats.seat(str(ctx.conversation_id or ctx.run_id or "session"))

    async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        seat = self._seat(ctx)
        verdict, why = seat.judge(call.tool_name, to_jsonable_python(args, fallback=str), call.tool_call_id)
        if verdict == "ask" and ctx.tool_call_approved:
            verdict = "allow"
        if verdict == "ask" and self._approvals:
            raise ApprovalRequired(metadata={"reason": why})
        if verdict != "allow":
            raise ToolFailed(why)
        self._granted.add((seat, call.tool_call_id))
        return args

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        seat, id = self._seat(ctx), call.tool_call_id
        try:
            result = await handler(args)
        except (ApprovalRequired, CallDeferred):  # The tool waits for a person, and is called again.
            raise
        except BaseException as error:
            if (seat, id) in self._granted:
                seat.tell(id, False if isinstance(error, Exception) else None, str(error))
            raise
        else:
            if (seat, id) in self._granted:
                seat.tell(id, True, to_jsonable_python(result, fallback=str))
            return result
        finally:
            self._granted.discard((seat, id))

    async def before_run(self, ctx: Any) -> None:
        self._seat(ctx).say(ctx.prompt, "user")

    async def after_output_process(self, ctx: Any, *, output_context: Any, output: Any) -> Any:
        """Asks whether the agent may stop."""
        if not ctx.partial_output:
            seat = self._seat(ctx)
            seat.say(output, "agent")
            why: Optional[str] = seat.owed()
            if why is not None:
                raise ModelRetry(why)
        return output
