//! The tree of a law: LTL on finite words with past operators. `X` is weak and `X[!]` strong; the past operators `Z`
//! and `Y` are their mirror images.

use std::fmt;
use std::sync::Arc;

/// The largest nesting depth of a law that is parsed. It bounds the recursion of functions on laws.
pub const LAW_DEPTH: usize = 200;

/// A temporal operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Temporal {
    /// `X`: if there is a next step, the operand holds in it.
    Next,
    /// `X[!]`: there is a next step, and the operand holds in it.
    StrongNext,
    /// `F`: now or later.
    Finally,
    /// `G`: now and ever after.
    Globally,
    /// `Y`: there is a previous step, and the operand holds in it.
    Yesterday,
    /// `Z`: if there is a previous step, the operand holds in it.
    WeakYesterday,
    /// `O`: now or before.
    Once,
    /// `H`: now and ever before.
    Historically,
}

impl Temporal {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Next,
        Self::StrongNext,
        Self::Finally,
        Self::Globally,
        Self::Yesterday,
        Self::WeakYesterday,
        Self::Once,
        Self::Historically,
    ];
    /// Its symbol in LTL files.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Next => "X",
            Self::StrongNext => "X[!]",
            Self::Finally => "F",
            Self::Globally => "G",
            Self::Yesterday => "Y",
            Self::WeakYesterday => "Z",
            Self::Once => "O",
            Self::Historically => "H",
        }
    }
}

/// A temporal operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Link {
    /// `f U g`
    Until,
    /// `f W g`: until, or forever.
    WeakUntil,
    /// `f R g`: `g` up to and including the step of `f`, or forever.
    Release,
    /// `f M g`: release, and `f` holds eventually.
    StrongRelease,
    /// `f S g`: `g` held, and `f` has held since then.
    Since,
    /// `f T g`: the dual of since.
    Trigger,
}

impl Link {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Until, Self::WeakUntil, Self::Release, Self::StrongRelease, Self::Since, Self::Trigger];
    /// Its symbol in LTL files.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Until => "U",
            Self::WeakUntil => "W",
            Self::Release => "R",
            Self::StrongRelease => "M",
            Self::Since => "S",
            Self::Trigger => "T",
        }
    }
}

/// A law. `Display` prints it in the syntax of LTL files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LawTree {
    /// True or false.
    Constant(bool),
    /// A proposition, an action, or the outcome of one: `a.ok`.
    Atom(Arc<str>),
    /// Negation.
    Not(Box<LawTree>),
    /// Conjunction of two or more.
    And(Vec<LawTree>),
    /// Disjunction of two or more.
    Or(Vec<LawTree>),
    /// Implication.
    Implies(Box<LawTree>, Box<LawTree>),
    /// Equivalence.
    Iff(Box<LawTree>, Box<LawTree>),
    /// `X f` and the like.
    Unary(Temporal, Box<LawTree>),
    /// `f U g` and the like.
    Binary(Link, Box<LawTree>, Box<LawTree>),
}

impl LawTree {
    /// An atom of this name.
    pub fn atom(name: impl Into<Arc<str>>) -> Self {
        Self::Atom(name.into())
    }
    /// The negation of `f`; a double negation is removed.
    pub fn negate(f: Self) -> Self {
        match f {
            Self::Not(inner) => *inner,
            Self::Constant(value) => Self::Constant(!value),
            other => Self::Not(Box::new(other)),
        }
    }
    /// The conjunction of the parts; nested conjunctions are flattened.
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Self::Constant(true),
            1 => flat.remove(0),
            _ => Self::And(flat),
        }
    }
    /// The disjunction of the parts; nested disjunctions are flattened.
    pub fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Self::Constant(false),
            1 => flat.remove(0),
            _ => Self::Or(flat),
        }
    }
    /// `f -> g`
    pub fn implies(f: Self, g: Self) -> Self {
        Self::Implies(Box::new(f), Box::new(g))
    }
    /// `op f`
    pub fn unary(op: Temporal, f: Self) -> Self {
        Self::Unary(op, Box::new(f))
    }
    /// `f op g`
    pub fn binary(op: Link, f: Self, g: Self) -> Self {
        Self::Binary(op, Box::new(f), Box::new(g))
    }
    /// `G f`
    pub fn globally(f: Self) -> Self {
        Self::unary(Temporal::Globally, f)
    }
    /// `F f`
    pub fn finally(f: Self) -> Self {
        Self::unary(Temporal::Finally, f)
    }
    /// `O f`
    pub fn once(f: Self) -> Self {
        Self::unary(Temporal::Once, f)
    }
    /// `Y f`
    pub fn yesterday(f: Self) -> Self {
        Self::unary(Temporal::Yesterday, f)
    }
    /// The operands, from left to right.
    pub fn operands(&self) -> Vec<&Self> {
        match self {
            Self::Constant(_) | Self::Atom(_) => Vec::new(),
            Self::Not(f) | Self::Unary(_, f) => vec![f],
            Self::And(all) | Self::Or(all) => all.iter().collect(),
            Self::Implies(f, g) | Self::Iff(f, g) | Self::Binary(_, f, g) => vec![f, g],
        }
    }
    /// The names of the atoms, each once, in the order in which they are written.
    pub fn atoms(&self) -> Vec<Arc<str>> {
        let mut found: Vec<Arc<str>> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut todo = vec![self];
        while let Some(law) = todo.pop() {
            if let Self::Atom(name) = law
                && seen.insert(name.clone())
            {
                found.push(name.clone());
            }
            todo.extend(law.operands().into_iter().rev());
        }
        found
    }
    /// Whether it has no temporal operators.
    pub fn is_boolean(&self) -> bool {
        let mut todo = vec![self];
        while let Some(law) = todo.pop() {
            if matches!(law, Self::Unary(..) | Self::Binary(..)) {
                return false;
            }
            todo.extend(law.operands());
        }
        true
    }
    /// The law with each atom replaced.
    pub fn map_atoms(&self, replace: &mut dyn FnMut(&Arc<str>) -> Self) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(*value),
            Self::Atom(name) => replace(name),
            Self::Not(f) => Self::negate(f.map_atoms(replace)),
            Self::And(all) => Self::all(all.iter().map(|f| f.map_atoms(replace)).collect::<Vec<_>>()),
            Self::Or(all) => Self::any(all.iter().map(|f| f.map_atoms(replace)).collect::<Vec<_>>()),
            Self::Implies(f, g) => Self::implies(f.map_atoms(replace), g.map_atoms(replace)),
            Self::Iff(f, g) => Self::Iff(Box::new(f.map_atoms(replace)), Box::new(g.map_atoms(replace))),
            Self::Unary(op, f) => Self::unary(*op, f.map_atoms(replace)),
            Self::Binary(op, f, g) => Self::binary(*op, f.map_atoms(replace), g.map_atoms(replace)),
        }
    }
    /// How tightly the outermost operator binds, as in LTL files.
    fn level(&self) -> u8 {
        match self {
            Self::Constant(_) | Self::Atom(_) => 100,
            Self::Not(_) | Self::Unary(..) => 60,
            Self::Binary(..) => 50,
            Self::And(_) => 40,
            Self::Or(_) => 35,
            Self::Implies(..) | Self::Iff(..) => 30,
        }
    }
}

/// Operands of a binary operator that bind as tightly as it does get parentheses.
impl fmt::Display for LawTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |law: &Self, least: u8| {
            if law.level() < least { format!("({law})") } else { law.to_string() }
        };
        let list = |all: &[Self], op: &str, least: u8| {
            all.iter().map(|law| side(law, least)).collect::<Vec<_>>().join(op)
        };
        match self {
            Self::Constant(value) => f.write_str(if *value { "true" } else { "false" }),
            Self::Atom(name) => f.write_str(&atom_text(name)),
            Self::Not(g) => write!(f, "!{}", side(g, 60)),
            Self::Unary(op, g) => {
                let operand = side(g, 60);
                let blank = if operand.starts_with('(') { "" } else { " " };
                write!(f, "{}{blank}{operand}", op.symbol())
            }
            Self::And(all) => f.write_str(&list(all, " & ", 41)),
            Self::Or(all) => f.write_str(&list(all, " | ", 36)),
            Self::Implies(g, h) => write!(f, "{} -> {}", side(g, 31), side(h, 31)),
            Self::Iff(g, h) => write!(f, "{} <-> {}", side(g, 31), side(h, 31)),
            Self::Binary(op, g, h) => write!(f, "{} {} {}", side(g, 51), op.symbol(), side(h, 51)),
        }
    }
}

/// A name in the syntax of LTL files: in quotes unless every parser reads the bare word as a proposition.
fn atom_text(name: &str) -> String {
    const WORDS: &[&str] = &[
        "U", "R", "V", "W", "M", "S", "T", "and", "or", "xor", "implies", "iff", "not", "true", "True",
        "TRUE", "false", "False", "FALSE",
    ];
    let mut chars = name.chars();
    let begins = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let second = chars.clone().next();
    let glued =
        name.starts_with(['F', 'G', 'X', 'Y', 'Z', 'O', 'H']) && second.is_none_or(|c| !c.is_ascii_digit());
    let word = chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    if begins && word && !glued && !WORDS.contains(&name) {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
