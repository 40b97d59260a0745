//! The constructor of an emitted controller has one shape whatever the specification has, and names what is missing.

use super::run::run;
use crate::cli::Folder;

/// Specifications with and without functions, cells and declared values.
const SPECS: [(&str, &str); 4] = [
    ("none", "// inputs: a\n// outputs: b\nG (a <-> b);\n"),
    ("cells", "input a: Bool; cell n: 0..3; cell m: 0..3 = 1; always guarantee { a -> [n <- m]; }\n"),
    ("functions", "input x; cell on: Bool = false; always guarantee { p(x) <-> [on <- true]; }\n"),
    ("both", "input a: Bool; always guarantee { p(x) -> [x <- f(x)]; }\n"),
];

fn emit_all(folder: &Folder, lang: &str, ending: &str) {
    for (name, text) in SPECS {
        let spec = format!("{name}.{}", if text.starts_with("//") { "ltl" } else { "tsl" });
        folder.file(&spec, text);
        folder.run(["emit", &spec, "--lang", lang, "-o", &format!("{name}.{ending}")]).exits(0);
    }
}

#[test]
fn javascript_takes_parts_by_name_and_in_order() {
    let folder = Folder::new();
    emit_all(&folder, "js", "mjs");
    folder.file(
        "main.mjs",
        r#"
import assert from "node:assert/strict";
const env = { p: () => true, f: (x) => `f(${x})` };
class World { p() { return true; } f(x) { return `f(${x})`; } }
const cells = { none: {}, cells: { n: 2 }, functions: {}, both: { x: "v" } };
const inputs = { a: true, x: "v" };
const old = {
  none: (options) => [options],
  cells: (options) => [cells.cells, options],
  functions: (options) => [env, {}, options],
  both: (options) => [env, cells.both, options],
};
for (const name of Object.keys(cells)) {
  const { Controller } = await import(`./${name}.mjs`);
  const runs = [
    (options) => [{ env, cells: cells[name], options }],
    (options) => [{ env: new World(), cells: cells[name], options }],
    old[name],
  ];
  const letters = runs.map((given) => {
    let letter;
    const controller = new Controller(...given({ trace: (written) => (letter = written) }));
    controller.step(inputs);
    return JSON.stringify(letter);
  });
  assert(letters[0] !== undefined && letters.every((letter) => letter === letters[0]), name);
  for (const given of [old[name](undefined), [{ env, cells: cells[name] }]]) new Controller(...given).step(inputs);
}
const says = async (name, given, text) => {
  const { Controller } = await import(`./${name}.mjs`);
  assert.throws(() => new Controller(...given), (error) => error.message.includes(text), text);
};
await says("functions", [], "env is missing");
await says("functions", [{ cells: {} }], "env.p is missing");
await says("functions", [{ env: {} }], "env.p is missing");
await says("functions", [null], "env is missing");
await says("both", [{ env: { p: () => true } , cells: { x: 1 } }], "env.f is missing");
await says("both", [{ env }], "cells.x has no declared initial value");
await says("both", [env], "cells.x has no declared initial value");
await says("cells", [], "cells.n has no declared initial value");
await says("cells", [{ cells: { m: 2 } }], "cells.n has no declared initial value");
await says("cells", [{ cells: { n: 7 } }], "the cell n is 7, which is not in 0..3");
const { Controller } = await import("./none.mjs");
new Controller().step({ a: true });
new Controller({}).step({ a: false });
console.log("done");
"#,
    );
    if let Some(out) = run(folder.path(), "node", &["main.mjs"], true) {
        assert_eq!(out.trim(), "done");
    }
}

#[test]
fn python_takes_parts_by_name() {
    let folder = Folder::new();
    emit_all(&folder, "python", "py");
    folder.file(
        "main.py",
        "import importlib

for name in ['none', 'cells', 'functions', 'both']:
    m = importlib.import_module(name)
    env = None
    if hasattr(m, 'Environment'):
        env = type('World', (m.Environment,), {'p': lambda self, x: True, 'f': lambda self, x: x})()
    cells = {'none': m.Cells, 'cells': lambda: m.Cells(n=2), 'functions': m.Cells, 'both': lambda: m.Cells(x='v')}[name]()
    letters = []
    m.Controller(env=env, cells=cells, trace=letters.append).step(m.Inputs(**{k: True for k in m.Inputs.__dataclass_fields__}))
    assert len(letters) == 1, name
print('done')
",
    );
    if let Some(out) = run(folder.path(), "python3", &["main.py"], false) {
        assert_eq!(out.trim(), "done");
    }
}
