//! Watched assumptions about cells that keep their values, which no branch of a decision names.

use super::run::run;
use crate::cli::Folder;

const SPEC: &str = "input p: Bool; input go: Bool; cell x;
always assume { [x <- x] -> X p; }
always guarantee { go -> [x <- f(x)]; !go -> [x <- x]; }
";

/// For the inputs `go` and `p`: kept, kept although `p` is false: broken, changed, nothing is owed.
#[test]
fn a_kept_value_may_break_an_assumption() {
    let folder = Folder::new();
    folder.file("kept.tsl", SPEC);
    for (lang, file) in [("js", "kept.mjs"), ("python", "kept.py"), ("lua", "kept.lua")] {
        folder.run(["emit", "kept.tsl", "--lang", lang, "-o", file]).exits(0);
    }
    folder.file(
        "main.mjs",
        "import { Controller, AssumptionBroken } from \"./kept.mjs\";
const c = new Controller({ env: { f: (x) => x }, cells: { x: 1 } });
for (const [go, p] of [[true, false], [false, false], [false, false], [false, true], [true, true], [true, false]]) {
  try { c.step({ go, p }); console.log(\"kept\"); }
  catch (error) { if (!(error instanceof AssumptionBroken)) throw error; console.log(\"broken\"); }
}
",
    );
    folder.file(
        "main.py",
        "import kept as m
class World(m.Environment):
    def f(self, value1): return value1
c = m.Controller(env=World(), cells=m.Cells(x=1))
for go, p in [(1, 0), (0, 0), (0, 0), (0, 1), (1, 1), (1, 0)]:
    try:
        c.step(m.Inputs(go=bool(go), p=bool(p)))
        print('kept')
    except m.AssumptionBroken:
        print('broken')
",
    );
    folder.file(
        "main.lua",
        "local M = require(\"kept\")
local c = M.new { env = { f = function(_, x) return x end }, cells = { x = 1 } }
for _, given in ipairs { { true, false }, { false, false }, { false, false }, { false, true }, { true, true }, { true, false } } do
  local ok, why = pcall(c.step, c, { go = given[1], p = given[2] })
  assert(ok or getmetatable(why) == M.AssumptionBroken, why)
  print(ok and \"kept\" or \"broken\")
end
",
    );
    for (program, file) in [("node", "main.mjs"), ("python3", "main.py"), ("lua5.4", "main.lua")] {
        if let Some(out) = run(folder.path(), program, &[file], program == "node") {
            let said: Vec<&str> = out.split_whitespace().collect();
            assert_eq!(said, ["kept", "kept", "broken", "kept", "kept", "kept"], "{program}");
        }
    }
}
