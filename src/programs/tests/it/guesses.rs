//! Families of games, each member of which has to be decided whatever its size: some need an invariant that relates two
//! cells, others have fractions whose denominators grow with each step.

use tsl_synth_core::base::{Budget, on_large_stack};
use tsl_synth_core::source::SourceMap;
use tsl_synth_programs::{ProgramLanguage, Winner, read_program, solve};

/// The certified winner of a reactive program game; `None` if it is not found.
fn winner(text: String) -> Option<Winner> {
    let solved = on_large_stack(move || {
        let mut map = SourceMap::new();
        let source = map.add("x", text);
        let text = read_program(&map, source, ProgramLanguage::Rpg).expect("it follows the grammar");
        let budget = Budget::unlimited().with_work(20_000_000);
        solve(&text, &budget).expect("the work is enough").answer.map(|(winner, _)| winner)
    });
    solved.expect("no panic")
}

/// Each step of a way takes some of a fuel that is filled before the way is known: the fuel lasts exactly if it is at
/// least the length of the longest way times the use of a step.
#[test]
fn fuel_lasts_for_ways_of_any_length() {
    for (longest, each) in [(7, 2), (50, 1), (1_000, 3), (100_000, 7)] {
        for (missing, expected) in [(0, Winner::System), (1, Winner::Environment)] {
            let fuel = longest * each - missing;
            let text = format!(
                "type Safety\ninput way Int\noutput left Int\noutput fuel Int\nloc start 1\nloc drive 1\nloc home 1\nloc dry 0
init start
trans start if (or (< way 0) (> way {longest})) then home else sys (((left way) (fuel {fuel})) drive)
trans drive if (< fuel 0) then dry else if (<= left 0) then home else
  sys (((left (- left 1)) (fuel (- fuel {each}))) drive)
trans home home\ntrans dry dry\n"
            );
            assert_eq!(winner(text), Some(expected), "{longest} {each} {missing}");
        }
    }
}

/// A tank loses a part of its content in each step and may be filled by `more`. The content comes near
/// `more / (1 - kept)`, and above each level below that.
#[test]
fn fractions_that_grow_are_rounded() {
    for (kept, more, level, expected) in [
        ("0.9635", "0.1", "0.4", Winner::System),
        ("0.9635", "0.1", "2.4", Winner::System),
        ("0.9635", "0.1", "2.74", Winner::Environment),
        ("0.8713", "0.3", "2.2", Winner::System),
        ("0.8713", "0.3", "2.4", Winner::Environment),
        ("0.5", "0.2", "0.39", Winner::System),
        ("0.5", "0.2", "0.4", Winner::Environment),
    ] {
        let text = format!(
            "type Reach\noutput x Real\nloc filling 0\nloc full 1\ninit filling
trans filling if (< x 0.0) then full else if (> x {level}) then full else
  sys (((x (* {kept} x))) filling ((x (+ (* {kept} x) {more}))) filling)
trans full full\n"
        );
        assert_eq!(winner(text), Some(expected), "{kept} {more} {level}");
    }
}
