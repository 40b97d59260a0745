//! `convert` as a user calls it, and round trips over the gallery.

use super::Folder;
use crate::gallery;
use serde_json::Value;

/// The verdict without refinement, which depends on the formulas alone.
fn verdict(folder: &Folder, file: &str) -> String {
    let args = ["check", "--verdict-only", "--format", "json", "--refinements", "0", "--time-limit", "60s"];
    let run = folder.run(args.iter().chain([&file]));
    let json: Value = serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{file}: {e}: {run:?}"));
    json["results"][0]["verdict"].as_str().unwrap_or_default().to_owned()
}

/// Every specification of the gallery in every language to which it can be converted.
#[test]
fn converted_specifications_of_the_gallery_have_the_same_verdict() {
    let folder = Folder::new();
    let (mut converted, mut realizable) = (0, 0);
    for (i, spec) in gallery::every(12, 0).iter().enumerate() {
        let name = spec.display().to_string();
        let ending = spec.extension().and_then(|e| e.to_str()).expect("an ending");
        let expected = verdict(&folder, &name);
        realizable += usize::from(expected == "REALIZABLE");
        for to in ["ltl", "tlsf", "tsl"] {
            let file = format!("s{i}.{to}");
            let run = folder.run(["convert", &name, "-o", &file]);
            if (ending, to) == ("tsl", "tsl") {
                assert!(run.code == 2 && run.err.contains("TSL0341"), "{run:?}");
                continue;
            }
            assert_eq!(run.code, 0, "{name}: {run:?}");
            assert_eq!(verdict(&folder, &file), expected, "{name} as {to}");
            converted += 1;
            if to != "tsl" {
                // Another conversion of the result gives an equivalent specification.
                let again = format!("again{i}.ltl");
                folder.run(["convert", &file, "-o", &again]).exits(0);
                let run = folder.run(["diff", &file, &again, "--time-limit", "60s"]);
                assert!(matches!(run.code, 0 | 3), "{name} as {to}: {run:?}");
            }
        }
        let smv = folder.run(["convert", &name, "--to", "smv"]).exits(0);
        assert!(smv.out.contains("MODULE main\n") && smv.out.contains("LTLSPEC\n"), "{smv:?}");
    }
    println!("{converted} conversions");
    assert!(realizable > 0 && converted > 2 * realizable, "{converted} {realizable}");
}

#[test]
fn converted_machines_are_the_same_and_keep_their_specification() {
    let folder = Folder::new();
    let mut machines = 0;
    for spec in gallery::every(28, 3) {
        let name = spec.display().to_string();
        let mut counter = false;
        for from in ["hoa", "json", "aag"] {
            let source = format!("m.{from}");
            let lang = if from == "aag" { "aiger" } else { from };
            let args = ["emit", &name, "--lang", lang, "-o", &source, "--time-limit", "60s"];
            let run = folder.run(args);
            if run.code == 1 {
                counter = true;
                break;
            }
            assert_eq!(run.code, 0, "{run:?}");
            for to in ["hoa", "json", "aag", "aig"] {
                let target = format!("c.{to}");
                folder.run(["convert", &source, "-o", &target]).exits(0);
                let run = folder.run(["diff", &source, &target]);
                assert_eq!(run.code, 0, "{name}: {from} to {to}: {run:?}");
                let run = folder.run(["verify", &name, &target]);
                assert_eq!(run.code, 0, "{name}: {from} to {to}: {run:?}");
                machines += 1;
            }
        }
        if counter {
            folder.run(["emit", &name, "--counter", "--lang", "json", "-o", "m.json"]).exits(0);
            for to in ["json", "hoa", "aag"] {
                let target = format!("c.{to}");
                folder.run(["convert", "m.json", "-o", &target]).exits(0);
                folder.run(["verify", &name, &target]).exits(0);
                machines += 1;
            }
            folder.run(["diff", "m.json", "c.json"]).exits(0);
        }
    }
    assert!(machines > 5, "{machines}");
}

#[test]
fn what_is_lost_and_what_cannot_be_said() {
    let folder = Folder::new();
    folder.file("s.tsl", super::REALIZABLE);
    folder.file("s.smv", "MODULE main\n");
    folder.run(["emit", "s.tsl", "--lang", "hoa", "-o", "m.hoa"]).exits(0);
    for (args, code) in [
        (["s.tsl", "hoa"], "tsl-synth emit"),
        (["m.hoa", "ltl"], "is a machine"),
        (["s.tsl", "tsl"], "tsl-synth fmt"),
        (["s.smv", "ltl"], "SMV is written and not read"),
    ] {
        let run = folder.run(["convert", args[0], "--to", args[1]]).exits(2);
        assert!(run.err.contains("TSL0341") && run.err.contains(code), "{run:?}");
    }
    folder.run(["convert", "s.tsl"]).exits(2);
    folder.run(["convert"]).exits(2);
    let run = folder.run(["convert", "s.tsl", "--to", "tlsf"]).exits(0);
    assert!(run.err.contains("note[TSL0342]: lost: the terms of predicates and updates"), "{run:?}");
    assert!(run.out.contains("// x_gets_a is [x <- a()]\n"), "{run:?}");
    let quiet = folder.run(["convert", "s.tsl", "--to", "tlsf", "-q"]).exits(0);
    assert_eq!((quiet.err.as_str(), quiet.out), ("", run.out));
    // From standard input.
    let piped =
        folder.run_with(["convert", "-", "--from", "ltl", "--ins", "r", "--to", "tlsf"], "G (r -> F g)");
    assert!(piped.code == 0 && piped.out.contains("G (r -> F g);"), "{piped:?}");
}

#[test]
fn hostile_names_become_names() {
    let folder = Folder::new();
    let names = [
        "MODULE",
        "G",
        "a b",
        "\\\\",
        "x;y",
        "é",
        "// comment",
        "next",
        "state",
        "}",
        "always",
        "[x <- true]",
    ];
    let list: Vec<String> = names.iter().map(|name| format!("F \"{name}\"")).collect();
    let formula = list.join(" & ");
    for to in ["ltl", "tlsf", "tsl", "smv"] {
        let file = format!("s.{to}");
        folder.run(["convert", "--formula", &formula, "--outs", "/.*/", "-o", &file]).exits(0);
        if to != "smv" {
            let run = folder.run(["check", &file, "--verdict-only"]);
            assert!(run.code == 0 && run.out.starts_with("REALIZABLE"), "{to}: {run:?}");
        }
    }
}
