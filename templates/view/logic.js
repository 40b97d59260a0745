// Formulas of linear temporal logic: their progression through a letter, and their truth on ultimately periodic words.
// A letter is an array over atoms: 1, 0, or -1 if the value is not known yet.

class Formulas {
  constructor(machine) {
    this.names = machine.atoms.map((atom) => atom.name);
    this.nodes = [];
    this.index = new Map();
    this.no = this.make("0", []);
    this.yes = this.make("1", []);
    this.given = [];
    for (const formula of machine.formulas) {
      this.given.push(this.read(formula));
    }
  }
  make(op, args) {
    const key = op + args.join(",");
    let id = this.index.get(key);
    if (id === undefined) {
      id = this.nodes.length;
      this.nodes.push({ op, args });
      this.index.set(key, id);
    }
    return id;
  }
  read(formula) {
    if (formula === true) return this.yes;
    if (formula === false) return this.no;
    if (typeof formula === "number") return this.make("a", [formula]);
    const [op, numbers] = formula;
    const args = numbers.map((number) => this.given[number]);
    return this.build(op, args);
  }
  build(op, args) {
    if (op === "!") return this.not(args[0]);
    if (op === "&" || op === "|") return this.list(op, args);
    if (op === "=") return this.iff(args[0], args[1]);
    return this.make(op, args);
  }
  not(f) {
    if (f === this.no) return this.yes;
    if (f === this.yes) return this.no;
    const node = this.nodes[f];
    return node.op === "!" ? node.args[0] : this.make("!", [f]);
  }
  // Conjunction and disjunction: flat, sorted, without repetition.
  list(op, args) {
    const [unit, zero] = op === "&" ? [this.yes, this.no] : [this.no, this.yes];
    const all = new Set();
    const stack = [...args];
    while (stack.length > 0) {
      const f = stack.pop();
      if (f === zero) return zero;
      if (f === unit) continue;
      const node = this.nodes[f];
      if (node.op === op) stack.push(...node.args);
      else all.add(f);
    }
    for (const f of all) {
      const node = this.nodes[f];
      if (node.op === "!" && all.has(node.args[0])) return zero;
    }
    if (all.size === 0) return unit;
    const sorted = [...all].sort((a, b) => a - b);
    return sorted.length === 1 ? sorted[0] : this.make(op, sorted);
  }
  iff(a, b) {
    if (a === b) return this.yes;
    if (a === this.yes) return b;
    if (b === this.yes) return a;
    if (a === this.no) return this.not(b);
    if (b === this.no) return this.not(a);
    return this.make("=", a < b ? [a, b] : [b, a]);
  }
  // The progression of a formula through a letter: a word a·w satisfies f if and only if w satisfies the result.
  after(f, letter, memo = new Map()) {
    const known = memo.get(f);
    if (known !== undefined) return known;
    const { op, args } = this.nodes[f];
    const value = (g) => this.after(g, letter, memo);
    let result = f;
    if (op === "a") result = letter[args[0]] === 1 ? this.yes : this.no;
    else if (op === "!") result = this.not(value(args[0]));
    else if (op === "&" || op === "|") result = this.list(op, args.map(value));
    else if (op === "=") result = this.iff(value(args[0]), value(args[1]));
    else if (op === "X") result = args[0];
    else if (op === "F") result = this.list("|", [value(args[0]), f]);
    else if (op === "G") result = this.list("&", [value(args[0]), f]);
    else if (op === "U" || op === "W") {
      result = this.list("|", [value(args[1]), this.list("&", [value(args[0]), f])]);
    } else if (op === "R" || op === "M") {
      result = this.list("&", [value(args[1]), this.list("|", [value(args[0]), f])]);
    }
    memo.set(f, result);
    return result;
  }
  // Bounds for the truth of a formula if the first letter is partial: whether it surely holds, and whether it may hold.
  bounds(f, letter, memo = new Map()) {
    const known = memo.get(f);
    if (known !== undefined) return known;
    const { op, args } = this.nodes[f];
    const value = (g) => this.bounds(g, letter, memo);
    let result = [false, true];
    if (op === "1") result = [true, true];
    else if (op === "0") result = [false, false];
    else if (op === "a") {
      const holds = letter[args[0]];
      if (holds >= 0) result = [holds === 1, holds === 1];
    } else if (op === "!") {
      const [surely, perhaps] = value(args[0]);
      result = [!perhaps, !surely];
    } else if (op === "&") {
      result = args.map(value).reduce(([s, p], [t, q]) => [s && t, p && q], [true, true]);
    } else if (op === "|") {
      result = args.map(value).reduce(([s, p], [t, q]) => [s || t, p || q], [false, false]);
    } else if (op === "=") {
      const [a, b] = args.map(value);
      if (a[0] === a[1] && b[0] === b[1]) result = [a[0] === b[0], a[0] === b[0]];
    } else if (op === "F") result = [value(args[0])[0], true];
    else if (op === "G") result = [false, value(args[0])[1]];
    else if (op === "U" || op === "W") {
      const [a, b] = args.map(value);
      result = [b[0], a[1] || b[1]];
    } else if (op === "R" || op === "M") result = [false, value(args[1])[1]];
    memo.set(f, result);
    return result;
  }
  // The subformulas, operands first.
  below(f) {
    const seen = new Set([f]);
    const stack = [f];
    while (stack.length > 0) {
      const { op, args } = this.nodes[stack.pop()];
      if (op === "a") continue;
      for (const g of args) {
        if (!seen.has(g)) {
          seen.add(g);
          stack.push(g);
        }
      }
    }
    return [...seen].sort((a, b) => a - b);
  }
  // Whether a formula holds on the word whose letters repeat from `back` on.
  holds(f, letters, back) {
    const count = letters.length;
    const values = new Map();
    for (const g of this.below(f)) {
      const { op, args } = this.nodes[g];
      const of = (i) => values.get(args[i]);
      const least = op === "F" || op === "U" || op === "M";
      const now = new Array(count).fill(!least);
      const rounds = "XFGUWRM".includes(op) ? 2 : 1;
      for (let round = 0; round < rounds; round += 1) {
        for (let i = count - 1; i >= 0; i -= 1) {
          const next = i + 1 === count ? back : i + 1;
          if (op === "1" || op === "0") now[i] = op === "1";
          else if (op === "a") now[i] = letters[i][args[0]] === 1;
          else if (op === "!") now[i] = !of(0)[i];
          else if (op === "&") now[i] = args.every((h) => values.get(h)[i]);
          else if (op === "|") now[i] = args.some((h) => values.get(h)[i]);
          else if (op === "=") now[i] = of(0)[i] === of(1)[i];
          else if (op === "X") now[i] = of(0)[next];
          else if (op === "F") now[i] = of(0)[i] || now[next];
          else if (op === "G") now[i] = of(0)[i] && now[next];
          else if (op === "U" || op === "W") now[i] = of(1)[i] || (of(0)[i] && now[next]);
          else now[i] = of(1)[i] && (of(0)[i] || now[next]);
        }
      }
      values.set(g, now);
    }
    return values.get(f)[0];
  }
  // A formula as text of a limited length.
  text(f, most = 400) {
    const level = (op) => ({ "=": 1, "|": 2, "&": 3, U: 4, W: 4, R: 4, M: 4 })[op] ?? 9;
    const parts = [];
    let length = 0;
    const push = (text) => {
      parts.push(text);
      length += text.length;
    };
    const write = (g, outer) => {
      if (length > most) return;
      const { op, args } = this.nodes[g];
      if (op === "a") return push(this.names[args[0]].includes("<-") ? `[${this.names[args[0]]}]` : this.names[args[0]]);
      if (op === "1" || op === "0") return push(op === "1" ? "true" : "false");
      const own = level(op);
      const inside = own < 9 && outer > 0 && own !== outer;
      const open = inside || (own === outer && own === 4);
      if (open) push("(");
      if (own === 9) {
        push(op === "!" ? "!" : `${op} `);
        write(args[0], 9);
      } else {
        const sign = op === "=" ? " <-> " : ` ${op} `;
        args.forEach((h, i) => {
          if (i > 0) push(sign);
          write(h, own);
        });
      }
      if (open) push(")");
    };
    write(f, 0);
    const text = parts.join("");
    return text.length > most ? `${text.slice(0, most)}…` : text;
  }
}
