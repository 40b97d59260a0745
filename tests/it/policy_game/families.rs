//! Policies of any number of rules, of one pattern or of all of them, that share actions in several ways. Also used by
//! `benches/policies.rs`.

use std::collections::BTreeSet;
use std::fmt::Write;

/// The patterns of rules, over actions `A`, `B`, `C` and a state `P`, with their names.
pub(crate) const PATTERNS: [(&str, &str); 13] = [
    ("formula", "G (A -> O B)"),
    ("precedence", "A requires B before"),
    ("freshness", "A requires B since C"),
    ("prohibition", "B forbids A after"),
    ("response", "A then B eventually"),
    ("immediate response", "A then B immediately"),
    ("count", "at most 2 A"),
    ("count since", "at most 2 A since B"),
    ("rate", "at most 5 A per 60s"),
    ("exclusion", "never A while P"),
    ("between", "A only between B and C"),
    ("end", "end requires A"),
    ("end after", "after A end requires B"),
];

/// What rules share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Nothing.
    Nothing,
    /// Each an action with the next one.
    Chain,
    /// Actions of a set that is about as large as the number of rules, chosen at random.
    Twos,
    /// The same with a smaller set: an action occurs in about three rules.
    Threes,
}

pub(crate) const SHARINGS: [Sharing; 4] = [Sharing::Nothing, Sharing::Chain, Sharing::Twos, Sharing::Threes];

/// Random numbers, the same in each run (Marsaglia 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }
}

/// The actions of a rule.
fn actions(sharing: Sharing, rule: usize, rules: usize, numbers: &mut Numbers) -> [String; 3] {
    let mut of = |most: usize| {
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < 3 {
            let one = numbers.below(most.max(3));
            if !chosen.contains(&one) {
                chosen.push(one);
            }
        }
        [chosen[0], chosen[1], chosen[2]].map(|i| format!("a{i}"))
    };
    match sharing {
        Sharing::Nothing => ["a", "b", "c"].map(|name| format!("{name}{rule}")),
        Sharing::Chain => [format!("a{}", rule + 1), format!("a{rule}"), format!("c{rule}")],
        Sharing::Twos => of(rules),
        Sharing::Threes => of(rules * 2 / 3),
    }
}

/// A policy with this many rules of a pattern, or of all patterns in turn. With `each` the rules are about the values of
/// an argument, one by one.
pub(crate) fn policy(pattern: Option<&str>, sharing: Sharing, rules: usize, each: bool) -> String {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut used, mut states) = (BTreeSet::new(), BTreeSet::new());
    let mut laws = String::new();
    for rule in 0..rules {
        let own = pattern.unwrap_or(PATTERNS[rule % PATTERNS.len()].0);
        let text = PATTERNS.iter().find(|(name, _)| *name == own).map_or("", |(_, text)| text);
        let [a, b, c] = actions(sharing, rule, rules, &mut numbers);
        let state = format!("p{rule}");
        let words = text.split_inclusive(|c: char| !c.is_alphanumeric()).map(|word| {
            let name = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            let own = match name {
                "A" => &a,
                "B" => &b,
                "C" => &c,
                "P" => {
                    states.insert(state.clone());
                    return word.replace('P', &state);
                }
                _ => return word.to_string(),
            };
            used.insert(own.clone());
            word.replace(name, own)
        });
        let text: String = words.collect();
        let key = if text.starts_with("G (") { "ltl" } else { "rule" };
        let each = if each { "for_each = [\"v\"]\n" } else { "" };
        let _ = write!(laws, "[[law]]\nid = \"rule-{rule}\"\n{each}{key} = \"{text}\"\n");
    }
    let names: Vec<&String> = used.iter().collect();
    let mut all = String::from("policy = 1\nunmatched = \"allow\"\n[propositions]\n");
    for state in &states {
        let _ = writeln!(all, "{state} = {{ state = true, initial = false }}");
    }
    let _ = write!(all, "[actions]\ngroups = [{names:?}]\n");
    for name in names {
        let _ = write!(all, "[[match]]\non = \"call\"\ntool = \"{name}\"\naction = \"{name}\"\n");
        if each {
            all += "bind = { v = \"/arguments/v\" }\n";
        }
    }
    for state in &states {
        for value in [true, false] {
            let _ = write!(
                all,
                "[[match]]\non = \"message\"\nrole = \"user\"\nregex = \"{state} is {value}\"\nset = {{ {state} = {value} }}\n"
            );
        }
    }
    all + &laws
}
