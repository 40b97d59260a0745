//! `emit` from the command line: files, standard output and exit codes. The emitted code is tested elsewhere.

use super::{BROKEN, Folder, REALIZABLE, UNREALIZABLE};
use serde_json::json;
use tsl_synth_formats::aiger::{read_aiger, write_binary};

#[test]
fn code_goes_to_standard_output_or_to_files() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    for lang in ["rust", "js", "ts", "python", "c", "lua", "go", "csharp", "dot", "mermaid", "hoa", "json"] {
        let run = folder.run(["emit", "--lang", lang, "yes.tsl"]).exits(0);
        assert!(run.out.len() > 100 && run.out.ends_with('\n'), "{lang}: {}", run.out);
    }
    let run = folder.run(["emit", "--lang", "js", "yes.tsl", "-o", "out/lamp.js"]).exits(2);
    assert!(run.err.contains("cannot write"), "{}", run.err);
    folder.run(["emit", "--lang", "js", "yes.tsl", "-o", "lamp.js"]).exits(0);
    for name in ["lamp.js", "lamp.d.ts"] {
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    let run = folder.run(["emit", "--lang", "js", "--format", "json", "yes.tsl"]).exits(0);
    let document = run.json();
    assert_eq!(document["files"][0]["main"], true);
    let stdout = folder.run(["emit", "--lang", "js", "yes.tsl"]).exits(0);
    assert_eq!(document["files"][0]["text"].as_str(), Some(stdout.out.as_str()));
}

#[test]
fn there_may_be_nothing_to_emit() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    folder.file("no.tsl", UNREALIZABLE);
    folder.file("broken.tsl", BROKEN);
    let run = folder.run(["emit", "--lang", "js", "no.tsl"]).exits(1);
    assert!(run.out.is_empty() && run.err.contains("unrealizable"), "{run:?}");
    folder.run(["emit", "--lang", "json", "--counter", "no.tsl"]).exits(0);
    folder.run(["emit", "--lang", "js", "--counter", "no.tsl"]).exits(2);
    folder.run(["emit", "--lang", "json", "--counter", "yes.tsl"]).exits(1);
    folder.run(["emit", "--lang", "js", "broken.tsl"]).exits(2);
    folder.run(["emit", "--lang", "cobol", "yes.tsl"]).exits(2);
    folder.run(["emit", "yes.tsl"]).exits(2);
    let run = folder.run(["emit", "--lang", "js", "no.tsl", "-o", "no.js"]).exits(1);
    assert!(run.err.contains("unrealizable") && !folder.path().join("no.js").exists());
}

#[test]
fn a_machine_without_any_signal() {
    let folder = Folder::new();
    folder.file("free.ltl", "G true\n");
    folder.file("free.tsl", "always guarantee { }\n");
    folder.file("never.ltl", "F false\n");
    for lang in ["hoa", "aiger", "json", "dot", "c", "python", "rust"] {
        for name in ["free.ltl", "free.tsl"] {
            folder.run(["emit", "--lang", lang, name]).exits(0);
        }
    }
    for lang in ["hoa", "aiger", "json", "dot"] {
        folder.run(["emit", "--counter", "--lang", lang, "never.ltl"]).exits(0);
    }
    folder.run(["emit", "--lang", "hoa", "free.ltl", "-o", "free.hoa"]).exits(0);
    folder.run(["verify", "free.ltl", "free.hoa"]).exits(0);
    folder.run(["verify", "never.ltl", "free.hoa"]).exits(1);
}

#[test]
fn templates_of_the_user() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    folder.file("t.jinja", "made by {{ tool_version }}\n");
    folder.file("bad.jinja", "{{ nothing_of_that_name }}\n");
    folder.run(["emit", "--lang", "js", "--template", "bad.jinja", "yes.tsl"]).exits(2);
    folder.run(["emit", "--lang", "js", "--template", "missing.jinja", "yes.tsl"]).exits(2);
}

#[test]
fn the_project_file_is_enough() {
    let folder = Folder::new();
    folder.file("specs/lamp.tsl", REALIZABLE);
    folder.file("tsl-synth.toml", "spec = \"specs/lamp.tsl\"\n");
    let run = folder.run(["emit", "--lang", "js"]).exits(0);
    assert!(run.out.contains("specs/lamp.tsl"), "the header names the specification:\n{}", run.out);
}

#[test]
fn what_is_emitted_depends_on_nothing_else() {
    let folder = Folder::new();
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/adventure/story.tsl");
    let first = folder.run(["emit", "--lang", "json", "--threads", "1", spec]).exits(0);
    for _ in 0..2 {
        let again = folder.run(["emit", "--lang", "json", "--threads", "2", spec]).exits(0);
        assert_eq!(first.out, again.out);
    }
}

#[test]
fn letters_say_what_a_cell_was_and_what_it_becomes() {
    let folder = Folder::new();
    folder.file(
        "lamp.tsl",
        "always guarantee {\n  ! lamp -> [lamp <- true];\n  lamp -> [lamp <- false];\n  F [lamp <- true];\n}\n",
    );
    for (lang, read) in [
        ("js", "letter[\"(lamp)\"]"),
        ("ts", "letter[\"(lamp)\"]"),
        ("python", "letter[\"(lamp)\"]"),
        ("rust", "\\\"(lamp)\\\""),
        ("c", "\\\"(lamp)\\\""),
    ] {
        let code = folder.run(["emit", "--lang", lang, "lamp.tsl"]).exits(0).out;
        assert!(code.contains(read), "{lang}: {code}");
    }
    // Letters of this form can be read back.
    folder.file(
        "trace.json",
        r#"{ "spec": "lamp.tsl", "effect": "F [lamp <- false]", "prefix": [],
             "loop": [ { "(lamp)": false, "lamp": "true" }, { "(lamp)": true, "lamp": "false" } ] }"#,
    );
    let run = folder.run(["explain", "trace.json"]);
    assert!(run.code != 2 && !run.out.is_empty(), "{run:?}");
}

#[test]
fn the_ending_aig_asks_for_the_binary_form() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    let text = folder.run(["emit", "--lang", "aiger", "yes.tsl"]).exits(0).out;
    folder.run(["emit", "--lang", "aiger", "yes.tsl", "-o", "x.aag"]).exits(0);
    folder.run(["emit", "--lang", "aiger", "yes.tsl", "-o", "x.aig"]).exits(0);
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    assert_eq!(read("x.aag"), text.as_bytes());
    assert_eq!(read("x.aig"), write_binary(&read_aiger(text.as_bytes()).expect("AIGER")));
    // The JSON document contains the ASCII form even if its file ends in `.aig`.
    folder.run(["emit", "--lang", "aiger", "--format", "json", "yes.tsl", "-o", "json.aig"]).exits(0);
    let document: serde_json::Value = serde_json::from_slice(&read("json.aig")).expect("JSON");
    assert_eq!(document["files"][0]["text"].as_str(), Some(text.as_str()));
}

#[test]
fn a_document_says_why_nothing_was_made() {
    let folder = Folder::new();
    folder.file("u.ltl", "// inputs: a\n// outputs: b\nG (a -> b)\nG (b -> X !b)\n");
    folder.file("r.ltl", "// outputs: b\nG b\n");
    folder.file("bad.ltl", "// outputs: b\nG (b\n");
    let cases: [(&[&str], i32, &str); 5] = [
        (&["u.ltl", "--lang", "js"], 1, "UNREALIZABLE"),
        (&["u.ltl", "--lang", "aiger"], 1, "UNREALIZABLE"),
        (&["r.ltl", "--lang", "hoa", "--counter"], 1, "REALIZABLE"),
        (&["bad.ltl", "--lang", "js"], 2, "ERROR"),
        (&["none.ltl", "--lang", "js"], 2, "ERROR"),
    ];
    for (args, code, verdict) in cases {
        let call = ["emit", "--format", "json"].iter().chain(args);
        let run = folder.run(call).exits(code);
        let json = run.json();
        assert_eq!((&json["verdict"], &json["files"]), (&json!(verdict), &json!([])), "{args:?}: {json}");
        assert!(json["reason"].is_string() && json["lang"] == args[2], "{args:?}: {json}");
        assert_eq!(json["diagnostics"].is_array(), code == 2, "{args:?}: {json}");
    }
    // With files there is no verdict.
    let json = folder.run(["emit", "r.ltl", "--lang", "js", "--format", "json"]).exits(0).json();
    assert!(json.get("verdict").is_none() && json["files"].as_array().is_some_and(|files| !files.is_empty()));
}

#[test]
fn types_have_the_stem_of_their_module() {
    let folder = Folder::new();
    folder.file("r.ltl", "// outputs: b\nG b\n");
    for (file, types) in [
        ("my lamp.mjs", "my lamp.d.mts"),
        ("my lamp.js", "my lamp.d.ts"),
        ("a-b.min.mjs", "a-b.min.d.mts"),
        ("é.mjs", "é.d.mts"),
    ] {
        folder.run(["emit", "r.ltl", "--lang", "js", "-o", file]).exits(0);
        assert!(folder.path().join(types).is_file(), "{file}");
    }
}
