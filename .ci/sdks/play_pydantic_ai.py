"""The adapter for Pydantic AI with a model that plays a script."""

import world
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolFailed
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_core import to_jsonable_python


class Shown(AbstractCapability):
    """The model reads failures."""

    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        try:
            return await handler(args)
        except RuntimeError as error:
            raise ToolFailed(f"failed: {error}")


def run(told, adapter):
    def play(messages, _):
        turn = told.next(to_jsonable_python(messages))
        if isinstance(turn, str):
            return ModelResponse(parts=[TextPart(turn)])
        parts = [ToolCallPart(tool, told.arguments(value), tool_call_id=call) for call, tool, value in turn]
        return ModelResponse(parts=parts)

    approves = told.scenario == "approved"
    capabilities = [adapter.Guard(approvals=approves), Shown()]
    output = [str, DeferredToolRequests]
    agent = Agent(FunctionModel(play), tools=told.tools(), capabilities=capabilities, output_type=output, retries={"output": 3})
    result = agent.run_sync("Serve the lines.")
    if approves:
        results = DeferredToolResults(approvals={call.tool_call_id: True for call in result.output.approvals})
        told.effects.append(["approved", "", ""])
        agent.run_sync(message_history=result.all_messages(), deferred_tool_results=results)


world.main(run)
