//! Pages that run emitted controllers: their scripts run under node with a small model of a browser, and the controller on
//! the page is compared with the module of `--lang js`.

use super::examples::{self, Example};
use super::run::{emitted, folder, run};
use crate::cli::Folder;
use std::fmt::Write;
use std::path::Path;
use tsl_synth_emit::{EmitOptions, Lang, OnBroken};

/// The page of an example and, beside it, the module `reference.js`.
fn write(root: &Path, name: &str, example: &Example, circuit: bool, on_broken: OnBroken) {
    let dir = root.join(name);
    std::fs::create_dir_all(&dir).expect("a writable folder");
    let mut options = EmitOptions::new(Lang::Js);
    options.on_broken = on_broken;
    let module = emitted(example, &options, circuit).remove(0);
    std::fs::write(dir.join("reference.mjs"), module.bytes()).expect("a writable folder");
    (options.scaffold, options.web) = (true, true);
    for file in emitted(example, &options, circuit) {
        std::fs::write(dir.join(&file.path), file.bytes()).expect("a writable folder");
    }
}

#[test]
fn pages_run_the_controller() {
    let root = folder("web");
    let mut names = String::new();
    for (i, example) in examples::own().iter().enumerate() {
        let hostile = example.name.starts_with("hostile");
        if hostile && i % 4 != 0 {
            continue;
        }
        for circuit in [false, true] {
            if circuit && i % 3 != 0 {
                continue;
            }
            let on_broken = if circuit { OnBroken::Continue } else { OnBroken::ALL[i % 4] };
            let name = format!("{}{}", example.name, if circuit { "_circuit" } else { "" });
            write(&root, &name, example, circuit, on_broken);
            writeln!(names, "{name}").unwrap();
        }
    }
    std::fs::write(root.join("index.txt"), &names).expect("a writable folder");
    std::fs::write(root.join("main.mjs"), include_str!("drivers/web.mjs")).expect("a writable folder");
    if let Some(text) = run(&root, "node", &["main.mjs"], true) {
        assert_eq!(text.trim(), format!("{} pages", names.lines().count()));
    }
}

#[test]
fn the_flag_writes_a_folder_for_one_target() {
    let folder = Folder::new();
    folder.file("lamp.tsl", "input go: Bool; cell on: Bool = false; always guarantee { go <-> [on <- true]; !go -> [on <- false]; }\n");
    folder.run(["emit", "lamp.tsl", "--scaffold", "page", "--web"]).exits(0);
    let page = folder.path().join("page");
    for file in ["index.html", "lamp.js", "page.js"] {
        assert!(page.join(file).is_file(), "{file}");
    }
    assert!(!page.join("environment.js").exists(), "there are no functions");
    let text = std::fs::read_to_string(page.join("index.html")).expect("the page");
    assert!(
        text.contains("default-src 'none'")
            && !text.replace("http://www.w3.org/2000/svg", "").contains("://"),
        "{text}"
    );
    // Names of files that mean something else.
    let lamp = std::fs::read_to_string(folder.path().join("lamp.tsl")).expect("the specification");
    folder.file("page.tsl", &lamp);
    folder.run(["emit", "page.tsl", "--scaffold", "named", "--web"]).exits(0);
    folder.file("lamp_test.tsl", &lamp);
    folder.run(["emit", "lamp_test.tsl", "--scaffold", "named", "--lang", "go"]).exits(0);
    for file in ["page_2.js", "page.js", "controller/lamptest.go"] {
        assert!(folder.path().join("named").join(file).is_file(), "{file}");
    }
    let refused = folder.run(["emit", "lamp.tsl", "--scaffold", "other", "--web", "--lang", "rust"]).exits(2);
    assert!(refused.err.contains("`--web` is for `--lang js`"), "{}", refused.err);
    for lang in ["lua", "go", "csharp"] {
        let refused = folder.run(["emit", "lamp.tsl", "--lang", lang, "--async"]).exits(2);
        assert!(refused.err.contains(lang) && refused.err.contains("`python`"), "{}", refused.err);
    }
}
