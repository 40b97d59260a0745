"""Gates for programs in Python."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import os
import uuid
from types import TracebackType
from typing import Any, Awaitable, Callable, Mapping, Optional, Type, TypeVar, Union, overload

from . import _native
from ._native import Decision, Heard, Policy, Store, TslSynthError

Tool = TypeVar("Tool", bound=Callable[..., Any])
Approve = Callable[[str, Mapping[str, Any], Decision], Union[bool, Awaitable[bool]]]


class Denied(TslSynthError):
    """The gate does not permit a call; `decision` says why."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.reason)
        self.decision = decision


class ApprovalNeeded(Denied):
    """A person must approve the call."""


def _json(value: Any) -> str:
    """A value in JSON; what JSON does not have is written as text."""
    return json.dumps(value, default=str, allow_nan=False)


def _store(store: Union[None, str, os.PathLike[str], Store]) -> Store:
    if store is None:
        return Store.memory()
    return store if isinstance(store, Store) else Store.files(store)


class Gate:
    """The gate of one session.

    It may be used by several threads and tasks, whose calls are decided one after the other. Several gates of one session
    agree if they have one store, also those of other processes.
    """

    def __init__(
        self,
        policy: Policy,
        session: Optional[str] = None,
        store: Union[None, str, os.PathLike[str], Store] = None,
        *,
        shadow: bool = False,
        approve: Optional[Approve] = None,
        folder: Union[None, str, os.PathLike[str]] = None,
    ) -> None:
        """The gate of a session, which is continued if the store has it; without a name it is a new one.

        `store` is a `Store` or the folder of its files; without it, the session is in the memory of this gate. With
        `shadow`, calls are decided and recorded, and all are allowed. `approve` is asked by tools of this gate about
        calls that a person must approve: it gets the tool, its arguments and the decision.

        Where the policy says so, scripts that commands run are read (`read_scripts`) and probes are run. `folder` is the
        one in which commands run; without it scripts with relative paths are not read, and only probes with a folder of
        their own are run.
        """
        self._own = _native.Gate(policy, session or uuid.uuid4().hex, _store(store), shadow, folder)
        self._approve = approve

    @property
    def session(self) -> str:
        """The name of the session."""
        return self._own.session

    def __repr__(self) -> str:
        return f"<Gate of session {self.session!r}>"

    def propose(
        self,
        tool: str,
        arguments: Union[None, str, Mapping[str, Any]] = None,
        *,
        id: Optional[str] = None,
        server: Optional[str] = None,
        agent: Optional[str] = None,
    ) -> Decision:
        """Decides whether a call may be made. `arguments` are a mapping, or a text in JSON.

        Raises `GateError` if there is no decision; the call must then not be made. `id` is the id that the caller has
        for the call, `server` the MCP server of the tool, and `agent` who proposes, if the session has several agents.
        """
        text = arguments if isinstance(arguments, str) else _json(arguments or {})
        return self._own.propose(tool, text, id, server, agent)

    def commit(self, ticket: str, ok: Optional[bool] = True, result: Any = None) -> Heard:
        """Reports how the call with a ticket ended: well, with a failure, or with an unknown outcome (`None`)."""
        return self._own.commit(ticket, ok, None if result is None else _json(result))

    def result(self, id: str, ok: Optional[bool] = True, result: Any = None) -> Heard:
        """Reports how the call with an id of the caller ended."""
        return self._own.result(id, ok, None if result is None else _json(result))

    def observe(self, **truths: bool) -> Heard:
        """Reports which propositions hold."""
        return self._own.observe(truths)

    def message(self, text: str, role: str = "user") -> Heard:
        """Reports a message of the `user` or the `agent`."""
        return self._own.message(text, role)

    def tick(self) -> Heard:
        """Reports that time passed, which laws about deadlines are judged by."""
        return self._own.tick()

    def end(self) -> Decision:
        """Decides whether the agent may stop: it may not while it owes something."""
        return self._own.end()

    def close(self, *, remove: bool = False) -> Heard:
        """Reports that the session is over; `owed` are the laws that are violated because of that.

        With `remove`, the session is removed from its store, and its name is that of a new one; other gates of the
        session must not be in use.
        """
        return self._own.close(remove)

    def options(self) -> dict[str, Any]:
        """The actions that are allowed now, the laws that deny the others, and what is owed."""
        answer: dict[str, Any] = json.loads(self._own.options())
        return answer

    async def apropose(
        self,
        tool: str,
        arguments: Union[None, str, Mapping[str, Any]] = None,
        *,
        id: Optional[str] = None,
        server: Optional[str] = None,
        agent: Optional[str] = None,
    ) -> Decision:
        """`propose` in a thread, since another process may hold the journal."""
        return await asyncio.to_thread(self.propose, tool, arguments, id=id, server=server, agent=agent)

    async def acommit(self, ticket: str, ok: Optional[bool] = True, result: Any = None) -> Heard:
        """`commit` in a thread."""
        return await asyncio.to_thread(self.commit, ticket, ok, result)

    async def aresult(self, id: str, ok: Optional[bool] = True, result: Any = None) -> Heard:
        """`result` in a thread."""
        return await asyncio.to_thread(self.result, id, ok, result)

    async def aobserve(self, **truths: bool) -> Heard:
        """`observe` in a thread."""
        return await asyncio.to_thread(self._own.observe, truths)

    async def amessage(self, text: str, role: str = "user") -> Heard:
        """`message` in a thread."""
        return await asyncio.to_thread(self.message, text, role)

    async def atick(self) -> Heard:
        """`tick` in a thread."""
        return await asyncio.to_thread(self.tick)

    async def aend(self) -> Decision:
        """`end` in a thread."""
        return await asyncio.to_thread(self.end)

    async def aclose(self, *, remove: bool = False) -> Heard:
        """`close` in a thread."""
        return await asyncio.to_thread(self.close, remove=remove)

    def __enter__(self) -> Gate:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    async def __aenter__(self) -> Gate:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.aclose()

    @overload
    def tool(self, function: Tool) -> Tool: ...

    @overload
    def tool(
        self, *, name: Optional[str] = None, server: Optional[str] = None, explain: bool = False
    ) -> Callable[[Tool], Tool]: ...

    def tool(
        self,
        function: Optional[Callable[..., Any]] = None,
        *,
        name: Optional[str] = None,
        server: Optional[str] = None,
        explain: bool = False,
    ) -> Any:
        """Decorates a function, also an asynchronous one, that is a tool: it runs only if the gate permits the call.

        The tool has the name of the function unless `name` says otherwise. The function must accept its arguments by
        name. A call that is not permitted raises `Denied`; with `explain` it returns the reason, for a model to read.
        """
        if function is None:
            return functools.partial(self.tool, name=name, server=server, explain=explain)
        return _guarded(self, function, name or function.__name__, server, explain)


def _arguments(signature: inspect.Signature, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names, with those of `**` among them."""
    bound = signature.bind(*given, **named)
    bound.apply_defaults()
    arguments: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            arguments.update(bound.arguments[name])
        else:
            arguments[name] = bound.arguments[name]
    return arguments


def _refusal(decision: Decision) -> Denied:
    return ApprovalNeeded(decision) if decision.verdict == "ask" else Denied(decision)


def _guarded(gate: Gate, function: Callable[..., Any], tool: str, server: Optional[str], explain: bool) -> Any:
    signature = inspect.signature(function)

    def refused(denied: Denied) -> str:
        if explain:
            return denied.decision.reason
        raise denied

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def run_later(*given: Any, **named: Any) -> Any:
            arguments = _arguments(signature, given, named)
            decision = await gate.apropose(tool, arguments, server=server)
            if not decision and not await _approved_later(gate, tool, arguments, decision):
                return refused(_refusal(decision))
            ticket = str(decision.ticket)
            try:
                result = await function(*given, **named)
            except Exception as error:
                await gate.acommit(ticket, False, str(error))
                raise
            except BaseException:  # Canceled: the outcome is not known.
                gate.commit(ticket, None)
                raise
            await gate.acommit(ticket, True, result)
            return result

        return run_later

    @functools.wraps(function)
    def run(*given: Any, **named: Any) -> Any:
        arguments = _arguments(signature, given, named)
        decision = gate.propose(tool, arguments, server=server)
        if not decision and not _approved(gate, tool, arguments, decision):
            return refused(_refusal(decision))
        ticket = str(decision.ticket)
        try:
            result = function(*given, **named)
        except BaseException as error:
            gate.commit(ticket, False if isinstance(error, Exception) else None, str(error))
            raise
        gate.commit(ticket, True, result)
        return result

    return run


def _approved(gate: Gate, tool: str, arguments: dict[str, Any], decision: Decision) -> bool:
    if decision.verdict != "ask" or gate._approve is None:
        return False
    answer = gate._approve(tool, arguments, decision)
    if inspect.isawaitable(answer):
        raise TypeError("`approve` is asynchronous, and the tool is not")
    return answer is True


async def _approved_later(gate: Gate, tool: str, arguments: dict[str, Any], decision: Decision) -> bool:
    if decision.verdict != "ask" or gate._approve is None:
        return False
    answer = gate._approve(tool, arguments, decision)
    return (await answer if inspect.isawaitable(answer) else answer) is True
