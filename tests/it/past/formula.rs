//! Formulas with past operators as plain trees: random ones, their text, and their meaning by definition on lasso words
//! whose cycle is unrolled. Nothing of the library is used.

use tsl_synth_testkit::Rng;

/// A formula.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Constant(bool),
    Atom(usize),
    Unary(&'static str, Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    /// `Y[n]`, `Z[n]`, `O[n:m]`, `H[n:m]`; without an end for `[n:$]`.
    Bounded(&'static str, usize, Option<usize>, Box<Tree>),
}

/// The propositions: two inputs and two outputs.
pub(super) const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A lasso word: the letters from `back` on repeat. A letter has the values of [`NAMES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) letters: Vec<[bool; 4]>,
    pub(super) back: usize,
}

impl Word {
    pub(super) fn random(rng: &mut Rng) -> Self {
        let (prefix, cycle) = (rng.below(4), 1 + rng.below(4));
        let letters = (0..prefix + cycle).map(|_| [0; 4].map(|_| rng.flip())).collect();
        Self { letters, back: prefix }
    }
    /// The same word with this many copies of the cycle, the last of which repeats.
    fn unrolled(&self, copies: usize) -> Self {
        let mut letters = self.letters.clone();
        let cycle = self.letters[self.back..].to_vec();
        (1..copies).for_each(|_| letters.extend_from_slice(&cycle));
        Self { back: letters.len() - cycle.len(), letters }
    }
}

const FUTURE: [&str; 3] = ["X", "F", "G"];
const PAST: [&str; 4] = ["Y", "Z", "O", "H"];

impl Tree {
    /// A random formula with about `size` nodes; without future operators if `past`.
    pub(super) fn random(rng: &mut Rng, size: usize, past: bool) -> Self {
        if size <= 1 {
            return match rng.below(16) {
                0 => Self::Constant(rng.flip()),
                n => Self::Atom(n % 4),
            };
        }
        let below = |rng: &mut Rng, size, past| Box::new(Self::random(rng, size, past));
        match rng.below(if past { 12 } else { 18 }) {
            0 | 1 => Self::Unary("!", below(rng, size - 1, past)),
            2..=4 => Self::Unary(PAST[rng.below(4)], below(rng, size - 1, true)),
            5 => {
                let (op, low) = (PAST[rng.below(4)], rng.below(3));
                let high = match op {
                    "Y" | "Z" => Some(low),
                    _ if rng.below(4) == 0 => None,
                    _ => Some(rng.below(4)),
                };
                Self::Bounded(op, low, high, below(rng, size - 1, true))
            }
            12..=14 => Self::Unary(FUTURE[rng.below(3)], below(rng, size - 1, false)),
            n => {
                let (op, past) = match n {
                    6 => ("S", true),
                    7 => ("T", true),
                    8 | 9 => (["&", "|"][n - 8], past),
                    10 | 11 => (["->", "<->"][n - 10], past),
                    _ => (["U", "R", "W", "M"][rng.below(4)], false),
                };
                let left = 1 + rng.below(size.max(3) - 2);
                let right = (size - 1).saturating_sub(left).max(1);
                Self::Binary(op, below(rng, left, past), below(rng, right, past))
            }
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Constant(value) => value.to_string(),
            Self::Atom(atom) => NAMES[*atom].into(),
            Self::Unary(op, f) => format!("{op} ({})", f.text()),
            Self::Binary(op, f, g) => format!("({}) {op} ({})", f.text(), g.text()),
            Self::Bounded(op @ ("Y" | "Z"), n, _, f) => format!("{op}[{n}] ({})", f.text()),
            Self::Bounded(op, low, Some(high), f) => format!("{op}[{low}:{high}] ({})", f.text()),
            Self::Bounded(op, low, None, f) => format!("{op}[{low}:$] ({})", f.text()),
        }
    }

    /// The nesting depth of past operators; a bounded operator counts as the nested operators that it stands for.
    fn depth(&self) -> usize {
        match self {
            Self::Constant(_) | Self::Atom(_) => 0,
            Self::Unary(op, f) => f.depth() + usize::from(PAST.contains(op)),
            Self::Binary(op, f, g) => f.depth().max(g.depth()) + usize::from(matches!(*op, "S" | "T")),
            Self::Bounded(_, low, high, f) => f.depth() + high.map_or(low + 1, |high| high.max(*low)),
        }
    }

    pub(super) fn has_past(&self) -> bool {
        self.depth() > 0
    }

    /// Whether a word satisfies the formula: the values of a formula in which d past operators nest repeat from the
    /// copy of the cycle on that has d copies before it.
    pub(super) fn holds(&self, word: &Word) -> bool {
        self.values(&word.unrolled(self.depth() + 1))[0]
    }

    /// The same with further copies of the cycle, which must not change the value.
    pub(super) fn holds_with(&self, word: &Word, more: usize) -> bool {
        self.values(&word.unrolled(self.depth() + 1 + more))[0]
    }

    /// The truth values at all positions, each by the definition of the operator.
    fn values(&self, word: &Word) -> Vec<bool> {
        let n = word.letters.len();
        // All positions at `i` or later, each once; those of the cycle before `i` come last.
        let from = |i: usize| (i..n).chain((word.back..n).filter(move |&j| j < i));
        let all = |value: &dyn Fn(usize) -> bool| (0..n).map(value).collect::<Vec<bool>>();
        let ends = |f: &[bool], g: &[bool], i: usize| {
            let end = from(i).position(|j| g[j]);
            end.is_some_and(|end| from(i).take(end).all(|j| f[j]))
        };
        let since = |f: &[bool], g: &[bool], i: usize| (0..=i).any(|j| g[j] && (j + 1..=i).all(|k| f[k]));
        let not = |f: &[bool]| f.iter().map(|value| !value).collect::<Vec<bool>>();
        match self {
            Self::Constant(value) => vec![*value; n],
            Self::Atom(atom) => all(&|i| word.letters[i][*atom]),
            Self::Unary(op, f) => {
                let f = f.values(word);
                all(&|i| match *op {
                    "!" => !f[i],
                    "X" => f[if i + 1 == n { word.back } else { i + 1 }],
                    "F" => from(i).any(|j| f[j]),
                    "G" => from(i).all(|j| f[j]),
                    "Y" => i > 0 && f[i - 1],
                    "Z" => i == 0 || f[i - 1],
                    "O" => (0..=i).any(|j| f[j]),
                    _ => (0..=i).all(|j| f[j]),
                })
            }
            Self::Binary(op, f, g) => {
                let (f, g) = (f.values(word), g.values(word));
                all(&|i| match *op {
                    "&" => f[i] && g[i],
                    "|" => f[i] || g[i],
                    "->" => !f[i] || g[i],
                    "<->" => f[i] == g[i],
                    "U" => ends(&f, &g, i),
                    "W" => ends(&f, &g, i) || from(i).all(|j| f[j]),
                    "R" => !ends(&not(&f), &not(&g), i),
                    "M" => from(i).any(|j| f[j]) && !ends(&not(&f), &not(&g), i),
                    "S" => since(&f, &g, i),
                    _ => !since(&not(&f), &not(&g), i),
                })
            }
            Self::Bounded(op, low, high, f) => {
                let f = f.values(word);
                let high = high.unwrap_or(n);
                all(&|i| {
                    let mut steps = (*low..=high).filter(|&back| back <= i).map(|back| f[i - back]);
                    match *op {
                        "Y" | "O" => steps.any(|value| value),
                        _ => steps.all(|value| value),
                    }
                })
            }
        }
    }
}
