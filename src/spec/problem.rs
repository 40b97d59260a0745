//! The one problem that every input language is lowered to.

use super::signature::{AtomMeaning, Signature, SymbolId, Term};
use crate::base::{IdSet, IdVec};
use crate::define_id;
use crate::logic::{Alphabet, AtomId, FormulaId, Formulas};
use crate::model::{Contract, Register, Role};
use crate::source::Span;

define_id! {
    /// A clause of a [`Problem`].
    pub struct ClauseId;
}

/// The input language a problem came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Temporal stream logic.
    Tsl,
    /// Linear temporal logic with Boolean inputs and outputs.
    Ltl,
    /// Linear temporal logic in the sections of TLSF.
    Tlsf,
}

/// The kind of machine that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Target {
    /// Outputs depend on the inputs of the same step.
    #[default]
    Mealy,
    /// Outputs depend on the inputs of earlier steps only. The clauses are about the equivalent game for Mealy
    /// machines, in which every input has a delay of one step: an input `i` occurs in them as `X i` only.
    Moore,
}

/// Why a fact holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// The meaning of Boolean cells, number comparisons and finite sorts.
    Interpretation,
    /// A cheap constraint, `[x <- t] -> (p t <-> X p x)`, tried after the plain game.
    Frame,
    /// Derived from an inconsistent play of a counter-strategy.
    Refinement,
}

/// One formula of the contract with the span it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The part it plays.
    pub role: Role,
    /// The formula as lowered, before any simplification (`always` already applied).
    pub formula: FormulaId,
    /// Where it was written; `None` for what the language adds.
    pub span: Option<Span>,
    /// Why it was added, for facts and restrictions.
    pub constraint: Option<Constraint>,
}

/// A synthesis problem: formulas over an alphabet, clause by clause.
#[derive(Clone, Debug)]
pub struct Problem {
    /// A short name for headers: the file stem.
    pub name: String,
    /// Where it came from.
    pub language: Language,
    /// Owns all formulas.
    pub formulas: Formulas,
    /// The atoms.
    pub alphabet: Alphabet,
    /// All clauses in source order.
    pub clauses: IdVec<ClauseId, Clause>,
    /// The data side. For LTL every atom is a [`super::AtomMeaning::Proposition`].
    pub signature: Signature,
    /// Whether the formulas of clauses are not what was written, because the semantics or target of TLSF moves them: a
    /// formula of this problem cannot be pasted into the specification.
    pub rewritten: bool,
    /// Whether the specification speaks about finite words.
    pub finite: bool,
    /// Whether arithmetic or comparisons stayed uninterpreted, so that UNREALIZABLE may hang on them.
    pub uninterpreted_arithmetic: bool,
    /// The kind of machine that is asked for.
    pub target: Target,
}

impl Problem {
    /// Whether an atom is, or speaks of a cell that is, what a past operator remembers: the specification has no name for it, and
    /// nothing that a reader sees should.
    pub fn is_hidden(&self, atom: AtomId) -> bool {
        let terms = &self.signature.terms;
        let hidden = |symbol: SymbolId| self.signature.symbols[symbol].hidden;
        match self.signature.atoms.get(atom) {
            Some(AtomMeaning::Update(symbol, _)) => hidden(*symbol),
            Some(AtomMeaning::Predicate(term)) => {
                matches!(terms.get(*term), Term::Signal(symbol) if hidden(*symbol))
            }
            Some(AtomMeaning::Proposition) | None => {
                self.signature.registers.iter().any(|register| register.atom == atom)
            }
        }
    }
    /// The alphabet without the registers of past operators of LTL: what machines are read and written over. Atoms and bits
    /// have the same numbers.
    pub fn shown_alphabet(&self) -> Alphabet {
        match self.signature.registers.first() {
            None => self.alphabet.clone(),
            Some(first) => self.alphabet.before(first.atom),
        }
    }
    /// The problem over [`Self::shown_alphabet`] without the clauses that speak of registers: for machines that were solved
    /// before.
    pub fn shown(&self) -> Self {
        let mut shown = self.clone();
        let registers = std::mem::take(&mut shown.signature.registers);
        if !registers.is_empty() {
            shown.alphabet = self.shown_alphabet();
            shown.signature.atoms =
                shown.alphabet.atoms().ids().map(|atom| self.signature.atoms[atom]).collect();
            shown.rewritten = true;
            let clauses = shown.clauses.iter();
            let plain = clauses.filter(|clause| !self.remembers(clause.formula)).cloned().collect();
            shown.clauses = plain;
        }
        shown
    }
    /// Whether a formula speaks of registers.
    pub fn remembers(&self, formula: FormulaId) -> bool {
        let registers = &self.signature.registers;
        !registers.is_empty()
            && self.formulas.support(&[formula]).iter().any(|atom| registers[0].atom <= atom)
    }
    /// The atoms that formulas speak of, and in the place of registers those that these depend on.
    pub fn spoken(&self, roots: &[FormulaId]) -> IdSet<AtomId> {
        let mut roots = roots.to_vec();
        loop {
            let mut all = self.formulas.support(&roots);
            let reported =
                |register: &&Register| all.contains(register.atom) && !roots.contains(&register.now);
            let more: Vec<FormulaId> =
                self.signature.registers.iter().filter(reported).map(|register| register.now).collect();
            if more.is_empty() {
                self.signature.registers.iter().for_each(|register| {
                    all.remove(register.atom);
                });
                return all;
            }
            roots.extend(more);
        }
    }
    /// The contract of all clauses.
    pub fn contract(&self) -> Contract {
        let of = |role| self.clauses.iter().filter(|c| c.role == role).map(|c| c.formula).collect();
        Contract {
            facts: of(Role::Fact),
            restrictions: of(Role::Restriction),
            assumptions: of(Role::Assumption),
            guarantees: of(Role::Guarantee),
        }
    }
}
