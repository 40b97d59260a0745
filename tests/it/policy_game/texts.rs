//! Seeded random policies as texts.

use std::fmt::Write;
use tsl_synth_testkit::Rng;

/// The features of a random policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavor {
    /// Calls and events of the world have separate letters.
    Plain,
    /// Laws with bound values.
    ForEach,
    /// Counts and sums.
    Registers,
    /// The call is chosen before the rest of its letter.
    Next,
    /// Truths join the next call.
    Same,
}

pub(crate) const FLAVORS: [Flavor; 5] =
    [Flavor::Plain, Flavor::ForEach, Flavor::Registers, Flavor::Next, Flavor::Same];

/// A policy in parts, so that it can be written with other names or another order of laws.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) head: String,
    pub(crate) laws: Vec<String>,
}

impl Text {
    pub(crate) fn whole(&self) -> String {
        let mut text = self.head.clone();
        for (i, law) in self.laws.iter().enumerate() {
            let _ = write!(text, "[[law]]\nid = \"law-{i}\"\n{law}");
        }
        text
    }
}

fn pick<'a>(rng: &mut Rng, names: &'a [String]) -> &'a str {
    &names[rng.below(names.len())]
}

/// A formula without temporal operators.
fn state(rng: &mut Rng, names: &[String]) -> String {
    let (a, b) = (pick(rng, names).to_string(), pick(rng, names).to_string());
    match rng.below(8) {
        0 => format!("!{a}"),
        1 => format!("({a} || {b})"),
        2 => format!("({a} && !{b})"),
        _ => a,
    }
}

/// A law of a common shape, over calls and the propositions on which they may depend.
fn shape(rng: &mut Rng, calls: &[String], facts: &[String]) -> String {
    let all: Vec<String> = calls.iter().chain(facts).cloned().collect();
    let (a, b) = (pick(rng, calls).to_string(), pick(rng, calls).to_string());
    let (p, q) = (state(rng, facts), state(rng, &all));
    match rng.below(16) {
        0 => format!("G ({a} -> O {p})"),
        1 => format!("G ({a} -> F {p})"),
        2 => format!("G ({p} -> F {a})"),
        3 => format!("G ({a} -> X G !{b})"),
        4 => format!("G ({p} -> X G !{a})"),
        5 => format!("F {a}"),
        6 => format!("!{a} U {q}"),
        7 => format!("G ({p} -> X {a})"),
        8 => format!("G ({a} -> X[!] (!{b} U {p}))"),
        9 => format!("G ({a} -> (!{b} S {p}))"),
        10 => format!("G ({a} -> F {b})"),
        11 => format!("F {p}"),
        12 => format!("G ({a} -> X (!act U {p}))"),
        13 => format!("G !({a} && O {q})"),
        14 => format!("G ({q} -> F {a}) && G ({a} -> Z G !{b})").replace("Z G", "X G"),
        _ => formula(rng, &all, 3),
    }
}

/// A random formula without future operators below past operators.
fn formula(rng: &mut Rng, names: &[String], depth: usize) -> String {
    if depth == 0 {
        return state(rng, names);
    }
    let f = formula(rng, names, depth - 1);
    let g = formula(rng, names, depth - 1);
    match rng.below(8) {
        0 => format!("G ({f})"),
        1 => format!("F ({f})"),
        2 => format!("X ({f})"),
        3 => format!("(({f}) U ({g}))"),
        4 => format!("(({f}) -> ({g}))"),
        5 => format!("!({f})"),
        6 => format!("(({}) S ({}))", state(rng, names), state(rng, names)),
        _ => format!("(({f}) && ({g}))"),
    }
}

fn list(names: &[String]) -> String {
    format!("{names:?}")
}

pub(crate) fn random(rng: &mut Rng, flavor: Flavor) -> Text {
    let mut head = String::from("policy = 1\n");
    match flavor {
        Flavor::Next => head += "timing = \"next\"\n",
        Flavor::Same => head += "trace = \"per-action\"\n",
        _ => {}
    }
    if rng.below(3) == 0 {
        head += "idle = false\n";
    }
    let small = matches!(flavor, Flavor::ForEach | Flavor::Registers | Flavor::Same);
    let moments = rng.below(if small { 2 } else { 3 });
    let states = rng.below(2);
    let actions = 1 + rng.below(if small { 2 } else { 3 });
    let moment = |i: usize| ["p", "q", "r"][i].to_string();
    let truths: Vec<String> = (0..moments).map(moment).collect();
    let held: Vec<String> = (0..states).map(|i| format!("held{i}")).collect();
    let calls: Vec<String> = ["a", "b", "c"][..actions].iter().map(|name| (*name).to_string()).collect();
    head += "[propositions]\n";
    for name in &truths {
        let _ = writeln!(head, "{name} = {{}}");
    }
    for name in &held {
        let _ = writeln!(head, "{name} = {{ state = true, initial = {} }}", rng.flip());
    }
    if rng.below(4) == 0 {
        head += "unread = {}\n";
    }
    let _ = write!(head, "[actions]\ngroups = [{}]\n", list(&calls));
    let mut settable: Vec<String> = truths.iter().chain(&held).cloned().collect();
    if !settable.is_empty() && rng.below(3) == 0 {
        head += "[actions.effects]\n";
        for call in &calls {
            if rng.flip() {
                let kinds = ["may_set", "may_clear", "sets", "clears"];
                let kind = kinds[rng.below(4)];
                let name = pick(rng, &settable);
                let _ = writeln!(head, "{call} = {{ {kind} = [\"{name}\"] }}");
            }
        }
    }
    let mut facts: Vec<String> = truths.iter().chain(&held).cloned().collect();
    for call in &calls {
        facts.push(format!("{call}.ok"));
        if rng.below(3) == 0 {
            facts.push(format!("{call}.failed"));
        }
    }
    if flavor == Flavor::Registers || small && flavor == Flavor::Same && rng.below(4) == 0 {
        for i in 0..=rng.below(2) {
            let what = if rng.flip() { "count = true" } else { "sum = \"/arguments/eur\"" };
            let on =
                if rng.below(3) == 0 { format!("{}.ok", calls[0]) } else { pick(rng, &calls).to_string() };
            let _ = write!(
                head,
                "[[count]]\nname = \"high{i}\"\n{what}\non = \"{on}\"\nabove = {}\n",
                rng.below(3)
            );
            if rng.flip() {
                let _ =
                    writeln!(head, "reset_on = [\"{}\"]", state(rng, &facts[truths.len() + held.len()..]));
            }
            if rng.below(5) == 0 {
                head += "window = \"60s\"\n";
            }
            facts.push(format!("high{i}"));
        }
    }
    let bind = "bind = { v = \"/arguments/v\" }\n";
    for call in &calls {
        let _ = write!(head, "[[match]]\non = \"call\"\ntool = \"{call}\"\naction = \"{call}\"\n");
        if flavor == Flavor::ForEach && rng.below(3) != 0 {
            head += bind;
            if rng.below(4) == 0 {
                let _ = write!(head, "[[match]]\non = \"call\"\ntool = \"{call}2\"\naction = \"{call}\"\n");
            }
        }
    }
    settable.retain(|_| true);
    for name in &settable {
        if rng.below(4) == 0 {
            let on = if rng.below(3) == 0 { "call" } else { "result" };
            let _ = write!(head, "[[match]]\non = \"{on}\"\ntool = \"x\"\nproposition = \"{name}\"\n");
            if flavor == Flavor::ForEach && rng.flip() {
                head += bind;
            }
        }
    }
    let count = 1 + rng.below(4);
    let laws = (0..count)
        .map(|_| {
            let kind = ["hard", "hard", "hard", "hard", "assume", "soft"][rng.below(6)];
            let ltl = shape(rng, &calls, &facts);
            let each =
                if flavor == Flavor::ForEach && rng.below(3) != 0 { "for_each = [\"v\"]\n" } else { "" };
            format!("kind = \"{kind}\"\nltl = \"{ltl}\"\n{each}")
        })
        .collect();
    Text { head, laws }
}

/// A policy whose laws require different actions after different outcomes of a call, so that an agent that does not
/// know the outcome may have no choice that is safe for both.
pub(crate) fn of_outcomes(rng: &mut Rng) -> Text {
    let mut head = String::from("policy = 1\n");
    head += ["", "timing = \"next\"\n", "trace = \"per-action\"\n"][rng.below(3)];
    if rng.flip() {
        head += "idle = false\n";
    }
    head += "[propositions]\n";
    let facts = if rng.below(3) == 0 { vec!["p".to_string()] } else { Vec::new() };
    head += if facts.is_empty() { "" } else { "p = {}\n" };
    let calls: Vec<String> = ["a", "b", "c"][..2 + rng.below(2)].iter().map(|name| (*name).into()).collect();
    let _ = write!(head, "[actions]\ngroups = [{}]\n", list(&calls));
    for call in &calls {
        let _ = write!(head, "[[match]]\non = \"call\"\ntool = \"{call}\"\naction = \"{call}\"\n");
    }
    // The first two laws require different calls after different outcomes of one call.
    let wants = |rng: &mut Rng, outcome: &str, b: &str| {
        let a = &calls[0];
        let ltl = match rng.below(6) {
            0 => format!("G ({a}.{outcome} -> X G !{b})"),
            1 => format!("G ({a}.{outcome} -> X[!] (!{a} U {b}))"),
            _ => format!("G ({a}.{outcome} -> X[!] (!act U {b}))"),
        };
        format!("kind = \"hard\"\nltl = \"{ltl}\"\n")
    };
    let last = calls[calls.len() - 1].clone();
    let first = calls[rng.below(calls.len() - 1)].clone();
    let mut laws = vec![wants(rng, "ok", &first), wants(rng, "failed", &last)];
    for _ in 0..rng.below(3) {
        let outcome = ["ok", "failed", "unknown"][rng.below(3)];
        let (a, b, c) = (&calls[0], pick(rng, &calls), pick(rng, &calls));
        let fact = facts.first().cloned().unwrap_or_else(|| format!("{b}.failed"));
        let (kind, ltl) = match rng.below(8) {
            0 => ("hard", format!("F {b}")),
            1 => ("hard", format!("G ({b} -> X G !{c})")),
            2 => ("hard", format!("G ({a}.{outcome} -> F {b})")),
            3 => ("hard", format!("G ({b} -> F {a}.{outcome})")),
            4 => ("assume", format!("G ({b} -> X !{a}.{outcome})")),
            5 | 6 => ("assume", format!("G ({a}.{outcome} -> X G !{fact})")),
            _ => ("hard", format!("G !({fact} && O {a}.{outcome})")),
        };
        laws.push(format!("kind = \"{kind}\"\nltl = \"{ltl}\"\n"));
    }
    Text { head, laws }
}

/// Many laws over eight actions and twelve propositions.
pub(crate) fn many(rng: &mut Rng, flavor: Flavor, laws: usize) -> String {
    let names =
        |first: &str, count: usize| (0..count).map(|i| format!("{first}{i}")).collect::<Vec<String>>();
    let (calls, facts) = (names("a", 8), names("p", 12));
    let timing = if flavor == Flavor::Next { "timing = \"next\"\n" } else { "" };
    let mut text = format!("policy = 1\n{timing}[propositions]\n");
    for name in &facts {
        let _ = writeln!(text, "{name} = {{}}");
    }
    let _ = write!(text, "[actions]\ngroups = [{}]\n", list(&calls));
    for i in 0..laws {
        let _ = write!(text, "[[law]]\nid = \"law-{i}\"\nltl = \"{}\"\n", shape(rng, &calls, &facts));
    }
    text
}
