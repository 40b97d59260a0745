"""The gate of a policy as a middleware of agents of LangChain.

Run with langchain 1.4.7 and langgraph 1.2.22. How to use it, as the last middleware, which is nearest to the tools:

    agent = create_agent(model, tools, middleware=[..., Guard("policy.toml")])
    agent.invoke({"messages": "what the user says"}, {"configurable": {"thread_id": "t1"}})

In a graph of your own: `ToolNode(tools, wrap_tool_call=guard.wrap_tool_call, awrap_tool_call=guard.awrap_tool_call)`.
Each thread is a session of its own; all runs without a thread share a session. A refused call does not run, and the
model reads why. With `interrupts=True` and a checkpointer a verdict `ask` interrupts the graph, and
`Command(resume=True)` approves. An agent with open obligations is sent back to the model.
Not stopped: tools that run at the provider; tools that other nodes of a graph call; what middleware after this one changes.
"""

from __future__ import annotations

import uuid
from typing import Any, Optional

from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import HumanMessage, ToolMessage
from langgraph.errors import GraphBubbleUp
from langgraph.types import interrupt

from ._seat import PolicyArgument, Seat, Seats, StoreArgument


class Guard(AgentMiddleware):
    """The gate in front of the tools of an agent."""

    def __init__(
        self, policy: PolicyArgument, *, store: StoreArgument = None, shadow: bool = False, interrupts: bool = False
    ) -> None:
        super().__init__()
        self._interrupts, self._seats = interrupts, Seats(policy, store, shadow)

    def _seat(self, runtime: Any) -> Seat:
        return self._seats.seat(str(getattr(runtime.execution_info, "thread_id", None) or "session"))

    def _begin(self, request: Any) -> _Call:
        call = request.tool_call
        made = _Call(self._seat(request.runtime), call["id"] or str(uuid.uuid4()))
        verdict, why = made.seat.judge(call["name"], call["args"], made.id)
        if verdict == "ask" and self._interrupts:
            shown = {"tool": call["name"], "arguments": call["args"], "reason": why}
            verdict = "allow" if interrupt(shown) is True else "deny"
        if verdict != "allow":
            made.refusal = ToolMessage(why, tool_call_id=call["id"], name=call["name"], status="error")
        return made

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        with self._begin(request) as call:
            return call.refusal or call.ended(handler(request))

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        with self._begin(request) as call:
            return call.refusal or call.ended(await handler(request))

    def before_agent(self, state: Any, runtime: Any) -> None:
        last = (state.get("messages") or [None])[-1]
        if isinstance(last, HumanMessage):
            self._seat(runtime).say(str(last.text), "user")

    @hook_config(can_jump_to=["model"])
    def after_agent(self, state: Any, runtime: Any) -> Optional[dict[str, Any]]:
        """Asks whether the agent may stop."""
        seat = self._seat(runtime)
        seat.say(str(state["messages"][-1].text), "agent")
        why = seat.owed()
        return None if why is None else {"jump_to": "model", "messages": [HumanMessage(why)]}


class _Call:
    """A call that was decided. Its outcome is reported to the gate."""

    def __init__(self, seat: Seat, id: str) -> None:
        self.seat, self.id, self.refusal = seat, id, None

    def ended(self, result: Any) -> Any:
        is_message = isinstance(result, ToolMessage)
        ok = not is_message or result.status != "error"
        self.seat.tell(self.id, ok, result.content if is_message else None)
        return result

    def __enter__(self) -> _Call:
        return self

    def __exit__(self, _: Any, error: Optional[BaseException], __: Any) -> None:
        if error is not None and not isinstance(error, GraphBubbleUp):  # Else the tool waits, and is called again.
            self.seat.tell(self.id, False if isinstance(error, Exception) else None, str(error))
