//! Diagrams, HOA, JSON and templates of the user.

use super::examples::{self, Example};
use serde_json::Value;
use std::collections::BTreeMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{Alphabet, AtomId, BitId, Letter, Player};
use tsl_synth_core::model::{CounterEdge, CounterState, CounterStrategy, Mealy};
use tsl_synth_emit::{
    AigerForm, EmitError, EmitInput, EmitOptions, EmittedFile, Lang, OnBroken, Strategy, UserTemplate, emit,
};
use tsl_synth_formats::aiger::{read_aiger, write_binary};
use tsl_synth_formats::hoa::read_hoa;

fn one(example: &Example, lang: Lang) -> String {
    let files = emit(&example.input(), &EmitOptions::new(lang)).expect("an emitted file");
    files.into_iter().find(|f| f.main).expect("a main file").text().expect("text").to_owned()
}

/// All letters of a player, at most 2^12.
fn letters(alphabet: &Alphabet, player: Player) -> Vec<Letter> {
    let bits: Vec<BitId> = alphabet.bits_of(player).collect();
    let letter = |code: usize| {
        bits.iter().enumerate().filter(|(i, _)| code >> i & 1 == 1).map(|(_, &bit)| bit).collect()
    };
    (0..1usize << bits.len().min(12)).map(letter).collect()
}

fn assert_same(alphabet: &Alphabet, a: &Mealy, b: &Mealy) {
    assert_eq!((a.states.len(), a.initial), (b.states.len(), b.initial));
    for state in a.states.ids() {
        for letter in letters(alphabet, Player::Environment) {
            let (x, y) = (a.edge(state, &letter).unwrap(), b.edge(state, &letter).unwrap());
            assert_eq!(x.next, y.next);
            assert_eq!(alphabet.canonical(&x.output), alphabet.canonical(&y.output));
        }
    }
}

#[test]
fn hoa_round_trip() {
    for example in examples::all() {
        let text = one(example, Lang::Hoa);
        let read = read_hoa(&text).unwrap_or_else(|e| panic!("{}: {e}\n{text}", example.name));
        let alphabet = &example.problem.alphabet;
        if example.name.starts_with("hostile") {
            // Control characters in names are changed in HOA, so only the number of atoms is compared.
            assert_eq!(read.propositions.len(), alphabet.atoms().len());
            continue;
        }
        assert_same(alphabet, &example.mealy, &read.mealy_over(alphabet).expect("a machine"));
    }
}

/// The value of a formula of machine JSON: `!`, `&`, `|`, `0`, `1`, without parentheses.
fn holds(formula: &str, values: &dyn Fn(&str) -> bool) -> bool {
    formula.split(" | ").any(|product| {
        product.split(" & ").all(|literal| match literal.strip_prefix('!') {
            _ if literal == "1" => true,
            _ if literal == "0" => false,
            Some(id) => !values(id),
            None => values(literal),
        })
    })
}

#[test]
fn machine_json_is_disjoint_complete_and_the_machine() {
    for example in examples::all() {
        let document: Value = serde_json::from_str(&one(example, Lang::Json)).expect("JSON");
        let alphabet = &example.problem.alphabet;
        let inputs: Vec<AtomId> = alphabet.inputs().collect();
        let ids: BTreeMap<&str, AtomId> = document["inputs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|input| input["id"].as_str().unwrap())
            .zip(inputs)
            .collect();
        assert_eq!(ids.len(), document["inputs"].as_array().unwrap().len(), "ids are different");
        for state in example.mealy.states.ids() {
            let edges = document["states"][state.index()]["edges"].as_array().unwrap();
            for letter in letters(alphabet, Player::Environment) {
                let value = |id: &str| alphabet.holds(ids[id], &letter);
                let taken: Vec<&Value> =
                    edges.iter().filter(|e| holds(e["guard"].as_str().unwrap(), &value)).collect();
                assert_eq!(taken.len(), 1, "{}", example.name);
                let edge = example.mealy.edge(state, &letter).unwrap();
                assert_eq!(taken[0]["next"], edge.next.index());
                for cell in alphabet.cells().ids() {
                    let chosen = &alphabet.atoms()[alphabet.chosen(&edge.output, cell)].name;
                    let name = &alphabet.cells()[cell].name;
                    let term = taken[0]["updates"][name].as_str().unwrap();
                    assert!(chosen.contains(term), "{chosen} {term}");
                }
            }
        }
    }
}

/// A counter-strategy with two states over the alphabet of an example.
fn counter(example: &Example) -> CounterStrategy {
    let alphabet = &example.problem.alphabet;
    let mut guards = tsl_synth_core::logic::Guards::new();
    let atom = alphabet.cells()[Id::from_index(0)].options[1];
    let yes = alphabet.guard(atom, &mut guards);
    let no = guards.not(yes);
    let mut input = Letter::new();
    if let Some(atom) = alphabet.inputs().next() {
        alphabet.choose(atom, &mut input);
    }
    let edges = |a, b| {
        vec![
            CounterEdge { guard: yes, next: Id::from_index(a) },
            CounterEdge { guard: no, next: Id::from_index(b) },
        ]
    };
    let states = IdVec::from(vec![
        CounterState { input, edges: edges(1, 0) },
        CounterState { input: Letter::new(), edges: edges(1, 1) },
    ]);
    CounterStrategy { guards, states, initial: Id::from_index(0) }
}

#[test]
fn counter_strategies_are_tables_not_code() {
    for example in examples::all().iter().filter(|e| !e.problem.alphabet.cells().is_empty()) {
        let counter = counter(example);
        let input = EmitInput { strategy: Strategy::Counter(&counter), ..example.input() };
        for lang in Lang::ALL {
            let result = emit(&input, &EmitOptions::new(lang));
            if !lang.takes_counter_strategies() {
                assert!(matches!(result, Err(EmitError::Unsupported(_))));
                continue;
            }
            let text = result.expect("a table").remove(0).text().expect("text").to_owned();
            if lang == Lang::Json {
                let document: Value = serde_json::from_str(&text).expect("JSON");
                assert_eq!(
                    (&document["kind"], &document["player"]),
                    (&"moore".into(), &"environment".into())
                );
                assert_eq!(document["states"][0]["edges"].as_array().unwrap().len(), 2);
                assert_eq!(document["states"][1]["edges"][0]["guard"], "1");
            }
            if lang == Lang::Hoa {
                read_hoa(&text).expect("HOA");
            }
        }
    }
}

#[test]
fn diagrams_name_the_start_and_the_sinks_and_nothing_escapes() {
    for example in examples::all() {
        let dot = one(example, Lang::Dot);
        let mermaid = one(example, Lang::Mermaid);
        assert!(dot.contains("start -> s0;") && mermaid.contains("start --> s0\n"));
        assert_eq!(dot.matches("sink: never left").count(), mermaid.matches("[[\"").count());
        // Quotes are balanced on every line, and no name adds a line.
        for line in dot.lines() {
            let quotes = line.replace("\\\\", "").replace("\\\"", "").matches('"').count();
            assert_eq!(quotes % 2, 0, "{line}");
            assert!(line.chars().all(|c| !c.is_control()) && !line.contains('\u{202e}'), "{line}");
        }
        let shapes = ["%% ", "flowchart LR", "  start", "  s", "  classDef sink", "  class s"];
        for line in mermaid.lines() {
            assert!(shapes.iter().any(|shape| line.starts_with(shape)), "{line}");
            assert!(
                !line.contains("<script") && line.matches('"').count() % 2 == 0 || line.starts_with("%%"),
                "{line}"
            );
        }
    }
}

#[test]
fn the_same_bytes_every_time() {
    let (first, second) = (examples::all(), examples::own());
    for (a, b) in first.iter().zip(&second).step_by(6) {
        for lang in Lang::ALL {
            for on_broken in OnBroken::ALL {
                let options = EmitOptions { on_broken, scaffold: lang.is_code(), ..EmitOptions::new(lang) };
                let files = |e: &Example| -> Vec<EmittedFile> { emit(&e.input(), &options).expect("files") };
                assert!(files(a) == files(b), "{} {lang:?}", a.name);
            }
        }
    }
}

fn render(text: &str) -> Result<String, EmitError> {
    let mut options = EmitOptions::new(Lang::Js);
    options.template = Some(UserTemplate { name: "mine".into(), text: text.into() });
    emit(&examples::all()[0].input(), &options)
        .map(|mut files| files.remove(0).text().expect("text").to_owned())
}

#[test]
fn templates_of_the_user_are_strict_and_end() {
    assert_eq!(render("{{ module }} {{ states[0].ident }}\n"), Ok("fig2 S0\n".into()));
    for wrong in ["{{ nothing }}", "{% if %}", "{{ states[99].ident }}", "{% include '/etc/passwd' %}"] {
        assert!(matches!(render(wrong), Err(EmitError::Template(_))), "{wrong}");
    }
    let endless = "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}\
                   {% set x = a + b * c %}{% endfor %}{% endfor %}{% endfor %}";
    assert!(matches!(render(endless), Err(EmitError::Limit(_))));
    let deep = "{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}";
    assert!(matches!(render(deep), Err(EmitError::Template(_) | EmitError::Limit(_))));
}

#[test]
fn both_forms_of_aiger_are_one_circuit() {
    let mut gates = 0;
    for example in examples::all() {
        let counter = (!example.problem.alphabet.cells().is_empty()).then(|| counter(example));
        let strategies = [Some(example.input().strategy), counter.as_ref().map(Strategy::Counter)];
        for strategy in strategies.into_iter().flatten() {
            let input = EmitInput { strategy, ..example.input() };
            let form = |aiger| {
                let options = EmitOptions { aiger, ..EmitOptions::new(Lang::Aiger) };
                emit(&input, &options).expect("a circuit").remove(0)
            };
            let (ascii, binary) = (form(AigerForm::Ascii), form(AigerForm::Binary));
            let ending = |file: &EmittedFile| file.path.rsplit('.').next().map(str::to_owned);
            assert_eq!((ending(&ascii), ending(&binary)), (Some("aag".into()), Some("aig".into())));
            assert!(binary.text().is_none());
            let read = read_aiger(ascii.bytes()).expect("the ASCII form");
            assert_eq!(read_aiger(binary.bytes()).expect("the binary form"), read, "{}", example.name);
            // What was read from the ASCII form and written as binary is the emitted binary form.
            assert_eq!(write_binary(&read), binary.bytes(), "{}", example.name);
            gates += read.circuit.gates.len();
        }
    }
    assert!(gates > 100, "{gates} gates");
}
