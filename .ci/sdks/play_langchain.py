"""The adapter for langchain and langgraph with a model that plays a script."""

import asyncio

import world
from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command


class Scripted(BaseChatModel):
    told: object

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, *_, **__):
        return self

    def _generate(self, messages, *_, **__):
        turn = self.told.next([[message.type, message.content] for message in messages])
        if isinstance(turn, str):
            message = AIMessage(turn)
        else:
            calls = [{"name": tool, "args": self.told.arguments(value), "id": call} for call, tool, value in turn]
            message = AIMessage("", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


@wrap_tool_call
def shown(request, handler):
    """The model reads failures."""
    try:
        return handler(request)
    except RuntimeError as error:
        return ToolMessage(f"failed: {error}", tool_call_id=request.tool_call["id"], status="error")


def run(told, adapter):
    approves = told.scenario == "approved"
    middleware, saver = [adapter.Guard(interrupts=approves)], InMemorySaver()
    if told.scenario == "telecom":
        middleware.insert(0, shown)
    agent = create_agent(Scripted(told=told), told.tools(), middleware=middleware, checkpointer=saver)
    thread = {"configurable": {"thread_id": "t1"}}
    task = {"messages": "Serve the lines."}
    # Both ways of running.
    result = asyncio.run(agent.ainvoke(task, thread)) if told.scenario == "audited" else agent.invoke(task, thread)
    if approves:
        assert result["__interrupt__"], result
        told.effects.append(["approved", "", ""])
        agent.invoke(Command(resume=True), thread)


world.main(run)
