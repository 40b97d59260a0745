//! Emitted code computes with numbers exactly: an integer that is too large is an error, and real numbers are fractions
//! or refused.

use super::run::run;
use crate::cli::Folder;

fn emitted(folder: &Folder, spec: &str, lang: &str, file: &str) {
    let spec = format!("{}/specs/numbers/{spec}.tsl", env!("CARGO_MANIFEST_DIR"));
    folder.run(["emit", &spec, "--lang", lang, "-o", file]).exits(0);
}

#[test]
fn real_numbers_are_fractions_in_python_and_refused_elsewhere() {
    let folder = Folder::new();
    let spec = format!("{}/specs/numbers/thermostat.tsl", env!("CARGO_MANIFEST_DIR"));
    for lang in ["js", "ts", "rust", "c", "lua", "go", "csharp"] {
        let refused = folder.run(["emit", &spec, "--lang", lang, "-o", "m.out"]);
        assert!(refused.code != 0 && refused.err.contains("exact in Python only"), "{lang}: {refused:?}");
    }
    emitted(&folder, "thermostat", "python", "m.py");
    folder.file(
        "main.py",
        "from fractions import Fraction
import m
controller = m.Controller(m.Cells(heat=False))
for i in range(500):
    temp = controller.cells.temp
    assert isinstance(temp, (int, Fraction)) and 17 <= temp <= 25, temp
    controller.step(m.Inputs(gain=1 + Fraction(i % 4, 3), loss=Fraction(i % 7, 14)) if i % 4 < 3
                    else m.Inputs(gain=1.5, loss=0))
print('steps')
",
    );
    if let Some(out) = run(folder.path(), "python3", &["main.py"], false) {
        assert_eq!(out.trim(), "steps");
    }
}

/// The balance grows until it is not exact any more.
#[test]
fn integers_that_are_too_large_are_errors() {
    let folder = Folder::new();
    emitted(&folder, "account", "js", "account.js");
    folder.file("package.json", "{ \"type\": \"module\" }");
    folder.file(
        "main.js",
        "import { Controller } from \"./account.js\";
const controller = new Controller();
const deposit = (amount) => controller.step({ amount, deposit: true, withdraw: false });
deposit(5);
deposit(Number.MAX_SAFE_INTEGER - 5);
for (const amount of [1, 2.5]) {
  try {
    deposit(amount);
    console.log(\"wrong\", controller.cells);
  } catch (error) {
    console.log(error.name);
  }
}
",
    );
    if let Some(out) = run(folder.path(), "node", &["main.js"], false) {
        assert_eq!(out.trim(), "RangeError\nRangeError");
    }
    emitted(&folder, "account", "c", "account.c");
    folder.file(
        "main.c",
        "#include \"account.h\"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static void raised(int signal) { (void)signal; puts(\"overflow\"); fflush(stdout); _Exit(0); }
int main(void) {
    account_cells cells = { INT64_MAX - 1 };
    account_controller controller;
    account_init(&controller, cells);
    signal(SIGABRT, raised);
    account_inputs inputs = { 0 };
    inputs.amount = 2;
    inputs.deposit = true;
    account_step step;
    account_next(&controller, &inputs, &step);
    puts(\"wrong\");
    return 1;
}
",
    );
    if run(
        folder.path(),
        "gcc",
        &["-std=c99", "-Wall", "-Werror", "-o", "main", "main.c", "account.c"],
        false,
    )
    .is_some()
    {
        let out = run(folder.path(), "./main", &[], false).expect("the program");
        assert_eq!(out.trim(), "overflow");
    }
}

/// The hours begin below 0, where remainders differ from language to language.
#[test]
fn remainders_of_negative_numbers_are_those_of_the_contract() {
    let expected: String = (-5i64..15)
        .map(|hour| match (hour.rem_euclid(4), hour % 4) {
            (0, _) => 'x',
            (_, 3) => 'H',
            _ => '.',
        })
        .collect();
    let folder = Folder::new();
    for (lang, file) in [("python", "shifts.py"), ("js", "shifts.js"), ("c", "shifts.c")] {
        emitted(&folder, "shifts", lang, file);
    }
    folder.file("package.json", "{ \"type\": \"module\" }");
    folder.file(
        "main.py",
        "import shifts as m
c = m.Controller(m.Cells(change=False, call=False))
for i in range(20):
    c.step(m.Inputs(visitor=False))
    print('H' if c.cells.call else 'x' if c.cells.change else '.', end='')
",
    );
    folder.file(
        "main.js",
        "import { Controller } from \"./shifts.js\";
const c = new Controller({ change: false, call_: false });
for (let i = 0; i < 20; i++) {
  c.step({ visitor: false });
  process.stdout.write(c.cells.call_ ? \"H\" : c.cells.change ? \"x\" : \".\");
}
",
    );
    folder.file(
        "main.c",
        "#include \"shifts.h\"
#include <stdio.h>
int main(void) {
    shifts_cells cells;
    shifts_initial(&cells);
    shifts_controller c;
    shifts_init(&c, cells);
    for (int i = 0; i < 20; i++) {
        shifts_inputs inputs = { 0 };
        shifts_step step;
        shifts_next(&c, &inputs, &step);
        putchar(c.cells.call ? 'H' : c.cells.change ? 'x' : '.');
    }
    return 0;
}
",
    );
    for (program, arguments) in [("python3", "main.py"), ("node", "main.js")] {
        if let Some(out) = run(folder.path(), program, &[arguments], false) {
            assert_eq!(out.trim(), expected, "{program}");
        }
    }
    let arguments = ["-std=c99", "-Wall", "-Werror", "-o", "main", "main.c", "shifts.c"];
    if run(folder.path(), "gcc", &arguments, false).is_some() {
        assert_eq!(run(folder.path(), "./main", &[], false).expect("the program").trim(), expected);
    }
}

/// Python does not say by its types what an integer is.
#[test]
fn python_refuses_what_is_no_integer() {
    let folder = Folder::new();
    emitted(&folder, "account", "python", "account.py");
    folder.file(
        "main.py",
        "import account
controller = account.Controller()
controller.step(account.Inputs(amount=10 ** 30, deposit=True, withdraw=False))
before = controller.cells
for amount in (2.5, 2.0, True, '7', None, [1], float('nan')):
    for withdraw in (False, True):
        try:
            controller.step(account.Inputs(amount=amount, deposit=not withdraw, withdraw=withdraw))
            print('computed', amount)
        except ValueError as error:
            assert str(error) == 'not an integer: %r' % (amount,), error
    assert controller.cells == before
print(before.balance == 10 ** 30)
",
    );
    if let Some(out) = run(folder.path(), "python3", &["main.py"], false) {
        assert_eq!(out.trim(), "True");
    }
}
