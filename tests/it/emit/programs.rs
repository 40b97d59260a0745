//! Controllers of games over programs in Python: they run, keep to the transitions of their text, and reach its goals.

use super::run::run;
use crate::cli::Folder;

fn emitted(folder: &Folder, name: &str, file: &str) {
    let spec = format!("{}/specs/programs/{name}", env!("CARGO_MANIFEST_DIR"));
    folder.run(["emit", &spec, "--lang", "python", "-o", file]).exits(0);
}

#[test]
fn a_robot_visits_what_is_asked_for() {
    let folder = Folder::new();
    emitted(&folder, "robot.rpg", "robot.py");
    folder.file(
        "main.py",
        "import random, robot
random.seed(7)
controller, homes = robot.Controller({'x': 12, 'goal': -3}), 0
for _ in range(3000):
    before, where = controller.state, controller.location
    asked = random.randint(-30, 30)
    after = controller.step({'asked': asked})
    if where == 'home':
        homes += 1
        assert controller.location == 'out' and after == {'goal': asked, 'x': before['x']}, (before, after)
    else:
        target = before['goal'] if where == 'out' else 0
        assert after['goal'] == before['goal']
        if before['x'] == target:
            assert controller.location == ('back' if where == 'out' else 'home') and after == before
        else:
            assert controller.location == where and abs(after['x'] - before['x']) == 1
            assert abs(after['x'] - target) < abs(before['x'] - target), (before, after)
assert homes > 30, homes
for wrong in ({}, {'asked': 1.5}, {'asked': True}, {'asked': 1, 'other': 2}):
    try:
        controller.step(wrong)
        print('accepted', wrong)
    except (KeyError, TypeError):
        pass
print('right')
",
    );
    if let Some(out) = run(folder.path(), "python3", &["main.py"], false) {
        assert_eq!(out.trim(), "right");
    }
}

#[test]
fn a_tank_stays_between_its_marks_with_fractions() {
    let folder = Folder::new();
    emitted(&folder, "tank.issy", "tank.py");
    folder.file(
        "main.py",
        "import random, tank
from fractions import Fraction
random.seed(8)
controller, since = tank.Controller({'level': Fraction(7, 2), 'low': 3, 'high': 7}), 0
for step in range(2000):
    drain = Fraction(random.randint(0, 12), 12)
    after = controller.step({'drain': drain})
    assert after['low'] == 3 and after['high'] == 7 and 3 <= after['level'] <= 7, (step, after)
    assert isinstance(after['level'], (int, Fraction))
    since = 0 if 2 * after['level'] >= 10 else since + 1
    assert since < 40, step
try:
    tank.Controller({'level': 0.5})
    print('accepted')
except TypeError:
    print('right')
",
    );
    if let Some(out) = run(folder.path(), "python3", &["main.py"], false) {
        assert_eq!(out.trim(), "right");
    }
}

#[test]
fn other_targets_and_lost_games_are_refused() {
    let folder = Folder::new();
    let spec = |name: &str| format!("{}/specs/programs/{name}", env!("CARGO_MANIFEST_DIR"));
    let run = folder.run(["emit", &spec("robot.rpg"), "--lang", "js"]).exits(2);
    assert!(run.err.contains("`--lang python`"), "{}", run.err);
    let run = folder.run(["emit", &spec("robot_windy.rpg"), "--lang", "python", "-o", "x.py"]).exits(1);
    assert!(!folder.path().join("x.py").exists(), "{}", run.err);
    let run = folder.run(["view", &spec("robot.rpg")]).exits(2);
    assert!(run.err.contains("`emit --lang python` writes the controller"), "{}", run.err);
}

/// As a program it answers lines of JSON.
#[test]
fn a_controller_is_a_program() {
    let folder = Folder::new();
    emitted(&folder, "queue.issy", "queue_controller.py");
    folder.file(
        "main.py",
        "import json, subprocess, sys
lines = [{'waiting': 2}] + [{'job': job} for job in (True, False, True, False, False, False, False)]
text = ''.join(json.dumps(line) + '\\n' for line in lines)
run = subprocess.run([sys.executable, 'queue_controller.py'], input=text, capture_output=True, text=True, check=True)
print([json.loads(line)['state']['waiting'] for line in run.stdout.splitlines()])
",
    );
    if let Some(out) = run(folder.path(), "python3", &["main.py"], false) {
        assert_eq!(out.trim(), "[2, 3, 2, 3, 2, 1, 0, 0]");
    }
}

#[test]
fn a_contract_over_numbers_is_kept_by_its_code() {
    let folder = Folder::new();
    let spec = format!("{}/specs/programs/lift.tslmt", env!("CARGO_MANIFEST_DIR"));
    folder.run(["emit", &spec, "--lang", "python", "-o", "lift.py"]).exits(0);
    folder.file(
        "main.py",
        "import random, lift
random.seed(5)
controller, reached = lift.Controller(), 0
assert controller.state == {'floor': 1, 'goal': 1} == lift.START
for _ in range(5000):
    before, call = controller.state, random.randint(1, 50)
    after = controller.step({'call': call})
    assert abs(after['floor'] - before['floor']) <= 1 and 1 <= after['floor'] <= 50, (before, after)
    there = before['floor'] == before['goal']
    assert after['goal'] == (call if there else before['goal'])
    assert ('[goal <- call]' in controller.answer) == there or call == before['goal']
    reached += there
    if not there:
        assert abs(after['floor'] - after['goal']) < abs(before['floor'] - before['goal'])
assert reached > 200, reached
try:
    controller.step({'call': 51})
    print('accepted')
except lift.NotAllowed:
    print('right')
",
    );
    if let Some(out) = run(folder.path(), "python3", &["main.py"], false) {
        assert_eq!(out.trim(), "right");
    }
    let run = folder.run(["emit", &spec, "--lang", "js"]).exits(2);
    assert!(run.err.contains("only `emit --lang python`"), "{}", run.err);
    let run = folder.run(["simulate", &spec]).exits(3);
    assert!(run.err.contains("game over numbers"), "{}", run.err);
}
