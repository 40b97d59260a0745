"""Adapters for Python without the SDKs that they are for: what they have in common, and that they load.

Each line of `index.txt` is the name of an adapter. Names that an adapter imports from elsewhere are classes that do nothing.
"""

import importlib
import json
import pathlib
import py_compile
import sys
import threading
import types


class Nothing:
    def __init__(self, *_, **__):
        pass

    def __call__(self, value):
        return value

    def __class_getitem__(cls, _):
        return cls


class Stub(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Nothing,), {})


class Stubs:
    """Finds the modules that are not installed; packages that happen to be are not asked."""

    def find_spec(self, name, path=None, target=None):
        roots = ("agents", "langchain", "langchain_core", "langgraph", "pydantic_ai", "pydantic_core", "claude_agent_sdk")
        if name.split(".")[0] in (*roots, "agent_framework"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        pass


class Answers:
    """A gate that answers this, or raises it."""

    def __init__(self, answer):
        self.answer = answer

    def line(self, _):
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def deciding(adapter):
    seat = adapter.Seat("s")
    assert seat.judge("resume_line", {"line_id": "L1"}, "a")[0] == "deny"
    assert seat.judge("make_payment", {"line_id": "L1"}, "b") == ("allow", "")
    seat.tell("b", False, "no money")
    verdict, why = seat.judge("resume_line", {"line_id": "L1"}, "c")
    assert verdict == "deny" and "paid-before-lift" in why, why
    # The same call again is a new one, and other arguments under the id of a pending one are refused.
    assert seat.judge("make_payment", {"line_id": "L1"}, "b")[0] == "allow"
    assert seat.judge("make_payment", {"line_id": "L2"}, "b")[0] == "deny"
    seat.tell("b", True, {"no": {"json": object(), "number": float("nan")}})
    assert seat.judge("resume_line", {"line_id": "L1"}, "d")[0] == "allow"
    # What cannot be read is refused.
    assert seat.judge("resume_line", {"line_id": float("nan")}, "e")[0] == "deny"
    assert seat.judge("resume_line", {1: 2, (3,): 4}, "f")[0] == "deny"
    endless = []
    endless.append(endless)
    assert seat.judge("resume_line", endless, "g")[0] == "deny"
    assert seat.judge(None, {}, "h")[0] == "deny"


def answers(adapter):
    seat = adapter.Seat("s")
    for answer in (
        OSError("gone"), "", "[]", "null", "{}", '"allow"', '{"verdict": "maybe"}', '{"verdict": true}', '{"verdict": ["allow"]}',
        '{"verdict": "ask"}', '{"answer": "error", "verdict": "deny"}',
    ):
        seat._gate = Answers(answer)
        assert seat.judge("t", {}, "x")[0] == "deny", answer
        assert seat.owed() is None, answer
        seat.tell("x", True)
    seat._gate = Answers('{"verdict": "ask", "ticket": "1"}')
    assert seat.judge("t", {}, "y")[0] == "ask"
    seat._gate = Answers('{"answer": "verdict", "verdict": "deny", "reason": "owed"}')
    assert seat.owed() == "owed"


def threads(adapter):
    """At most three audits are let through, however many threads ask at once."""
    seat, allowed = adapter.Seat("t"), []

    def ask(number):
        if seat.judge("audit", {"number": number}, f"call {number}")[0] == "allow":
            allowed.append(number)

    all_threads = [threading.Thread(target=ask, args=(number,)) for number in range(40)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    assert len(allowed) == 3, allowed


sys.meta_path.insert(0, Stubs())
sys.path.insert(0, ".")
count = 0
for line in pathlib.Path("index.txt").read_text().splitlines():
    name = json.loads(line)
    py_compile.compile(f"{name}.py", doraise=True)
    adapter = importlib.import_module(name)
    deciding(adapter)
    answers(adapter)
    threads(adapter)
    count += 1
print(f"adapters {count}")
