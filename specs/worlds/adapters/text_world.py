#!/usr/bin/env python3
"""A house in words, in the shape of ALFWorld games or of VirtualHome programs, for agents under a policy.

    tsl-synth agent text_world.toml --oracle sim --retries 20 --turns 500 --env 'cmd:python3 text_world.py kitchen.json'
    tsl-synth agent text_world.toml --oracle sim --retries 20 --turns 500 --env 'cmd:python3 text_world.py kitchen.json --script breakfast.txt'

A game is a JSON file (see kitchen.json): receptacles, things in them, and a task. Its commands are those of ALFWorld: `go to
fridge 1`, `take mug 1 from counter 1`, `put mug 1 in/on shelf 1`, `open`, `close`, `clean .. with`, `heat .. with`, `cool .. with`.

With `--script` the commands are steps of VirtualHome programs, `[GRAB] <mug> (1)`, and the task is what the program of the
file brings about: the agent may do it in any way.

Each command is a call of a tool for the policy: its verb, with `object` and `receptacle` as arguments. The propositions are
`open_here` (a receptacle that is open where the agent is), `at_fridge`, `holding`, `holding_hot`, and `done`.
"""

import argparse
import json
import re

from environment import Message, offer, serve

# The verbs that change a thing, what they need where the agent is, and what the thing is afterwards.
TREATMENTS = {"clean": ("sink", "clean"), "heat": ("microwave", "hot"), "cool": ("fridge", "cool")}
# Steps of VirtualHome programs, by verb.
STEPS = {"WALK": "go", "GRAB": "take", "PUTBACK": "put", "PUTIN": "put", "OPEN": "open", "CLOSE": "close", "WASH": "clean"}


def kind(name: str) -> str:
    """`mug` of `mug 1`."""
    return name.rpartition(" ")[0]


class House:
    def __init__(self, game: dict):
        self.receptacles = game["receptacles"]
        self.at, self.held = game["start"], None
        self.open = {name for name, one in self.receptacles.items() if not one.get("opens")}
        self.where = dict(game["objects"])
        self.state = {name: set() for name in self.where}

    def copy(self) -> "House":
        other = object.__new__(House)
        other.receptacles, other.at, other.held = self.receptacles, self.at, self.held
        other.open, other.where = set(self.open), dict(self.where)
        other.state = {name: set(all) for name, all in self.state.items()}
        return other

    def facts(self) -> set:
        """What holds of things and receptacles, to compare two houses."""
        found = {(name, "in", place) for name, place in self.where.items()}
        found |= {(name, "is", how) for name, all in self.state.items() for how in all}
        return found | {(name, "is", "open") for name in self.open}

    def visible(self) -> list[str]:
        return [name for name, place in self.where.items() if place == self.at and self.at in self.open]

    def commands(self):
        """The commands that are possible: verb, thing, receptacle."""
        for name in self.receptacles:
            if name != self.at:
                yield "go", None, name
        if self.receptacles[self.at].get("opens"):
            yield ("close" if self.at in self.open else "open"), None, self.at
        if self.held is None:
            for name in self.visible():
                yield "take", name, self.at
            return
        if self.at in self.open:
            yield "put", self.held, self.at
        for verb, (place, _) in TREATMENTS.items():
            if kind(self.at) == place:
                yield verb, self.held, self.at

    def do(self, command) -> bool:
        if command not in self.commands():
            return False
        verb, thing, place = command
        if verb == "go":
            self.at = place
        elif verb == "open":
            self.open.add(place)
        elif verb == "close":
            self.open.discard(place)
        elif verb == "take":
            self.held = thing
            self.where[thing] = "hands"
        elif verb == "put":
            self.held = None
            self.where[thing] = place
        else:
            self.state[thing] -= {"hot", "cool"} if verb != "clean" else set()
            self.state[thing].add(TREATMENTS[verb][1])
        return True


def in_words(command) -> str:
    """A command as ALFWorld writes it."""
    verb, thing, place = command
    if verb == "go":
        return f"go to {place}"
    if verb in ("open", "close"):
        return f"{verb} {place}"
    return f"{verb} {thing} {'from' if verb == 'take' else 'in/on' if verb == 'put' else 'with'} {place}"


def in_steps(command) -> str:
    """A command as a step of a VirtualHome program."""
    verb, thing, place = command
    numbered = lambda name: f"<{kind(name)}> ({name.rpartition(' ')[2]})"  # noqa: E731
    name = {"go": "WALK", "take": "GRAB", "put": "PUTIN", "clean": "WASH"}.get(verb, verb.upper())
    if verb == "put":
        return f"[{name}] {numbered(thing)} {numbered(place)}"
    return f"[{name}] {numbered(thing or place)}"


def read_script(text: str, house: House) -> House:
    """The house after a VirtualHome program; lines that are no steps are its title and description."""
    house = house.copy()
    for number, line in enumerate(text.splitlines(), 1):
        step = re.fullmatch(r"\s*\[(\w+)\]((?:\s*<[^>]+>\s*\(\d+\))*)\s*", line)
        if not step:
            continue
        names = [f"{name.strip()} {at}" for name, at in re.findall(r"<([^>]+)>\s*\((\d+)\)", step[2])]
        verb = STEPS.get(step[1].upper())
        fits = [one for one in house.commands() if one[0] == verb and set(names) <= {one[1], one[2]}]
        if not fits or not house.do(fits[0]):
            raise SystemExit(f"text_world.py: line {number} of the program is not possible here: {line.strip()}")
    return house


class TextWorld:
    def __init__(self, game: dict, script: str | None):
        self.game, self.house = game, House(game)
        self.write = in_words if script is None else in_steps
        self.task = game["task"]
        if script is None:
            self.wanted = [(one["object"], one["receptacle"], set(one.get("is", []))) for one in game["goal"]]
        else:
            after, before = read_script(script, self.house).facts(), self.house.facts()
            self.changed, self.gone = after - before, before - after
            self.task = script.splitlines()[0].strip() if script.strip() else "Do what the program does."

    def reached(self) -> bool:
        if self.write is in_steps:
            facts = self.house.facts()
            return self.changed <= facts and not self.gone & facts
        # As in ALFWorld, any thing of the kind does.
        fits = lambda name, what: kind(name) == what or name == what  # noqa: E731
        return all(
            any(
                fits(name, what) and fits(place, where) and how <= self.house.state[name]
                for name, place in self.house.where.items()
            )
            for what, where, how in self.wanted
        )

    def message(self, text: str, ok: bool = True) -> Message:
        house = self.house
        true = ["open_here"] if house.at in house.open and house.receptacles[house.at].get("opens") else []
        true += ["at_fridge"] if kind(house.at) == "fridge" else []
        true += ["holding"] if house.held else []
        true += ["holding_hot"] if house.held and "hot" in house.state[house.held] else []
        true += ["done"] if self.reached() else []
        seen = "closed" if house.at not in house.open else ", ".join(house.visible()) or "nothing"
        here = f"You are at {house.at}; on it or in it: {seen}. You hold {house.held or 'nothing'}."
        names = ["object", "receptacle"]
        actions = []
        for command in house.commands():
            given = {name: value for name, value in zip(names, command[1:]) if value}
            actions.append(offer(self.write(command), command[0], **given))
        return Message(text=f"{text}\n{here}", true=true, actions=actions, ok=ok, reached=self.reached())

    def begin(self) -> Message:
        return self.message(f"Your task is to: {self.task}")

    def act(self, action: str) -> Message:
        for command in self.house.commands():
            if self.write(command) == action:
                self.house.do(command)
                return self.message(f"{action}: done.")
        return self.message("Nothing happens.", ok=False)


def main() -> None:
    parser = argparse.ArgumentParser(description="A house in words as an environment of tsl-synth")
    parser.add_argument("game", help="a JSON file such as kitchen.json")
    parser.add_argument("--script", help="a VirtualHome program; the task is what it brings about")
    named = parser.parse_args()
    with open(named.game, encoding="utf-8") as file:
        game = json.load(file)
    script = None
    if named.script:
        with open(named.script, encoding="utf-8") as file:
            script = file.read()
    serve(TextWorld(game, script))


if __name__ == "__main__":
    main()
