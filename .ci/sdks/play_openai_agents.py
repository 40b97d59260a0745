"""The adapter for openai-agents with a model that plays a script."""

import asyncio
import json

import world
from agents import Agent, ModelResponse, RunConfig, Usage, function_tool
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class Scripted(Model):
    def __init__(self, told):
        self.told = told

    async def get_response(self, system_instructions, input, *_, **__):
        turn = self.told.next(input)
        if isinstance(turn, str):
            text = ResponseOutputText(text=turn, type="output_text", annotations=[])
            items = [ResponseOutputMessage(id="m", role="assistant", status="completed", type="message", content=[text])]
        else:
            items = [
                ResponseFunctionToolCall(
                    call_id=call, name=tool, arguments=json.dumps(self.told.arguments(value)), type="function_call"
                )
                for call, tool, value in turn
            ]
        return ModelResponse(output=items, usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


def run(told, adapter):
    approves = told.scenario == "approved"
    guard = adapter.Guard()
    tools = guard.tools([function_tool(tool, needs_approval=approves) for tool in told.tools()])
    agent = Agent(name="assistant", tools=tools, model=Scripted(told))
    settings = {"run_config": RunConfig(tracing_disabled=True), "max_turns": 20}
    result = asyncio.run(guard.run(agent, "Serve the lines.", **settings))
    if approves:
        state = result.to_state()
        for call in result.interruptions:
            state.approve(call)
        told.effects.append(["approved", "", ""])
        asyncio.run(guard.run(agent, state, **settings))


world.main(run)
