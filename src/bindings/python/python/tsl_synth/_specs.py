"""Questions about specifications and logs, for notebooks."""

from __future__ import annotations

import html
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Iterable, Mapping, Optional, Union

from . import _native
from ._native import TslSynthError

Path = Union[str, "os.PathLike[str]"]


class SpecificationError(TslSynthError):
    """A question about a specification or a log has no answer; the message says why."""


def _ask(ask: str, spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    question = {"ask": ask, "spec": spec, **{name: value for name, value in more.items() if value is not None}}
    answer: dict[str, Any] = json.loads(_native.answer(json.dumps(question)))
    if "error" in answer:
        raise SpecificationError(answer["error"])
    return answer


def _spec(
    spec: Union[str, pathlib.PurePath],
    language: Optional[str],
    inputs: Iterable[str],
    outputs: Iterable[str],
    parameters: Optional[Mapping[str, int]],
) -> dict[str, Any]:
    if isinstance(spec, pathlib.PurePath):
        name, text = spec.name, pathlib.Path(spec).read_text(encoding="utf-8")
    else:
        name, text = f"spec.{language or 'tsl'}", spec
    if isinstance(spec, pathlib.PurePath) and language is not None:
        name = f"{spec.stem}.{language}"
    return {
        "texts": [{"name": name, "text": text}],
        "ins": list(inputs),
        "outs": list(outputs),
        "parameters": dict(parameters or {}),
    }


class Answer:
    """The answer to a question about a specification. In a notebook it shows the machine with its plays."""

    def __init__(self, spec: dict[str, Any], document: dict[str, Any], result: dict[str, Any]) -> None:
        self._spec = spec
        self.document = document
        """The whole document, as `--format json` of the program writes it."""
        self._result = result

    @property
    def verdict(self) -> str:
        """`REALIZABLE`, `UNREALIZABLE`, `UNKNOWN` or `ERROR`."""
        return str(self._result["verdict"])

    @property
    def realizable(self) -> bool:
        """Whether there is a controller."""
        return self.verdict == "REALIZABLE"

    @property
    def reason(self) -> str:
        """Why there is no controller, or no answer; empty if there is a controller."""
        return str(self._result.get("reason") or self._result.get("sentence") or "")

    @property
    def findings(self) -> list[str]:
        """The findings about the text."""
        return [str(found["message"]) for found in self._result.get("diagnostics", [])]

    def page(self) -> str:
        """A page in HTML that draws and plays the controller or the counter-strategy."""
        return str(_ask("view", self._spec)["html"])

    def __repr__(self) -> str:
        lines = [self.verdict] + ([self.reason] if self.reason else [])
        return "\n".join(lines + (self.findings if self.verdict == "ERROR" else []))

    def _repr_html_(self) -> str:
        text = f"<pre>{html.escape(repr(self))}</pre>"
        if self.verdict not in ("REALIZABLE", "UNREALIZABLE"):
            return text
        frame = 'style="width: 100%; height: 36em; border: 1px solid #ccc" sandbox="allow-scripts"'
        return f'{text}<iframe {frame} srcdoc="{html.escape(self.page())}"></iframe>'


class Emitted:
    """A controller as code, as an automaton or as a circuit: its files, with the main one as the text."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.files: dict[str, str] = {file["path"]: file["text"] for file in document["files"]}
        """The texts of the files by their paths."""
        self._main = next(file["text"] for file in document["files"] if file["main"])

    def __str__(self) -> str:
        return str(self._main)

    def __repr__(self) -> str:
        return f"<Emitted {', '.join(self.files)}>"


def check(
    spec: Union[str, pathlib.PurePath],
    *,
    language: Optional[str] = None,
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    parameters: Optional[Mapping[str, int]] = None,
    hints: str = "brief",
    work: Optional[int] = None,
) -> Answer:
    """Is there a controller? The answer is certified.

    `spec` is a text, or a `pathlib.Path`; the language (`tsl`, `ltl`, `tlsf`) is that of the ending, and `tsl` for
    texts. `inputs` and `outputs` are those of LTL, `parameters` those of TLSF. `hints` is `none`, `brief` or `full`;
    `work` limits the counted work.
    """
    asked = _spec(spec, language, inputs, outputs, parameters)
    document = _ask("check", asked, hints=hints, work=work)
    return Answer(asked, document, document["results"][0])


def synthesize(
    spec: Union[str, pathlib.PurePath],
    lang: str = "python",
    *,
    language: Optional[str] = None,
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    parameters: Optional[Mapping[str, int]] = None,
    counter: bool = False,
    work: Optional[int] = None,
) -> Emitted:
    """The controller in a target language (`python`, `js`, `rust`, `hoa`, ...); with `counter` the counter-strategy.

    The other arguments are those of `check`. Raises `SpecificationError` if there is no such strategy.
    """
    asked = _spec(spec, language, inputs, outputs, parameters)
    return Emitted(_ask("emit", asked, lang=lang, counter=counter, work=work))


def explain(
    spec: Union[str, pathlib.PurePath],
    *,
    language: Optional[str] = None,
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    parameters: Optional[Mapping[str, int]] = None,
    work: Optional[int] = None,
) -> Answer:
    """Why is there no controller? The document has cores, a counterexample and repairs; arguments as for `check`."""
    asked = _spec(spec, language, inputs, outputs, parameters)
    document = _ask("explain", asked, work=work)
    return Answer(asked, document, document)


def monitor(policy: Path, log: Union[Path, Iterable[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """Judges a log by the policy in a file: a row for each event that says something, and a last one for all.

    `log` is the path of a log, or a list of events in the format of `tsl-synth help shield`.
    """
    if isinstance(log, (str, os.PathLike)):
        return _monitored(os.fspath(policy), os.fspath(log))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(dict(event)) + "\n" for event in log)
        return _monitored(os.fspath(policy), path)


def _monitored(policy: str, log: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tsl_synth", "monitor", policy, log, "--format", "json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    # 1 says that a law is violated.
    if done.returncode not in (0, 1):
        raise SpecificationError(done.stderr.strip() or f"the program ended with exit code {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]
