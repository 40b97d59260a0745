//! Cells of finite sorts: constructors and `restore` refuse values outside the sort. Declared inputs that no clause
//! reads stay in the interface.

use super::run::{folder, run};
use crate::cli::Folder;
use std::path::Path;

/// Cells of every finite sort, one of them with a declared initial value, and two inputs that no clause reads.
const SPEC: &str = "input go: Bool;
input spare: 0..5;
input thing;
saturating cell n: 0..3;
saturating cell m: -2..2 = 1;
cell on: Bool;
cell color: enum {red, green};
always guarantee {
  go -> [n <- n + 1];
  go -> [m <- m + 1];
  go -> [on <- true];
  go -> [color <- green];
}
";

fn emitted(lang: &str, file: &str, path: &Path) {
    let specs = Folder::new();
    specs.file("lamp.tsl", SPEC);
    let target = path.join(file);
    specs.run(["emit", "lamp.tsl", "--lang", lang, "-o", target.to_str().expect("UTF-8")]).exits(0);
}

fn write(path: &Path, name: &str, text: &str) {
    std::fs::write(path.join(name), text).expect("a writable folder");
}

#[test]
fn javascript_refuses_values_of_other_sorts() {
    let path = folder("finite-js");
    emitted("js", "lamp.mjs", &path);
    assert!(path.join("lamp.d.mts").is_file() && !path.join("lamp.d.ts").exists());
    let types = std::fs::read_to_string(path.join("lamp.d.mts")).expect("the types");
    assert!(types.contains("readonly spare: number;") && types.contains("readonly thing: "), "{types}");
    let driver = r#"
import assert from "node:assert/strict";
import { Controller, RestoreError } from "./lamp.mjs";
const good = { n: 2, on: false, color: "red" };
const controller = new Controller(good);
controller.step({ go: true, spare: 3, thing: "x" });
assert.deepEqual(controller.cells, { n: 3, m: 2, on: true, color: "green" });
const saved = JSON.parse(JSON.stringify(controller.save()));
assert.deepEqual(Controller.restore(saved).cells, controller.cells);
const bad = { n: [4, -1, 1.5, NaN, "1", null, true, undefined], m: [3, -3, "1", 0.5], on: [0, "true", null, undefined], color: ["blue", 0, null, undefined, "Red"] };
for (const [cell, values] of Object.entries(bad)) {
  for (const value of values) {
    assert.throws(() => new Controller({ ...good, [cell]: value }), (e) => e instanceof RangeError && e.message.includes(`the cell ${cell} `), `${cell} ${value}`);
    const cells = { ...saved.cells, [cell]: value };
    assert.throws(() => Controller.restore({ ...saved, cells }), RestoreError, `${cell} ${value}`);
  }
}
console.log("done");
"#;
    write(&path, "main.mjs", driver);
    let Some(text) = run(&path, "node", &["main.mjs"], true) else { return };
    assert_eq!(text.trim(), "done");
}

#[test]
fn python_refuses_values_of_other_sorts() {
    let path = folder("finite-python");
    emitted("python", "lamp.py", &path);
    let driver = r#"
import lamp
color = next(v for k, v in vars(lamp).items() if isinstance(v, type) and issubclass(v, lamp.Enum) and "red" in [m.value for m in v])
good = dict(n=2, on=False, color=color("red"))
controller = lamp.Controller(lamp.Cells(**good))
controller.step(lamp.Inputs(go=True, spare=3, thing="x"))
assert controller.cells == lamp.Cells(n=3, m=2, on=True, color=color("green")), controller.cells
saved = controller.save()
assert lamp.Controller.restore(saved).cells == controller.cells
bad = dict(n=[4, -1, 1.5, float("nan"), "1", None, True], m=[3, -3, "1", 0.5], on=[0, 1, "true", None], color=["blue", 0, None, "red"])
for cell, values in bad.items():
    for value in values:
        try:
            lamp.Controller(lamp.Cells(**{**good, cell: value}))
        except ValueError as error:
            assert "the cell " + cell in str(error), error
        else:
            raise AssertionError((cell, value))
        if (cell, value) == ("color", "red"):
            continue
        try:
            lamp.Controller.restore({**saved, "cells": {**saved["cells"], cell: value}})
        except lamp.RestoreError:
            pass
        else:
            raise AssertionError((cell, value))
print("done")
"#;
    write(&path, "main.py", driver);
    let Some(text) = run(&path, "python3", &["main.py"], false) else { return };
    assert_eq!(text.trim(), "done");
}

#[test]
fn rust_refuses_values_of_other_sorts() {
    let path = folder("finite-rust");
    emitted("rust", "lamp.rs", &path);
    let driver = r#"
#![deny(warnings)]
mod lamp;
use lamp::{Cells, ColorValue, Controller, Inputs};
struct World;
impl lamp::Environment for World {
    type Error = ();
    type Thing = u32;
}
fn main() {
    let mut controller = Controller::new(2, false, ColorValue::Red).unwrap();
    let inputs: Inputs<World> = Inputs { go: true, spare: 3, thing: 7 };
    controller.step(&inputs, &mut World).unwrap();
    let cells = |n, m| Cells { n, m, on: true, color: ColorValue::Green };
    assert_eq!((controller.cells().n, controller.cells().m), (3, 2));
    for n in [-1, 4, i64::MIN, i64::MAX] {
        let wrong = |cell: &str, range: &str| Some(format!("the cell {cell} is {n}, which is not in {range}"));
        let text = |error: lamp::NotOfSort| error.to_string();
        assert_eq!(Controller::new(n, false, ColorValue::Red).err().map(text), wrong("n", "0..3"));
        assert_eq!(Controller::restore(controller.save(), cells(n, 1)).err().map(text), wrong("n", "0..3"));
        let expected = if n == -1 { None } else { wrong("m", "-2..2") };
        assert_eq!(Controller::restore(controller.save(), cells(1, n)).err().map(text), expected);
    }
    assert!(Controller::restore(controller.save(), cells(0, -2)).is_ok());
    println!("done");
}
"#;
    write(&path, "main.rs", driver);
    if run(&path, "rustc", &["--edition", "2021", "main.rs", "-o", "main"], true).is_none() {
        return;
    }
    let text = run(&path, "./main", &[], true).expect("it was just built");
    assert_eq!(text.trim(), "done");
}

#[test]
fn c_refuses_values_of_other_sorts() {
    let path = folder("finite-c");
    emitted("c", "lamp.c", &path);
    let driver = r#"
#include "lamp.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    lamp_controller c;
    lamp_cells cells = {0};
    lamp_cells bad;
    lamp_inputs inputs = {0};
    lamp_step step;
    char text[256];
    long long values[] = { -3, 4, 1LL << 40 };
    size_t i;
    lamp_initial(&cells);
    cells.n = 2;
    if (lamp_init(&c, cells) != LAMP_OK) return 1;
    inputs.go = true;
    inputs.spare = 3;
    if (lamp_next(&c, &inputs, &step) != LAMP_OK || c.cells.n != 3 || c.cells.m != 2) return 2;
    if (lamp_save(&c, text, sizeof text) != LAMP_OK || lamp_restore(&c, text, c.cells) != LAMP_OK) return 3;
    for (i = 0; i < sizeof values / sizeof values[0]; i++) {
        bad = c.cells;
        bad.n = values[i];
        if (lamp_init(&c, bad) != LAMP_NOT_OF_SORT || lamp_restore(&c, text, bad) != LAMP_NOT_OF_SORT) return 4;
        bad = c.cells;
        bad.m = values[i];
        if (lamp_init(&c, bad) != LAMP_NOT_OF_SORT || lamp_restore(&c, text, bad) != LAMP_NOT_OF_SORT) return 5;
    }
    bad = c.cells;
    memset(&bad.color, 1, sizeof bad.color);
    if (lamp_init(&c, bad) != LAMP_NOT_OF_SORT || lamp_restore(&c, text, bad) != LAMP_NOT_OF_SORT) return 6;
    if (c.cells.n != 3) return 7;
    puts("done");
    return 0;
}
"#;
    write(&path, "main.c", driver);
    let build = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-o", "main", "main.c", "lamp.c"];
    if run(&path, "cc", &build, false).is_none() {
        return;
    }
    assert_eq!(run(&path, "./main", &[], false).expect("it was just built").trim(), "done");
}

/// Comments in emitted files name only verbs that the program has.
#[test]
fn comments_name_verbs_that_exist() {
    let specs = Folder::new();
    specs.file("lamp.tsl", SPEC);
    let help = specs.run(["--help"]).exits(0).out;
    let commands =
        help.split("Commands:").nth(1).and_then(|text| text.split("\n\n").next()).expect("the verbs");
    let verbs: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(verbs.contains(&"explain") && verbs.contains(&"emit"), "{help}");
    let mut named = 0;
    for lang in ["js", "ts", "python", "rust", "c", "lua", "go", "csharp", "dot", "mermaid", "hoa", "json"] {
        let emit = ["emit", "lamp.tsl", "--lang", lang, "--format", "json"];
        for file in specs.run(emit).exits(0).json()["files"].as_array().expect("files") {
            let text = file["text"].as_str().expect("text");
            for quoted in text.split("`tsl-synth ").skip(1) {
                let verb = quoted.split(['`', ' ']).next().unwrap_or("");
                assert!(verbs.contains(&verb), "{lang}: `tsl-synth {verb}`");
                named += 1;
            }
            assert!(!text.contains("`monitor`"), "{lang}");
        }
    }
    assert!(named >= 5, "{named} verbs are named");
}
