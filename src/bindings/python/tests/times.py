"""A table of decision times: a proposal that is granted, and the commit of its call, in sessions of several lengths.

    python times.py [POLICY TOOL ARGUMENTS]
"""

import json
import statistics
import sys
import tempfile
import time

from test_gate import CAP
from tsl_synth import Gate, Policy, Store

LENGTHS = [1, 100, 1_000]
TRIES = 300


def microseconds(act):
    start = time.perf_counter_ns()
    result = act()
    return (time.perf_counter_ns() - start) / 1_000, result


def measured(gate, tool, arguments, length):
    """The times of the last proposals of sessions with this many calls, over several sessions."""
    proposals, commits = [], []
    while len(proposals) < TRIES:
        own = gate()
        kept = max(1, min(length // 10, 100))
        for number in range(length):
            spent, decision = microseconds(lambda: own.propose(tool, {**arguments, "n": number}))
            if decision.ticket is None:
                raise AssertionError(decision.reason)
            also, _ = microseconds(lambda: own.commit(decision.ticket))
            if number >= length - kept:
                proposals.append(spent)
                commits.append(also)
    return proposals, commits


def row(times):
    ordered = sorted(times)
    return f"{statistics.median(ordered):8.0f} {ordered[int(len(ordered) * 0.99)]:8.0f}"


def main():
    if len(sys.argv) > 1:
        policy, tool, arguments = Policy.from_file(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
    else:
        policy, tool, arguments = Policy.from_text(CAP.replace("above = 50", "above = 2000")), "pay", {"eur": 1}
    print("microseconds    calls   proposal: median p99   commit: median p99")
    with tempfile.TemporaryDirectory() as folder:
        for name, store in [("memory", Store.memory()), ("files", Store.files(folder))]:
            for length in LENGTHS:
                proposals, commits = measured(lambda: Gate(policy, store=store), tool, arguments, length)
                print(f"{name:12} {length:8}      {row(proposals)}      {row(commits)}", flush=True)


if __name__ == "__main__":
    main()
