//! Numbers in emitted Lua, Go and C#: an integer that is too large is an error that is raised, and remainders are those of
//! the contract.

use super::run::run;
use crate::cli::Folder;

fn emitted(folder: &Folder, spec: &str, lang: &str, file: &str) {
    let spec = format!("{}/specs/numbers/{spec}.tsl", env!("CARGO_MANIFEST_DIR"));
    folder.run(["emit", &spec, "--lang", lang, "-o", file]).exits(0);
}

/// A cell without a range: the numbers of `Number` are integers here, too.
const PLAIN: &str = "input up: Bool; input delta: Number; cell n: Number = 0; always guarantee { up -> [n <- n + delta]; !up -> [n <- n * delta]; }\n";

#[test]
fn lua_raises_an_error() {
    let folder = Folder::new();
    emitted(&folder, "account", "lua", "account.lua");
    folder.file("plain.tsl", PLAIN);
    folder.run(["emit", "plain.tsl", "--lang", "lua", "-o", "plain.lua"]).exits(0);
    folder.file(
        "main.lua",
        r#"
local account = require("account").new { cells = {} }
local function deposit(amount) return pcall(account.step, account, { amount = amount, deposit = true, withdraw = false }) end
assert(deposit(5) and deposit(math.maxinteger - 5))
local before = account.cells.balance
for _, amount in ipairs { 1, 2.5, math.maxinteger, "7" } do
  local ok, why = deposit(amount)
  assert(not ok, amount)
  print(why)
end
assert(account.cells.balance == before)
local plain = require("plain").new()
assert(pcall(plain.step, plain, { up = true, delta = math.mininteger }))
for _, given in ipairs { { up = true, delta = -1 }, { up = false, delta = -1 }, { up = false, delta = 3 }, { up = false } } do
  local ok, why = pcall(plain.step, plain, given)
  assert(not ok)
  print(why)
end
assert(pcall(plain.step, plain, { up = false, delta = 1 }))
print(select(2, pcall(require("account").new, { cells = 3 })))
"#,
    );
    if let Some(out) = run(folder.path(), "lua5.4", &["main.lua"], false) {
        let lines: Vec<&str> = out.lines().collect();
        let overflow = "an integer overflows";
        let missing = "step { ... }: inputs.delta is missing";
        let expected = [
            overflow,
            "not an integer: 2.5",
            overflow,
            "not an integer: 7",
            overflow,
            overflow,
            overflow,
            missing,
            "cells is a number, not a table",
        ];
        assert_eq!(lines, expected);
    }
}

#[test]
fn go_returns_an_error() {
    let folder = Folder::new();
    folder.file("account/notes.txt", "");
    folder.file("plain/notes.txt", "");
    emitted(&folder, "account", "go", "account/account.go");
    folder.file("plain.tsl", PLAIN);
    folder.run(["emit", "plain.tsl", "--lang", "go", "-o", "plain/plain.go"]).exits(0);
    folder.file("go.mod", "module numbers\n\ngo 1.18\n");
    folder.file(
        "main.go",
        r#"package main

import (
	"fmt"
	"math"
	"numbers/account"
	"numbers/plain"
)

func main() {
	a, _ := account.New(account.Parts{})
	for _, amount := range []int64{5, math.MaxInt64 - 5, 1, math.MaxInt64} {
		_, err := a.Next(account.Inputs{Amount: amount, Deposit: true})
		fmt.Println(err == account.OverflowError, a.Cells().Balance)
	}
	p, _ := plain.New(plain.Parts{})
	for _, given := range []plain.Inputs{{Up: true, Delta: math.MinInt64}, {Up: true, Delta: -1}, {Delta: -1}, {Delta: 3}, {Delta: 1}} {
		_, err := p.Next(given)
		fmt.Println(err)
	}
}
"#,
    );
    if let Some(out) = run(folder.path(), "go", &["run", "."], false) {
        let most = i64::MAX;
        let overflow = "an integer overflows";
        let expected = format!(
            "false 5\nfalse {most}\ntrue {most}\ntrue {most}\n<nil>\n{overflow}\n{overflow}\n{overflow}\n<nil>\n"
        );
        assert_eq!(out, expected);
    }
}

#[test]
fn csharp_throws_an_exception() {
    let folder = Folder::new();
    emitted(&folder, "account", "csharp", "account.cs");
    folder.file("plain.tsl", PLAIN);
    folder.run(["emit", "plain.tsl", "--lang", "csharp", "-o", "plain.cs"]).exits(0);
    folder.file(
        "Main.cs",
        r#"using System;

public static class MainClass
{
    static void Try(Action step)
    {
        try { step(); Console.WriteLine("done"); }
        catch (OverflowException) { Console.WriteLine("overflow"); }
    }

    public static void Main()
    {
        var a = new account.Controller();
        foreach (long amount in new long[] { 5, long.MaxValue - 5, 1, long.MaxValue })
        {
            Try(() => a.Next(new account.Inputs { Amount = amount, Deposit = true }));
        }
        Console.WriteLine(a.Cells.Balance == long.MaxValue);
        var p = new plain.Controller();
        Try(() => p.Next(new plain.Inputs { Up = true, Delta = long.MinValue }));
        Try(() => p.Next(new plain.Inputs { Up = true, Delta = -1 }));
        Try(() => p.Next(new plain.Inputs { Delta = -1 }));
        Try(() => p.Next(new plain.Inputs { Delta = 3 }));
        Try(() => p.Next(new plain.Inputs { Delta = 1 }));
    }
}
"#,
    );
    if run(folder.path(), "mcs", &["-out:main.exe", "Main.cs", "account.cs", "plain.cs"], false).is_some()
        && let Some(out) = run(folder.path(), "mono", &["main.exe"], false)
    {
        let expected = "done done overflow overflow True done overflow overflow overflow done";
        assert_eq!(out.split_whitespace().collect::<Vec<_>>().join(" "), expected);
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
    emitted(&folder, "shifts", "lua", "shifts.lua");
    folder.file("shifts/notes.txt", "");
    emitted(&folder, "shifts", "go", "shifts/shifts.go");
    emitted(&folder, "shifts", "csharp", "shifts.cs");
    folder.file(
        "main.lua",
        "local c = require(\"shifts\").new { cells = { change = false, call = false } }
for _ = 1, 20 do
  c:step { visitor = false }
  io.write(c.cells.call and \"H\" or c.cells.change and \"x\" or \".\")
end
",
    );
    folder.file("go.mod", "module numbers\n\ngo 1.18\n");
    folder.file(
        "main.go",
        "package main

import (
	\"fmt\"
	\"numbers/shifts\"
)

func main() {
	cells := shifts.Initial()
	c, _ := shifts.New(shifts.Parts{Cells: &cells})
	for i := 0; i < 20; i++ {
		c.Next(shifts.Inputs{})
		switch {
		case c.Cells().Call:
			fmt.Print(\"H\")
		case c.Cells().Change:
			fmt.Print(\"x\")
		default:
			fmt.Print(\".\")
		}
	}
}
",
    );
    folder.file(
        "Main.cs",
        "public static class MainClass
{
    public static void Main()
    {
        var c = new shifts.Controller(cells: new shifts.Cells());
        for (int i = 0; i < 20; i++)
        {
            c.Next(new shifts.Inputs());
            System.Console.Write(c.Cells.Call ? 'H' : c.Cells.Change ? 'x' : '.');
        }
    }
}
",
    );
    for (program, arguments) in [("lua5.4", &["main.lua"][..]), ("go", &["run", "."])] {
        if let Some(out) = run(folder.path(), program, arguments, false) {
            assert_eq!(out.trim(), expected, "{program}");
        }
    }
    if run(folder.path(), "mcs", &["-out:main.exe", "Main.cs", "shifts.cs"], false).is_some()
        && let Some(out) = run(folder.path(), "mono", &["main.exe"], false)
    {
        assert_eq!(out.trim(), expected);
    }
}
