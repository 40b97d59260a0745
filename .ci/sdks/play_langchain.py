"""The adapter for langchain and langgraph with a model that plays a script."""

import asyncio

import world
from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
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


def graph(told, guard):
    """A graph of one's own: the node of the tools has the gate."""

    def model(state):
        return {"messages": [Scripted(told=told).invoke(state["messages"])]}

    def failed(error: RuntimeError) -> str:
        return f"failed: {error}"

    made = StateGraph(MessagesState)
    made.add_node("model", model)
    wraps = {"wrap_tool_call": guard.wrap_tool_call, "awrap_tool_call": guard.awrap_tool_call}
    made.add_node("tools", ToolNode(told.tools(), handle_tool_errors=failed, **wraps))
    made.add_edge(START, "model")
    made.add_conditional_edges("model", tools_condition)
    made.add_edge("tools", "model")
    made.compile().invoke({"messages": "Serve the lines."}, {"recursion_limit": 50})


def run(told, adapter):
    if told.scenario == "telecom-graph":
        return graph(told, adapter.Guard())
    approves = told.scenario == "approved"
    middleware, saver = [adapter.Guard(interrupts=approves)], InMemorySaver()
    if told.scenario == "telecom":
        middleware.insert(0, shown)
    agent = create_agent(Scripted(told=told), told.tools(), middleware=middleware, checkpointer=saver)
    thread = {"configurable": {"thread_id": "t1"}}
    task = {"messages": "Serve the lines."}
    # One scenario runs asynchronously.
    result = asyncio.run(agent.ainvoke(task, thread)) if told.scenario == "audited" else agent.invoke(task, thread)
    if approves:
        assert result["__interrupt__"], result
        told.effects.append(["approved", "", ""])
        agent.invoke(Command(resume=True), thread)


world.main(run)
