import os
from typing import Optional, Union, final

__all__ = [
    "Decision",
    "Finding",
    "Gate",
    "GateError",
    "Heard",
    "Policy",
    "PolicyError",
    "Store",
    "TslSynthError",
    "__version__",
    "answer",
    "main",
]

__version__: str

class TslSynthError(Exception):
    """All errors of this package."""

class PolicyError(TslSynthError):
    """There is no policy: its text has errors (`findings` lists them), or a limit was reached."""

    findings: list[Finding]

class GateError(TslSynthError):
    """The gate has no answer: a call that was proposed must not be made."""

@final
class Finding:
    """A finding about the text of a policy."""

    @property
    def code(self) -> str:
        """Its stable code, such as `TSL0504`."""
    @property
    def severity(self) -> str:
        """`error`, `warning` or `note`."""
    @property
    def message(self) -> str:
        """What is wrong."""
    @property
    def line(self) -> Optional[int]:
        """The line, from 1 on."""
    @property
    def column(self) -> Optional[int]:
        """The column in characters, from 1 on."""
    @property
    def hints(self) -> list[str]:
        """What to do."""

@final
class Policy:
    """A policy that gates decide by. One policy serves all sessions and threads of a process."""

    @staticmethod
    def from_file(path: str | os.PathLike[str]) -> Policy:
        """Reads and compiles the policy in a file: TOML, JSON of the same shape, or a JSON list of laws."""
    @staticmethod
    def from_text(text: str, name: str = "policy.toml") -> Policy:
        """Reads and compiles a policy; the name is for messages and journals."""
    @property
    def name(self) -> str:
        """The name of the text."""
    @property
    def sha256(self) -> str:
        """SHA-256 of the text."""
    @property
    def laws(self) -> list[str]:
        """The ids of the laws, in the order of the text."""
    @property
    def warnings(self) -> list[Finding]:
        """Warnings and notes about the text."""

@final
class Store:
    """A home of sessions. All gates of a session in one store agree about what was granted."""

    @staticmethod
    def memory() -> Store:
        """Sessions in the memory of this process."""
    @staticmethod
    def files(folder: str | os.PathLike[str], durable: bool = False) -> Store:
        """Sessions in the files of a folder, for all processes of this machine.

        With `durable`, each decision waits until the disk has its record.
        """
    @staticmethod
    def of_user(durable: bool = False) -> Store:
        """Sessions in the folder of the user's state, or in that of `TSL_SYNTH_STATE`."""
    def journal(self, session: str) -> os.PathLike[str]:
        """The file with the journal of a session."""

@final
class Decision:
    """The decision about a call, or about the end of the session.

    It is true if the call may be made without the approval of a person.
    """

    @property
    def verdict(self) -> str:
        """`allow`, `warn`, `ask` (a person must approve) or `deny`."""
    @property
    def reason(self) -> str:
        """Why, in sentences for the model and for people; empty only if the call is simply allowed."""
    @property
    def by(self) -> list[str]:
        """The ids of the laws that the verdict is due to."""
    @property
    def allowed(self) -> Optional[list[str]]:
        """The actions that are allowed instead; `None` if the call is allowed."""
    @property
    def owed(self) -> list[str]:
        """The laws that would be violated if the session ended here, as far as they were determined."""
    @property
    def ticket(self) -> Optional[str]:
        """Identifies the call in `commit`; `None` if it is denied."""
    @property
    def id(self) -> Optional[str]:
        """The id of the call."""
    @property
    def shadow(self) -> bool:
        """Whether the verdict is recorded and not enforced."""
    @property
    def json(self) -> str:
        """The answer with all details, in JSON."""
    def __bool__(self) -> bool: ...

@final
class Heard:
    """What an event that is no proposal did to the session."""

    @property
    def broken(self) -> list[str]:
        """The laws that are violated since this event."""
    @property
    def owed(self) -> list[str]:
        """At the close of a session, the laws that are violated because of it."""
    @property
    def faults(self) -> list[str]:
        """What is wrong with the event."""

@final
class Gate:
    """The gate of one session, with arguments and results in JSON."""

    def __new__(
        cls,
        policy: Policy,
        session: str,
        store: Store,
        shadow: bool,
        folder: Union[None, str, os.PathLike[str]],
    ) -> Gate: ...
    @property
    def session(self) -> str: ...
    def propose(
        self, tool: str, arguments: str, id: Optional[str], server: Optional[str], agent: Optional[str]
    ) -> Decision: ...
    def commit(self, ticket: str, ok: Optional[bool], result: Optional[str]) -> Heard: ...
    def result(self, id: str, ok: Optional[bool], result: Optional[str]) -> Heard: ...
    def observe(self, truths: dict[str, bool]) -> Heard: ...
    def message(self, text: str, role: str) -> Heard: ...
    def tick(self) -> Heard: ...
    def end(self) -> Decision: ...
    def close(self, remove: bool) -> Heard: ...
    def options(self) -> str: ...

def answer(question: str) -> str:
    """Answers a question about a specification, in JSON."""

def main(program: str, arguments: list[str]) -> None:
    """Runs the program with these arguments and ends the process; `program` is the file that starts it."""
