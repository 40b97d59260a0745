//! The text format of certificates, version 1. Lines are independent of each other but for the machine, which is a
//! text in HOA from `HOA: v1` to `--END--`. The grammar, with names in double quotes as in HOA:
//!
//! ```text
//! certificate = "tsl-certificate 1" NL line*
//! line        = "#" any | "spec" NAME | "verdict" ("realizable" | "unrealizable")
//!             | "machine" ("mealy" | "moore" | "counter")
//!             | "input" NAME | "output" NAME | "cell" NAME+
//!             | ("fact" | "restriction" | "assumption" | "guarantee") LTL
//!             | HOA
//!             | "node" NUMBER ("true" | "false" | "yes" NAME | "no" NAME | ("and" | "or") NUMBER+ | "next" NUMBER
//!                             | ("until" | "weak" | "release" | "strong") NUMBER NUMBER)
//!             | "claim" (("fact" | "restriction" | "assumption" | "guarantee") NUMBER | "guarantees")
//!             | "given" (("fact" | "restriction" | "assumption" | "guarantee") NUMBER)*
//!             | "row" STATE RANK NUMBER*
//! ```
//!
//! Clauses are numbered from 1 within their role. Nodes are numbered from 0 in the order of the text and refer to
//! smaller numbers only. `given` and `row` belong to the last `claim`.

use crate::contract::{Contract, Role, Signals};
use crate::formula::{Arena, Formula};
use crate::hoa::{Machine, State, read_hoa};
use crate::machine::MachineKind;
use crate::read_ltl::{Unread, read_formula};

/// The first line.
pub const FIRST_LINE: &str = "tsl-certificate 1";

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// No play breaks this clause (its number within its role, from 0) while it keeps what is given.
    Clause(Role, usize),
    /// No play keeps what is given, restrictions and guarantees.
    Guarantees,
}

/// A pair of a state and formulas, with its rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The state of the machine.
    pub state: State,
    /// Never rises along an edge.
    pub rank: u64,
    /// What the rest of the word satisfies; sorted.
    pub formulas: Vec<Formula>,
    /// The line of the text.
    pub line: usize,
}

/// A claim that no play of the machine satisfies some formulas, with its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What it is about.
    pub goal: Goal,
    /// Clauses that hold on the plays in question.
    pub given: Vec<(Role, usize)>,
    /// The proof; the first row is that of the start.
    pub rows: Vec<Row>,
    /// The line of the text.
    pub line: usize,
}

/// What a certificate says.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The verdict.
    pub is_realizable: bool,
    /// The kind of the machine.
    pub kind: MachineKind,
    /// Inputs, outputs and cells.
    pub signals: Signals,
    /// The clauses, about the plays of the machine.
    pub contract: Contract,
    /// The machine.
    pub machine: Machine,
    /// The claims.
    pub claims: Vec<Claim>,
}

/// Reads a certificate.
///
/// # Errors
/// The text is malformed.
pub fn read_certificate(text: &str, arena: &mut Arena) -> Result<Certificate, Unread> {
    let mut reader = Reader {
        arena,
        verdict: None,
        kind: None,
        signals: Signals::default(),
        clauses: Vec::new(),
        nodes: Vec::new(),
        claims: Vec::new(),
    };
    let mut lines = text.lines().enumerate();
    match lines.next() {
        Some((_, FIRST_LINE)) => {}
        Some((_, line)) if line.starts_with("tsl-certificate ") => {
            return Err(Unread::beyond(1, "this version of the format is not read here"));
        }
        _ => return Err(Unread::new(1, format!("the first line is `{FIRST_LINE}`"))),
    }
    let mut hoa: Option<(usize, String)> = None;
    let mut in_hoa = false;
    for (i, line) in lines {
        if line.starts_with("HOA:") {
            if hoa.is_some() {
                return Err(Unread::new(i + 1, "a second machine"));
            }
            hoa = Some((i, String::new()));
            in_hoa = true;
        }
        if in_hoa {
            if let Some((_, text)) = &mut hoa {
                text.push_str(line);
                text.push('\n');
            }
            in_hoa = line.trim() != "--END--";
            continue;
        }
        if !line.trim().is_empty() && !line.starts_with('#') {
            reader.line(i + 1, line).map_err(|why| Unread::new(i + 1, why))?;
        }
    }
    let whole = |why: &str| Unread::new(text.lines().count(), why);
    let (first, hoa) = hoa.ok_or_else(|| whole("there is no machine"))?;
    let machine =
        read_hoa(&hoa, &reader.signals).map_err(|unread| Unread { line: unread.line + first, ..unread })?;
    let (verdict, kind) = (reader.verdict, reader.kind);
    Ok(Certificate {
        is_realizable: verdict.ok_or_else(|| whole("`verdict` is missing"))?,
        kind: kind.ok_or_else(|| whole("`machine` is missing"))?,
        signals: reader.signals,
        contract: Contract { clauses: reader.clauses },
        machine,
        claims: reader.claims,
    })
}

/// The first name in double quotes and the text after it; a backslash keeps what follows.
fn name(text: &str) -> Option<(String, &str)> {
    let inside = text.trim_start().strip_prefix('"')?;
    let (mut found, mut chars) = (String::new(), inside.char_indices());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((found, &inside[at + 1..])),
            '\\' => found.push(chars.next()?.1),
            _ => found.push(c),
        }
    }
    None
}

struct Reader<'a> {
    arena: &'a mut Arena,
    verdict: Option<bool>,
    kind: Option<MachineKind>,
    signals: Signals,
    clauses: Vec<(Role, Formula)>,
    nodes: Vec<Formula>,
    claims: Vec<Claim>,
}

impl Reader<'_> {
    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match word {
            "spec" => name(rest).map(|_| ()).ok_or_else(|| "a name in quotes is expected".into()),
            "verdict" => once(&mut self.verdict, rest, &[("realizable", true), ("unrealizable", false)]),
            "machine" => {
                let kinds = [MachineKind::Mealy, MachineKind::Moore, MachineKind::Counter];
                once(&mut self.kind, rest, &kinds.map(|kind| (kind.word(), kind)))
            }
            "input" | "output" | "cell" => self.signal(word, rest),
            "node" => self.node(rest),
            "claim" => {
                let goal = match rest.trim() {
                    "guarantees" => Goal::Guarantees,
                    one => match self.references(one)?[..] {
                        [(role, index)] => Goal::Clause(role, index),
                        _ => return Err("a claim is about one clause".into()),
                    },
                };
                self.claims.push(Claim { goal, given: Vec::new(), rows: Vec::new(), line: number });
                Ok(())
            }
            "given" => {
                let given = self.references(rest)?;
                self.last()?.given.extend(given);
                Ok(())
            }
            "row" => self.row(number, rest),
            _ => match Role::ALL.iter().find(|role| role.word() == word) {
                Some(&role) => {
                    let formula = read_formula(rest, &self.signals, self.arena)?;
                    self.clauses.push((role, formula));
                    Ok(())
                }
                None => Err("the line is not understood".into()),
            },
        }
    }

    fn last(&mut self) -> Result<&mut Claim, String> {
        self.claims.last_mut().ok_or_else(|| "it belongs to a claim".into())
    }

    fn signal(&mut self, word: &str, mut rest: &str) -> Result<(), String> {
        let mut atoms = Vec::new();
        while !rest.trim().is_empty() {
            let (name, after) = name(rest).ok_or("names in quotes are expected")?;
            atoms.push(self.signals.add(&name, word == "input")?);
            rest = after;
        }
        match (word, atoms.len()) {
            (_, 0) => Err("a name is missing".into()),
            ("cell", _) => {
                self.signals.cells.push(atoms);
                Ok(())
            }
            (_, 1) => Ok(()),
            _ => Err("one name is expected".into()),
        }
    }

    fn references(&self, text: &str) -> Result<Vec<(Role, usize)>, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut found = Vec::new();
        for pair in words.chunks(2) {
            let role = Role::ALL.iter().copied().find(|role| role.word() == pair[0]);
            let index = pair.get(1).and_then(|n| n.parse::<usize>().ok()).and_then(|n| n.checked_sub(1));
            let (Some(role), Some(index)) = (role, index) else {
                return Err("a role and a number are expected".into());
            };
            if index >= self.clauses.iter().filter(|clause| clause.0 == role).count() {
                return Err(format!("there is no {} {}", role.word(), index + 1));
            }
            found.push((role, index));
        }
        Ok(found)
    }

    fn node_of(&self, text: &str) -> Result<Formula, String> {
        let node = text.parse().ok().and_then(|n: usize| self.nodes.get(n));
        node.copied().ok_or_else(|| format!("there is no node {text:?} above"))
    }

    fn node(&mut self, rest: &str) -> Result<(), String> {
        let (number, rest) =
            rest.trim_start().split_once(' ').ok_or("a node has a number and an operator")?;
        if number.parse() != Ok(self.nodes.len()) {
            return Err(format!("the next node is {}", self.nodes.len()));
        }
        let (op, rest) = rest.trim_start().split_once(' ').unwrap_or((rest.trim(), ""));
        let formula = if let "yes" | "no" = op {
            let (name, _) = name(rest).ok_or("a name in quotes is expected")?;
            let atom = self.signals.find(&name).ok_or_else(|| format!("{name:?} is not declared"))?;
            self.arena.literal(atom, op == "yes")
        } else {
            let operands: Result<Vec<Formula>, String> =
                rest.split_whitespace().map(|word| self.node_of(word)).collect();
            let arena = &mut *self.arena;
            match (op, &operands?[..]) {
                ("true" | "false", []) => arena.constant(op == "true"),
                ("and", fs) => arena.and(fs.iter().copied()),
                ("or", fs) => arena.or(fs.iter().copied()),
                ("next", &[f]) => arena.next(f),
                ("until", &[p, q]) => arena.until(p, q),
                ("weak", &[p, q]) => arena.weak(p, q),
                ("release", &[p, q]) => arena.release(p, q),
                ("strong", &[p, q]) => arena.strong(p, q),
                _ => return Err("the operator or the number of its operands".into()),
            }
        };
        self.nodes.push(formula);
        Ok(())
    }

    fn row(&mut self, line: usize, rest: &str) -> Result<(), String> {
        let mut words = rest.split_whitespace();
        let state = words.next().and_then(|word| word.parse().ok()).ok_or("a state is expected")?;
        let rank = words.next().and_then(|word| word.parse().ok()).ok_or("a rank is expected")?;
        let formulas: Result<Vec<Formula>, String> = words.map(|word| self.node_of(word)).collect();
        let mut formulas = formulas?;
        formulas.sort_unstable();
        formulas.dedup();
        self.last()?.rows.push(Row { state, rank, formulas, line });
        Ok(())
    }
}

fn once<T: Copy>(slot: &mut Option<T>, text: &str, values: &[(&str, T)]) -> Result<(), String> {
    let value = values.iter().find(|value| value.0 == text.trim());
    let value = value.ok_or_else(|| format!("{text:?} is not understood"))?;
    if slot.replace(value.1).is_some() { Err("it stands there twice".into()) } else { Ok(()) }
}
