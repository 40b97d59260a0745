//! The templates of emitted code, pages and new projects.

#![forbid(unsafe_code)]

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!($path))),*]
    };
}

/// The embedded files: paths below this folder, and texts.
pub const FILES: &[(&str, &str)] = files![
    "c/controller.c.jinja",
    "c/controller.h.jinja",
    "c/scaffold/Makefile.jinja",
    "c/scaffold/lassos.c.jinja",
    "c/scaffold/main.c.jinja",
    "csharp/Controller.cs.jinja",
    "csharp/scaffold/Environment.cs.jinja",
    "csharp/scaffold/Lassos.cs.jinja",
    "csharp/scaffold/Makefile.jinja",
    "csharp/scaffold/Program.cs.jinja",
    "dot/graph.dot.jinja",
    "editor/nvim/tsl-synth.lua",
    "editor/vscode/.vscodeignore",
    "editor/vscode/README.md",
    "editor/vscode/extension.js",
    "editor/vscode/language-configuration.json",
    "editor/vscode/package.json",
    "editor/vscode/syntaxes/ltl.tmLanguage.json",
    "editor/vscode/syntaxes/tlsf.tmLanguage.json",
    "editor/vscode/syntaxes/tsl.tmLanguage.json",
    "go/controller.go.jinja",
    "go/scaffold/environment.go.jinja",
    "go/scaffold/go.mod.jinja",
    "go/scaffold/lassos_test.go.jinja",
    "go/scaffold/main.go.jinja",
    "hosts/opencode.js",
    "js/agent/README.md.jinja",
    "js/agent/agent.js.jinja",
    "js/agent/environment.js.jinja",
    "js/agent/game.test.js.jinja",
    "js/agent/main.js.jinja",
    "js/agent/model.js.jinja",
    "js/agent/rules.js.jinja",
    "js/agent/turn.js.jinja",
    "js/behavior.js.jinja",
    "js/controller.d.ts.jinja",
    "js/controller.js.jinja",
    "js/program.js.jinja",
    "js/scaffold/environment.js.jinja",
    "js/scaffold/lassos.test.js.jinja",
    "js/scaffold/main.js.jinja",
    "js/scaffold/package.json.jinja",
    "js/types.d.ts.jinja",
    "js/web/controller.js.jinja",
    "js/web/environment.js.jinja",
    "js/web/index.html.jinja",
    "js/web/page.js.jinja",
    "lua/controller.lua.jinja",
    "lua/scaffold/environment.lua.jinja",
    "lua/scaffold/lassos.lua.jinja",
    "lua/scaffold/main.lua.jinja",
    "new/agent/README.md",
    "new/agent/host.prompts.toml",
    "new/agent/host.tsl",
    "new/ci/tsl-synth.yml",
    "new/monitor/README.md",
    "new/monitor/alerts.yml",
    "new/monitor/dashboard.json",
    "new/policy/README.md",
    "new/policy/breaks.jsonl",
    "new/policy/keeps.jsonl",
    "new/policy/policy.toml",
    "new/policy/scenarios.jsonl",
    "new/spec/README.md",
    "new/spec/lamp.tsl",
    "new/spec/tsl-synth.toml",
    "playground/build.mjs",
    "playground/dom.js",
    "playground/editor.js",
    "playground/engine.js",
    "playground/icon.svg",
    "playground/index.html",
    "playground/language.js",
    "playground/link.js",
    "playground/main.js",
    "playground/package-lock.json",
    "playground/package.json",
    "playground/panels.js",
    "playground/playground.css",
    "playground/repairs.js",
    "playground/tables.js",
    "playground/worker.js",
    "policy/agent/README.md.jinja",
    "policy/agent/agent.js.jinja",
    "policy/agent/agent.py.jinja",
    "policy/agent/tools.js.jinja",
    "policy/agent/tools.py.jinja",
    "policy/monitor.c.jinja",
    "policy/monitor.py.jinja",
    "python/agent/README.md.jinja",
    "python/agent/agent.py.jinja",
    "python/agent/environment.py.jinja",
    "python/agent/main.py.jinja",
    "python/agent/model.py.jinja",
    "python/agent/rules.py.jinja",
    "python/agent/test_game.py.jinja",
    "python/agent/turn.py.jinja",
    "python/behavior.py.jinja",
    "python/controller.py.jinja",
    "python/program.py.jinja",
    "python/scaffold/environment.py.jinja",
    "python/scaffold/main.py.jinja",
    "python/scaffold/test_lassos.py.jinja",
    "rust/behavior.rs.jinja",
    "rust/controller.rs.jinja",
    "rust/decide.rs.jinja",
    "rust/scaffold/Cargo.toml.jinja",
    "rust/scaffold/environment.rs.jinja",
    "rust/scaffold/lassos.rs.jinja",
    "rust/scaffold/lib.rs.jinja",
    "rust/scaffold/main.rs.jinja",
    "rust/snapshot.rs.jinja",
    "rust/step.rs.jinja",
    "rust/types.rs.jinja",
    "ts/scaffold/environment.ts.jinja",
    "ts/scaffold/lassos.test.ts.jinja",
    "ts/scaffold/main.ts.jinja",
    "ts/scaffold/package.json.jinja",
    "ts/scaffold/tsconfig.json.jinja",
    "verilog/controller.v.jinja",
    "view/follow.js",
    "view/live.js",
    "view/logic.js",
    "view/marks.js",
    "view/page.css",
    "view/page.html.jinja",
    "view/page.js",
    "view/play.js",
    "view/sessions.css",
    "view/sessions.html.jinja",
    "view/sessions.js",
    "view/stage.js",
    "view/what_if.js",
    "xstate/machine.js.jinja",
];

/// The text of a file, by its path below this folder. To be called in constants: a missing file is an error of the
/// compiler.
///
/// # Panics
/// If there is no such file.
pub const fn text(path: &str) -> &'static str {
    let mut i = 0;
    while i < FILES.len() {
        if is_same(FILES[i].0.as_bytes(), path.as_bytes()) {
            return FILES[i].1;
        }
        i += 1;
    }
    panic!("no such file is embedded")
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
