//! Families of games, each member of which has to be decided whatever its size: some need an invariant that relates two
//! cells, others have fractions whose denominators grow with each step.

use crate::winner_of;
use tsl_synth_programs::{ProgramLanguage, Winner};

/// The certified winner of a reactive program game; `None` if it is not found.
fn winner(text: String) -> Option<Winner> {
    winner_of(text, ProgramLanguage::Rpg)
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

/// Work on one queue may add as much to the other one: then their sum never falls, which no step of the fixpoint says, as
/// each of them gives one more pair of bounds. With less than that, both queues become short.
#[test]
fn what_two_numbers_keep_is_their_sum() {
    for short in [0, 4, 1_000] {
        for (more, expected) in [(1, Winner::Environment), (0, Winner::System)] {
            let text = format!(
                "type Buechi\ninput add Bool\noutput a Int\noutput b Int\nloc work 0\nloc done 1\ninit work
trans work if (and (<= a {short}) (<= b {short})) then done else if add then sys (
    ((a (- a 1)) (b (+ b {more}))) work
    ((b (- b 1)) (a (+ a {more}))) work
  ) else sys (((a (- a 1))) work ((b (- b 1))) work)
trans done work\n"
            );
            assert_eq!(winner(text), Some(expected), "{short} {more}");
        }
    }
}
