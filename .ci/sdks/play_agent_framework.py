"""The adapter for the Microsoft Agent Framework with a model that plays a script."""

import asyncio
import json

import world
from agent_framework import Agent, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, Message
from agent_framework import ChatMiddlewareLayer


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    told = None

    async def _play(self, messages):
        read = [[message.role, content.type, content.text or content.result] for message in messages for content in message.contents]
        turn = self.told.next(read)
        if isinstance(turn, str):
            contents = [turn]
        else:
            contents = [
                Content.from_function_call(call, tool, arguments=json.dumps(self.told.arguments(value)))
                for call, tool, value in turn
            ]
        return ChatResponse(messages=[Message(role="assistant", contents=contents)], response_id=f"r{len(self.told.read)}")

    def _inner_get_response(self, *, messages, stream, options, **_):
        assert not stream
        return self._play(messages)


async def play(told, adapter):
    approves = told.scenario == "approved"
    client = Scripted()
    client.told = told
    agent = Agent(client=client, tools=told.tools(), middleware=adapter.guarded(approvals=approves))
    session = None if told.scenario == "audited" else agent.create_session()  # With and without a session.
    response = await agent.run("Serve the lines.", session=session)
    if approves:
        told.effects.append(["approved", "", ""])
        answers = [asked.to_function_approval_response(True) for asked in response.user_input_requests]
        await agent.run(Message("user", answers), session=session)


def run(told, adapter):
    asyncio.run(play(told, adapter))


world.main(run)
