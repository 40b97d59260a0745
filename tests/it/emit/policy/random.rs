//! Small random policies with hostile names, and sessions of letters for them.

use std::fmt::Write;
use tsl_synth_core::base::{Budget, Decimal};
use tsl_synth_core::diag::Diagnostics;
use tsl_synth_core::source::SourceMap;
use tsl_synth_policy::language::{Amount, LawAtom, OUTCOMES, load_policy};
use tsl_synth_policy::{BoundLetter, CompiledPolicy};
use tsl_synth_testkit::Rng;

const NAMES: [&str; 16] = [
    "class",
    "__proto__",
    "*/",
    "{{x}}",
    "\u{202e}evil",
    "</script>",
    "a\\b",
    "$x",
    "%s",
    "Class",
    "état",
    "#}",
    "constructor",
    "--",
    "?",
    "push",
];
const EACH: [&str; 3] = ["order", "__proto__", "user \"x\" */"];
const VALUES: [&str; 6] = ["1", "", "null", "a\"b\\c\n", "\u{1f600}é", "'; --"];

/// A compiled policy with its text.
pub(crate) struct RandomPolicy {
    pub(crate) compiled: CompiledPolicy,
    pub(crate) text: String,
}

/// A JSON string, which is also a TOML string.
fn json(text: &str) -> String {
    tsl_synth_emit::json_string(text)
}

/// A quoted name in a formula.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\"))
}

fn formula(rng: &mut Rng, names: &[String], depth: usize, past: bool) -> String {
    if depth == 0 || rng.below(5) == 0 {
        return quoted(&names[rng.below(names.len())]);
    }
    let unary: &[&str] =
        if past { &["!", "Y ", "Z ", "O ", "H "] } else { &["!", "X ", "X[!] ", "F ", "G ", "G ", "F "] };
    let binary: &[&str] =
        if past { &["&&", "||", "S", "T", "->"] } else { &["&&", "||", "U", "W", "R", "->"] };
    // Past operators may occur below future operators, but not above them.
    let past = past || rng.below(3) == 0;
    if rng.flip() {
        format!("{}({})", unary[rng.below(unary.len())], formula(rng, names, depth - 1, past))
    } else {
        let (a, b) = (formula(rng, names, depth - 1, past), formula(rng, names, depth - 1, past));
        format!("(({a}) {} ({b}))", binary[rng.below(binary.len())])
    }
}

/// Loads and compiles the text of a policy.
pub(crate) fn compiled(text: &str, name: &str) -> Result<CompiledPolicy, String> {
    let mut map = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let source = map.add(name, text);
    let Some(policy) = load_policy(&mut map, source, &mut diagnostics) else {
        return Err(diagnostics.iter().map(|one| one.message.clone()).collect::<Vec<_>>().join("; "));
    };
    CompiledPolicy::new(policy, &Budget::unlimited()).map_err(|limit| limit.to_string())
}

impl RandomPolicy {
    /// A random policy; with `each` it may have laws with `for_each`, with `windows` registers with windows.
    pub(crate) fn new(rng: &mut Rng, each: bool, windows: bool) -> Self {
        loop {
            let text = Self::write(rng, each, windows);
            match compiled(&text, "random.toml") {
                Ok(compiled) => return Self { compiled, text },
                // A random law can be too large.
                Err(why) => assert!(why.contains("state") || why.contains("more than"), "{why}\n{text}"),
            }
        }
    }

    fn write(rng: &mut Rng, each: bool, windows: bool) -> String {
        let mut pool: Vec<&str> = NAMES.to_vec();
        let mut take = |rng: &mut Rng| pool.remove(rng.below(pool.len())).to_string();
        let momentary: Vec<String> = (0..=rng.below(3)).map(|_| take(rng)).collect();
        let states: Vec<String> = (0..rng.below(2)).map(|_| take(rng)).collect();
        let actions: Vec<String> = (0..2 + rng.below(2)).map(|_| take(rng)).collect();
        let counts: Vec<String> = (0..rng.below(3)).map(|_| take(rng)).collect();
        let mut text = String::from("policy = 1\nname = \"*/ \\u202e hostile\"\n");
        let most = if rng.flip() { 2 + rng.below(4) } else { 10_000 };
        writeln!(text, "max_values = {most}\n[propositions]").unwrap();
        for name in &momentary {
            writeln!(text, "{} = {{}}", json(name)).unwrap();
        }
        for name in &states {
            writeln!(text, "{} = {{ state = true, initial = {} }}", json(name), rng.flip()).unwrap();
        }
        let list = |names: &[String]| names.iter().map(|name| json(name)).collect::<Vec<_>>().join(", ");
        writeln!(text, "[actions]\ngroups = [[{}], [{}]]", list(&actions[..1]), list(&actions[1..])).unwrap();
        for name in &counts {
            let amount = if rng.flip() { "count = true" } else { "sum = \"/arguments/eur\"" };
            let above = ["1", "2.5", "0.5", "10"][rng.below(4)];
            let on = json(&quoted(&actions[rng.below(actions.len())]));
            writeln!(text, "[[count]]\nname = {}\n{amount}\non = [{on}]\nabove = {above}", json(name))
                .unwrap();
            if rng.flip() {
                let other = json(&quoted(&format!("{}.ok", actions[rng.below(actions.len())])));
                writeln!(text, "reset_on = [{other}]").unwrap();
            }
            if windows && rng.flip() {
                writeln!(text, "window = \"{}ms\"", 1 + rng.below(9)).unwrap();
            }
        }
        let mut names = momentary;
        names.extend(states);
        names.extend(actions.iter().flat_map(|action| [action.clone(), format!("{action}.ok")]));
        names.extend(counts);
        names.push("opaque".into());
        for i in 0..2 + rng.below(3) {
            let id = ["a\"\"\"b", "*/ //", "\\\n", "{% x %}", "l"][i];
            let ltl = json(&formula(rng, &names, 3, false));
            let kind = ["hard", "hard", "soft", "assume"][rng.below(4)];
            writeln!(text, "[[law]]\nid = {}\nkind = \"{kind}\"\nltl = {ltl}", json(id)).unwrap();
            writeln!(text, "why = {}", json("*/ \"\"\" \\u{41} ' \u{2028} ${x} `y`")).unwrap();
            if each && rng.below(3) > 0 {
                let own: Vec<String> = EACH.iter().filter(|_| rng.flip()).map(|name| json(name)).collect();
                writeln!(text, "for_each = [{}]", own.join(", ")).unwrap();
            }
        }
        text
    }

    /// A random letter, possibly one that cannot occur: monitors are defined on all letters.
    pub(crate) fn letter(&self, rng: &mut Rng) -> BoundLetter {
        let policy = &self.compiled.policy;
        let mut atoms: Vec<LawAtom> = vec![LawAtom::Opaque];
        for (id, proposition) in policy.atoms.propositions.enumerate() {
            if !proposition.is_computed {
                atoms.push(LawAtom::Proposition(id));
            }
            if proposition.is_state {
                atoms.push(LawAtom::Clear(id));
            }
        }
        for id in policy.atoms.actions.ids() {
            atoms.extend([
                LawAtom::Call(id),
                LawAtom::Result(id, OUTCOMES[0]),
                LawAtom::Result(id, OUTCOMES[1]),
            ]);
        }
        let mut letter = BoundLetter::default();
        let density = 2 + rng.below(4);
        for atom in atoms {
            if rng.below(density) == 0 {
                letter.letter.insert(policy.atoms.bit(atom));
            }
        }
        let mut names: Vec<&str> = EACH.to_vec();
        names.extend(policy.laws.iter().flat_map(|law| law.for_each.iter().map(String::as_str)));
        names.sort_unstable();
        names.dedup();
        for name in names {
            if rng.below(3) == 0 {
                letter.bindings.push((name.into(), VALUES[rng.below(VALUES.len())].into()));
            }
        }
        letter.bindings.sort();
        for (id, register) in policy.registers.enumerate() {
            if register.amount != Amount::One && rng.below(4) > 0 {
                let text = ["0.1", "0.2", "1", "2.500", "0.000001", "7e-1", "3E0", "0"][rng.below(8)];
                letter.amounts.push((id, Decimal::parse(text).expect("a number")));
            }
        }
        letter
    }
}
