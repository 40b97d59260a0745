//! Inputs, first values, restored values and values that the environment computes are of their sorts: everything else is
//! an error that names the signal, its value and its sort, and nothing has changed.

use super::run::{folder, run};
use crate::cli::Folder;
use std::fmt::Write;
use std::path::Path;

const SPEC: &str = "input push: Bool;
input zero: 0..0;
input digit: 0..9;
input mid: 3..7;
input below: -5..-2;
input color: enum {red, green};
cell c_zero: 0..0;
cell c_digit: 0..9;
cell c_mid: 3..7;
cell c_below: -5..-2;
cell bounded: Int in 2..6 = 3;
cell positive: Nat = 3;
cell far: 0..9 = 0;
function look: Bool -> 0..9;
always guarantee {
  push -> [c_zero <- zero];
  push -> [c_digit <- digit];
  push -> [c_mid <- mid];
  push -> [c_below <- below];
  push -> [far <- look(push)];
  color = green -> [bounded <- 2];
  color = green -> [positive <- 2];
}
";

/// A signal, its range, and numbers outside of it.
const RANGES: [(&str, &str, &[i64]); 4] = [
    ("zero", "0..0", &[-1, 1, 9]),
    ("digit", "0..9", &[-1, 10, 12, 1 << 40, -(1 << 40)]),
    ("mid", "3..7", &[0, 2, 8, -3]),
    ("below", "-5..-2", &[-6, -1, 0, 2]),
];

/// Cells with bounds, and numbers outside of them.
const BOUNDED: [(&str, &str, &[i64]); 2] = [("bounded", "2..6", &[1, 7, -2]), ("positive", "0..", &[-1])];

/// A refused value: the signal, the value as an expression, and the message.
struct Refused {
    signal: String,
    value: String,
    message: String,
}

fn refused(noun: &str, signal: &str, value: &str, shown: &str, why: &str) -> Refused {
    let message = format!("the {noun} {signal} is {shown}, which is not {why}");
    Refused { signal: signal.into(), value: value.into(), message }
}

/// Numbers outside of the range of a signal.
fn outside(noun: &str, signal: &str, range: &str, numbers: &[i64]) -> Vec<Refused> {
    let one = |n: &i64| refused(noun, signal, &n.to_string(), &n.to_string(), &format!("in {range}"));
    numbers.iter().map(one).collect()
}

/// Refused numbers of inputs.
fn numbers() -> Vec<Refused> {
    RANGES.iter().flat_map(|(signal, range, values)| outside("input", signal, range, values)).collect()
}

/// Refused numbers of cells.
fn of_cells() -> Vec<Refused> {
    let ranges = RANGES
        .iter()
        .flat_map(|(signal, range, values)| outside("cell", &format!("c_{signal}"), range, values));
    let bounded = BOUNDED.iter().flat_map(|(cell, range, values)| outside("cell", cell, range, values));
    ranges.chain(bounded).collect()
}

/// Refused values of languages that check no types: expressions with what the message shows.
fn untyped(numbers: &[(&str, &str)], choices: &[(&str, &str)], truths: &[(&str, &str)]) -> Vec<Refused> {
    let number = |&(value, shown): &(&str, &str)| refused("input", "digit", value, shown, "in 0..9");
    let choice =
        |&(value, shown): &(&str, &str)| refused("input", "color", value, shown, "one of red, green");
    let truth = |&(value, shown): &(&str, &str)| refused("input", "push", value, shown, "true or false");
    numbers.iter().map(number).chain(choices.iter().map(choice)).chain(truths.iter().map(truth)).collect()
}

fn emitted(lang: &str, name: &str, file: &str) -> std::path::PathBuf {
    let path = folder(name);
    let specs = Folder::new();
    specs.file("lamp.tsl", SPEC);
    let target = path.join(file);
    std::fs::create_dir_all(target.parent().expect("a folder")).expect("a writable folder");
    specs.run(["emit", "lamp.tsl", "--lang", lang, "-o", target.to_str().expect("UTF-8")]).exits(0);
    path
}

fn write(path: &Path, name: &str, text: &str) {
    std::fs::write(path.join(name), text).expect("a writable folder");
}

/// A line for each refused value: the template with `SIGNAL`, `VALUE` and `MESSAGE` replaced.
fn lines(all: &[Refused], template: &str, name: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for one in all {
        let line = template.replace("SIGNAL", &name(&one.signal)).replace("VALUE", &one.value);
        writeln!(text, "{}", line.replace("MESSAGE", &format!("{:?}", one.message))).unwrap();
    }
    text
}

fn same(name: &str) -> String {
    name.into()
}

/// `c_digit` as `CDigit`.
fn pascal(name: &str) -> String {
    let upper = |part: &str| part[..1].to_uppercase() + &part[1..];
    name.split('_').map(upper).collect()
}

#[test]
fn javascript_watches_all_values() {
    let path = emitted("js", "domains-js", "lamp.mjs");
    let dynamic = untyped(
        &[
            ("1.5", "1.5"),
            ("NaN", "NaN"),
            ("'1'", "\"1\""),
            ("true", "true"),
            ("null", "null"),
            ("[1]", "an object"),
        ],
        &[("'blue'", "\"blue\""), ("'Red'", "\"Red\""), ("0", "0"), ("undefined", "undefined")],
        &[("1", "1"), ("0", "0"), ("'true'", "\"true\""), ("undefined", "undefined")],
    );
    let driver = r#"
import assert from "node:assert/strict";
import { Controller, RestoreError } from "./lamp.mjs";
let seen = 4;
const env = { look: () => seen };
const cells = { c_zero: 0, c_digit: 1, c_mid: 3, c_below: -2 };
const controller = new Controller({ env, cells });
const good = { push: true, zero: 0, digit: 9, mid: 7, below: -5, color: "green" };
controller.step(good);
assert.deepEqual(controller.cells, { c_zero: 0, c_digit: 9, c_mid: 7, c_below: -5, bounded: 2, positive: 2, far: 4 });
const saved = JSON.stringify(controller.save());
const refuses = (run, kind, message) => {
  assert.throws(run, (e) => e instanceof kind && e.message === message, message);
  assert.equal(JSON.stringify(controller.save()), saved);
};
const input = (changed, message) => refuses(() => controller.step({ ...good, ...changed }), RangeError, message);
const cell = (changed, message) => {
  refuses(() => new Controller({ env, cells: { ...cells, ...changed } }), RangeError, message);
  const old = JSON.parse(saved);
  refuses(() => Controller.restore({ ...old, cells: { ...old.cells, ...changed } }, env), RestoreError, message);
};
INPUTS
CELLS
seen = 12;
input({}, "the cell far is 12, which is not in 0..9");
seen = 9;
controller.step(good);
assert.equal(controller.cells.far, 9);
console.log("done");
"#;
    let inputs: String = [numbers(), dynamic]
        .iter()
        .map(|all| lines(all, "input({ SIGNAL: VALUE }, MESSAGE);", same))
        .collect();
    let cells = lines(&of_cells(), "cell({ SIGNAL: VALUE }, MESSAGE);", same);
    write(&path, "main.mjs", &driver.replace("INPUTS", &inputs).replace("CELLS", &cells));
    let Some(text) = run(&path, "node", &["main.mjs"], true) else { return };
    assert_eq!(text.trim(), "done");
}

#[test]
fn python_watches_all_values() {
    let path = emitted("python", "domains-python", "lamp.py");
    let dynamic = untyped(
        &[("1.5", "1.5"), ("float('nan')", "nan"), ("'1'", "'1'"), ("True", "True"), ("None", "None")],
        &[("'red'", "'red'"), ("0", "0"), ("None", "None")],
        &[("1", "1"), ("0", "0"), ("'true'", "'true'"), ("None", "None")],
    );
    let driver = r#"
import lamp
class World(lamp.Environment):
    seen = 4
    def look(self, flag):
        return self.seen
world = World()
color = next(v for v in vars(lamp).values() if isinstance(v, type) and issubclass(v, lamp.Enum) and "red" in [m.value for m in v])
first = dict(c_zero=0, c_digit=1, c_mid=3, c_below=-2)
controller = lamp.Controller(world, lamp.Cells(**first))
good = dict(push=True, zero=0, digit=9, mid=7, below=-5, color=color("green"))
controller.step(lamp.Inputs(**good))
assert controller.cells == lamp.Cells(c_zero=0, c_digit=9, c_mid=7, c_below=-5, bounded=2, positive=2, far=4)
saved = controller.save()
def refuses(run, kind, message):
    try:
        run()
    except kind as error:
        assert str(error) == message, (str(error), message)
    else:
        raise AssertionError(message)
    assert controller.save() == saved
def refuses_input(changed, message):
    refuses(lambda: controller.step(lamp.Inputs(**{**good, **changed})), ValueError, message)
def refuses_cell(changed, message):
    refuses(lambda: lamp.Controller(world, lamp.Cells(**{**first, **changed})), ValueError, message)
    refuses(lambda: lamp.Controller.restore({**saved, "cells": {**saved["cells"], **changed}}, world), lamp.RestoreError, message)
INPUTS
CELLS
world.seen = 12
refuses_input({}, "the cell far is 12, which is not in 0..9")
world.seen = 9
controller.step(lamp.Inputs(**good))
assert controller.cells.far == 9
print("done")
"#;
    let inputs: String = [numbers(), dynamic]
        .iter()
        .map(|all| lines(all, "refuses_input({'SIGNAL': VALUE}, MESSAGE)", same))
        .collect();
    let cells = lines(&of_cells(), "refuses_cell({'SIGNAL': VALUE}, MESSAGE)", same);
    write(&path, "main.py", &driver.replace("INPUTS", &inputs).replace("CELLS", &cells));
    let Some(text) = run(&path, "python3", &["main.py"], false) else { return };
    assert_eq!(text.trim(), "done");
}

#[test]
fn lua_watches_all_values() {
    let path = emitted("lua", "domains-lua", "lamp.lua");
    let dynamic = untyped(
        &[("1.5", "1.5"), ("'1'", "\"1\""), ("true", "true"), ("{}", "a table")],
        &[("'blue'", "\"blue\""), ("0", "0")],
        &[("1", "1"), ("0", "0"), ("'true'", "\"true\"")],
    );
    let driver = r#"
local lamp = require("lamp")
local world = { seen = 4 }
function world:look() return self.seen end
local first = { c_zero = 0, c_digit = 1, c_mid = 3, c_below = -2 }
local function with(all, changed)
  local result = {}
  for name, value in pairs(all) do result[name] = value end
  for name, value in pairs(changed) do result[name] = value end
  return result
end
local controller = lamp.new { env = world, cells = first }
local good = { push = true, zero = 0, digit = 9, mid = 7, below = -5, color = "green" }
controller:step(good)
assert(controller.cells.c_below == -5 and controller.cells.far == 4 and controller.cells.bounded == 2)
local function refuses(message, ...)
  local ok, why = pcall(...)
  assert(not ok and (why == message or type(why) == "table" and tostring(why):find(message, 1, true)), tostring(why) .. " is not " .. message)
  assert(controller.cells.c_digit == 9 and controller.cells.far == 4)
end
local function input(changed, message) refuses(message, controller.step, controller, with(good, changed)) end
local function cell(changed, message)
  refuses(message, lamp.new, { env = world, cells = with(first, changed) })
  local saved = controller:save()
  saved.cells = with(saved.cells, changed)
  refuses(message, lamp.restore, saved, { env = world })
end
INPUTS
CELLS
world.seen = 12
input({}, "the cell far is 12, which is not in 0..9")
world.seen = 9
controller:step(good)
assert(controller.cells.far == 9)
print("done")
"#;
    let inputs: String = [numbers(), dynamic]
        .iter()
        .map(|all| lines(all, "input({ SIGNAL = VALUE }, MESSAGE)", same))
        .collect();
    let cells = lines(&of_cells(), "cell({ SIGNAL = VALUE }, MESSAGE)", same);
    write(&path, "main.lua", &driver.replace("INPUTS", &inputs).replace("CELLS", &cells));
    let Some(text) = run(&path, "lua5.4", &["main.lua"], false) else { return };
    assert_eq!(text.trim(), "done");
}

#[test]
fn rust_watches_all_values() {
    let path = emitted("rust", "domains-rust", "lamp.rs");
    let driver = r#"
#![deny(warnings)]
mod lamp;
use lamp::{Cells, ColorValue, Controller, Inputs, StepError};
struct World(i64);
impl lamp::Environment for World {
    type Error = ();
    fn look(&mut self, _flag: bool) -> Result<i64, ()> {
        Ok(self.0)
    }
}
fn good() -> Inputs {
    Inputs { push: true, zero: 0, digit: 9, mid: 7, below: -5, color: ColorValue::Green }
}
fn cells() -> Cells {
    Cells { c_zero: 0, c_digit: 9, c_mid: 7, c_below: -5, bounded: 2, positive: 2, far: 4 }
}
fn main() {
    let mut controller = Controller::new(0, 1, 3, -2).unwrap();
    controller.step(&good(), &mut World(4)).unwrap();
    let mut input = |inputs: Inputs, seen: i64, message: &str| {
        match controller.step(&inputs, &mut World(seen)) {
            Err(StepError::NotOfSort(error)) => assert_eq!(error.to_string(), message),
            other => panic!("{other:?} is not {message}"),
        }
        let now = controller.cells();
        assert_eq!((now.c_digit, now.c_mid, now.far), (9, 7, 4));
    };
    INPUTS
    input(good(), 12, "the cell far is 12, which is not in 0..9");
    let cell = |cells: Cells, message: &str| {
        let error = Controller::restore(controller.save(), cells).err();
        assert_eq!(error.map(|e| e.to_string()).as_deref(), Some(message));
    };
    CELLS
    assert_eq!(Controller::new(0, 10, 3, -2).err().unwrap().to_string(), "the cell c_digit is 10, which is not in 0..9");
    assert_eq!(Controller::new(0, 10, 3, -2).err().unwrap().value, 10);
    println!("done");
}
"#;
    let inputs = lines(&numbers(), "input(Inputs { SIGNAL: VALUE, ..good() }, 4, MESSAGE);", same);
    let cells = lines(&of_cells(), "cell(Cells { SIGNAL: VALUE, ..cells() }, MESSAGE);", same);
    write(&path, "main.rs", &driver.replace("INPUTS", &inputs).replace("CELLS", &cells));
    if run(&path, "rustc", &["--edition", "2021", "main.rs", "-o", "main"], true).is_none() {
        return;
    }
    assert_eq!(run(&path, "./main", &[], true).expect("it was just built").trim(), "done");
}

#[test]
fn c_watches_all_values() {
    let path = emitted("c", "domains-c", "lamp.c");
    let driver = r#"
#include "lamp.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>
static long long seen = 4;
static int look(void *context, bool flag, int64_t *result) {
    (void)context;
    (void)flag;
    *result = seen;
    return 0;
}
static lamp_controller c;
static const lamp_environment world = { NULL, look };
static char text[256];
static void input(lamp_inputs inputs, const char *message) {
    lamp_step step;
    lamp_cells before = c.cells;
    assert(lamp_next(&c, &inputs, &world, &step) == LAMP_NOT_OF_SORT);
    assert(lamp_inputs_fit(&inputs, NULL, 0) == LAMP_NOT_OF_SORT);
    assert(lamp_inputs_fit(&inputs, text, sizeof text) == LAMP_NOT_OF_SORT);
    if (strcmp(text, message) != 0) puts(text);
    assert(strcmp(text, message) == 0);
    assert(memcmp(&before, &c.cells, sizeof before) == 0);
}
static void cell(lamp_cells cells, const char *message) {
    lamp_controller other = c;
    char saved[256];
    assert(lamp_save(&c, saved, sizeof saved) == LAMP_OK);
    assert(lamp_init(&other, cells) == LAMP_NOT_OF_SORT);
    assert(lamp_restore(&other, saved, cells) == LAMP_NOT_OF_SORT);
    assert(lamp_cells_fit(&cells, text, sizeof text) == LAMP_NOT_OF_SORT);
    if (strcmp(text, message) != 0) puts(text);
    assert(strcmp(text, message) == 0);
}
int main(void) {
    lamp_cells cells, changed_cells;
    lamp_inputs good, changed;
    lamp_step step;
    memset(&cells, 0, sizeof cells);
    memset(&good, 0, sizeof good);
    lamp_initial(&cells);
    cells.c_mid = 3;
    cells.c_below = -2;
    assert(lamp_init(&c, cells) == LAMP_OK);
    good.push = true;
    good.digit = 9;
    good.mid = 7;
    good.below = -5;
    assert(lamp_next(&c, &good, &world, &step) == LAMP_OK && c.cells.c_digit == 9 && c.cells.far == 4);
    assert(lamp_inputs_fit(&good, NULL, 0) == LAMP_OK && lamp_cells_fit(&c.cells, NULL, 0) == LAMP_OK);
INPUTS
CELLS
    changed = good;
    changed.color = 7;
    input(changed, "the input color is 7, which is not one of red, green");
    seen = 12;
    assert(lamp_next(&c, &good, &world, &step) == LAMP_NOT_OF_SORT && c.cells.far == 4);
    seen = 9;
    assert(lamp_next(&c, &good, &world, &step) == LAMP_OK && c.cells.far == 9);
    puts("done");
    return 0;
}
"#;
    let inputs = lines(&numbers(), "changed = good; changed.SIGNAL = VALUE; input(changed, MESSAGE);", same);
    let template = "changed_cells = c.cells; changed_cells.SIGNAL = VALUE; cell(changed_cells, MESSAGE);";
    let cells = lines(&of_cells(), template, same);
    write(&path, "main.c", &driver.replace("INPUTS", &inputs).replace("CELLS", &cells));
    let build = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-o", "main", "main.c", "lamp.c"];
    if run(&path, "cc", &build, false).is_none() {
        return;
    }
    assert_eq!(run(&path, "./main", &[], false).expect("it was just built").trim(), "done");
}

#[test]
fn go_watches_all_values() {
    let path = emitted("go", "domains-go", "lamp/lamp.go");
    write(&path, "go.mod", "module domains\n\ngo 1.18\n");
    let driver = r#"package main

import (
	"domains/lamp"
	"fmt"
)

type world struct{ seen int64 }

func (w *world) Look(flag bool) (int64, error) { return w.seen, nil }

func expect(err error, message string) {
	if err == nil || err.Error() != message {
		panic(fmt.Sprint(err, " is not ", message))
	}
}

func main() {
	env := &world{4}
	first := lamp.Initial()
	first.CMid, first.CBelow = 3, -2
	c, err := lamp.New(lamp.Parts{Env: env, Cells: &first})
	if err != nil {
		panic(err)
	}
	good := lamp.Inputs{Push: true, Digit: 9, Mid: 7, Below: -5}
	if _, err := c.Next(good); err != nil || c.Cells().Far != 4 {
		panic(err)
	}
	input := func(inputs lamp.Inputs, message string) {
		before := c.Cells()
		_, err := c.Next(inputs)
		if _, ok := err.(lamp.NotOfSort); !ok || c.Cells() != before {
			panic(message)
		}
		expect(err, message)
	}
	cell := func(cells lamp.Cells, message string) {
		_, err := lamp.New(lamp.Parts{Env: env, Cells: &cells})
		expect(err, message)
		saved := c.Save()
		saved.Cells = cells
		_, err = lamp.Restore(saved, lamp.Parts{Env: env})
		expect(err, message)
	}
	changed, cells := good, c.Cells()
INPUTS
	changed = good
	changed.Color = 7
	input(changed, "the input color is 7, which is not one of red, green")
CELLS
	env.seen = 12
	input(good, "the cell far is 12, which is not in 0..9")
	env.seen = 9
	if _, err := c.Next(good); err != nil || c.Cells().Far != 9 {
		panic(err)
	}
	fmt.Println("done")
}
"#;
    let inputs =
        lines(&numbers(), "\tchanged = good\n\tchanged.SIGNAL = VALUE\n\tinput(changed, MESSAGE)", pascal);
    let template = "\tcells = c.Cells()\n\tcells.SIGNAL = VALUE\n\tcell(cells, MESSAGE)";
    let cells = lines(&of_cells(), template, pascal);
    write(&path, "main.go", &driver.replace("INPUTS", &inputs).replace("CELLS", &cells));
    let Some(text) = run(&path, "go", &["run", "."], false) else { return };
    assert_eq!(text.trim(), "done");
}

#[test]
fn csharp_watches_all_values() {
    let path = emitted("csharp", "domains-csharp", "lamp.cs");
    let driver = r#"using System;
using lamp;

public sealed class World : lamp.Environment
{
    public long Seen = 4;
    public long Look(bool flag) { return Seen; }
}

public static class MainClass
{
    static Controller c;
    static readonly World world = new World();

    static lamp.Inputs Good()
    {
        return new lamp.Inputs { Push = true, Zero = 0, Digit = 9, Mid = 7, Below = -5 };
    }

    static lamp.Cells First()
    {
        return new lamp.Cells { CMid = 3, CBelow = -2 };
    }

    static void Refuses(Action run, string message)
    {
        try { run(); }
        catch (ArgumentOutOfRangeException e) { if (e.Message.StartsWith(message)) return; Console.WriteLine(e.Message); }
        catch (RestoreError e) { if (e.Message == message) return; Console.WriteLine(e.Message); }
        throw new Exception(message);
    }

    static void Input(lamp.Inputs inputs, string message)
    {
        long far = c.Cells.Far;
        Refuses(() => c.Next(inputs), message);
        if (c.Cells.Far != far || c.Cells.CDigit != 9) throw new Exception("changed");
    }

    static void Cell(lamp.Cells cells, string message)
    {
        Refuses(() => new Controller(world, cells), message);
        var saved = c.Save();
        saved.Cells = cells;
        Refuses(() => Controller.Restore(saved, world), message);
    }

    public static void Main()
    {
        c = new Controller(world, First());
        c.Next(Good());
        lamp.Inputs changed;
        lamp.Cells cells;
INPUTS
        changed = Good();
        changed.Color = (ColorValue)7;
        Input(changed, "the input color is 7, which is not one of red, green");
CELLS
        world.Seen = 12;
        Input(Good(), "the cell far is 12, which is not in 0..9");
        world.Seen = 9;
        c.Next(Good());
        if (c.Cells.Far != 9) throw new Exception("far");
        Console.WriteLine("done");
    }
}
"#;
    let inputs =
        lines(&numbers(), "changed = Good(); changed.SIGNAL = VALUE; Input(changed, MESSAGE);", pascal);
    let cells = lines(&of_cells(), "cells = First(); cells.SIGNAL = VALUE; Cell(cells, MESSAGE);", pascal);
    write(&path, "Main.cs", &driver.replace("INPUTS", &inputs).replace("CELLS", &cells));
    if run(&path, "mcs", &["-out:main.exe", "Main.cs", "lamp.cs"], false).is_some()
        && let Some(text) = run(&path, "mono", &["main.exe"], false)
    {
        assert_eq!(text.trim(), "done");
    }
}
