// A machine, and plays of it.

// Formulas with more subformulas are not progressed any further.
const FOLLOWED = 4000;
// Rounds of a loop of a trace, at most.
const ROUNDS = 200;
// Attempts to find a letter that the facts allow, at most.
const TRIES = 20000;

const keeps = (term, cell) => typeof term === "object" && term.c === cell;

// Terms: texts, {n} numbers, {i} inputs, {c} cells, {f, a} applications, {o, a} operations.
const Terms = {
  value(term, cells, input) {
    if (typeof term === "string" || "n" in term) return term;
    if ("i" in term) return input(term.i);
    if ("c" in term) return cells[term.c];
    const args = term.a.map((arg) => Terms.value(arg, cells, input));
    if (term.o === undefined) return { f: term.f, a: args };
    const [a, b] = args;
    if (typeof a === "object" && typeof b === "object" && "n" in a && "n" in b) {
      const [x, y] = [BigInt(a.n), BigInt(b.n)];
      if (term.o === "+") return { n: String(x + y) };
      if (term.o === "-") return { n: String(x - y) };
      if (term.o === "*") return { n: String(x * y) };
      if (term.o === "=") return x === y ? "true" : "false";
      if (term.o === ">") return x > y ? "true" : "false";
    }
    return { o: term.o, a: args };
  },
  within(term, cell) {
    if (!cell.range || typeof term !== "object" || !("n" in term)) return term;
    const [low, high] = cell.range.map(BigInt);
    const value = BigInt(term.n);
    if (value >= low && value <= high) return term;
    if (!cell.wraps) return { n: String(value < low ? low : high) };
    const size = high - low + 1n;
    return { n: String(low + ((((value - low) % size) + size) % size)) };
  },
  text(term, most = 160) {
    let out = "";
    const write = (part, nested) => {
      if (out.length > most) return;
      if (typeof part === "string") out += part;
      else if ("n" in part) out += part.n;
      else if ("i" in part) out += part.i;
      else if ("c" in part) out += part.c;
      else if (part.o === undefined) {
        out += `${part.f}(`;
        part.a.forEach((arg, i) => {
          if (i > 0) out += ", ";
          write(arg, false);
        });
        out += ")";
      } else {
        if (nested) out += "(";
        write(part.a[0], true);
        out += ` ${part.o} `;
        write(part.a[1], true);
        if (nested) out += ")";
      }
    };
    write(term, false);
    return out.length > most ? `${out.slice(0, most)}…` : out;
  },
};

class Machine {
  constructor(data) {
    Object.assign(this, data);
    this.logic = new Formulas(data);
    this.roots = data.clauses.map((clause) => this.logic.given[clause.formula]);
    this.byName = new Map(data.inputs.map((atom) => [data.atoms[atom].name, atom]));
    const truth = (atom) => ({ atom, hidden: data.atoms[atom].hidden, values: [0, 1] });
    // The choices of the player: truth values of atoms, or updates of cells by their numbers.
    this.choices = data.counter
      ? data.cells
          .map((cell, number) => {
            const own = cell.terms.findIndex((term) => keeps(term, number));
            const rest = cell.options.map((_, i) => i).filter((i) => i !== own);
            return { cell, hidden: cell.hidden, values: own < 0 ? rest : [own, ...rest] };
          })
          .concat(data.outputs.map(truth))
      : data.inputs.map(truth);
  }
  contains(guard, letter) {
    let at = guard;
    while (at > 1) {
      const [atom, low, high] = this.nodes[at - 2];
      at = letter[atom] === 1 ? high : low;
    }
    return at === 1;
  }
  // Whether some completion of a partial letter satisfies a guard.
  reaches(guard, letter, memo = new Map()) {
    if (guard <= 1) return guard === 1;
    const known = memo.get(guard);
    if (known !== undefined) return known;
    const [atom, low, high] = this.nodes[guard - 2];
    const value = letter[atom];
    const result =
      (value !== 1 && this.reaches(low, letter, memo)) || (value !== 0 && this.reaches(high, letter, memo));
    memo.set(guard, result);
    return result;
  }
  edge(state, letter) {
    return this.states[state].edges.find((edge) => this.contains(edge.guard, letter));
  }
}

// A play: the points before each step and after the last one, the letters, and the step from which it repeats.
class Play {
  constructor(machine) {
    this.machine = machine;
    const cells = machine.cells.map((cell) => cell.initial ?? `${cell.name}₀`);
    const memory = machine.registers.map(() => 0);
    this.points = [{ state: machine.initial, cells, memory, remains: machine.roots }];
    this.letters = [];
    this.edges = [];
    this.undone = [];
    this.back = null;
  }
  get now() {
    return this.points[this.letters.length];
  }
  // A partial letter with the values of the opponent only.
  open() {
    const { machine } = this;
    const letter = new Array(machine.atoms.length).fill(-1);
    machine.registers.forEach(([atom], i) => (letter[atom] = this.now.memory[i]));
    if (machine.counter) {
      const holds = new Set(machine.states[this.now.state].letter);
      for (const atom of machine.inputs) letter[atom] = holds.has(atom) ? 1 : 0;
    }
    return letter;
  }
  set(letter, choice, value) {
    if (choice.cell) choice.cell.options.forEach((atom, i) => (letter[atom] = i === value ? 1 : 0));
    else letter[choice.atom] = value;
  }
  unset(letter, choice) {
    if (choice.cell) choice.cell.options.forEach((atom) => (letter[atom] = -1));
    else letter[choice.atom] = -1;
  }
  // The facts, and the restrictions of the system, which no play violates.
  rules() {
    const { machine } = this;
    return machine.clauses
      .map((clause, i) => ({ clause, f: this.now.remains[i] }))
      .filter(({ clause, f }) => (clause.role === "fact" || clause.role === "restriction") && f !== machine.logic.no)
      .map(({ f }) => f);
  }
  // A complete letter with these choices, which satisfies a guard if one is given; null if the rules allow none.
  complete(wishes, guard = 1) {
    const { machine } = this;
    const { logic } = machine;
    const letter = this.open();
    const rules = this.rules();
    let tries = TRIES;
    const possible = () => machine.reaches(guard, letter) && rules.every((f) => logic.bounds(f, letter)[1]);
    const open = machine.choices.filter((choice) => !wishes.has(choice));
    for (const [choice, value] of wishes) this.set(letter, choice, value);
    const search = (i) => {
      tries -= 1;
      if (tries < 0 || !possible()) return false;
      if (i === open.length) return true;
      for (const value of open[i].values) {
        this.set(letter, open[i], value);
        if (search(i + 1)) return true;
      }
      this.unset(letter, open[i]);
      return false;
    };
    if (!search(0)) return null;
    return this.answered(letter);
  }
  // The letter with the outputs of a controller.
  answered(letter) {
    const { machine } = this;
    if (machine.counter) return letter.map((value) => (value === 1 ? 1 : 0));
    const edge = machine.edge(this.now.state, letter);
    if (!edge) return null;
    const chosen = new Set(edge.chosen);
    const inputs = new Set([...machine.inputs, ...machine.registers.map(([atom]) => atom)]);
    return letter.map((value, atom) => ((inputs.has(atom) ? value === 1 : chosen.has(atom)) ? 1 : 0));
  }
  step(letter) {
    const { machine } = this;
    const { logic } = machine;
    const before = this.now;
    const edge = machine.edge(before.state, letter);
    if (!edge) return null;
    const number = this.letters.length;
    const input = (name) => {
      const atom = machine.byName.get(name);
      if (atom !== undefined) return letter[atom] === 1 ? "true" : "false";
      return `${name}@${number}`;
    };
    const cells = machine.cells.map((cell, i) => {
      const option = cell.options.findIndex((atom) => letter[atom] === 1);
      if (option < 0) return before.cells[i];
      return Terms.within(Terms.value(cell.terms[option], before.cells, input), cell);
    });
    const memo = new Map();
    const remains = before.remains.map((f) => {
      const rest = logic.after(f, letter, memo);
      return logic.below(rest).length > FOLLOWED ? logic.yes : rest;
    });
    const lost = remains.flatMap((f, i) => (f === logic.no && before.remains[i] !== logic.no ? [i] : []));
    this.letters.push(letter);
    this.edges.push(edge);
    const holds = (number) => (logic.bounds(logic.given[number], letter)[0] ? 1 : 0);
    const memory = machine.registers.map(([, number]) => holds(number));
    this.points.push({ state: edge.next, cells, memory, remains, lost });
    this.back = null;
    return edge;
  }
  undo(steps = 1) {
    for (let i = 0; i < steps && this.letters.length > 0; i += 1) {
      this.undone.push(this.letters.pop());
      this.edges.pop();
      this.points.pop();
    }
    this.back = null;
  }
  redo() {
    const letter = this.undone.pop();
    if (letter) this.step(letter);
    return letter !== undefined;
  }
  // The steps before which the state, the memory and the remainders of the facts were the present ones.
  recurrences() {
    const facts = this.machine.clauses.flatMap((clause, i) => (clause.role === "fact" ? [i] : []));
    const { now } = this;
    const same = (point) =>
      point.state === now.state &&
      facts.every((i) => point.remains[i] === now.remains[i]) &&
      point.memory.every((value, i) => value === now.memory[i]);
    return this.points.flatMap((point, i) => (i < this.letters.length && same(point) ? [i] : []));
  }
  recurrence() {
    return this.recurrences()[0] ?? null;
  }
  // Which clauses hold if the play repeats from a step on.
  judge(back) {
    const { machine } = this;
    return machine.roots.map((f) => machine.logic.holds(f, this.letters, back));
  }
  // The standing of a clause: fulfilled, lost, with open obligations, or without.
  standing(i, point = this.now) {
    const { machine } = this;
    const { logic } = machine;
    const [f, root] = [point.remains[i], machine.roots[i]];
    if (f === logic.yes) return { word: "fulfilled", rest: "" };
    if (f === logic.no) return { word: machine.clauses[i].role === "assumption" ? "broken" : "lost", rest: "" };
    if (f === root) return { word: this.letters.length === 0 ? "not begun" : "nothing open", rest: "" };
    const node = logic.nodes[f];
    const parts = node.op === "&" ? node.args : [f];
    const open = parts.filter((g) => g !== root && !(logic.nodes[root].op === "&" && logic.nodes[root].args.includes(g)));
    if (open.length === 0) return { word: "nothing open", rest: "" };
    return { word: "open", rest: logic.text(logic.list("&", open)) };
  }
  // Trace JSON.
  letterDocument(letter) {
    const { machine } = this;
    const document = {};
    const put = (key, value) => Object.defineProperty(document, key, { value, enumerable: true });
    for (const atom of machine.inputs) if (!machine.atoms[atom].hidden) put(machine.atoms[atom].key, letter[atom] === 1);
    for (const cell of machine.cells) {
      if (cell.hidden) continue;
      const option = cell.options.findIndex((atom) => letter[atom] === 1);
      put(cell.name, cell.texts[Math.max(option, 0)]);
    }
    for (const atom of machine.outputs) put(machine.atoms[atom].key, letter[atom] === 1);
    return document;
  }
  document(page) {
    const { machine } = this;
    const letters = this.letters.map((letter) => this.letterDocument(letter));
    const back = this.back ?? letters.length;
    const document = { schemaVersion: page.traceVersion, tool: { name: "tsl-synth", version: page.toolVersion } };
    document[machine.isMachine ? "machine" : "spec"] = machine.file;
    document.machineId = machine.machineId;
    document.prefix = letters.slice(0, back);
    if (back < letters.length) document.loop = letters.slice(back);
    return document;
  }
  // Plays a trace document. Throws an error if the machine has no such play.
  follow(document) {
    const { machine } = this;
    if (document === null || typeof document !== "object") throw new Error("this is no trace");
    if (document.machineId !== undefined && document.machineId !== machine.machineId) {
      throw new Error("the trace is of another machine");
    }
    const prefix = document.prefix ?? [];
    const loop = document.loop ?? [];
    if (!Array.isArray(prefix) || !Array.isArray(loop)) throw new Error("`prefix` and `loop` are lists of letters");
    this.undo(this.letters.length);
    this.undone = [];
    const take = (given, number) => {
      const letter = this.complete(this.wishes(given, number));
      if (!letter) throw new Error(`step ${number}: no play is like that`);
      const here = this.letterDocument(letter);
      for (const [key, value] of Object.entries(given)) {
        if (Object.hasOwn(here, key) && here[key] !== value) {
          throw new Error(`step ${number}: ${key} is ${here[key]} here, and not ${value}`);
        }
      }
      this.step(letter);
    };
    for (const given of prefix) take(given, this.letters.length);
    // Repeats the loop until a round begins like an earlier one.
    const begun = [];
    while (loop.length > 0) {
      const back = this.recurrences().find((step) => begun.includes(step));
      if (back !== undefined) {
        this.back = back;
        break;
      }
      if (begun.length === ROUNDS) throw new Error(`the loop does not close within ${ROUNDS} rounds`);
      begun.push(this.letters.length);
      for (const given of loop) take(given, this.letters.length);
    }
  }
  // The choices of the player in a letter of a trace.
  wishes(given, number) {
    const { machine } = this;
    if (given === null || typeof given !== "object") throw new Error(`step ${number} is no letter`);
    const wishes = new Map();
    for (const choice of machine.choices) {
      const key = choice.cell ? choice.cell.name : machine.atoms[choice.atom].key;
      if (!Object.hasOwn(given, key)) continue;
      const value = given[key];
      if (!choice.cell) {
        if (typeof value !== "boolean") throw new Error(`step ${number}: ${key} is true or false`);
        wishes.set(choice, value ? 1 : 0);
        continue;
      }
      const option = choice.cell.texts.indexOf(value);
      if (option < 0) throw new Error(`step ${number}: ${key} is never set to ${value}`);
      wishes.set(choice, option);
    }
    return wishes;
  }
}
