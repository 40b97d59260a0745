"""Runs scripts through emitted monitors: letters, what follows them, snapshots."""

import importlib
import json


def text(code):
    return bytes.fromhex(code[1:]).decode()


def pairs(field):
    return [(text(name), rest) for name, rest in (pair.split("=") for pair in field.split())]


def shown(module, state):
    laws = "".join(str(int(module.verdict(state, law))) for law in range(len(module.LAWS)))
    return f"{laws} {int(module.joint(state))} {int(state.overflowed)}"


def refuses(monitor, module, snapshot):
    before = monitor.snapshot()
    try:
        monitor.restore(snapshot)
    except module.ForeignSnapshot:
        assert monitor.snapshot() == before
        return
    raise AssertionError(f"took {snapshot}")


total = 0
modules = [importlib.import_module(stem) for stem in open("index.txt").read().split()]
for number, module in enumerate(modules):
    other = modules[(number + 1) % len(modules)]
    monitor = module.Monitor()
    for line in open(f"{module.__name__}.script", encoding="utf-8").read().splitlines():
        if line == "R":
            monitor.reset()
            continue
        if line == "S":
            saved = monitor.snapshot()
            monitor = module.Monitor()
            for bad in [other.Monitor().snapshot(), "", "[]", "{}", "null", '{"machine": 1}']:
                refuses(monitor, module, bad)
            broken = json.loads(saved)
            broken["laws"][0][0]["state"] = 1 << 40
            refuses(monitor, module, json.dumps(broken))
            monitor.restore(saved)
            assert monitor.snapshot() == saved
            continue
        atoms, time, bindings, amounts, expected = line.split("\t")
        letter = module.Letter(
            true=frozenset(text(name) for name in atoms.split()),
            bindings={name: text(value) for name, value in pairs(bindings)},
            amounts=dict(pairs(amounts)),
            time=None if time == "-" else int(time),
        )
        pure = None
        if total % 7 == 0:
            before = monitor.snapshot()
            pure = module.step(monitor.state, letter)
            assert monitor.snapshot() == before
            for bad in [module.Letter(true=["no such atom"]), module.Letter(true=[module.ATOMS[0], "x y"])]:
                try:
                    monitor.step(bad)
                    raise AssertionError("took a bad letter")
                except module.BadLetter:
                    assert monitor.snapshot() == before
        joint = monitor.step(letter)
        assert shown(module, monitor.state) == expected, (module.__name__, line, shown(module, monitor.state))
        assert joint == monitor.joint() and (pure is None or pure == monitor.state)
        violated = [law for law in monitor.verdicts().values() if law == module.Verdict.VIOLATED]
        assert len(violated) <= len(monitor.violations())
        total += 1
    for amount, units in [("0.1", 1), ("1e3", 10**4), (2, 20), (0.5, 5), ("1.50", 15)]:
        assert module.units(amount) * 10 == units * 10**module.SCALE
    for amount in ["-1", "nan", "1.", ".5", "", "1e-30", True, "1e99999", "٣"]:
        try:
            module.units(amount)
            raise AssertionError(f"took {amount}")
        except module.BadLetter:
            pass
print("letters", total)
