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
    let run = folder.run(["emit", &spec("robot.rpg"), "--lang", "rust"]).exits(2);
    assert!(run.err.contains("`--lang python` or `--lang js`"), "{}", run.err);
    let run = folder.run(["emit", &spec("robot_windy.rpg"), "--lang", "python", "-o", "x.py"]).exits(1);
    assert!(!folder.path().join("x.py").exists(), "{}", run.err);
    let run = folder.run(["view", &spec("robot.rpg")]).exits(2);
    assert!(run.err.contains("`emit --lang python` or `js` writes the controller"), "{}", run.err);
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
    let run = folder.run(["emit", &spec, "--lang", "rust"]).exits(2);
    assert!(run.err.contains("`emit --lang python` and `--lang js` write it"), "{}", run.err);
    let run = folder.run(["simulate", &spec]).exits(3);
    assert!(run.err.contains("game over numbers"), "{}", run.err);
}

/// Random inputs for the Python of a controller, and the same for its JavaScript.
const COMPARE: &str = "import importlib, json, random, subprocess, sys
from fractions import Fraction
stem, seed = sys.argv[1], int(sys.argv[2])
module = importlib.import_module(stem)
random.seed(seed)

def value(sort):
    size = random.choice([1, 3, 10, 60])
    if sort == 'bool':
        return random.random() < 0.5
    if sort == 'int':
        return random.randint(-size, size)
    return str(Fraction(random.randint(-12 * size, 12 * size), random.choice([1, 2, 3, 12])))

for _ in range(400):
    start = {name: value(sort) for name, sort in module.STATE.items() if name not in module.START}
    try:
        controller = module.Controller(start)
        break
    except module.NotAllowed:
        pass
lines, expected, refused = [start], [controller.state], 0
for _ in range(150):
    inputs = {name: value(sort) for name, sort in module.INPUTS.items()}
    try:
        expected.append(controller.step(inputs))
        lines.append(inputs)
    except module.NotAllowed:
        refused += 1
shown = [{name: str(v) if isinstance(v, Fraction) else v for name, v in one.items()} for one in expected]
text = ''.join(json.dumps(line) + '\\n' for line in lines)
run = subprocess.run(['node', stem + '.mjs'], input=text, capture_output=True, text=True)
assert run.returncode == 0, run.stderr
got = [json.loads(line)['state'] for line in run.stdout.splitlines()]
# Integers of sort real are texts in JavaScript.
same = lambda a, b: a.keys() == b.keys() and all(str(a[n]) == str(b[n]) for n in a)
assert len(got) == len(shown) and all(map(same, got, shown)), list(zip(got, shown))
print(len(lines))
";

#[test]
fn javascript_answers_as_python_does() {
    let folder = Folder::new();
    folder.file("compare.py", COMPARE);
    let root = env!("CARGO_MANIFEST_DIR");
    let (mut compared, mut steps) = (0, 0);
    for part in ["specs/programs", "specs/numbers"] {
        let mut files: Vec<_> =
            std::fs::read_dir(format!("{root}/{part}")).expect("specs").flatten().collect();
        files.sort_by_key(std::fs::DirEntry::path);
        for file in files {
            let path = file.path().to_string_lossy().into_owned();
            let stem = format!("m{compared}");
            let run = folder.run(["emit", &path, "--lang", "python", "-o", &format!("{stem}.py")]);
            let text = std::fs::read_to_string(folder.path().join(format!("{stem}.py"))).unwrap_or_default();
            // Machines are compared in other tests.
            if run.code != 0 || !text.contains("A controller over exact numbers") {
                continue;
            }
            folder.run(["emit", &path, "--lang", "js", "-o", &format!("{stem}.mjs")]).exits(0);
            compared += 1;
            for seed in ["1", "2"] {
                if let Some(out) = run_python(&folder, &[&stem, seed]) {
                    steps += out.trim().parse::<usize>().unwrap_or_else(|_| panic!("{path}: {out}"));
                }
            }
        }
    }
    assert!(compared >= 5 && (steps == 0 || steps > 500), "{compared} controllers, {steps} steps");
}

fn run_python(folder: &Folder, args: &[&str]) -> Option<String> {
    let node = run(folder.path(), "node", &["--version"], true)?;
    assert!(node.starts_with('v'), "{node}");
    run(folder.path(), "python3", &[&["compare.py"], args].concat(), false)
}

#[test]
fn javascript_refuses_what_it_cannot_compute() {
    let folder = Folder::new();
    for (name, file) in [("robot.rpg", "robot.mjs"), ("tank.issy", "tank.mjs"), ("lift.tslmt", "lift.mjs")] {
        let spec = format!("{}/specs/programs/{name}", env!("CARGO_MANIFEST_DIR"));
        folder.run(["emit", &spec, "--lang", "js", "-o", file]).exits(0);
    }
    folder.file(
        "main.mjs",
        "import { Controller, NotAllowed } from './robot.mjs';
import * as tank from './tank.mjs';
import * as lift from './lift.mjs';
const robot = new Controller({ x: 12n, goal: -3 });
robot.step({ asked: 2n ** 70n });
const refused = [{}, { asked: 1.5 }, { asked: true }, { asked: '1' }, { asked: null }, { asked: 2 ** 60 }, { asked: 1, other: 2 }];
for (const wrong of refused) {
  try {
    robot.step(wrong);
    console.log('accepted', wrong);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
console.log(typeof robot.state.goal, robot.state.goal === 2n ** 70n);
const level = new tank.Controller({ level: '7/2', low: 3, high: 7 });
console.log(String(level.step({ drain: 0.25 }).level), level.state.high instanceof tank.Fraction);
for (const wrong of [{ drain: NaN }, { drain: '1/0' }, { drain: 'x' }]) {
  try {
    level.step(wrong);
    console.log('accepted', wrong);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
const cabin = new lift.Controller();
cabin.step({ call: 50 });
try {
  cabin.step({ call: 51 });
  console.log('accepted');
} catch (error) {
  console.log(error instanceof lift.NotAllowed && cabin.answer.includes('[goal <- call]'));
}
",
    );
    if let Some(out) = run(folder.path(), "node", &["main.mjs"], true) {
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!((lines[0], lines[2]), ("bigint true", "true"), "{out}");
        assert!(lines[1].ends_with(" true") && lines.len() == 3, "{out}");
    }
}
