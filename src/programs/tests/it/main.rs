//! Tests of games over numbers, in one program.

mod carried;
mod controllers;
mod entries;
mod finite;
mod guesses;
mod lexicographic;
mod objectives;
mod regions;
mod texts;

use tsl_synth_core::base::{Budget, on_large_stack};
use tsl_synth_core::source::SourceMap;
use tsl_synth_programs::{ProgramLanguage, Winner, read_program, solve};

/// The certified winner of a text; `None` if it is not found.
fn winner_of(text: String, language: ProgramLanguage) -> Option<Winner> {
    let solved = on_large_stack(move || {
        let mut map = SourceMap::new();
        let source = map.add("x", text);
        let text = read_program(&map, source, language).expect("it follows the grammar");
        let budget = Budget::unlimited().with_work(30_000_000);
        solve(&text, &budget).expect("the work is enough").answer.map(|(winner, _)| winner)
    });
    solved.expect("no panic")
}
