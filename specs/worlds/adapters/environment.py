"""The protocol of environments of tsl-synth: JSON lines on standard input and output. See README.md in this folder.

A world is an object with two methods:

    begin() -> Message            what the agent is told before its first action
    act(name) -> Message          does an action; one that is not possible is reported with ok=False

`serve(world)` answers requests until standard input ends, or a method raises `GameOver`.
"""

import json
import sys
from dataclasses import dataclass, field


@dataclass
class Message:
    """What the agent is told: the fields of an answer, as `tsl-synth help agent` lists them."""

    text: str
    # The propositions that hold; all others do not.
    true: list[str] = field(default_factory=list)
    # What may be tried: names of actions of the policy, or what `offer` makes.
    actions: list = field(default_factory=list)
    # Whether the last action succeeded.
    ok: bool = True
    # The sub-goals that were reached so far, in order.
    goals: list[str] = field(default_factory=list)
    # Whether the goal is reached; then the run ends, unless the agent itself declares the end.
    reached: bool = False
    ends: bool = False


class GameOver(Exception):
    """The game ended before, and no more is answered."""


def offer(name: str, tool: str, **arguments) -> dict:
    """An action that comes to a call of a tool, which the policy matches."""
    return {"name": name, "calls": [{"tool": tool, "arguments": arguments}]}


def serve(world) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"id": request["id"]}
        if request["kind"] != "act":
            answer["refusal"] = f"an environment answers no requests of kind {request['kind']}"
        else:
            action = request["subject"]
            try:
                message = world.begin() if action == "begin" else world.act(action)
                answer["answer"] = json.dumps(message.__dict__)
            except GameOver:
                answer["end"] = True
            except Exception as error:  # noqa: BLE001: whatever goes wrong is said, and the run ends
                answer["refusal"] = f"{type(error).__name__}: {error}"
        print(json.dumps(answer), flush=True)
