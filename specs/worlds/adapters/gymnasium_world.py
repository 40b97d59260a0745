#!/usr/bin/env python3
"""Environments of Gymnasium (PyPI `gymnasium`) for agents under a policy: FrozenLake and Taxi.

    pip install gymnasium
    tsl-synth agent frozen_lake.toml --oracle sim --retries 20 --turns 1000 --env 'cmd:python3 gymnasium_world.py FrozenLake'
    tsl-synth agent taxi.toml --oracle sim --retries 20 --turns 1000 --env 'cmd:python3 gymnasium_world.py Taxi'

FrozenLake is tried with `--slippery`, too, and with `--size N` on a lake of its own. Another environment needs a class like
the two below: which propositions hold in a state, and how its actions are called.
"""

import argparse
import sys

from environment import GameOver, Message, serve

try:
    import gymnasium
except ImportError:
    sys.exit("gymnasium_world.py: there is no gymnasium: pip install gymnasium")


class Game:
    """An environment with a discrete state and named actions; `true` says what holds in the state."""

    ACTIONS: list[str] = []

    def __init__(self, made, seed):
        self.made, self.seed = made, seed
        self.state, self.score, self.over = 0, 0.0, False

    def message(self, text="", ok=True) -> Message:
        return Message(
            text=f"{text}{self.made.render()}\nScore: {self.score:g}",
            true=self.true(),
            actions=self.ACTIONS,
            ok=ok,
            goals=self.goals(),
            reached=self.reached(),
        )

    def begin(self) -> Message:
        self.state, _ = self.made.reset(seed=self.seed)
        return self.message()

    def act(self, action: str) -> Message:
        if self.over:
            raise GameOver
        self.state, reward, ended, cut_off, _ = self.made.step(self.ACTIONS.index(action))
        self.score += float(reward)
        self.over = ended or cut_off
        return self.message(f"{action}: done.\n", ok=self.good(reward))

    def good(self, reward) -> bool:
        return True

    def goals(self) -> list[str]:
        return []


class FrozenLake(Game):
    """`hole_left` and so on: the field beside the agent is a hole; `in_hole`, `at_goal`."""

    ACTIONS = ["left", "down", "right", "up"]
    STEPS = {"left": (0, -1), "down": (1, 0), "right": (0, 1), "up": (-1, 0)}

    def field(self, row, column) -> str:
        lake = self.made.unwrapped.desc
        inside = 0 <= row < len(lake) and 0 <= column < len(lake[0])
        return lake[row][column].decode() if inside else ""

    def true(self) -> list[str]:
        row, column = divmod(int(self.state), len(self.made.unwrapped.desc[0]))
        here = self.field(row, column)
        found = [name for name, there in [("in_hole", here == "H"), ("at_goal", here == "G")] if there]
        for way, (down, right) in self.STEPS.items():
            beside = self.field(row + down, column + right)
            found += [f"hole_{way}"] if beside == "H" else []
            found += [f"wall_{way}"] if beside == "" else []
        return found

    def reached(self) -> bool:
        return "at_goal" in self.true()

    def good(self, reward) -> bool:
        return "in_hole" not in self.true()


class Taxi(Game):
    """`at_passenger`, `in_taxi`, `at_destination`; the walls around the taxi, `wall_south` and so on."""

    ACTIONS = ["south", "north", "east", "west", "pick_up", "drop_off"]

    def true(self) -> list[str]:
        taxi = self.made.unwrapped
        row, column, passenger, destination = (int(part) for part in taxi.decode(self.state))
        in_taxi = passenger == len(taxi.locs)
        delivered = passenger == destination
        found = ["in_taxi"] if in_taxi else []
        found += ["delivered"] if delivered else []
        at = (row, column)
        found += ["at_passenger"] if not in_taxi and not delivered and at == taxi.locs[passenger] else []
        found += ["at_destination"] if at == taxi.locs[destination] else []
        for way, number in [("south", 0), ("north", 1), ("east", 2), ("west", 3)]:
            (_, after, _, _) = taxi.P[int(self.state)][number][0]
            found += [f"wall_{way}"] if after == int(self.state) else []
        return found

    def reached(self) -> bool:
        return self.over and "delivered" in self.true()

    def goals(self) -> list[str]:
        return ["passenger in the taxi"] if {"in_taxi", "delivered"} & set(self.true()) else []

    def good(self, reward) -> bool:
        # Picking up or dropping off where that is not possible costs 10.
        return reward > -10


def newest(name: str) -> str:
    """The newest version of an environment, such as `Taxi-v3`."""
    versions = [one for one in gymnasium.registry if one.rpartition("-v")[0] == name]
    return max(versions, key=lambda one: int(one.rpartition("-v")[2]))


def main() -> None:
    parser = argparse.ArgumentParser(description="FrozenLake and Taxi of Gymnasium as environments of tsl-synth")
    parser.add_argument("name", choices=["FrozenLake", "Taxi"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=1000, help="the game is over after so many actions")
    parser.add_argument("--slippery", action="store_true", help="the ice takes the agent aside now and then")
    parser.add_argument("--size", type=int, help="a lake of this many rows and columns, drawn by the seed")
    named = parser.parse_args()
    options = {"render_mode": "ansi", "max_episode_steps": named.steps}
    if named.name == "FrozenLake":
        options["is_slippery"] = named.slippery
        if named.size:
            from gymnasium.envs.toy_text.frozen_lake import generate_random_map

            options["desc"] = generate_random_map(size=named.size, seed=named.seed)
    made = gymnasium.make(newest(named.name), **options)
    serve({"FrozenLake": FrozenLake, "Taxi": Taxi}[named.name](made, named.seed))


if __name__ == "__main__":
    main()
