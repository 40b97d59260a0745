//! Emitted Lua, Go and C#, run and compared with the scripts of the reference interpreter.

use super::examples;
use super::run::{Prepared, QUICK, Quota, driver, expected, folder, index, of, prepare, run};
use std::fmt::Write;
use std::path::Path;
use tsl_synth_emit::Lang;

fn write(dir: &Path, path: &str, text: &str) {
    let path = dir.join(path);
    std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a writable folder");
    std::fs::write(path, text).expect("a writable folder");
}

/// Writes a driver for each controller.
fn drivers(dir: &Path, all: &[Prepared], template: &str, path: impl Fn(&Prepared) -> String) {
    let examples = examples::all();
    for p in all {
        write(dir, &path(p), &driver(of(examples, p), p, template));
    }
}

pub(super) fn lua(quota: Quota) {
    let dir = folder("lua");
    let all = prepare(&dir, Lang::Lua, examples::all(), if quota.whole { 4 } else { 2 }, quota);
    index(&dir, &all);
    write(&dir, "main.lua", include_str!("drivers/main.lua"));
    drivers(&dir, &all, include_str!("drivers/lua.jinja"), |p| format!("{}_driver.lua", p.stem));
    if let Some(text) = run(&dir, "lua5.4", &["main.lua"], false) {
        assert_eq!(text.trim(), expected(&all));
    }
}

/// Each controller is a package with its driver.
pub(super) fn go(quota: Quota) {
    let dir = folder("go");
    let all = prepare(&dir, Lang::Go, examples::all(), if quota.whole { 3 } else { 1 }, quota);
    write(&dir, "go.mod", "module scripts\n\ngo 1.18\n");
    write(&dir, "script/script.go", include_str!("drivers/script.go"));
    let (mut imports, mut calls) = (String::new(), String::new());
    for (i, p) in all.iter().enumerate() {
        let folder = dir.join(format!("p{i}"));
        std::fs::create_dir_all(&folder).expect("a writable folder");
        std::fs::rename(dir.join(format!("{}.go", p.stem)), folder.join("controller.go")).expect("written");
        writeln!(imports, "\tp{i} \"scripts/p{i}\"").unwrap();
        writeln!(calls, "\ttotal += p{i}.Run(slurp(\"{}.script\"), {})", p.stem, p.traced).unwrap();
        let text = driver(of(examples::all(), p), p, include_str!("drivers/go.jinja"));
        write(&folder, "driver.go", &text);
    }
    let main = format!(
        "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n{imports})\n\nfunc slurp(path string) string {{\n\
         \ttext, err := os.ReadFile(path)\n\tif err != nil {{\n\t\tpanic(err)\n\t}}\n\treturn string(text)\n}}\n\n\
         func main() {{\n\ttotal := 0\n{calls}\tfmt.Println(\"steps\", total)\n}}\n"
    );
    write(&dir, "main.go", &main);
    if run(&dir, "go", &["build", "-o", "main", "."], false).is_some() {
        assert_eq!(run(&dir, "./main", &[], true).expect("the program").trim(), expected(&all));
    }
}

pub(super) fn csharp(quota: Quota) {
    let dir = folder("csharp");
    let all = prepare(&dir, Lang::CSharp, examples::all(), if quota.whole { 3 } else { 1 }, quota);
    drivers(&dir, &all, include_str!("drivers/csharp.jinja"), |p| format!("{}_driver.cs", p.stem));
    write(&dir, "Script.cs", include_str!("drivers/Script.cs"));
    let mut main = String::from(
        "public static class Main_\n{\n    public static void Main()\n    {\n        int total = 0;\n",
    );
    for p in &all {
        // The namespace is that of the driver.
        let text = std::fs::read_to_string(dir.join(format!("{}_driver.cs", p.stem))).expect("written");
        let module = text.lines().find_map(|line| line.strip_prefix("namespace ")).expect("a namespace");
        let traced = p.traced;
        let script = format!("System.IO.File.ReadAllText(\"{}.script\")", p.stem);
        writeln!(main, "        total += {module}.Scripted.Run({script}, {traced});").unwrap();
    }
    main.push_str("        System.Console.WriteLine(\"steps \" + total);\n    }\n}\n");
    write(&dir, "Main.cs", &main);
    if run(&dir, "mcs", &["-warnaserror", "-out:main.exe", "*.cs"], false).is_some()
        && let Some(text) = run(&dir, "mono", &["main.exe"], false)
    {
        assert_eq!(text.trim(), expected(&all));
    }
}

#[test]
fn lua_agrees_with_the_machine() {
    lua(QUICK);
}

#[test]
fn go_agrees_with_the_machine() {
    go(QUICK);
}

#[test]
fn csharp_agrees_with_the_machine() {
    csharp(QUICK);
}
