//! Families of games whose loops keep what follows from a target and steps of equal size: resources that have to last for
//! a way, ways through doors in walls, sums that no step changes. Each is decided whatever its numbers are.

use crate::winner_of;
use tsl_synth_programs::{ProgramLanguage, Winner};

/// A vehicle goes to each place between 0 and `far` that is asked for; at 0 it may charge. The charge has to be enough for
/// the way there and back.
#[test]
fn charge_lasts_for_ways_there_and_back() {
    for far in [3, 100, 10_000] {
        for (charge, expected) in [(2 * far, Some(Winner::System)), (3 * far, Some(Winner::System))] {
            let text = format!(
                "type Buechi\ninput d Int\noutput x Int\noutput e Int\noutput t Int
loc start 0\nloc ask 1\nloc go 0\nloc dead 0\nloc free 1\ninit start
trans start if (and (= x 0) (= e {charge})) then ask else free
trans ask if (< e 0) then dead else if (or (< d 0) (> d {far})) then free else sys (((t d)) go)
trans go if (< e 0) then dead else if (= x t) then ask else if (= x 0) then
    sys (((x (+ x 1)) (e (- e 1))) go ((e {charge})) go)
  else sys (((x (+ x 1)) (e (- e 1))) go ((x (- x 1)) (e (- e 1))) go)
trans dead dead\ntrans free free\n"
            );
            assert_eq!(winner_of(text, ProgramLanguage::Rpg), expected, "{far} {charge}");
        }
    }
}

/// Each step of a way costs as much as the environment likes, between two bounds; only the greatest cost counts.
#[test]
fn costs_that_vary_are_taken_at_their_worst() {
    for (most, each, expected) in [
        (2, 2, Winner::System),
        (2, 3, Winner::Environment),
        (7, 7, Winner::System),
        (7, 8, Winner::Environment),
    ] {
        let text = format!(
            "type Reach\ninput c Int\noutput x Int\noutput r Int
loc start 0\nloc run 0\nloc goal 1\nloc dead 0\ninit start
trans start if (and (>= x 0) (>= r (* {most} x))) then run else goal
trans run if (< r 0) then dead else if (= x 0) then goal else if (or (< c 1) (> c {each})) then goal else
  sys (((x (+ x 1)) (r (- r c))) run ((x (- x 1)) (r (- r c))) run)
trans goal goal\ntrans dead dead\n"
        );
        assert_eq!(winner_of(text, ProgramLanguage::Rpg), Some(expected), "{most} {each}");
    }
}

/// The second coordinate may change between two values of the first one only. If it may never change, other places are
/// not reached.
#[test]
fn doors_in_walls_are_used() {
    for (size, low, high) in [(9, 4, 5), (1_000, 400, 500), (1_000_000, 7, 7)] {
        for (door, expected) in [
            (format!("(and (>= x {low}) (<= x {high}))"), Winner::System),
            ("false".to_owned(), Winner::Environment),
        ] {
            let text = format!(
                "type Reach\noutput x Int\noutput y Int\nloc start 0\nloc run 0\nloc goal 1\ninit start
trans start if (and (>= x 0) (<= x {size}) (>= y 0) (<= y {size})) then run else goal
trans run if (and (= x 0) (= y 0)) then goal else
  if {door} then sys (((x (+ x 1))) run ((x (- x 1))) run ((y (+ y 1))) run ((y (- y 1))) run)
  else sys (((x (+ x 1))) run ((x (- x 1))) run)
trans goal goal\n"
            );
            assert_eq!(winner_of(text, ProgramLanguage::Rpg), Some(expected), "{size} {door}");
        }
    }
}

/// Goods go from a depot to consumers, one in each step; a delivery fills the depot. If a delivery may be too small, the
/// environment wins since no step changes the sum of all goods.
#[test]
fn goods_are_enough_or_not() {
    for (consumers, missing, expected) in [
        (1, 0, Winner::System),
        (2, 0, Winner::System),
        (1, 1, Winner::Environment),
        (2, 1, Winner::Environment),
    ] {
        let numbered = |name: &str| (0..consumers).map(|i| format!("{name}{i}")).collect::<Vec<String>>();
        let (goods, needs) = (numbered("c"), numbered("u"));
        let total = needs.join(" + ");
        let all = |part: &dyn Fn(usize) -> String| (0..consumers).map(part).collect::<Vec<String>>();
        let full = all(&|i| format!("[c{i} = u{i}]")).join(" && ");
        let positive = all(&|i| format!("[u{i} >= 1]")).join(" && ");
        let empty = all(&|i| format!("[c{i}' = 0]")).join(" && ");
        let carries = all(&|i| {
            let others: Vec<&String> = goods.iter().filter(|name| **name != format!("c{i}")).collect();
            let kept = others.into_iter().map(|name| format!(" && [{name}' = {name}]"));
            let kept = kept.collect::<Vec<String>>().concat();
            format!("([c{i}' = c{i} + 1] && [depot' = depot - 1]{kept})")
        });
        let (cells, carries) = (format!("{} {}", goods.join(" "), needs.join(" ")), carries.join(" || "));
        let states = cells.split(' ').map(|name| format!("state int {name}\n"));
        let states = states.collect::<Vec<String>>().concat();
        let text = format!(
            "input int delivery\n{states}state int depot
def full = {full}
def valid = {positive} && {full} && [depot = {total}]
def allowed = [delivery >= {total} - {missing}] && [delivery <= {total} + 2]
formula {{ assert G F full }}
game Safety from init {{
 loc init 1\n loc run 1\n loc there 1\n loc done 1
 from init to done with !valid
 from init to run with valid && keep({cells} depot)
 from run to run with !full && [depot >= 1] && ({carries}) && keep({needs})
 from run to run with !full && [depot <= 0] && keep({cells} depot)
 from run to there with full && keep({cells} depot)
 from there to run with allowed && {empty} && [depot' = delivery] && keep({needs})
 from there to done with !allowed
 from done to done with true
}}\n",
            needs = needs.join(" ")
        );
        assert_eq!(winner_of(text, ProgramLanguage::Issy), Some(expected), "{consumers} {missing}");
    }
}

/// Where a vehicle is asked to go is reached through a corridor at x = 0, whatever the size of the place is.
#[test]
fn corridors_of_any_size_are_passed() {
    let text =
        "input int nx\ninput int ny\nstate int size\nstate int x\nstate int y\nstate int tx\nstate int ty
def at = [x = tx] && [y = ty]
def inside = [0 <= x] && [x <= size] && [0 <= y] && [y <= size]
def valid = inside && [0 <= tx] && [tx <= size] && [0 <= ty] && [ty <= size] && [size >= 3]
def allowed = [0 <= nx] && [nx <= size] && [0 <= ny] && [ny <= size]
formula { assert G F at }
game Safety from init {
 loc init 1\n loc run 1\n loc there 1\n loc done 1\n loc lost 0
 from init to done with !valid
 from init to run with valid && keep(x y tx ty size)
 from run to done with !allowed
 from run to lost with !inside
 from run to run with !at && inside && [x = 0] && ([y' = y + 1] || [y' = y - 1]) && keep(x tx ty size)
 from run to run with !at && inside && ([x' = x + 1] || [x' = x - 1] || [x' = x]) && keep(y tx ty size)
 from run to there with at && keep(x y tx ty size)
 from there to run with allowed && [tx' = nx] && [ty' = ny] && keep(x y size)
 from there to done with !allowed
 from done to done with true
 from lost to lost with keep(x y tx ty size)
}\n";
    assert_eq!(winner_of(text.to_owned(), ProgramLanguage::Issy), Some(Winner::System));
}
