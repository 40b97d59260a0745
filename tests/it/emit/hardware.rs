//! Emitted Verilog, simulated with Icarus Verilog and compared with the machine. (XState: `.ci/xstate`.)

use super::examples;
use super::run::emitted;
use std::process::Command;
use tsl_synth_core::logic::{Letter, Player};
use tsl_synth_core::model::Role;
use tsl_synth_emit::{EmitOptions, Lang, emit};
use tsl_synth_testkit::{Rng, quota, skip};

const STEPS: usize = 2000;

fn ports<'t>(text: &'t str, kind: &str) -> Vec<&'t str> {
    let ports = text.lines().filter_map(|line| line.trim().strip_prefix(kind));
    ports.map(|port| port.trim_end_matches(',').rsplit(' ').next().expect("a name")).collect()
}

#[test]
fn names_are_identifiers_and_the_text_is_ascii_outside_of_comments() {
    for example in examples::all() {
        for lang in [Lang::Verilog, Lang::Xstate] {
            let files = emit(&example.input(), &EmitOptions::new(lang)).expect("a file");
            let text = files[0].text().expect("text");
            for line in text.lines() {
                let code = line.split("//").next().unwrap_or_default();
                assert!(code.is_ascii(), "{}: {line}", example.name);
            }
            if lang == Lang::Verilog {
                let alphabet = &example.problem.alphabet;
                let inputs = ports(text, "input wire");
                assert_eq!(inputs.len(), 2 + alphabet.inputs().count(), "{}", example.name);
                let outputs = ports(text, "output reg");
                assert_eq!(outputs.len(), alphabet.outputs().count() + alphabet.cells().len());
                let fine = |name: &&str| {
                    name.starts_with(|c: char| c.is_ascii_alphabetic())
                        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                };
                assert!(inputs.iter().chain(&outputs).all(fine), "{inputs:?} {outputs:?}");
            }
        }
    }
}

/// Every second example as a circuit, the others state by state; all both ways in `campaigns suite`.
fn ways() -> impl Iterator<Item = (&'static examples::Example, bool)> {
    let whole = quota(1) > 1;
    examples::all().iter().enumerate().flat_map(move |(number, example)| {
        let taken = move |way: &bool| whole || *way == (number % 2 == 1);
        [false, true].into_iter().filter(taken).map(move |way| (example, way))
    })
}

#[test]
fn verilog_does_what_the_machine_does() {
    let there = Command::new("iverilog").arg("-V").output().is_ok_and(|output| output.status.success());
    if !there {
        return skip("Icarus Verilog is not installed: emitted Verilog is not run");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut rng = Rng(31);
    let mut compared = 0;
    for (example, as_circuit) in ways() {
        let files = emitted(example, &EmitOptions::new(Lang::Verilog), as_circuit);
        let text = files[0].text().expect("text");
        let (inputs, outputs) = (ports(text, "input wire"), ports(text, "output reg"));
        let module = text.lines().find_map(|line| line.strip_prefix("module ")).expect("a module");
        let module = module.trim_end_matches(" (");
        let alphabet = &example.problem.alphabet;
        let atoms: Vec<_> = alphabet.inputs().collect();
        let letters: Vec<Letter> = (0..STEPS)
            .map(|_| {
                let mut letter = Letter::new();
                atoms.iter().filter(|_| rng.flip()).for_each(|&atom| alphabet.choose(atom, &mut letter));
                letter
            })
            .collect();
        let word: String = letters
            .iter()
            .map(|letter| {
                let bits =
                    atoms.iter().rev().map(|&atom| if alphabet.holds(atom, letter) { '1' } else { '0' });
                bits.chain(['0', '\n']).collect::<String>()
            })
            .collect();
        std::fs::write(folder.path().join("word.txt"), word).expect("a file");
        let width = atoms.len() + 1;
        let connected: Vec<String> = inputs[2..]
            .iter()
            .enumerate()
            .map(|(i, name)| format!(".{name}(letter[{}])", i + 1))
            .chain(outputs.iter().enumerate().map(|(i, name)| format!(".{name}(out{i})")))
            .collect();
        let ranges = text.lines().filter_map(|line| line.trim().strip_prefix("output reg "));
        let ranges =
            ranges.map(|port| port.split_once(']').map_or(String::new(), |(range, _)| format!("{range}]")));
        let wires: Vec<String> =
            ranges.enumerate().map(|(i, range)| format!("wire {range} out{i};\n")).collect();
        let wires = wires.concat();
        let shown: Vec<String> = (0..outputs.len()).map(|i| format!("out{i}")).collect();
        let format = vec!["%0d"; outputs.len()].join(" ");
        let comma = |list: &[String]| list.iter().fold(String::new(), |text, part| text + ", " + part);
        let bench = format!(
            "module bench;\nreg clk = 0, reset = 1;\nreg [{}:0] word [0:{}];\nreg [{}:0] letter = 0;\n{wires}\
             {module} dut(.clk(clk), .reset(reset){});\ninteger i;\ninitial begin\n\
             $readmemb(\"word.txt\", word);\n#1 clk = 1; #1 clk = 0; reset = 0;\n\
             for (i = 0; i < {STEPS}; i = i + 1) begin\nletter = word[i]; #1 $display(\"{format}\"{}); clk = 1; #1 clk = 0;\nend\n\
             $finish;\nend\nendmodule\n",
            width - 1,
            STEPS - 1,
            width - 1,
            comma(&connected),
            comma(&shown),
        );
        std::fs::write(folder.path().join("dut.v"), text).expect("a file");
        std::fs::write(folder.path().join("bench.v"), bench).expect("a file");
        let compiled = Command::new("iverilog")
            .args(["-g2005", "-Wall", "-o", "sim", "bench.v", "dut.v"])
            .current_dir(folder.path())
            .output()
            .expect("iverilog runs");
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{}: {said}\n{text}", example.name);
        // On letters that violate a fact the circuit may have any output, so examples with facts are only compiled.
        if example.problem.clauses.iter().any(|clause| clause.role == Role::Fact) {
            continue;
        }
        let ran =
            Command::new("vvp").args(["-N", "sim"]).current_dir(folder.path()).output().expect("vvp runs");
        let out = String::from_utf8_lossy(&ran.stdout).into_owned();
        let mut rows = out.lines().filter(|line| !line.contains("$finish") && !line.contains("WARNING"));
        let mut state = example.mealy.initial;
        for (step, letter) in letters.iter().enumerate() {
            let own: Letter = letter.iter().filter(|&b| alphabet.owner(b) == Player::Environment).collect();
            let edge = example.mealy.edge(state, &own).expect("complete");
            let mut expected: Vec<String> = alphabet
                .outputs()
                .map(|atom| u8::from(alphabet.holds(atom, &edge.output)).to_string())
                .collect();
            for (id, cell) in alphabet.cells().enumerate() {
                let chosen = alphabet.chosen(&edge.output, id);
                let number = cell.options.iter().position(|&option| option == chosen).expect("an option");
                expected.push(number.to_string());
            }
            let got = rows.next().unwrap_or_default();
            let got: Vec<String> = got.split(' ').map(str::to_owned).collect();
            if !expected.is_empty() {
                assert_eq!(got, expected, "{}: step {step}\n{text}", example.name);
            }
            state = edge.next;
        }
        compared += 1;
    }
    assert!(compared > 5, "{compared}");
}
