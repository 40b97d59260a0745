"""Random events, decided by gates of the package and by `tsl-synth shield`: the answers must be the same in every field. Then
commands that run scripts, and that probes are asked about, while the files change.

    python compare.py PROGRAM POLICY... [--proposals N] [--seed N]

The tools, arguments and words of the events are those that the text of each policy names. Laws about time windows are
left out, since the two gates decide at different moments.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from tsl_synth import Gate, GateError, Policy, Store

SESSIONS = 40


class Events:
    """Random events about what a policy names."""

    def __init__(self, text, choose):
        self.choose = choose
        quoted = r"""["']([^"']+)["']"""
        listed = [found for line in re.findall(r"^tool = (.*)$", text, re.M) for found in re.findall(quoted, line)]
        self.tools = sorted({tool.replace("*", "x") for tool in listed}) + ["unnamed"]
        self.keys = sorted(set(re.findall(r"/arguments/(\w+)", text))) or ["x"]
        self.truths = re.findall(r"^(\w+) = \{", text, re.M)
        words = [part for found in re.findall(r"^regex = (.*)$", text, re.M) for part in re.findall(r"[a-z]{2,}", found)]
        self.words = sorted(set(words)) + ["hello"]
        self.calls, self.open = 0, {}

    def arguments(self):
        value = self.choose.choice([1, 2, 250, "A", "L1", "git push", "rm -rf x", True, None])
        return {key: value for key in self.keys if self.choose.random() < 0.8}

    def event(self):
        """A proposal, or now and then something else."""
        session, kind = f"s{self.choose.randrange(SESSIONS)}", self.choose.random()
        tickets = self.open.setdefault(session, [])
        if kind < 0.25 and tickets:
            ticket = tickets.pop(self.choose.randrange(len(tickets)))
            return {"event": "commit", "session": session, "ticket": ticket, "ok": self.choose.choice([True, True, False, None])}
        if kind < 0.35:
            role = self.choose.choice(["user", "agent"])
            return {"event": "message", "session": session, "role": role, "text": self.choose.choice(self.words)}
        if kind < 0.4 and self.truths:
            return {"event": "observe", "session": session, "set": {self.choose.choice(self.truths): self.choose.random() < 0.5}}
        if kind < 0.43:
            return {"event": "end", "session": session}
        self.calls += 1
        # Some ids are used twice.
        number = self.calls if self.choose.random() < 0.98 else self.choose.randint(1, self.calls)
        tool, arguments = self.choose.choice(self.tools), self.arguments()
        return {"event": "propose", "session": session, "id": f"c{number}", "tool": tool, "arguments": arguments}


OUTSIDE = """
policy = 1
read_scripts = true
unmatched = "allow"
[[probe]]
name = "branch"
run = ["cat", "branch"]
folder = {folder}
unchanged_by = ["git add"]
[[match]]
on = "call"
program = "git"
subcommand = ["push"]
action = "push"
[[match]]
on = "call"
program = "git"
subcommand = ["commit"]
where = [{{ pointer = "/probe/branch/text", "=" = "main" }}]
action = "commit-on-main"
[rules]
once = "at most 1 push"
on-a-branch = "never commit-on-main"
"""


class Commands(Events):
    """Random commands that run scripts in a folder, whose files change in between."""

    def __init__(self, folder, choose):
        super().__init__("", choose)
        self.folder = folder
        self.write("sub/x.sh", "ls\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def event(self):
        choose = self.choose
        if choose.random() < 0.3:
            script = choose.choice(["ls", "git push", "sh sub/x.sh", ". ./b.sh", "echo $(git commit -m x)", "cd sub", "\0"])
            self.write(choose.choice(["a.sh", "b.sh", "sub/x.sh"]), script + "\n")
        if choose.random() < 0.3:
            self.write("branch", choose.choice(["main\n", "topic\n"]))
        event = super().event()
        if event["event"] == "propose":
            script = choose.choice(["a.sh", "b.sh", "sub/x.sh", "missing.sh", os.path.join(self.folder, "a.sh")])
            command = choose.choice(["bash {}", "sh ./{}", "source {}", "cd sub && sh x.sh", "git commit -m x", "git add . && git commit", "ls"])
            arguments = {"command": command.format(script)}
            if choose.random() < 0.7:
                arguments["cwd"] = choose.choice([self.folder, self.folder, "sub"])
            event.update(tool="Bash", arguments=arguments)
        return event


def own(gates, event):
    """The answer of the package, in the form of `shield`."""
    gate, kind = gates(event["session"]), event["event"]
    try:
        if kind == "propose":
            return json.loads(gate.propose(event["tool"], event["arguments"], id=event["id"]).json)
        if kind == "end":
            return json.loads(gate.end().json)
        if kind == "commit":
            heard = gate.commit(event["ticket"], event["ok"])
        elif kind == "observe":
            heard = gate.observe(**event["set"])
        else:
            heard = gate.message(event["text"], event["role"])
    except GateError as error:
        return {"answer": "error", "session": event["session"], "verdict": "deny", "reason": str(error)}
    told = {"broken": heard.broken, "owed": heard.owed, "faults": heard.faults}
    return {"answer": "heard", "session": event["session"], **{name: value for name, value in told.items() if value}}


def compare(program, path, events, proposals, seed, folder):
    """The number of proposals and how many were denied."""
    policy, store, gates = Policy.from_file(path), Store.files(folder), {}
    command = [program, "shield", path]
    shield = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    proposed = denied = 0

    def gate(session):
        # Now and then the gate is a new one, which reads its session from the store.
        if session not in gates or events.choose.random() < 0.01:
            gates[session] = Gate(policy, session, store)
        return gates[session]

    while proposed < proposals:
        event = events.event()
        shield.stdin.write(json.dumps(event) + "\n")
        expected, found = json.loads(shield.stdout.readline()), own(gate, event)
        if expected != found:
            raise AssertionError(f"{path}, seed {seed}: {event}\nshield:  {expected}\npackage: {found}")
        if event["event"] == "propose":
            proposed += 1
            denied += expected["verdict"] == "deny"
            if "ticket" in expected:
                events.open[event["session"]].append(expected["ticket"])
    shield.stdin.close()
    shield.wait()
    return proposed, denied


def has_windows(path):
    with open(path, encoding="utf-8") as file:
        return re.search(r"\bper \d|^window|^within", file.read(), re.M) is not None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("policies", nargs="+")
    parser.add_argument("--proposals", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    total = refused = 0
    policies = [path for path in given.policies if not has_windows(path)]
    for number, path in enumerate(policies):
        with tempfile.TemporaryDirectory() as folder:
            share, seed = given.proposals // len(policies) + 1, given.seed + number
            with open(path, encoding="utf-8") as file:
                events = Events(file.read(), random.Random(seed))
            proposed, denied = compare(given.program, path, events, share, seed, folder)
        total, refused = total + proposed, refused + denied
    print(f"{total} proposals under {len(policies)} policies, {refused} of them denied: the same answers as shield")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
        path, events = os.path.join(folder, "policy.toml"), Commands(folder, random.Random(given.seed))
        events.write("policy.toml", OUTSIDE.format(folder=json.dumps(folder)))
        commands, denied = compare(given.program, path, events, given.proposals // 20 + 1, given.seed, state)
    print(f"{commands} commands with scripts and probes, {denied} of them denied: the same answers as shield")
    return 0 if total and refused and 0 < denied < commands else 1


if __name__ == "__main__":
    sys.exit(main())
