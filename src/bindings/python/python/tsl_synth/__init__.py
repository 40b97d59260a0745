"""Temporal rules for the tool calls of agents, decided before each call, and certified reactive synthesis.

    from tsl_synth import Gate, Policy

    policy = Policy.from_file("policy.toml")
    with Gate(policy, session="s1", store="state") as gate:
        decision = gate.propose("refund", {"order": 7})
        if decision:
            result = refund(order=7)
            gate.commit(decision.ticket, ok=True, result=result)
        else:
            print(decision.reason)

`check`, `synthesize`, `explain` and `monitor` answer questions about specifications and logs.
"""

from __future__ import annotations

from ._gate import ApprovalNeeded, Denied, Gate
from ._native import Decision, Finding, GateError, Heard, Policy, PolicyError, Store, TslSynthError, __version__
from ._seat import Seat
from ._specs import Answer, Emitted, SpecificationError, check, explain, monitor, synthesize

__all__ = [
    "Answer",
    "ApprovalNeeded",
    "Decision",
    "Denied",
    "Emitted",
    "Finding",
    "Gate",
    "GateError",
    "Heard",
    "Policy",
    "PolicyError",
    "Seat",
    "SpecificationError",
    "Store",
    "TslSynthError",
    "__version__",
    "check",
    "explain",
    "monitor",
    "synthesize",
]
