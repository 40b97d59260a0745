"""Policies, stores and gates."""

import asyncio
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import tsl_synth
from tsl_synth import ApprovalNeeded, Denied, Gate, GateError, Policy, PolicyError, Store, TslSynthError

SHOP = """
policy = 1
unmatched = "deny"
[actions]
groups = [["refund", "close", "wipe"]]
[propositions]
confirmed = { state = true }
[[match]]
on = "call"
tool = "refund"
action = "refund"
[[match]]
on = "call"
tool = "close_account"
action = "close"
[[match]]
on = "call"
tool = "wipe"
action = "wipe"
[[law]]
id = "refund-first"
rule = "close requires refund before"
why = "Refund what is left before an account is closed."
[[law]]
id = "wiped-by-persons"
ltl = "G !wipe"
on_violation = "ask"
[[law]]
id = "closed-in-the-end"
rule = "after refund end requires close"
"""
CAP = """
policy = 1
[actions]
groups = [["pay"]]
[[count]]
name = "over"
count = true
on = "pay"
above = 50
[[match]]
on = "call"
tool = "pay"
action = "pay"
[[law]]
id = "cap"
ltl = "G (pay -> !over)"
"""


class Sessions(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.file = self.folder / "cap.toml"
        self.store = Store.files(self.folder / "state")

    def edit(self, text):
        """Also with the same time and length the file is another one."""
        other = self.folder / "new.toml"
        other.write_text(text)
        os.replace(other, self.file)

    def grants(self, gate, most=100):
        return sum(1 for _ in range(most) if gate.propose("pay", {}))

    def age(self, session, days):
        then = time.time() - days * 86_400
        os.utime(self.store.journal(session), (then, then))

    def test_a_session_ends_when_the_policy_says(self):
        policy = Policy.from_text('retain = "30d"\n' + CAP)
        gate = Gate(policy, session="s", store=self.store)
        self.assertEqual(self.grants(gate), 50)
        self.age("s", 29)
        self.assertEqual(self.grants(gate), 0)
        self.age("s", 31)
        self.assertEqual(self.grants(gate), 50)
        self.age("s", 31)
        self.assertEqual((self.store.remove_old(), self.store.remove_old()), (1, 0))
        self.assertEqual(self.grants(gate), 50)
        with self.assertRaises(ValueError):
            Store.memory().remove_old()
        with self.assertRaisesRegex(PolicyError, "retain"):
            Policy.from_text('retain = "30x"\n' + CAP)

    def test_close_removes_on_demand(self):
        for store in (Store.memory(), self.store):
            gate = Gate(Policy.from_text(CAP), session="s", store=store)
            self.grants(gate)
            gate.close()
            self.assertEqual(self.grants(gate), 0)
            gate.close(remove=True)
            self.assertEqual(self.grants(gate), 50)
            asyncio.run(gate.aclose(remove=True))
            self.assertEqual(self.grants(gate), 50)

    def test_an_edited_policy_is_taken_up(self):
        self.edit(CAP)
        policy = Policy.from_file(self.file)
        gate = Gate(policy, session="s", store=self.store)
        first = policy.sha256
        self.assertEqual(self.grants(gate), 50)
        self.edit(CAP.replace("above = 50", "above = 60"))
        self.assertEqual(self.grants(gate), 10)
        self.assertNotEqual(policy.sha256, first)
        self.edit("policy = 2")
        with self.assertRaisesRegex(GateError, "cap.toml"):
            gate.propose("pay", {})
        self.edit('on_change = "deny"\n' + CAP)
        with self.assertRaisesRegex(GateError, "on_change"):
            gate.propose("pay", {})
        other = Gate(policy, session="t", store=self.store)
        self.assertEqual(self.grants(other), 50)
        self.edit(CAP.replace("above = 50", "above = 90"))
        with self.assertRaisesRegex(GateError, "on_change"):
            other.propose("pay", {})


class Policies(unittest.TestCase):
    def test_a_policy_tells_what_it_is(self):
        policy = Policy.from_text(SHOP, name="shop.toml")
        self.assertEqual((policy.name, len(policy.sha256)), ("shop.toml", 64))
        self.assertEqual(policy.laws, ["refund-first", "wiped-by-persons", "closed-in-the-end"])
        self.assertIn("3 laws", repr(policy))

    def test_errors_have_places(self):
        with self.assertRaises(PolicyError) as caught:
            Policy.from_text("policy = 1\n[[law]]\nid = 'x'\nltl = 'G (pay -> '\n")
        finding = caught.exception.findings[0]
        self.assertEqual(finding.severity, "error")
        self.assertTrue(finding.code.startswith("TSL") and finding.line and finding.message, finding)
        self.assertIn(f"policy.toml:{finding.line}:", str(caught.exception))
        self.assertIsInstance(caught.exception, TslSynthError)

    def test_a_file_that_is_not_there(self):
        with self.assertRaises(PolicyError) as caught:
            Policy.from_file("no/such/policy.toml")
        self.assertIn("no/such/policy.toml", str(caught.exception))


class Gates(unittest.TestCase):
    def setUp(self):
        self.policy = Policy.from_text(SHOP)

    def test_decisions(self):
        gate = Gate(self.policy)
        denied = gate.propose("close_account", {"account": 7})
        self.assertFalse(denied)
        self.assertEqual((denied.verdict, denied.by, denied.ticket), ("deny", ["refund-first"], None))
        self.assertIn("Refund what is left", denied.reason)
        self.assertIn("refund", denied.allowed)
        granted = gate.propose("refund", {"account": 7})
        self.assertTrue(granted)
        self.assertEqual((granted.verdict, granted.reason, granted.by), ("allow", "", []))
        self.assertEqual(gate.commit(granted.ticket, ok=True, result={"done": True}).broken, [])
        with self.assertRaises(GateError):
            gate.commit(granted.ticket)
        self.assertFalse(gate.end())
        self.assertIn("close", gate.options()["allowed"])
        closed = gate.propose("close_account")
        self.assertTrue(closed)
        self.assertFalse(gate.end(), "whether it was closed is not known yet")
        gate.commit(closed.ticket)
        self.assertTrue(gate.end())
        self.assertEqual(json.loads(denied.json)["by"], ["refund-first"])

    def test_calls_have_ids(self):
        gate = Gate(self.policy)
        first = gate.propose("refund", {"account": 1}, id="c1")
        again = gate.propose("refund", {"account": 1}, id="c1")
        other = gate.propose("refund", {"account": 2}, id="c1")
        self.assertEqual((first.id, first.ticket), ("c1", again.ticket))
        self.assertEqual(other.verdict, "deny")
        self.assertEqual(gate.result("c1", ok=False, result="no money").faults, [])
        self.assertNotEqual(gate.propose("refund").id, gate.propose("refund").id)

    def test_what_is_no_json_is_no_decision(self):
        gate = Gate(self.policy)
        for arguments in ("{", '{"a": 1, "a": 2}', ""):
            with self.assertRaises(GateError):
                gate.propose("refund", arguments)
        with self.assertRaises(ValueError):
            gate.propose("refund", {"eur": float("nan")})
        with self.assertRaises(ValueError):
            gate.message("hello", role="nobody")
        self.assertTrue(gate.propose("refund", '{"account": 7}'))

    def test_shadow_mode_allows_and_records(self):
        decision = Gate(self.policy, shadow=True).propose("close_account")
        self.assertEqual((bool(decision), decision.verdict, decision.shadow), (True, "deny", True))

    def test_a_context_closes_the_session(self):
        store = Store.memory()
        with Gate(self.policy, "s", store) as gate:
            gate.commit(gate.propose("refund").ticket)
        self.assertIn("close", str(Gate(self.policy, "s", store).options()["owed"]))

    def test_stores_continue_sessions(self):
        with tempfile.TemporaryDirectory() as folder:
            refund = Gate(self.policy, "s", folder).propose("refund")
            Gate(self.policy, "s", folder).commit(refund.ticket)
            self.assertTrue(Gate(self.policy, "s", Store.files(folder, durable=True)).propose("close_account"))
            self.assertFalse(Gate(self.policy, "t", folder).propose("close_account"))
            with open(Store.files(folder).journal("s"), encoding="utf-8") as journal:
                self.assertIn('"kind":"granted"', journal.read())


class Tools(unittest.TestCase):
    def setUp(self):
        self.gate = Gate(Policy.from_text(SHOP))
        self.calls = []

    def test_tools_run_only_when_granted(self):
        @self.gate.tool
        def refund(account: int, eur: int = 5, **more: int) -> str:
            """Refunds."""
            self.calls.append((account, eur, more))
            return "done"

        @self.gate.tool(name="close_account")
        def close(account: int) -> str:
            self.calls.append(account)
            return "closed"

        with self.assertRaises(Denied) as caught:
            close(7)
        self.assertEqual(caught.exception.decision.by, ["refund-first"])
        self.assertEqual((refund(7, tip=1), close(account=7)), ("done", "closed"))
        self.assertEqual(self.calls, [(7, 5, {"tip": 1}), 7])
        self.assertEqual((refund.__name__, refund.__doc__), ("refund", "Refunds."))

    def test_failures_are_reported(self):
        @self.gate.tool
        def refund() -> None:
            raise RuntimeError("no money")

        with self.assertRaisesRegex(RuntimeError, "no money"):
            refund()

    def test_refusals_as_text(self):
        @self.gate.tool(name="close_account", explain=True)
        def close() -> str:
            return "closed"

        self.assertIn("Denied by refund-first", close())

    def test_persons_approve(self):
        def wipe() -> str:
            return "wiped"

        with self.assertRaises(ApprovalNeeded):
            self.gate.tool(wipe)()
        asked = []
        gate = Gate(Policy.from_text(SHOP), approve=lambda *call: asked.append(call[:2]) is None)
        self.assertEqual(gate.tool(wipe)(), "wiped")
        self.assertEqual(asked, [("wipe", {})])

    def test_asynchronous_tools(self):
        gate = self.gate

        @gate.tool
        async def refund(account: int) -> str:
            await asyncio.sleep(0)
            return "done"

        @gate.tool(name="close_account")
        async def close(account: int) -> str:
            return "closed"

        async def play():
            async with gate:
                with self.assertRaises(Denied):
                    await close(7)
                self.assertEqual([await refund(7), await close(7)], ["done", "closed"])
                self.assertTrue(await gate.aend())
                await gate.amessage("bye", role="agent")
                await gate.aobserve(confirmed=True)
                self.assertEqual((await gate.atick()).faults, [])
                decision = await gate.apropose("refund", {})
                await gate.acommit(decision.ticket, None)

        asyncio.run(play())


PAYS = """
import sys
from tsl_synth import Gate, Policy
gate = Gate(Policy.from_file(sys.argv[1]), "s", sys.argv[2])
print(sum(bool(gate.propose("pay")) for _ in range(1000)))
"""


PAYS_SLOWLY = """
import os, sys, time
from tsl_synth import Gate, Policy
gate = Gate(Policy.from_file(sys.argv[1]), "s", sys.argv[2])
os.write(1, b"ready")
while gate.propose("pay"):
    os.write(1, b".")
    time.sleep(0.0005)
"""


class Shared(unittest.TestCase):
    def test_threads_are_granted_the_cap(self):
        policy = Policy.from_text(CAP)
        store = Store.memory()
        shared = Gate(policy, "s", store)
        granted = []

        def pay(gate):
            granted.append(sum(bool(gate.propose("pay", {"n": n})) for n in range(1250)))

        threads = [threading.Thread(target=pay, args=(shared if n % 2 else Gate(policy, "s", store),)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(granted), sum(granted)), (8, 50))

    def test_processes_are_granted_the_cap(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/cap.toml"
            with open(path, "w", encoding="utf-8") as file:
                file.write(CAP)
            command = [sys.executable, "-c", PAYS, path, f"{folder}/state"]
            started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
            granted = [int(process.communicate()[0]) for process in started]
            self.assertEqual(sum(granted), 50, granted)

    def test_killed_processes_are_granted_nothing_twice(self):
        choose, told = random.Random(1), 0
        with tempfile.TemporaryDirectory() as folder:
            path, state = f"{folder}/cap.toml", f"{folder}/state"
            with open(path, "w", encoding="utf-8") as file:
                file.write(CAP)
            for _ in range(12):
                process = subprocess.Popen([sys.executable, "-c", PAYS_SLOWLY, path, state], stdout=subprocess.PIPE)
                self.assertEqual(process.stdout.read(5), b"ready")
                time.sleep(choose.random() / 100)
                process.kill()
                told += len(process.communicate()[0])
            policy = Policy.from_file(path)
            gate = Gate(policy, "s", state)
            while gate.propose("pay"):
                told += 1
            with open(Store.files(state).journal("s"), encoding="utf-8") as journal:
                granted = sum('"kind":"granted"' in line for line in journal)
        # A process may be killed after the journal has a grant and before it could tell.
        self.assertEqual(granted, 50)
        self.assertTrue(50 - 12 <= told <= 50, told)


OUTSIDE = """
policy = 1
read_scripts = true
unmatched = "allow"
[[probe]]
name = "branch"
run = ["cat", "branch"]
[[match]]
on = "call"
program = "git"
subcommand = ["push"]
action = "push"
[[match]]
on = "call"
program = "git"
subcommand = ["commit"]
where = [{ pointer = "/probe/branch/text", "=" = "main" }]
action = "commit-on-main"
[rules]
never = "never push"
on-a-branch = "never commit-on-main"
"""


class Outside(unittest.TestCase):
    def test_scripts_are_read_and_probes_run_in_the_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            def verdict(command, inside):
                gate = Gate(Policy.from_text(OUTSIDE), folder=folder if inside else None)
                return gate.propose("Bash", {"command": command}).verdict

            def write(name, text):
                with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                    file.write(text)

            for text, expected in [("ls\n", "allow"), ("git push\n", "deny")]:
                write("x.sh", text)
                self.assertEqual(verdict("sh x.sh", True), expected)
                self.assertEqual(verdict(f"sh {folder}/x.sh", False), expected)
                self.assertEqual(verdict("sh x.sh", False), "deny", "where it is is not known")
            for text, expected in [("topic\n", "allow"), ("main\n", "deny")]:
                write("branch", text)
                self.assertEqual(verdict("git commit -m x", True), expected)
                self.assertEqual(verdict("git commit -m x", False), "deny", "nobody answers")

    def test_a_folder_that_is_no_text(self):
        with self.assertRaises(TypeError):
            Gate(Policy.from_text(OUTSIDE), folder=7)


class Package(unittest.TestCase):
    def test_the_version(self):
        self.assertRegex(tsl_synth.__version__, r"^\d+\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
