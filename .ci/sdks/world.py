"""What the runs of the adapters for Python have in common: a script for the model, and tools that write down what they do.

A run prints one JSON document: `effects`, what the tools did, in order, and `read`, what the model had read at each of its
turns, as text.
"""

import importlib
import json
import pathlib
import sys
import time


class World:
    def __init__(self, scenario):
        """`telecom-graph` is the scenario `telecom`, run in another way."""
        self.scenario = scenario
        here = pathlib.Path(__file__).resolve().parent
        script = json.loads((here / "scenarios.json").read_text())[scenario.split("-")[0]]
        self.turns, self.names, self.argument = script["turns"], script["tools"], script["argument"]
        self.effects, self.read = [], []

    def tools(self):
        """The tools as functions of one text, whose name is that of the scenario."""
        made = []
        for name in self.names:
            space = {"act": self.act}
            exec(f"def {name}({self.argument}: str) -> str:\n  '''Does it.'''\n  return act('{name}', {self.argument})\n", space)
            made.append(space[name])
        return made

    def act(self, tool, value):
        """The first payment for a line L1 fails; payments take time."""
        if tool == "make_payment":
            if value == "L1" and ["failed", "make_payment", "L1"] not in self.effects:
                self.effects.append(["failed", tool, value])
                raise RuntimeError("the bank did not answer")
            time.sleep(0.2)
        self.effects.append(["done", tool, value])
        return f"{tool} {value}: done"

    def next(self, read):
        """The next turn of the model, which has read this."""
        self.read.append(read if isinstance(read, str) else json.dumps(read, default=str))
        return self.turns[len(self.read) - 1] if len(self.read) <= len(self.turns) else "There is nothing left."

    def arguments(self, value):
        return {self.argument: value}


def main(run):
    """Runs `run(world, adapter)` for a scenario and an adapter, which are named on the command line."""
    scenario, adapter = sys.argv[1:]
    adapter = pathlib.Path(adapter)
    sys.path.insert(0, str(adapter.parent))
    world = World(scenario)
    run(world, importlib.import_module(adapter.stem))
    print(json.dumps({"effects": world.effects, "read": world.read}))
