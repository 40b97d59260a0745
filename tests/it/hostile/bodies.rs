//! One function per reader: it returns on every input, and its result is whether the input was accepted. The functions
//! depend on nothing but the library, so that a fuzzer can run them, too.

use std::time::Duration;
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::logic::Alphabet;
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_documents::machine::MachineDocument;
use tsl_synth_engine::mealy::mealy_of_circuit;
use tsl_synth_formats::aiger::{read_aiger, write_ascii, write_binary};
use tsl_synth_formats::hoa::{read_automaton, read_hoa};
use tsl_synth_formats::trace::{read_letter, read_trace, read_word};
use tsl_synth_lang::spec::{
    LoadFailure, LoadOptions, MainFile, NoImports, Problem, TlsfOptions, load_ltl, load_tlsf, load_tsl,
    resolve_formula, resolve_ltl,
};
use tsl_synth_lang::syntax::format_tsl;
use tsl_synth_ltl::operators::Dialect;
use tsl_synth_service::trace_terms::{MissingInput, resolve_trace};
use tsl_synth_service::{BENCH_HEADER, BenchRow, bench_summary, read_bench_rows, read_expectations};

/// A reader: its name and what it does with bytes.
pub(crate) type Reader = (&'static str, fn(&[u8]) -> bool);

/// All readers of the library.
pub(crate) const READERS: [Reader; 10] = [
    ("tsl", tsl),
    ("tlsf", tlsf),
    ("ltl", ltl),
    ("question", question),
    ("hoa_machine", hoa_machine),
    ("hoa_automaton", hoa_automaton),
    ("aiger", aiger),
    ("machine_json", machine_json),
    ("trace", trace),
    ("bench_table", bench_table),
];

/// Tables of results and of expectations, and the summary of the results.
fn bench_table(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let _ = read_expectations(&text);
    let rows = read_bench_rows(&text);
    if let Ok(rows) = &rows {
        assert!(!bench_summary(rows, Duration::from_secs(1)).is_empty());
        let written: String = rows.iter().map(BenchRow::csv).collect();
        let again = read_bench_rows(&format!("{BENCH_HEADER}{written}")).expect("what we write is read");
        assert_eq!(again.len(), rows.len());
    }
    rows.is_ok_and(|rows| !rows.is_empty())
}

/// The limit of expansion; the default limits would take too long on many inputs.
const STEPS: usize = 1 << 12;

fn source(data: &[u8]) -> (SourceMap, SourceId) {
    let mut map = SourceMap::new();
    let source = map.add("hostile", String::from_utf8_lossy(data).into_owned());
    (map, source)
}

/// Asserts that the spans of findings lie within the text.
fn checked(map: &SourceMap, found: &Diagnostics) {
    for label in found.iter().flat_map(|finding| &finding.labels) {
        let (text, range) = (&map.get(label.span.source).text, label.span.range());
        assert!(text.get(range.clone()).is_some(), "{range:?} is no place of the text: {}", label.text);
    }
}

/// Whether there is a problem; if not, there is a reason.
fn loaded(map: &SourceMap, result: &Result<(Problem, Diagnostics), LoadFailure>) -> bool {
    match result {
        Ok((_, warnings)) => checked(map, warnings),
        Err(failure) => {
            checked(map, &failure.diagnostics);
            assert!(
                failure.diagnostics.has_errors() || failure.limit.is_some(),
                "neither errors nor a limit"
            );
        }
    }
    result.is_ok()
}

fn tsl(data: &[u8]) -> bool {
    let mut read = false;
    for dialect in [Dialect::TslSynth, Dialect::Tsltools, Dialect::Barnard] {
        let (mut map, source) = source(data);
        let mut found = Diagnostics::new();
        let formatted = format_tsl(&map, source, dialect, &mut found);
        assert!(formatted.is_some() || found.has_errors(), "not formatted, and no error");
        checked(&map, &found);
        let options = LoadOptions {
            dialect,
            strict: data.len().is_multiple_of(7),
            nodes: STEPS,
            ..LoadOptions::default()
        };
        let files = [MainFile { source, canonical: "hostile".into() }];
        let result = load_tsl(&files, &options, &mut map, &NoImports);
        read |= loaded(&map, &result);
    }
    read
}

fn tlsf(data: &[u8]) -> bool {
    let (map, source) = source(data);
    let result =
        |parameters| loaded(&map, &load_tlsf(source, &TlsfOptions { parameters, steps: STEPS }, &map));
    result(Vec::new()) | result(vec![("n".into(), 3)])
}

fn ltl(data: &[u8]) -> bool {
    let (map, source) = source(data);
    let result = |ins: &[String]| loaded(&map, &load_ltl(&[source], ins, &[], &map));
    result(&[]) | result(&["a".into(), "/r.*/".into()])
}

/// Formulas and effects over fixed specifications.
fn question(data: &[u8]) -> bool {
    let (mut map, source) = source(data);
    let span = Span::new(source, 0, map.get(source).text.len());
    let text = "input a; cell x : 0..3; always guarantee { a && p x -> [x <- x + 1]; F [x <- 0]; }";
    let spec = map.add("spec", text);
    let files = [MainFile { source: spec, canonical: "spec".into() }];
    let loaded = load_tsl(&files, &LoadOptions::default(), &mut map, &NoImports);
    let (mut problem, _) = loaded.expect("a specification");
    let formula = resolve_formula(&mut problem, &map, span);
    let spec = map.add("spec", "G (r -> F g)");
    let (mut problem, _) = load_ltl(&[spec], &["r".into()], &[], &map).expect("a specification");
    let other = resolve_ltl(&mut problem, &map, source);
    for found in [&formula, &other].into_iter().filter_map(|result| result.as_ref().err()) {
        checked(&map, found);
    }
    formula.is_ok() || other.is_ok()
}

/// The alphabet of a small adventure: two predicate terms, a comparison, a cell and a Boolean output.
fn adventure() -> Alphabet {
    let mut alphabet = Alphabet::new();
    for input in ["a", "inCave(summary)", "gold > 3"] {
        alphabet.add_input(input);
    }
    alphabet.add_cell("x", ["[x <- x]", "[x <- f(x)]", "[x <- 0]"]);
    alphabet.add_output("o");
    alphabet
}

fn hoa_machine(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let Ok(machine) = read_hoa(&text) else { return false };
    // With many propositions guards can take long to build, which is not tested here.
    if text.len() < 1 << 12 {
        let _ = machine.mealy(&[]);
        let _ = machine.mealy(&["o".into()]);
        let alphabet = adventure();
        let _ = machine.mealy_over(&alphabet);
        if machine.is_counter_over(&alphabet) {
            let _ = machine.counter_over(&alphabet);
        }
    }
    true
}

fn hoa_automaton(data: &[u8]) -> bool {
    let Ok(automaton) = read_automaton(&String::from_utf8_lossy(data)) else { return false };
    let _ = automaton.over(&adventure());
    true
}

fn aiger(data: &[u8]) -> bool {
    let Ok(aiger) = read_aiger(data) else { return false };
    // Control characters in names and comments become blanks.
    let ascii = read_aiger(write_ascii(&aiger).as_bytes()).expect("what was written is read");
    let binary = read_aiger(&write_binary(&aiger)).expect("what was written is read");
    assert_eq!(ascii, binary, "the forms differ");
    assert_eq!(ascii.circuit, aiger.circuit, "the circuit is another one");
    let mut alphabet = Alphabet::new();
    let mut names = std::collections::BTreeSet::new();
    for name in aiger.inputs.iter().flatten().filter(|name| names.insert(*name)) {
        alphabet.add_input(name.clone());
    }
    for name in aiger.outputs.iter().flatten().filter(|name| names.insert(*name)) {
        alphabet.add_output(name.clone());
    }
    if let Ok(strategy) = aiger.strategy(&alphabet) {
        let _ = mealy_of_circuit(&alphabet, &strategy.circuit, 64, &Budget::unlimited().with_work(10_000));
    }
    true
}

fn machine_json(data: &[u8]) -> bool {
    let (map, source) = source(data);
    match MachineDocument::read(&map, source) {
        Ok(document) => document.strategy().is_ok(),
        Err(diagnostic) => {
            let mut found = Diagnostics::new();
            found.push(diagnostic);
            checked(&map, &found);
            false
        }
    }
}

/// Trace JSON, ITF, JSON lines, words and letters.
fn trace(data: &[u8]) -> bool {
    let (map, source) = source(data);
    let text = &map.get(source).text;
    let alphabet = adventure();
    let read = read_trace(&map, source);
    match &read {
        Ok(trace) => {
            for openness in [MissingInput::Error, MissingInput::False, MissingInput::Open] {
                if let Err(found) = resolve_trace(&alphabet, trace, openness) {
                    checked(&map, &found);
                }
            }
        }
        Err(found) => checked(&map, found),
    }
    let at = Span::new(source, 0, text.len());
    for other in [read_word(text, at).map(drop), read_letter(text, at).map(drop)] {
        if let Err(diagnostic) = other {
            let mut found = Diagnostics::new();
            found.push(diagnostic);
            checked(&map, &found);
        }
    }
    read.is_ok()
}
