//! `verify`: machines of every format against specifications.

use super::Folder;
use crate::campaign::{controller_is_right, counter_is_right, first_seed, setting};
use crate::gallery::{gallery, problem};
use crate::oracle::instance::Instance;
use crate::oracle::machines::{mutate_counter, mutate_mealy};
use crate::spec::tlsf;
use std::path::Path;
use tsl_synth_core::base::Budget;
use tsl_synth_core::model::{Silent, StrategyRepr, Verdict};
use tsl_synth_emit::{EmitInput, EmitOptions, Lang, Meta, Strategy, emit};
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_formats::aiger::{read_aiger, write_binary};
use tsl_synth_kernel::{StrategyClaim, StrategyRef, certify};
use tsl_synth_lang::spec::{Problem, Target};
use tsl_synth_testkit::Rng;

const FORMATS: [(Lang, &str); 3] = [(Lang::Hoa, "m.hoa"), (Lang::Json, "m.json"), (Lang::Aiger, "m.aag")];

pub(crate) fn emitted(problem: &Problem, strategy: Strategy<'_>, lang: Lang) -> String {
    let meta = Meta {
        tool_version: "0".into(),
        spec_name: "a specification".into(),
        spec_sha256: String::new(),
        certified_by: None,
        origin: "a test".into(),
        clauses: Vec::new(),
        asked: Vec::new(),
    };
    let input = EmitInput { problem, strategy, assumptions: &[], meta: &meta };
    emit(&input, &EmitOptions::new(lang)).expect("a table").remove(0).text().expect("text").to_owned()
}

/// Writes the machine and verifies it.
fn verified(folder: &Folder, spec: &Path, text: &str, file: &str, more: &[&str]) -> super::Run {
    let machine = if file == "m.aag" && more.is_empty() {
        // Without more options circuits are verified in the binary form.
        let binary = write_binary(&read_aiger(text.as_bytes()).expect("AIGER"));
        folder.file("m.aig", binary)
    } else {
        folder.file(file, text)
    };
    let mut args = vec!["verify".as_ref(), spec.as_os_str(), machine.as_os_str()];
    args.extend(more.iter().map(std::ffi::OsStr::new));
    folder.run(args)
}

/// Verifies the machine of every `step`-th specification of the gallery in every format, and mutants of it in HOA.
fn round_trips(step: usize, mutants: usize) {
    let folder = Folder::new();
    let mut rng = Rng(3);
    let (mut machines, mut rejected, mut accepted) = (0, 0, 0);
    for (number, spec) in gallery().into_iter().enumerate().filter(|(i, _)| i % step == 0) {
        let mut problem = problem(&spec);
        if !problem.signature.registers.is_empty() {
            // No format of machines has registers, see `past/machines.rs`.
            continue;
        }
        let outcome =
            synthesize(&mut problem, &SolverOptions::default(), &Silent).expect("a certified answer");
        let strategy = match &outcome.verdict {
            Verdict::Realizable(StrategyRepr::Explicit(machine)) => Strategy::Controller(machine),
            Verdict::Unrealizable(StrategyRepr::Explicit(machine), _) => Strategy::Counter(machine),
            other => panic!("{}: {other:?}", spec.display()),
        };
        for (i, (lang, file)) in FORMATS.into_iter().enumerate() {
            let text = emitted(&problem, strategy, lang);
            let more: &[&str] = if (i + number) % 3 == 0 { &["--engine", "symbolic"] } else { &[] };
            let run = verified(&folder, &spec, &text, file, more);
            assert!(run.out.starts_with("HOLDS\n"), "{}: {file}: {run:#?}", spec.display());
            machines += 1;
            let run = run.exits(0);
            assert!(run.out.contains("certified by"), "{}", run.out);
        }
        let mut contract = problem.contract();
        contract.facts.extend(outcome.constraints.iter().map(|clause| clause.formula));
        for _ in 0..mutants {
            let budget = Budget::unlimited();
            let (formulas, alphabet) = (&problem.formulas, &problem.alphabet);
            let (text, right) = match &outcome.verdict {
                Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
                    let Some(mutant) = mutate_mealy(&mut rng, alphabet, machine) else { continue };
                    let right = certify(
                        &StrategyClaim {
                            formulas,
                            alphabet,
                            contract: &contract,
                            strategy: StrategyRef::Mealy(&mutant),
                        },
                        &budget,
                    )
                    .is_ok();
                    (emitted(&problem, Strategy::Controller(&mutant), Lang::Hoa), right)
                }
                Verdict::Unrealizable(StrategyRepr::Explicit(machine), _) => {
                    let Some(mutant) = mutate_counter(&mut rng, alphabet, machine) else { continue };
                    let right = certify(
                        &StrategyClaim {
                            formulas,
                            alphabet,
                            contract: &problem.contract(),
                            strategy: StrategyRef::Counter(&mutant),
                        },
                        &budget,
                    );
                    (emitted(&problem, Strategy::Counter(&mutant), Lang::Hoa), right.is_ok())
                }
                _ => continue,
            };
            let run = verified(&folder, &spec, &text, "m.hoa", &[]);
            let holds = run.out.starts_with("HOLDS\n");
            // Whether numbers allow a play of a mutant is not always known.
            if run.code == 3 && !tsl_synth_lang::spec::compared_numbers(&problem.signature).is_empty() {
                continue;
            }
            // The certificate of the mutant may need other facts than that of the original machine.
            assert!(holds == right || !outcome.constraints.is_empty(), "{}: {run:#?}", spec.display());
            assert_eq!(run.code, i32::from(!holds), "{run:#?}");
            if holds { accepted += 1 } else { rejected += 1 }
        }
    }
    println!(
        "verify: {machines} machines accepted; mutants: {rejected} rejected, {accepted} accepted, as certified"
    );
    assert!(rejected > 0);
}

#[test]
fn machines_of_the_gallery_are_verified() {
    round_trips(14, 2);
}

#[test]
#[ignore = "a campaign"]
fn campaign_verify() {
    round_trips(1, 20);
}

/// Mutants of machines of specifications that are small enough for enumeration: `verify` agrees with it.
fn broken(count: usize) {
    let folder = Folder::new();
    let mut rng = Rng(first_seed());
    let mut subjects = Vec::new();
    for spec in gallery() {
        let mut problem = problem(&spec);
        // Before the synthesis, which takes long for large ones.
        if problem.alphabet.bit_count() > 6 {
            continue;
        }
        let outcome =
            synthesize(&mut problem, &SolverOptions::default(), &Silent).expect("a certified answer");
        let mut instance = Instance::of(&problem, &[]);
        if problem.target != Target::Mealy
            || !problem.signature.registers.is_empty()
            || !outcome.constraints.is_empty()
            || instance.alphabet.bit_count() > 6
        {
            continue;
        }
        let right = match &outcome.verdict {
            Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
                controller_is_right(&mut instance, machine)
            }
            Verdict::Unrealizable(StrategyRepr::Explicit(machine), _) => {
                counter_is_right(&mut instance, machine)
            }
            other => panic!("{}: {other:?}", spec.display()),
        };
        assert_ne!(right, Some(false), "{}", spec.display());
        if right.is_some() {
            subjects.push((spec, problem, outcome.verdict));
        }
    }
    assert!(subjects.len() > 10, "{} small specifications", subjects.len());
    let (mut made, mut accepted) = (0, 0);
    while made < count {
        let (spec, problem, verdict) = &subjects[rng.below(subjects.len())];
        let mut instance = Instance::of(problem, &[]);
        let (lang, file) = FORMATS[rng.below(FORMATS.len())];
        let (text, right) = match verdict {
            Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
                let Some(mutant) = mutate_mealy(&mut rng, &problem.alphabet, machine) else { continue };
                let right = controller_is_right(&mut instance, &mutant);
                (emitted(problem, Strategy::Controller(&mutant), lang), right)
            }
            Verdict::Unrealizable(StrategyRepr::Explicit(machine), _) => {
                let Some(mutant) = mutate_counter(&mut rng, &problem.alphabet, machine) else { continue };
                let right = counter_is_right(&mut instance, &mutant);
                (emitted(problem, Strategy::Counter(&mutant), lang), right)
            }
            _ => continue,
        };
        let Some(right) = right else { continue };
        let run = verified(&folder, spec, &text, file, &[]);
        made += 1;
        assert_eq!(run.out.starts_with("HOLDS\n"), right, "{}: {run:#?}\n{text}", spec.display());
        assert_eq!(run.code, i32::from(!right), "{run:#?}");
        accepted += usize::from(right);
    }
    println!(
        "verify: {made} mutants of {} machines, {} rejected and wrong, {accepted} accepted and right by enumeration",
        subjects.len(),
        made - accepted
    );
    assert!(accepted > 0 && accepted < made / 2, "{accepted} of {made} accepted");
}

#[test]
fn broken_machines_are_told_from_right_ones() {
    broken(tsl_synth_testkit::quota(25));
}

#[test]
#[ignore = "a campaign"]
fn campaign_broken_machines() {
    broken(setting("TSL_SYNTH_BROKEN", 1000) as usize);
}

/// Every machine that either engine finds for a public benchmark within the time limit, in every format.
#[test]
#[ignore = "a campaign"]
fn campaign_verify_corpus() {
    let Some(bench) = tlsf::bench() else { return };
    let limit = format!("{}s", std::env::var("TSL_SYNTH_SECONDS").unwrap_or_else(|_| "2".into()));
    let folder = Folder::new();
    let (mut files, mut made, mut held, mut open, mut wrong) = (0, 0, 0, Vec::new(), Vec::new());
    for spec in tlsf::part_of(&bench) {
        files += 1;
        let spec = spec.display().to_string();
        for engine in ["bounded", "symbolic"] {
            for (lang, file) in FORMATS {
                let common = ["--lang", lang.name(), "--engine", engine, "--time-limit", &limit, "-o", file];
                let emit = |more: &[&str]| folder.run([&["emit", &spec], &common[..], more].concat());
                let mut run = emit(&[]);
                if run.code == 1 {
                    run = emit(&["--counter"]);
                }
                match run.code {
                    0 => made += 1,
                    3 => break,
                    _ => {
                        wrong.push(format!("{spec}: {engine}: no {file}: {}", run.err));
                        break;
                    }
                }
                let run = folder.run(["verify", &spec, file, "--time-limit", "60s"]);
                match run.code {
                    0 => held += 1,
                    3 => open.push(format!("{spec}: {engine}: {file}: {}", run.out)),
                    _ => wrong.push(format!("{spec}: {engine}: {file}: {}{}", run.out, run.err)),
                }
            }
        }
    }
    println!("{files} files, {made} machines within {limit}, {held} accepted, {} undecided", open.len());
    println!("{}", open.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(made > files, "too few machines");
}

const SPEC: &str = "// inputs: r\n// outputs: g, h\nG(r -> F g)\nG !(g & h)\nG F h\n";

#[test]
fn a_violation_is_a_short_play_that_names_its_clause() {
    let folder = Folder::new();
    folder.file("s.ltl", SPEC);
    let never = "aag 1 1 0 2 0\n2\n0\n1\ni0 r\no0 g\no1 h\n";
    folder.file("never.aag", never);
    for more in [vec![], vec!["--engine", "symbolic"]] {
        let args = [vec!["verify", "s.ltl", "never.aag"], more.clone()].concat();
        let run = folder.run(&args).exits(1);
        assert!(
            run.out.starts_with("VIOLATED\nThe guarantee `G(r -> F g)` fails on this play:\n  s.ltl:3:1"),
            "{}",
            run.out
        );
        assert!(run.out.contains("repeat"), "{}", run.out);
        let run = folder.run([args, vec!["--format", "json"]].concat()).exits(1).json();
        assert_eq!((&run["verdict"], &run["clause"]["role"]), (&"VIOLATED".into(), &"guarantee".into()));
        assert_eq!(run["trace"]["loop"][0]["g"], false);
        assert_eq!((&run["latches"], &run["gates"]), (&0.into(), &0.into()));
    }
    // With `r` both outputs are true in step 0.
    folder.file("both.aag", "aag 1 1 0 2 0\n2\n2\n1\ni0 r\no0 g\no1 h\n");
    let run = folder.run(["verify", "s.ltl", "both.aag"]).exits(1);
    assert!(run.out.contains("G !(g & h)") && run.out.contains("  0     r  "), "{}", run.out);
}

#[test]
fn machines_that_are_no_strategies_are_named_so() {
    let folder = Folder::new();
    folder.file("s.ltl", SPEC);
    let hoa = |edges: &str| {
        format!(
            "HOA: v1\nStates: 1\nStart: 0\nAP: 3 \"r\" \"g\" \"h\"\ncontrollable-AP: 1 2\nacc-name: all\nAcceptance: 0 t\n--BODY--\nState: 0\n{edges}--END--\n"
        )
    };
    for (edges, part) in [
        ("[0&1&!2] 0\n", "does not read every input letter"),
        ("[1&!2] 0\n[0&!1&2] 0\n[0&1&2] 0\n", "two edges for one input letter"),
    ] {
        folder.file("m.hoa", hoa(edges));
        let run = folder.run(["verify", "s.ltl", "m.hoa"]).exits(1);
        assert!(
            run.out.starts_with("VIOLATED\nThis is no strategy: ") && run.out.contains(part),
            "{}",
            run.out
        );
    }
    // A file that is not a machine over the atoms of the specification is an input error.
    for (name, text, part) in [
        ("m.hoa", hoa("[0] 0\n").replace("\"h\"", "\"z\""), "\"z\""),
        ("m.hoa", "HOA: v2\n".into(), "HOA"),
        ("m.json", "{}".into(), "machine JSON"),
        ("m.aag", "aag 1".into(), "counts"),
    ] {
        folder.file(name, text);
        let run = folder.run(["verify", "s.ltl", name]).exits(2);
        assert!(run.err.contains(part) && run.out.is_empty(), "{run:#?}");
    }
    folder.run(["verify", "s.ltl", "absent.hoa"]).exits(2);
    folder.run(["verify", "s.ltl"]).exits(2);
}

#[test]
fn one_update_per_cell_is_checked() {
    let folder = Folder::new();
    folder.file("s.tsl", "always guarantee { go -> [x <- a()]; ! go -> [x <- b()]; }\n");
    // The circuit updates `x` if `go` holds, and gives no update of `x` otherwise.
    let text = "aag 1 1 0 3 0\n2\n2\n0\n0\ni0 go\no0 [x <- a()]\no1 [x <- b()]\no2 [x <- x]\n";
    folder.file("m.aag", text);
    let run = folder.run(["verify", "s.tsl", "m.aag"]).exits(1);
    assert!(run.out.contains("`x` does not get exactly one update"), "{}", run.out);
    folder.file("m.aag", text.replace("2\n2\n0\n0\n", "2\n2\n3\n0\n"));
    folder.run(["verify", "s.tsl", "m.aag"]).exits(0);
}

/// A machine in HOA with one state, these signals, of which those from the second on are its own, and one label for each
/// value of the first.
fn one_state(names: &[&str], labels: [&str; 2]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let own: Vec<String> = (1..names.len()).map(|i| i.to_string()).collect();
    format!(
        "HOA: v1\nStates: 1\nStart: 0\nAP: {} {}\ncontrollable-AP: {}\nacc-name: all\nAcceptance: 0 t\n--BODY--\nState: 0\n[{}] 0\n[{}] 0\n--END--\n",
        names.len(),
        quoted.join(" "),
        own.join(" "),
        labels[0],
        labels[1]
    )
}

#[test]
fn an_update_that_leaves_the_range_is_said_to_be_not_available() {
    let folder = Folder::new();
    for last in [1, 2, 5, 20, 100] {
        folder.file(
            "count.tsl",
            format!("input up: Bool;\ncell n: 0..{last} = 0;\nalways guarantee {{ up && n < {last} -> [n <- n + 1]; }}\n"),
        );
        folder.file("up.hoa", one_state(&["up", "[n <- n + 1]", "[n <- n]"], ["0&1&!2", "!0&!1&2"]));
        let run = folder.run(["verify", "count.tsl", "up.hoa"]).exits(1);
        let said = format!(
            "`[n <- n + 1]` is not available in step {last} of this play, because `n` is already {last}, its maximum:"
        );
        let text = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&said) && !text.contains("restriction"), "{run:?}");
        let json = folder.run(["verify", "count.tsl", "up.hoa", "--format", "json"]).exits(1).json();
        assert_eq!(json["reason"], said);
    }
}

/// A Boolean output is one signal in one machine and two updates in another.
#[test]
fn updates_of_a_boolean_output_are_its_values() {
    let folder = Folder::new();
    folder.file("s.tsl", "input r: Bool;\noutput g, h: Bool;\nalways guarantee { g <-> r; h -> O r; }\n");
    folder.file("s.ltl", "// inputs: r\n// outputs: g, h\nG (g <-> r) & G (h -> O r)\n");
    let plain = |h: &str| one_state(&["r", "g", "h"], [&format!("0&1&{h}2"), &format!("!0&!1&{h}2")]);
    let switches = |h: &str| {
        let names = ["r", "[g <- false]", "[g <- true]", "[h <- false]", "[h <- true]"];
        let [no, yes] = if h.is_empty() { ["!", ""] } else { ["", "!"] };
        one_state(&names, [&format!("0&!1&2&{no}3&{yes}4"), &format!("!0&1&!2&{no}3&{yes}4")])
    };
    folder.file("plain.hoa", plain("!"));
    folder.file("switches.hoa", switches("!"));
    folder.file("plain_bad.hoa", plain(""));
    folder.file("switches_bad.hoa", switches(""));
    for spec in ["s.tsl", "s.ltl"] {
        for machine in ["plain", "switches"] {
            folder.run(["verify", spec, &format!("{machine}.hoa")]).exits(0);
            let run = folder.run(["verify", spec, &format!("{machine}_bad.hoa")]).exits(1);
            assert!(run.out.contains("h -> O r"), "{run:?}");
        }
    }
    for (one, other, code) in [
        ("plain.hoa", "switches.hoa", 0),
        ("switches.hoa", "plain.hoa", 0),
        ("plain_bad.hoa", "switches_bad.hoa", 0),
        ("plain.hoa", "switches_bad.hoa", 1),
        ("switches.hoa", "plain_bad.hoa", 1),
    ] {
        let run = folder.run(["diff", one, other]).exits(code);
        assert!(code == 0 || run.out.contains("[h <- "), "{run:?}");
    }
}

/// Machines may make assumptions over outputs of earlier steps false in all languages: a note, with registers for the past.
#[test]
fn machines_that_make_assumptions_about_the_past_false_hold() {
    let folder = Folder::new();
    for past in ["Y o", "Y Y o", "O o", "Y (O o)", "Y ((!i) S o)"] {
        let specs = [
            (
                "p.ltl",
                format!("// inputs: i\n// outputs: o\nassume {{ G !({past}) }}\nguarantee {{ G !i }}\n"),
            ),
            (
                "p.tlsf",
                format!(
                    "INFO {{ TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }}\nMAIN {{ INPUTS {{ i; }} \
                     OUTPUTS {{ o; }} ASSUME {{ G !({past}); }} GUARANTEE {{ G !i; }} }}\n"
                ),
            ),
            (
                "p.tsl",
                format!(
                    "input i: Bool;\noutput o: Bool;\nassume {{ G !({past}); }}\nguarantee {{ G !i; }}\n"
                ),
            ),
        ];
        for (spec, text) in specs {
            folder.file(spec, text);
            for (lang, machine) in [("hoa", "m.hoa"), ("json", "m.json"), ("aiger", "m.aag")] {
                folder.run(["emit", spec, "--lang", lang, "-o", machine]).exits(0);
                for more in [&[][..], &["--engine", "symbolic"]] {
                    let run = folder.run([&["verify", spec, machine], more].concat()).exits(0);
                    assert!(run.out.starts_with("HOLDS"), "{past}, {spec}, {lang}: {}", run.out);
                    assert!(
                        run.err.contains("TSL0311") || run.out.contains("TSL0311"),
                        "{past}: {}",
                        run.err
                    );
                }
            }
        }
    }
}
