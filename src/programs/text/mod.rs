//! Texts of games over programs, and what they mean.

mod expression;
mod issy;
mod rpg;
mod temporal;

pub(crate) use expression::{Condition, Expression, Kind, Operator};

use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::logic::{FormulaId, Inequality, Sum};
use tsl_synth_core::model::{
    FormulaBlock, LocationId, ProgramFormula, ProgramGame, ProgramMove, ProgramSort, ProgramText,
    ProgramVariable,
};
use tsl_synth_core::source::{SourceId, SourceMap, Span};

/// The most levels of brackets.
const DEPTH: usize = 200;
/// The most branches that follow each other.
const BRANCHES: usize = 4_000;

/// The languages of games over programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramLanguage {
    /// Reactive program games, `.rpg`.
    Rpg,
    /// Issy, `.issy`.
    Issy,
}

/// Why a text cannot be read, with the bytes that it is about.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) at: (usize, usize),
    pub(crate) message: String,
}

/// Reads a text.
///
/// # Errors
/// What does not follow the grammar, names that are not declared, terms that are not linear.
pub fn read_program(
    map: &SourceMap,
    source: SourceId,
    language: ProgramLanguage,
) -> Result<ProgramText, Diagnostic> {
    let text = map.get(source).text.as_str();
    let result = check_depth(text).and_then(|()| match language {
        ProgramLanguage::Rpg => rpg::read(text),
        ProgramLanguage::Issy => issy::read(text),
    });
    result.map_err(|failure| {
        let code = if failure.message.starts_with("nested") { Code::TOO_DEEP } else { Code::SYNTAX };
        let (start, end) = failure.at;
        Diagnostic::error(code, failure.message).at(Span::new(source, start, end.max(start)), "here")
    })
}

fn check_depth(text: &str) -> Result<(), Failure> {
    let (mut depth, mut branches) = (0usize, 0usize);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'i' if text[at..].starts_with("if") => branches += 1,
            b'!' => branches += 1,
            _ => {}
        }
        if depth > DEPTH || branches > BRANCHES {
            let message = format!("nested deeper than {DEPTH} brackets, or more than {BRANCHES} branches");
            return Err(Failure { at: (at, at + 1), message });
        }
    }
    Ok(())
}

/// The bytes of a part of a text.
fn place<R: pest::RuleType>(pair: &pest::iterators::Pair<'_, R>) -> (usize, usize) {
    (pair.as_span().start(), pair.as_span().end())
}

fn fails<T>(at: (usize, usize), message: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { at, message: message.into() })
}

/// The error of a parser in plain words.
fn grammar_failure<R: pest::RuleType>(error: &pest::error::Error<R>, name: impl Fn(R) -> String) -> Failure {
    let at = match error.location {
        pest::error::InputLocation::Pos(at) => (at, at + 1),
        pest::error::InputLocation::Span(at) => at,
    };
    let message = match &error.variant {
        pest::error::ErrorVariant::ParsingError { positives, .. } => {
            let mut names: Vec<String> = positives.iter().copied().map(name).collect();
            names.sort();
            names.dedup();
            match names.as_slice() {
                [] => "this is not expected here".into(),
                [one] => format!("{one} is expected here"),
                all => format!("one of these is expected here: {}", all.join(", ")),
            }
        }
        pest::error::ErrorVariant::CustomError { message } => message.clone(),
    };
    Failure { at, message }
}

/// What the numbers of locations mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Objective {
    Reach,
    Safety,
    Buchi,
    CoBuchi,
    /// The greatest number that is seen infinitely often is odd.
    Parity,
}

impl Objective {
    fn named(text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "reach" | "reachability" => Self::Reach,
            "safety" => Self::Safety,
            "buechi" | "buchi" | "büchi" => Self::Buchi,
            "cobuechi" | "cobuchi" => Self::CoBuchi,
            "parity" | "paritymaxodd" => Self::Parity,
            _ => return None,
        })
    }

    /// The priority of moves from a location with this number, when `top` is the greatest one.
    fn priority(self, number: u32, top: u32) -> u32 {
        match self {
            Self::Reach | Self::Buchi | Self::Safety => u32::from(number == 0),
            Self::CoBuchi => 1 + u32::from(number > 0),
            Self::Parity => top + 1 - top % 2 - number.min(top),
        }
    }

    /// The equivalence class of the numbers of locations: for a Parity game the number itself, for others whether it is 0.
    fn kind(self, number: u32) -> u32 {
        if self == Self::Parity { number } else { number.min(1) }
    }

    /// The objective as a formula. Its actions are the indices of `kinds`, which is sorted: a move from a location has the
    /// action of the location's kind.
    fn formula(self, kinds: &[u32], formula: &mut ProgramFormula) -> FormulaId {
        let mut options = Vec::new();
        for (at, _) in kinds.iter().enumerate().filter(|(_, kind)| *kind % 2 == 1) {
            let seen = formula.action(at as u32);
            options.push(match self {
                Self::Reach => formula.formulas.finally(seen),
                Self::Safety => formula.formulas.globally(seen),
                Self::CoBuchi => {
                    let always = formula.formulas.globally(seen);
                    formula.formulas.finally(always)
                }
                Self::Buchi | Self::Parity => {
                    let again = formula.formulas.finally(seen);
                    let mut all = vec![formula.formulas.globally(again)];
                    for (above, _) in kinds.iter().enumerate().skip(at + 1).filter(|(_, kind)| *kind % 2 == 0)
                    {
                        let other = formula.action(above as u32);
                        let never = formula.formulas.not(other);
                        let never = formula.formulas.globally(never);
                        all.push(formula.formulas.finally(never));
                    }
                    formula.formulas.and(all)
                }
            });
        }
        formula.formulas.or(options)
    }

    /// Whether a play is decided at a location with this number.
    fn is_final(self, number: u32) -> bool {
        match self {
            Self::Reach => number > 0,
            Self::Safety => number == 0,
            Self::Buchi | Self::CoBuchi | Self::Parity => false,
        }
    }
}

/// A game while it is read.
#[derive(Debug)]
struct Draft {
    cells: Vec<ProgramVariable>,
    inputs: Vec<ProgramVariable>,
    chosen: Vec<ProgramVariable>,
    locations: IdVec<LocationId, (String, u32)>,
    /// For each location, whether the system has lost there.
    lost: Vec<bool>,
    initial: LocationId,
    start: Vec<Vec<Inequality>>,
    /// Without priorities.
    moves: Vec<ProgramMove>,
    objective: Objective,
}

impl Draft {
    /// The game with the formula. Plays that are decided, and plays at locations without moves, stay where they are. With a
    /// formula, reaching a goal decides no play: an objective other than Safety becomes a part of the formula.
    fn finish(self, mut formula: Option<ProgramFormula>) -> ProgramText {
        let mut kinds: Vec<u32> = self.locations.iter().map(|(_, n)| self.objective.kind(*n)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        // Actions are the bits of a `u64`.
        let fits = self.objective != Objective::Safety && kinds.len() <= u64::BITS as usize;
        let joins = fits && formula.is_some();
        if let Some(formula) = formula.as_mut().filter(|_| joins) {
            let guarantee = self.objective.formula(&kinds, formula);
            formula.blocks.push(FormulaBlock { assumptions: Vec::new(), guarantees: vec![guarantee] });
        }
        let top = self.locations.iter().map(|(_, number)| *number).max().unwrap_or(0);
        let keep: Vec<Sum> = (0..self.cells.len() as u32).map(Sum::variable).collect();
        let (cells, inputs) = (self.cells.len(), self.inputs.len());
        let mut moves: Vec<ProgramMove> = Vec::new();
        let mut by_location: Vec<Vec<ProgramMove>> = vec![Vec::new(); self.locations.len()];
        for one in self.moves {
            by_location[one.from.index()].push(one);
        }
        for (location, (_, number)) in self.locations.enumerate() {
            let is_lost = self.lost[location.index()];
            let (priority, actions) = match kinds.binary_search(&self.objective.kind(*number)) {
                _ if is_lost => (1, 0),
                Ok(kind) if joins => (0, 1 << kind),
                _ => (self.objective.priority(*number, top), 0),
            };
            let own = std::mem::take(&mut by_location[location.index()]);
            if own.is_empty() || is_lost || !joins && self.objective.is_final(*number) {
                let (guard, updates) = (Vec::new(), keep.clone());
                moves.push(ProgramMove { from: location, to: location, guard, updates, priority, actions });
                continue;
            }
            moves.extend(own.into_iter().map(|one| ProgramMove { priority, actions, ..one }));
        }
        let game = ProgramGame {
            variables: self.cells.into_iter().chain(self.inputs).chain(self.chosen).collect(),
            cells,
            inputs,
            locations: self.locations.iter().map(|(name, _)| name.clone()).collect(),
            initial: self.initial,
            start: self.start,
            moves: moves.into_iter().collect(),
        };
        ProgramText { game, formula }
    }
}

/// The sort with this name.
fn sort(text: &str) -> Option<ProgramSort> {
    Some(match text.to_ascii_lowercase().as_str() {
        "bool" => ProgramSort::Boolean,
        "int" | "bint" => ProgramSort::Integer,
        "real" | "breal" => ProgramSort::Real,
        _ => return None,
    })
}
