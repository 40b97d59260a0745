//! Families of games whose loops keep what holds where they are entered, as it is or weakened, or whose distance is
//! bounded by that; and games that the environment wins beyond a point of no return.

use crate::winner_of;
use tsl_synth_programs::{ProgramLanguage, Winner};

/// The certified winner of a reactive program game; `None` if it is not found.
fn winner(text: &str) -> Option<Winner> {
    winner_of(text.to_owned(), ProgramLanguage::Rpg)
}

/// The smaller of two numbers is subtracted from the larger one until they are equal: their sum falls, of which the goal
/// does not speak. If it is added, they never are.
#[test]
fn a_bounded_sum_is_a_distance() {
    for (sign, expected) in [("-", Winner::System), ("+", Winner::Environment)] {
        let text = format!(
            "type Reach\noutput x Int\noutput y Int\nloc start 0\nloc run 0\nloc equal 1\ninit start
trans start if (and (>= x 1) (>= y 1)) then run else equal
trans run if (= x y) then equal else
  if (> x y) then sys (((x ({sign} x y))) run) else sys (((y ({sign} y x))) run)
trans equal equal\n"
        );
        assert_eq!(winner(&text), Some(expected), "{sign}");
    }
}

/// A runner is to be at 0 before a guard that takes a step after each of the runner's: it is if it is nearer in both
/// directions at the beginning. What it keeps is only that it is nearer in the sum of both.
#[test]
fn two_inequalities_are_kept_as_their_sum() {
    for (order, expected) in [("<", Winner::System), ("<=", Winner::Environment)] {
        let text = format!(
            "type Reach\ninput stay Bool\ninput across Bool
output x Int\noutput y Int\noutput a Int\noutput b Int
loc start 0\nloc run 0\nloc guard 0\nloc home 1\nloc caught 0\ninit start
trans start if (and (>= x 0) (>= y 0) ({order} x a) ({order} y b)) then run else home
trans run if (and (= x a) (= y b)) then caught else if (and (= x 0) (= y 0)) then home else
  sys (((x (- x 1))) guard ((y (- y 1))) guard ((x (+ x 1))) guard ((y (+ y 1))) guard)
trans guard if stay then run else if across then sys (((a (- a 1))) run) else sys (((b (- b 1))) run)
trans home home\ntrans caught caught\n"
        );
        assert_eq!(winner(&text), Some(expected), "{order}");
    }
}

/// A temperature goes down to one level and up to another one again and again, in steps of any size: if a disturbance is
/// smaller than the steps.
#[test]
fn real_numbers_fall_in_steps_of_any_size() {
    for (fall, rise, disturbance, expected) in [
        ("0.2", "0.5", "0.0", Winner::System),
        ("0.07", "0.3", "0.0", Winner::System),
        ("0.3", "0.4", "0.1", Winner::System),
        ("0.3", "0.4", "0.35", Winner::Environment),
        ("0.3", "0.2", "0.25", Winner::Environment),
    ] {
        let text = format!(
            "type Buechi\ninput d Real\noutput t Real
loc down 0\nloc low 1\nloc up 0\nloc high 1\ninit down
trans down if (<= t 18) then low else if (or (> d {disturbance}) (< d (- {disturbance}))) then low else
  sys (((t (+ t (+ d {rise})))) down ((t (+ t (- d {fall})))) down)
trans low up
trans up if (>= t 92) then high else if (or (> d {disturbance}) (< d (- {disturbance}))) then high else
  sys (((t (+ t (+ d {rise})))) up ((t (+ t (- d {fall})))) up)
trans high down\n"
        );
        assert_eq!(winner(&text), Some(expected), "{fall} {rise} {disturbance}");
    }
}

/// A robot goes to each place that is asked for; if it cannot turn back in one direction, the environment asks for a place
/// that it has passed, whatever the other directions are.
#[test]
fn what_cannot_be_turned_back_is_lost() {
    for (back, expected) in [("((z (- z 1))) go", Winner::System), ("((z z)) go", Winner::Environment)] {
        let text = format!(
            "type Buechi\ninput a Int\ninput b Int
output x Int\noutput z Int\noutput to Int\noutput at Int\nloc ask 0\nloc go 0\nloc there 1\ninit ask
trans ask sys (((to a) (at b)) go)
trans go if (and (= x to) (= z at)) then there else
  sys (((x (+ x 1))) go ((x (- x 1))) go ((z (+ z 1))) go {back})
trans there ask\n"
        );
        assert_eq!(winner(&text), Some(expected), "{back}");
    }
}
