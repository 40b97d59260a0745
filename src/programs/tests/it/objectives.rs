//! Games with objectives beside formulas: as parts of the formula they mean what they mean alone.

use crate::winner_of;
use tsl_synth_core::base::Random;
use tsl_synth_programs::{ProgramLanguage, Winner};

const OBJECTIVES: [&str; 5] = ["Safety", "Reachability", "Buechi", "CoBuechi", "ParityMaxOdd"];

/// A random game with few states: three locations, and a number from 0 to 3.
fn random_game(random: &mut Random, objective: &str) -> String {
    let numbers = if objective == "ParityMaxOdd" { 4 } else { 2 };
    let mut body = Vec::new();
    for at in 0..3 {
        body.push(format!("loc l{at} {} with [x >= 0 && x <= 3]", random.below(numbers)));
    }
    for from in 0..3 {
        for _ in 0..=random.below(3) {
            let to = random.below(3);
            let change = ["x", "x + 1", "x - 1", "x + i", "3 - x"][random.below(5)];
            let guard = ["[i <= 0]", "[i > 0]", "[x > 1]", "[x <= 2]", "[i != 1]"][random.below(5)];
            body.push(format!("from l{from} to l{to} with {guard} && [x' = {change}]"));
        }
        // There is always a way on.
        body.push(format!("from l{from} to l{} with keep(x)", random.below(3)));
    }
    let body = body.join("\n");
    format!("input int i\nstate int x\ngame {objective} from l0 {{\n{body}\n}}\n")
}

/// A formula that always holds, which is not seen by looking at its atoms, changes nothing; nor does a second game that
/// allows everything.
#[test]
fn objectives_are_parts_of_formulas() {
    let mut random = Random::new(7);
    let mut counts = [0, 0];
    for round in 0..60 {
        let objective = OBJECTIVES[round % OBJECTIVES.len()];
        let text = random_game(&mut random, objective);
        let alone = winner_of(text.clone(), ProgramLanguage::Issy);
        assert_ne!(alone, None, "{text}");
        counts[usize::from(alone == Some(Winner::System))] += 1;
        let more = format!("{text}formula {{ assert F ([i > 0] || [i < 2]) }}\n");
        assert_eq!(winner_of(more.clone(), ProgramLanguage::Issy), alone, "{more}");
        let more = format!("{text}game Safety from all {{ loc all 1 from all to all with [true] }}\n");
        assert_eq!(winner_of(more.clone(), ProgramLanguage::Issy), alone, "{more}");
    }
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}

/// Both have to be kept: the robot has to come to its place, and to stay on its side until then and after.
#[test]
fn formulas_and_objectives_are_kept_together() {
    for objective in ["Reachability", "Buechi", "CoBuechi", "ParityMaxOdd"] {
        for (limit, expected) in [(7, Winner::System), (6, Winner::Environment)] {
            let text = format!(
                "input int d\nstate int x\nformula {{ assert G [x <= {limit}] }}
game {objective} from out {{
  loc out 0 with [x >= 0 && x <= 7]
  loc place 1
  from out to out with [x != 7] && ([x' = x + 1] || [x' = x - 1])
  from out to place with [x = 7] && keep(x)
  from place to place with keep(x)
  from place to out with [d > 3] && [x' = x + 1]
}}\n"
            );
            assert_eq!(winner_of(text, ProgramLanguage::Issy), Some(expected), "{objective} {limit}");
        }
    }
}
