//! Seeded random TSL specifications as text, so that tests include the front end.

use tsl_synth_testkit::Rng;

const PREDICATES: [&str; 5] = ["p i", "q j", "r c", "s i d", "b"];
const UPDATES: [(&str, &[&str]); 2] =
    [("c", &["c", "f c", "i", "k()"]), ("d", &["d", "g i", "c", "f (g j)", "f d"])];

/// A random specification of at most two cells and a few predicate terms.
pub(crate) fn random_tsl(rng: &mut Rng) -> String {
    let vocabulary =
        Vocabulary { predicates: 1 + rng.below(3), shift: rng.below(5), cells: 1 + rng.below(2) };
    let mut text = String::new();
    let assumptions = rng.below(3);
    if assumptions > 0 {
        text += "always assume {\n";
        for _ in 0..assumptions {
            text.extend(["  ", &vocabulary.assumption(rng), ";\n"]);
        }
        text += "}\n";
    }
    if rng.below(4) == 0 {
        text.extend(["guarantee { ", &vocabulary.formula(rng, 5), "; }\n"]);
    }
    text += "always guarantee {\n";
    for _ in 0..=rng.below(3) {
        text.extend(["  ", &vocabulary.guarantee(rng), ";\n"]);
    }
    text + "}\n"
}

/// Which predicate terms and cells a specification uses.
struct Vocabulary {
    predicates: usize,
    shift: usize,
    cells: usize,
}

impl Vocabulary {
    fn predicate(&self, rng: &mut Rng) -> String {
        let text = PREDICATES[(self.shift + rng.below(self.predicates)) % PREDICATES.len()];
        if rng.below(4) == 0 { format!("!({text})") } else { format!("({text})") }
    }
    fn update(&self, rng: &mut Rng) -> String {
        let (cell, terms) = UPDATES[rng.below(self.cells)];
        let text = format!("[{cell} <- {}]", terms[rng.below(terms.len())]);
        if rng.below(5) == 0 { format!("!{text}") } else { text }
    }
    fn assumption(&self, rng: &mut Rng) -> String {
        let (p, q, u) = (self.predicate(rng), self.predicate(rng), self.update(rng));
        match rng.below(6) {
            0 | 1 => format!("F {p}"),
            2 => format!("{p} -> X {q}"),
            3 => format!("{u} -> X {p}"),
            4 => format!("{u} -> F {p}"),
            _ => format!("!({p} && {q})"),
        }
    }
    fn guarantee(&self, rng: &mut Rng) -> String {
        let (p, q) = (self.predicate(rng), self.predicate(rng));
        let (u, v) = (self.update(rng), self.update(rng));
        match rng.below(12) {
            0 => format!("{p} -> {u}"),
            1 | 2 => format!("{p} -> F {u}"),
            3 => format!("F {u}"),
            4 => format!("{u} -> X {v}"),
            5 => format!("!({u} && {v})"),
            6 => format!("{u} -> ({v} W {p})"),
            7 => format!("{u} -> X {p}"),
            8 => format!("{p} <-> {u}"),
            9 => format!("F {q}"),
            10 => format!("({u} U {p}) || G {v}"),
            _ => self.formula(rng, 5),
        }
    }
    /// A random formula of about this size, fully parenthesized.
    fn formula(&self, rng: &mut Rng, size: usize) -> String {
        if size <= 1 {
            return if rng.flip() { self.predicate(rng) } else { self.update(rng) };
        }
        if size == 2 || rng.below(3) == 0 {
            let operator = ["!", "X ", "F ", "G "][rng.below(4)];
            return format!("{operator}({})", self.formula(rng, size - 1));
        }
        let left = 1 + rng.below(size - 2);
        let operator = ["&&", "||", "->", "<->", "U", "R", "W"][rng.below(7)];
        format!("(({}) {operator} ({}))", self.formula(rng, left), self.formula(rng, size - 1 - left))
    }
}
