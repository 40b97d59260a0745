"""Two workers of uvicorn share sessions in files: caps are exact, also when workers and the whole server are killed.

    python workers.py          needs the packages `tsl-synth` and `uvicorn`

The server answers a POST to `/SESSION` with whether a payment of the session was granted. Clients send 10,000 proposals over
100 sessions, 32 at once. In the first run nothing is killed, so that every grant is told. In the second run a worker is killed
with SIGKILL at random moments, and once the whole server, which then is started again: no session is granted more than its
cap, no grant that was told is missing in its journal, and at most one grant for each request that was being answered by a
killed worker was not told.
"""

import collections
import http.client
import json
import os
import pathlib
import queue
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from tsl_synth import Gate, Policy, Store

SESSIONS = 100
PROPOSALS = 10_000
CAP = 20
CLIENTS = 32
KILLS = 12
POLICY = f"""
policy = 1
[actions]
groups = [["pay"]]
[[match]]
on = "call"
tool = "pay"
action = "pay"
[[law]]
id = "cap"
rule = "at most {CAP} pay"
"""
GATES = {}


async def app(scope, receive, send):
    """The application of the server."""
    if not GATES:
        GATES["policy"] = Policy.from_file(os.environ["GATE_POLICY"])
        GATES["store"] = Store.files(os.environ["GATE_STORE"])
    session = scope["path"][1:]
    gate = GATES.get(session) or GATES.setdefault(session, Gate(GATES["policy"], session, GATES["store"]))
    decision = await gate.apropose("pay", {})
    if decision:
        await gate.acommit(decision.ticket)
    body = json.dumps({"worker": os.getpid(), "ticket": decision.ticket if decision else None}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Server:
    """uvicorn with two workers."""

    def __init__(self, folder, port):
        self.port = port
        self.log = open(folder / "uvicorn.log", "a", encoding="utf-8")
        self.environment = {**os.environ, "GATE_POLICY": str(folder / "cap.toml"), "GATE_STORE": str(folder / "state")}
        self.start()

    def start(self):
        here = pathlib.Path(__file__).resolve().parent
        options = ["--workers", "2", "--port", str(self.port), "--lifespan", "off", "--log-level", "warning"]
        command = [sys.executable, "-m", "uvicorn", "workers:app", "--app-dir", str(here), *options]
        self.process = subprocess.Popen(
            command, env=self.environment, stdout=self.log, stderr=self.log, start_new_session=True
        )

    def kill(self):
        """Kills the server and its workers."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Clients:
    """Proposes payments, and collects what is told."""

    def __init__(self, port, proposals):
        self.port = port
        self.jobs = queue.SimpleQueue()
        for number in range(proposals):
            self.jobs.put(f"s{(number * 7) % SESSIONS}")
        self.tickets = collections.defaultdict(list)
        self.workers = set()
        self.unanswered = 0
        self.answered = 0
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def run(self):
        connection = None
        while True:
            try:
                session = self.jobs.get_nowait()
            except queue.Empty:
                return
            is_sent = False
            try:
                # A new connection now and then, so that a worker that was started later gets some.
                if connection is None or random.random() < 0.05:
                    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                    connection.connect()
                is_sent = True
                connection.request("POST", f"/{session}")
                answer = json.loads(connection.getresponse().read())
            except (OSError, http.client.HTTPException):
                # A proposal without an answer may have been granted; it is not repeated.
                connection = None
                if is_sent:
                    with self.lock:
                        self.unanswered += 1
                else:
                    self.jobs.put(session)
                    time.sleep(0.05)
                continue
            with self.lock:
                self.answered += 1
                self.workers.add(answer["worker"])
                if answer["ticket"] is not None:
                    self.tickets[session].append(answer["ticket"])

    def wait(self):
        for thread in self.threads:
            thread.join()


def granted(store, session):
    """The tickets of the grants in the journal of a session."""
    records = map(json.loads, pathlib.Path(store.journal(session)).read_text(encoding="utf-8").splitlines())
    return [record["data"]["verdict"]["ticket"] for record in records if record["kind"] == "granted"]


def check(folder, clients, is_killed):
    """No more than the cap was granted, each grant once, and all that were told are in the journals."""
    store = Store.files(folder / "state")
    policy = Policy.from_file(folder / "cap.toml")
    untold = 0
    for number in range(SESSIONS):
        session = f"s{number}"
        # What killed workers did not use is still there.
        gate = Gate(policy, session, store)
        while gate.propose("pay", {}):
            assert is_killed, f"{session} was granted less than its cap"
            clients.tickets[session].append(None)
        tickets = granted(store, session)
        told = [ticket for ticket in clients.tickets[session] if ticket is not None]
        assert len(tickets) == CAP == len(set(tickets)), f"{session} was granted {len(tickets)}"
        assert len(told) == len(set(told)) and set(told) <= set(tickets), f"a grant of {session} is lost"
        untold += CAP - len(clients.tickets[session])
    assert 0 <= untold <= clients.unanswered, f"{untold} grants were not told, {clients.unanswered} requests not answered"
    return untold


def run(folder, kills):
    folder.mkdir()
    (folder / "cap.toml").write_text(POLICY)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(folder, port)
    try:
        start = time.monotonic()
        clients = Clients(port, PROPOSALS)
        killed = 0
        while any(thread.is_alive() for thread in clients.threads):
            time.sleep(random.uniform(0.05, 0.3))
            with clients.lock:
                workers, answered = sorted(clients.workers), clients.answered
            if killed >= kills or len(workers) < 2 or answered < (killed + 1) * PROPOSALS // (kills + 2):
                continue
            killed += 1
            if killed == kills // 2:
                server.kill()
                server.start()
                continue
            try:
                os.kill(random.choice(workers), signal.SIGKILL)
            except ProcessLookupError:
                pass
            with clients.lock:
                clients.workers.clear()
        clients.wait()
        seconds = time.monotonic() - start
    finally:
        server.kill()
        server.log.close()
    assert len(clients.workers) == 2 or kills, f"only {len(clients.workers)} workers answered"
    assert killed == kills, f"{killed} times something was killed"
    untold = check(folder, clients, kills > 0)
    if not kills:
        assert clients.unanswered == 0 and untold == 0, "a request had no answer"
    print(
        f"uvicorn, 2 workers, {PROPOSALS} proposals, {SESSIONS} sessions, {killed} kills: {SESSIONS * CAP} grants, "
        f"{untold} of them not told by killed workers, {clients.unanswered} requests without an answer, {seconds:.0f} s"
    )


def main():
    random.seed(41)
    with tempfile.TemporaryDirectory() as folder:
        for kills in (0, KILLS):
            run(pathlib.Path(folder) / f"kills-{kills}", kills)


if __name__ == "__main__":
    main()
