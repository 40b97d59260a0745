//! Which specification is meant when none is named.

use super::{Folder, REALIZABLE, UNREALIZABLE};

#[test]
fn the_project_file_names_it() {
    let folder = Folder::new();
    folder.file("specs/no.tsl", UNREALIZABLE);
    folder.file("tsl-synth.toml", "spec = \"specs/no.tsl\"\n");
    let run = folder.run(["check"]).exits(1);
    assert!(run.out.contains("in specs/no.tsl\n"), "{}", run.out);
    // Also from below, with paths as seen from there.
    let output = folder.command(["check"]).current_dir(folder.path().join("specs")).output().expect("a run");
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && out.contains("in ../specs/no.tsl\n"), "{out}");
    // A file that is named wins.
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
