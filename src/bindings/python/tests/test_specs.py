"""Questions about specifications and logs, and the program."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import tsl_synth
from test_gate import SHOP
from tsl_synth import SpecificationError, check, explain, monitor, synthesize

LAMP = "always guarantee { press -> [lamp <- on()]; !press -> [lamp <- lamp]; }"
IMPOSSIBLE = "always guarantee { [x <- a()]; p -> [x <- b()]; }"


class Specifications(unittest.TestCase):
    def test_verdicts(self):
        self.assertTrue(check(LAMP).realizable)
        answer = check(IMPOSSIBLE)
        self.assertEqual((answer.verdict, answer.realizable), ("UNREALIZABLE", False))
        self.assertIn("[x <- b()]", answer.reason)
        formula = check("G (request -> X grant) && G (grant -> X !grant)", language="ltl", outputs=["grant"])
        self.assertEqual(formula.verdict, "UNREALIZABLE")
        self.assertTrue(explain(IMPOSSIBLE).document["cores"])

    def test_errors_of_a_text(self):
        answer = check("always guarantee { a && ; }")
        self.assertEqual(answer.verdict, "ERROR")
        self.assertTrue(answer.findings)

    def test_code(self):
        code = synthesize(LAMP, "python")
        self.assertIn("class Controller", str(code))
        compile(str(code), "lamp.py", "exec")
        with self.assertRaises(SpecificationError):
            synthesize(IMPOSSIBLE)

    def test_pages(self):
        page = check(LAMP)._repr_html_()
        self.assertIn("<iframe", page)
        self.assertNotIn("<iframe", check("always guarantee { a && ; }")._repr_html_())

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "formula.ltl"
            path.write_text("G (a -> b)")
            self.assertTrue(check(path, outputs=["b"]).realizable)


class Program(unittest.TestCase):
    def test_logs_are_judged(self):
        with tempfile.TemporaryDirectory() as folder:
            policy = pathlib.Path(folder) / "shop.toml"
            policy.write_text(SHOP)
            event = {"session": "s", "event": "call", "tool": "close_account", "arguments": {}}
            rows = monitor(policy, [event])
            self.assertIn("refund-first", str(rows))
            with self.assertRaises(SpecificationError):
                monitor(policy, "no/such/log.jsonl")

    def test_the_program_is_the_same(self):
        for command in (["tsl-synth"], ["-m", "tsl_synth"]):
            start = [str(pathlib.Path(sys.executable).with_name(command[0]))] if len(command) == 1 else [sys.executable, *command]
            done = subprocess.run([*start, "--version"], capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, f"tsl-synth {tsl_synth.__version__}\n")
            done = subprocess.run([*start, "check", "no-such-file.tsl"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)

    def test_hooks_start_the_console_script(self):
        script = pathlib.Path(sys.executable).with_name("tsl-synth")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "shop.toml").write_text(SHOP)
            install = [str(script), "policy", "shield", "install", "--host", "claude-code", "--policy", "shop.toml"]
            subprocess.run(install, cwd=folder, capture_output=True, text=True, check=True)
            settings = list(pathlib.Path(folder).rglob("settings*.json"))
            self.assertIn(str(script), settings[0].read_text())


if __name__ == "__main__":
    unittest.main()
