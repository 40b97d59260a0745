"""Each request of each script to the gate of its policy; differences to the answer of `shield` are printed."""

import importlib
import json
import sys
import time

POLICIES = [line.split() for line in open("index.txt", encoding="utf-8")]
different = policies = requests = 0
times: dict[str, list[float]] = {}
# The scripts so many times; the times are those of the last one.
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 1
for number, (stem, name) in enumerate(POLICIES * ROUNDS):
    module = importlib.import_module(stem)
    gate = module.Gate()
    policies += number < len(POLICIES)
    before = different
    for line in open(stem + ".script", encoding="utf-8"):
        if line == "S\n":
            saved = gate.snapshot()
            gate = module.Gate()
            gate.restore(saved)
            assert gate.snapshot() == saved
            continue
        request, expected = line.rstrip("\n").split("\t")
        start = time.perf_counter()
        text = gate.line(request)
        took = time.perf_counter() - start
        own = json.loads(text)
        requests += 1
        answer = json.loads(expected)
        if answer["answer"] == "error" and "no event" in answer["reason"]:
            own["reason"], own["session"] = answer["reason"], answer["session"]
        if '"event":"propose"' in request and number >= len(POLICIES) * (ROUNDS - 1):
            times.setdefault(answer.get("verdict", "none"), []).append(took)
        if own != answer:
            different += 1
            if different - before <= 2:
                keys = sorted(key for key in {*own, *answer} if own.get(key) != answer.get(key))
                print(name, request)
                for key in keys:
                    print("   ", key, "\n      own   ", own.get(key), "\n      shield", answer.get(key))
for verdict, taken in sorted(times.items()):
    taken.sort()
    print(verdict, len(taken), "median", round(taken[len(taken) // 2] * 1e6, 1), "us")
print("requests", requests, "policies", policies, "different", different)
