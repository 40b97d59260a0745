//! Controllers with more decisions or states than anybody wants listed: their code is a circuit, whose size is that of
//! what the specification says.

use crate::cli::Folder;
use std::fmt::Write;
use tsl_synth_emit::Lang;
use tsl_synth_service::{EmitRequest, Session, SpecLanguage, SpecRequest};

/// Lamps that are on exactly while their buttons are pressed.
fn wires(count: usize) -> String {
    let names = |letter: char| (0..count).map(|i| format!("{letter}{i}")).collect::<Vec<_>>().join(", ");
    let mut text = format!("// inputs: {}\n// outputs: {}\n", names('i'), names('o'));
    for i in 0..count {
        writeln!(text, "G (i{i} <-> o{i});").unwrap();
    }
    text
}

/// Cells that count the presses of their buttons.
fn counters(count: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        writeln!(text, "wrapping cell c{i}: 0..3 = 0;").unwrap();
    }
    text.push_str("always guarantee {\n");
    for i in 0..count {
        writeln!(text, "  press{i} <-> [c{i} <- c{i} + 1];\n  !press{i} -> [c{i} <- c{i}];").unwrap();
    }
    text + "}\n"
}

/// Heaters that keep the temperature of their rooms: what is assumed of a room says nothing of the others.
fn rooms(count: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        writeln!(text, "input t{i}: Int in -20..50;\ncell heat{i}: Bool = false;").unwrap();
    }
    text.push_str("always guarantee {\n");
    for i in 0..count {
        writeln!(text, "  t{i} < 18 -> [heat{i} <- true];\n  t{i} > 22 -> [heat{i} <- false];").unwrap();
    }
    text + "}\n"
}

fn sizes(language: SpecLanguage, text: &str) -> Vec<(Lang, usize)> {
    let langs = [
        Lang::Rust,
        Lang::Js,
        Lang::Ts,
        Lang::Python,
        Lang::C,
        Lang::Lua,
        Lang::Go,
        Lang::CSharp,
        Lang::Verilog,
    ];
    let size = |lang: Lang| {
        let spec = SpecRequest::text(language, "large", text);
        let report = Session::new().emit(&EmitRequest::new(spec, lang)).expect("code");
        report.main().bytes().len()
    };
    langs.map(|lang| (lang, size(lang))).to_vec()
}

#[test]
fn the_code_of_independent_outputs_grows_with_their_number() {
    let lamps = ("wires", SpecLanguage::Ltl, wires as fn(usize) -> String, 700);
    let cells = ("counters", SpecLanguage::Tsl, counters as fn(usize) -> String, 3_000);
    let heaters = ("rooms", SpecLanguage::Tsl, rooms as fn(usize) -> String, 4_500);
    for (name, language, family, each) in [lamps, cells, heaters] {
        for count in [2, 8, 13, 30] {
            for (lang, size) in sizes(language, &family(count)) {
                println!("{name} {count} {}: {size} bytes", lang.name());
                let list = if count < 8 { 200 * 4_usize.pow(count as u32) } else { 0 };
                assert!(size < 12_000 + each * count + list, "{name} {count} {}: {size} bytes", lang.name());
            }
        }
    }
}

#[test]
fn a_limit_names_what_needs_no_list() {
    let folder = Folder::new();
    folder.file("lamps.ltl", wires(16));
    let said = |options: &[&str]| {
        let arguments = [&["emit", "lamps.ltl"], options].concat();
        folder.run(arguments).exits(3).err
    };
    for lang in ["json", "dot", "xstate", "hoa"] {
        assert!(said(&["--lang", lang]).contains("`verilog` and `aiger` need no list of states"), "{lang}");
    }
    let text = said(&["--lang", "c", "--lazy"]);
    assert!(text.contains("without `--lazy` the code needs no list of states"), "{text}");
    // There is no assumption, so nothing is ever broken.
    folder
        .run(["emit", "lamps.ltl", "--lang", "c", "--on-broken-assumption", "resync", "-o", "lamps.c"])
        .exits(0);
}
