//! The embedded templates and the files that are made from them.

use super::input::Lang;

/// A template by name. Names of scaffold templates are their paths under `templates/`.
macro_rules! templates {
    ($($name:literal: $path:literal),+ $(,)?) => {
        &[$(($name, tsl_synth_templates::text(concat!($path, ".jinja")))),+]
    };
}

/// All embedded templates.
pub(super) const TEMPLATES: &[(&str, &str)] = templates! {
    "dot/graph": "dot/graph.dot",
    "view/page": "view/page.html",
    "view/sessions": "view/sessions.html",
    "rust/behavior": "rust/behavior.rs",
    "js/behavior": "js/behavior.js",
    "python/behavior": "python/behavior.py",
    "python/program": "python/program.py",
    "js/program": "js/program.js",
    "policy/agent/agent.py": "policy/agent/agent.py",
    "policy/agent/tools.py": "policy/agent/tools.py",
    "policy/agent/agent.js": "policy/agent/agent.js",
    "policy/agent/tools.js": "policy/agent/tools.js",
    "policy/agent/README.md": "policy/agent/README.md",
    "policy/python": "policy/monitor.py",
    "policy/c": "policy/monitor.c",
    "rust": "rust/controller.rs",
    "rust/types": "rust/types.rs",
    "rust/decide": "rust/decide.rs",
    "rust/snapshot": "rust/snapshot.rs",
    "rust/step": "rust/step.rs",
    "rust/Cargo.toml": "rust/scaffold/Cargo.toml",
    "rust/lib.rs": "rust/scaffold/lib.rs",
    "rust/environment.rs": "rust/scaffold/environment.rs",
    "rust/main.rs": "rust/scaffold/main.rs",
    "rust/lassos.rs": "rust/scaffold/lassos.rs",
    "js": "js/controller.js",
    "d.ts": "js/controller.d.ts",
    "types": "js/types.d.ts",
    "js/package.json": "js/scaffold/package.json",
    "js/environment.js": "js/scaffold/environment.js",
    "js/main.js": "js/scaffold/main.js",
    "js/lassos.test.js": "js/scaffold/lassos.test.js",
    "ts/package.json": "ts/scaffold/package.json",
    "ts/tsconfig.json": "ts/scaffold/tsconfig.json",
    "ts/environment.ts": "ts/scaffold/environment.ts",
    "ts/main.ts": "ts/scaffold/main.ts",
    "ts/lassos.test.ts": "ts/scaffold/lassos.test.ts",
    "python": "python/controller.py",
    "python/environment.py": "python/scaffold/environment.py",
    "python/main.py": "python/scaffold/main.py",
    "python/test_lassos.py": "python/scaffold/test_lassos.py",
    "js/agent/environment.js": "js/agent/environment.js",
    "js/agent/turn.js": "js/agent/turn.js",
    "js/agent/model.js": "js/agent/model.js",
    "js/agent/rules.js": "js/agent/rules.js",
    "js/agent/agent.js": "js/agent/agent.js",
    "js/agent/main.js": "js/agent/main.js",
    "js/agent/game.test.js": "js/agent/game.test.js",
    "js/agent/README.md": "js/agent/README.md",
    "python/agent/environment.py": "python/agent/environment.py",
    "python/agent/turn.py": "python/agent/turn.py",
    "python/agent/model.py": "python/agent/model.py",
    "python/agent/rules.py": "python/agent/rules.py",
    "python/agent/agent.py": "python/agent/agent.py",
    "python/agent/main.py": "python/agent/main.py",
    "python/agent/test_game.py": "python/agent/test_game.py",
    "python/agent/README.md": "python/agent/README.md",
    "c": "c/controller.c",
    "h": "c/controller.h",
    "c/Makefile": "c/scaffold/Makefile",
    "c/main.c": "c/scaffold/main.c",
    "c/lassos.c": "c/scaffold/lassos.c",
    "lua": "lua/controller.lua",
    "lua/environment.lua": "lua/scaffold/environment.lua",
    "lua/main.lua": "lua/scaffold/main.lua",
    "lua/lassos.lua": "lua/scaffold/lassos.lua",
    "go": "go/controller.go",
    "go/go.mod": "go/scaffold/go.mod",
    "go/environment.go": "go/scaffold/environment.go",
    "go/main.go": "go/scaffold/main.go",
    "go/lassos_test.go": "go/scaffold/lassos_test.go",
    "csharp": "csharp/Controller.cs",
    "csharp/Makefile": "csharp/scaffold/Makefile",
    "csharp/Environment.cs": "csharp/scaffold/Environment.cs",
    "csharp/Program.cs": "csharp/scaffold/Program.cs",
    "csharp/Lassos.cs": "csharp/scaffold/Lassos.cs",
    "js/web/controller": "js/web/controller.js",
    "js/web/environment": "js/web/environment.js",
    "js/web/page": "js/web/page.js",
    "js/web/index": "js/web/index.html",
    "verilog": "verilog/controller.v",
    "xstate": "xstate/machine.js",
};

/// The templates of the controller with the extensions of their files, the main one first.
pub(super) fn controller(lang: Lang) -> &'static [(&'static str, &'static str)] {
    match lang {
        Lang::Rust => &[("rust", "rs")],
        Lang::Js => &[("js", "js"), ("d.ts", "d.ts")],
        Lang::Ts => &[("js", "ts")],
        Lang::Python => &[("python", "py")],
        Lang::C => &[("c", "c"), ("h", "h")],
        Lang::Lua => &[("lua", "lua")],
        Lang::Go => &[("go", "go")],
        Lang::CSharp => &[("csharp", "cs")],
        Lang::Dot
        | Lang::Mermaid
        | Lang::Svg
        | Lang::Text
        | Lang::Hoa
        | Lang::Aiger
        | Lang::Json
        | Lang::Verilog
        | Lang::Xstate => &[],
    }
}

/// The folder of the controller in a scaffold.
pub(super) fn folder(lang: Lang) -> &'static str {
    match lang {
        Lang::Rust | Lang::Ts => "src/",
        // A package of its own.
        Lang::Go => "controller/",
        _ => "",
    }
}

/// The other files of a scaffold: template, path, and whether the file is emitted only if there is an environment.
pub(super) fn scaffold(lang: Lang) -> &'static [(&'static str, &'static str, bool)] {
    match lang {
        Lang::Rust => &[
            ("rust/Cargo.toml", "Cargo.toml", false),
            ("rust/lib.rs", "src/lib.rs", false),
            ("rust/environment.rs", "src/environment.rs", true),
            ("rust/main.rs", "src/main.rs", false),
            ("rust/lassos.rs", "tests/lassos.rs", false),
        ],
        Lang::Js => &[
            ("js/package.json", "package.json", false),
            ("js/environment.js", "environment.js", true),
            ("js/main.js", "main.js", false),
            ("js/lassos.test.js", "lassos.test.js", false),
        ],
        Lang::Ts => &[
            ("ts/package.json", "package.json", false),
            ("ts/tsconfig.json", "tsconfig.json", false),
            ("ts/environment.ts", "src/environment.ts", true),
            ("ts/main.ts", "src/main.ts", false),
            ("ts/lassos.test.ts", "src/lassos.test.ts", false),
        ],
        Lang::Python => &[
            ("python/environment.py", "environment.py", true),
            ("python/main.py", "main.py", false),
            ("python/test_lassos.py", "test_lassos.py", false),
        ],
        Lang::C => &[
            ("c/Makefile", "Makefile", false),
            ("c/main.c", "main.c", false),
            ("c/lassos.c", "lassos.c", false),
        ],
        Lang::Lua => &[
            ("lua/environment.lua", "environment.lua", true),
            ("lua/main.lua", "main.lua", false),
            ("lua/lassos.lua", "lassos.lua", false),
        ],
        Lang::Go => &[
            ("go/go.mod", "go.mod", false),
            ("go/environment.go", "environment.go", true),
            ("go/main.go", "main.go", false),
            ("go/lassos_test.go", "controller/lassos_test.go", false),
        ],
        Lang::CSharp => &[
            ("csharp/Makefile", "Makefile", false),
            ("csharp/Environment.cs", "Environment.cs", true),
            ("csharp/Program.cs", "Program.cs", false),
            ("csharp/Lassos.cs", "Lassos.cs", false),
        ],
        Lang::Dot
        | Lang::Mermaid
        | Lang::Svg
        | Lang::Text
        | Lang::Hoa
        | Lang::Aiger
        | Lang::Json
        | Lang::Verilog
        | Lang::Xstate => &[],
    }
}

/// The other files of an agent: template and path.
pub(super) fn agent(lang: Lang) -> &'static [(&'static str, &'static str)] {
    match lang {
        Lang::Js => &[
            ("js/package.json", "package.json"),
            ("js/agent/environment.js", "environment.js"),
            ("js/agent/turn.js", "turn.js"),
            ("js/agent/model.js", "model.js"),
            ("js/agent/rules.js", "rules.js"),
            ("js/agent/agent.js", "agent.js"),
            ("js/agent/main.js", "main.js"),
            ("js/agent/game.test.js", "game.test.js"),
            ("js/lassos.test.js", "lassos.test.js"),
            ("js/agent/README.md", "README.md"),
        ],
        Lang::Python => &[
            ("python/agent/environment.py", "environment.py"),
            ("python/agent/turn.py", "turn.py"),
            ("python/agent/model.py", "model.py"),
            ("python/agent/rules.py", "rules.py"),
            ("python/agent/agent.py", "agent.py"),
            ("python/agent/main.py", "main.py"),
            ("python/agent/test_game.py", "test_game.py"),
            ("python/test_lassos.py", "test_lassos.py"),
            ("python/agent/README.md", "README.md"),
        ],
        _ => &[],
    }
}
