// Runs of automata over a session: over recorded events, and over letters that the user enters.

// An automaton; `-1 - c` in its tests is the class `c`.
class Followed {
  constructor(data, number) {
    Object.assign(this, data);
    this.number = number;
  }
  // The state after a letter, which is a set of atoms.
  next(state, letter) {
    if (this.rows.length === 0) return state;
    let at = this.root;
    while (at >= 0) {
      const { atom, low, high } = this.tests[at];
      at = letter.has(atom) ? high : low;
    }
    return this.rows[state][-1 - at];
  }
  // The initial state.
  start() {
    return { of: this.number, standing: this.states[0].standing, at: [{ state: 0 }] };
  }
  // The conditions on a shortest path to a state without an open obligation; null if there is none.
  wayOut(state) {
    const owes = (one) => this.states[one].standing === "currently-violated";
    const before = new Map([[state, null]]);
    const queue = [state];
    while (queue.length > 0) {
      const at = queue.shift();
      if (at !== state && !owes(at)) {
        const way = [];
        for (let edge = before.get(at); edge !== null; edge = before.get(edge.from)) way.unshift(edge.when);
        return way;
      }
      for (const edge of this.edges) {
        if (edge.from !== at || before.has(edge.to) || this.states[edge.to].standing === "violated") continue;
        before.set(edge.to, edge);
        queue.push(edge.to);
      }
    }
    return null;
  }
}

// A session: its events, and the state of every automaton before the first one and after each.
class Session {
  constructor(data, automata, isByHand = false) {
    this.name = data.name;
    this.events = data.events;
    this.isByHand = isByHand;
    this.automata = automata;
    this.shown = data.automata && data.automata.length > 0 ? data.automata : automata.map((_, i) => i);
    // The states after each number of events.
    this.points = [{ moves: automata.map((automaton) => automaton.start()), joint: "", lost: new Set() }];
    this.at = 0;
  }
  // The states after this number of events, computed on demand.
  point(count) {
    while (this.points.length <= count) {
      const { moves, joint, lost } = this.points[this.points.length - 1];
      const event = this.events[this.points.length - 1];
      let now = moves;
      if (event.moves) {
        now = [...moves];
        for (const move of event.moves) now[move.of] = move;
      }
      const since = event.violated ? new Set([...lost, ...event.violated]) : lost;
      this.points.push({ moves: now, joint: event.joint ?? joint, lost: since });
    }
    return this.points[count];
  }
  get now() {
    return this.point(this.at);
  }
  // The last event.
  get last() {
    return this.at === 0 ? null : this.events[this.at - 1];
  }
  go(count) {
    this.at = Math.max(0, Math.min(this.events.length, count));
  }
  // Whether an event is a violation, a removal, a refusal or request for approval, or an end with open obligations.
  isBad(event) {
    const verdict = event.ruling?.verdict;
    return Boolean(event.violated) || event.kind === "removed" || verdict === "deny" || verdict === "ask" || (event.owed ?? []).length > 0;
  }
  // Adds an event of the user; the events after the present one are dropped.
  add(event) {
    this.events.length = this.at;
    this.points.length = this.at + 1;
    this.events.push(event);
    this.at += 1;
  }
  // Reads a letter of the user.
  take(atoms, names) {
    const letter = new Set(atoms);
    const moves = [];
    const violated = [];
    for (const automaton of this.automata) {
      const before = this.now.moves[automaton.number];
      const state = automaton.next(before.at[0].state, letter);
      if (state === before.at[0].state) continue;
      const { standing } = automaton.states[state];
      moves.push({ of: automaton.number, standing, at: [{ state }] });
      if (standing === "violated") violated.push(automaton.number);
    }
    const event = { line: this.at + 1, kind: "letter", what: names.join(" & ") || "(nothing)", letters: [{ holds: atoms }], moves };
    if (violated.length > 0) event.violated = violated;
    this.add(event);
    return event;
  }
  // Follows an edge that the user chose, in an automaton that does not read letters.
  follow(automaton, edge) {
    const { name, standing } = automaton.states[edge.to];
    this.add({
      line: this.at + 1, kind: "step", what: edge.when === "" ? name : `${edge.when}: ${name}`,
      moves: [{ of: automaton.number, standing, at: [{ state: edge.to }] }],
    });
  }
}
