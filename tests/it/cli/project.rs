//! The specification that is used if the call names none.

use super::{Folder, REALIZABLE, UNREALIZABLE};

#[test]
fn the_project_file_names_it() {
    let folder = Folder::new();
    folder.file("specs/no.tsl", UNREALIZABLE);
    folder.file("tsl-synth.toml", "spec = \"specs/no.tsl\"\n");
    let run = folder.run(["check"]).exits(1);
    assert!(run.out.contains("in specs/no.tsl\n"), "{}", run.out);
    // It is also found from a subfolder, and then paths are relative to the subfolder.
    let output = folder.command(["check"]).current_dir(folder.path().join("specs")).output().expect("a run");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && out.contains("in ../specs/no.tsl\n"), "{out}");
    // A file on the command line takes precedence.
    folder.file("yes.tsl", REALIZABLE);
    folder.run(["check", "yes.tsl"]).exits(0);
}

#[test]
fn several_files_inputs_and_options() {
    let folder = Folder::new();
    folder.file("a.ltl", "G (r -> X g)");
    folder.file("b.ltl", "G (g -> X !g)");
    folder.file(
        "tsl-synth.toml",
        "spec = [\"a.ltl\", \"b.ltl\"]\ninputs = [\"r\"]\noutputs = [\"g\"]\n[options]\ntime-limit = \"20s\"\nengine = \"bounded\"\n",
    );
    folder.run(["check"]).exits(1);
    folder.run(["check", "--ins", "nobody", "--outs", "r,g"]).exits(0);
}

#[test]
fn strict_wants_every_name_declared() {
    let folder = Folder::new();
    folder
        .file("lamp.tsl", "input press; cell lamp;\nalways guarantee { press -> [lamp <- toggle lamp]; }\n");
    folder.run(["check", "lamp.tsl"]).exits(0);
    let run = folder.run(["check", "--strict", "lamp.tsl"]).exits(2);
    assert!(run.err.contains("TSL0124") && run.err.contains("`toggle` is not declared"), "{run:?}");
    folder.file("tsl-synth.toml", "spec = \"lamp.tsl\"\n[options]\nstrict = true\n");
    folder.run(["check"]).exits(2);
    folder.file(
        "lamp.tsl",
        "input press; cell lamp; function toggle;\nalways guarantee { press -> [lamp <- toggle lamp]; }\n",
    );
    folder.run(["check"]).exits(0);
    folder.run(["emit", "--lang", "json", "--strict", "lamp.tsl"]).exits(0);
}

#[test]
fn the_only_specification_of_a_folder() {
    let folder = Folder::new();
    let run = folder.run(["check"]).exits(2);
    assert!(run.err.contains("looked for `tsl-synth.toml`"), "{}", run.err);
    folder.file("yes.tsl", REALIZABLE);
    folder.run(["check"]).exits(0);
    folder.file("no.tsl", UNREALIZABLE);
    let run = folder.run(["check"]).exits(2);
    assert!(run.err.contains("`no.tsl`, `yes.tsl`"), "{}", run.err);
}

#[test]
fn mistakes_in_the_project_file_are_named() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    folder.file("tsl-synth.toml", "sepc = \"yes.tsl\"\n");
    let run = folder.run(["check"]).exits(2);
    assert!(run.err.contains("tsl-synth.toml") && run.err.contains("sepc"), "{}", run.err);
    folder.file("tsl-synth.toml", "spec = \"yes.tsl\"\n[options]\ntime-limit = \"soon\"\n");
    let run = folder.run(["check"]).exits(2);
    assert!(run.err.contains("time-limit"), "{}", run.err);
    folder.file("tsl-synth.toml", "spec = \"gone.tsl\"\n");
    folder.run(["check"]).exits(2);
}

#[test]
fn globs_and_the_options_of_check() {
    let folder = Folder::new();
    folder.file("specs/yes.tsl", REALIZABLE);
    folder.file("specs/deep/no.tsl", UNREALIZABLE);
    folder.file(
        "tsl-synth.toml",
        "spec = [\"specs/**/*.tsl\"]\n[options]\neach = true\nformat = \"json\"\njobs = 2\n",
    );
    let run = folder.run(["check"]).exits(1);
    let document = run.json();
    let specs: Vec<_> = document["results"].as_array().expect("results").iter().map(|r| &r["spec"]).collect();
    assert_eq!(specs, ["specs/deep/no.tsl", "specs/yes.tsl"]);
    // The flag takes precedence.
    let run = folder.run(["check", "--format", "text"]).exits(1);
    assert!(run.out.starts_with("UNREALIZABLE\nspec: specs/deep/no.tsl\n"), "{}", run.out);
    let run = folder.run(["emit", "--lang", "js"]).exits(2);
    assert!(run.err.contains("names 2 specifications, each by itself"), "{}", run.err);
    folder.file("tsl-synth.toml", "spec = \"specs/y*.tsl\"\n");
    folder.run(["emit", "--lang", "js"]).exits(0);
    folder.file("tsl-synth.toml", "spec = \"specs/*.ltl\"\n[options]\neach = true\n");
    let run = folder.run(["emit", "--lang", "js"]).exits(2);
    assert!(run.err.contains("in `tsl-synth.toml`: spec: `specs/*.ltl`"), "{}", run.err);
    let run = folder.run(["check"]).exits(2);
    assert!(run.out.starts_with("ERROR\nspec: specs/*.ltl\n"), "{run:?}");
    // The option `deny` may be in the file.
    folder.file("vacuous.tsl", "always assume { go; ! go; }\nalways guarantee { go -> [x <- a()]; }\n");
    folder.file("tsl-synth.toml", "spec = \"vacuous.tsl\"\n");
    folder.run(["check"]).exits(0);
    for deny in ["\"loud\"", "[\"TSL0301\"]", "[\"warnings\", \"TSL0001\"]"] {
        folder.file("tsl-synth.toml", format!("spec = \"vacuous.tsl\"\n[options]\ndeny = {deny}\n"));
        folder.run(["check"]).exits(1);
    }
    folder.run(["check", "--deny=TSL0001"]).exits(0);
}

#[test]
fn errors_name_the_file_and_the_key() {
    let folder = Folder::new();
    folder.file("yes.tsl", REALIZABLE);
    let mistakes = [
        ("spec = 3", "spec: expected a text or a list of texts, not a number"),
        ("spec = [\"yes.tsl\", true]", "spec: expected a text or a list of texts, not true or false"),
        ("spec = []", "spec: the list is empty"),
        ("inputs = 1", "inputs: expected a text"),
        ("sepc = \"yes.tsl\"", "sepc: there is no such key; did you mean `spec`?"),
        ("options = 1", "options: expected a table, not a number"),
        ("[options]\nformat = \"xml\"", "options.format: `xml` is none of text, json, github, sarif, junit"),
        (
            "[options]\nengine = \"fast\"",
            "options.engine: `fast` is none of auto, bounded, symbolic, explicit",
        ),
        ("[options]\neach = 1", "options.each: expected true or false, not a number"),
        (
            "[options]\ndeny = \"all\"",
            "options.deny: expected `critical`, `warnings` or a code such as TSL0123",
        ),
        ("[options]\ndeny = [1]", "options.deny: expected a text or a list of texts, not a number"),
        ("[options]\nthreads = 0", "options.threads: expected a number from 1 to 1024, not 0"),
        ("[options]\nseed = \"x\"", "options.seed: expected a number from 0 to"),
        ("[options]\ntime-limit = 5", "options.time-limit: expected a text, not a number"),
        ("[options]\nmemory-limit = \"much\"", "options.memory-limit: "),
        ("[options]\ncolour = 1", "options.colour: there is no such key, only each, "),
    ];
    for (text, message) in mistakes {
        folder.file("tsl-synth.toml", text);
        let run = folder.run(["check"]).exits(2);
        let expected = format!("error: in `tsl-synth.toml`: {message}");
        assert!(run.err.starts_with(&expected), "{text}: {}", run.err);
    }
    folder.file("tsl-synth.toml", "spec = [");
    let run = folder.run(["check"]).exits(2);
    assert!(run.err.contains("in `tsl-synth.toml`: ") && run.err.contains("line 1"), "{}", run.err);
}
