"""Gates for the adapters: an answer without permission is a denial."""

from __future__ import annotations

import os
import threading
from typing import Any, Optional, Union

from ._gate import Gate
from ._native import Decision, Policy, Store

PolicyArgument = Union[Policy, str, "os.PathLike[str]"]
StoreArgument = Union[None, str, "os.PathLike[str]", Store]


class Seats:
    """The gates of one policy, one for each session of a host."""

    def __init__(
        self,
        policy: PolicyArgument,
        store: StoreArgument = None,
        shadow: bool = False,
    ) -> None:
        self._policy = policy if isinstance(policy, Policy) else Policy.from_file(policy)
        self._store = Store.memory() if store is None else store
        self._shadow, self._lock = shadow, threading.Lock()
        self._seats: dict[str, Seat] = {}

    def seat(self, session: str) -> Seat:
        """The gate of a session."""
        with self._lock:
            if session not in self._seats:
                self._seats[session] = Seat(Gate(self._policy, session, self._store, shadow=self._shadow))
            return self._seats[session]


class Seat:
    """The gate of one session, for a loop of your own: what is asked and told never raises.

    `judge` before a call, `tell` after it, `owed` where the agent wants to stop. A gate that fails is a denial.
    """

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self._ended: dict[str, int] = {}

    def _name(self, call: str) -> str:
        """The id of a call for the gate. The id of a call that has ended may be used again."""
        ended = self._ended.get(call, 0)
        return f"{call} {ended}" if ended else call

    def judge(self, tool: str, arguments: Any, call: str, **more: Optional[str]) -> tuple[str, str]:
        """`allow`, `ask` (a person must approve) or `deny` with the reason; `warn` of the gate is `allow`."""
        try:
            decision = self.gate.propose(tool, arguments, id=self._name(call), **more)
        except Exception as error:
            return "deny", f"the gate was not asked: {type(error).__name__}"
        if not isinstance(decision, Decision):
            return "deny", "the gate gave no permission"
        if decision:
            return "allow", ""
        if decision.verdict == "ask" and decision.ticket:
            return "ask", f"{decision.reason}\nNobody has approved, so the call does not run."
        return "deny", decision.reason

    def tell(self, call: str, ok: Optional[bool], result: Any = None) -> None:
        """Reports the outcome of a call: success, failure, or `None` if it is not known."""
        name = self._name(call)
        self._ended[call] = self._ended.get(call, 0) + 1
        for told in (result, None):
            try:
                self.gate.result(name, ok, told)
                return
            except Exception:  # Without the result, which may be no JSON.
                continue

    def say(self, text: Any, role: str) -> None:
        """Reports a message of the user or the agent."""
        if isinstance(text, str) and text:
            try:
                self.gate.message(text, role)
            except Exception:  # The next proposal reports that the gate fails.
                return

    def owed(self) -> Optional[str]:
        """Why the gate refuses the end, at most `end_refusals` times in a row; `None` if it does not, or fails."""
        try:
            decision = self.gate.end()
        except Exception:
            return None
        return None if decision else decision.reason or "something is owed"
