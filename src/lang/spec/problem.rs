//! The one problem that every input language is lowered to.

use super::signature::{AtomMeaning, Signature, SymbolId, Term};
use std::collections::{BTreeMap, BTreeSet};
use tsl_synth_core::base::{IdSet, IdVec};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::{Alphabet, AtomId, EncodedSignal, FormulaId, Formulas};
use tsl_synth_core::model::{Contract, Register, Role};
use tsl_synth_core::source::Span;

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

/// The kind of machine to synthesize.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Target {
    /// Outputs depend on the inputs of the same step.
    #[default]
    Mealy,
    /// Outputs depend on the inputs of earlier steps only. The clauses describe the equivalent game for Mealy machines,
    /// in which every input has a delay of one step: an input `i` occurs in them as `X i` only.
    Moore,
}

/// The origin of an added fact or restriction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// The semantics of Boolean cells, number comparisons, finite sorts and past operators.
    Interpretation,
    /// The arithmetic of numbers: comparisons that exclude each other, in a step or before and after updates.
    Arithmetic,
    /// A cheap constraint, `[x <- t] -> (p t <-> X p x)`, tried after the plain game.
    Frame,
    /// Derived from an inconsistent play of a counter-strategy.
    Refinement,
}

/// One formula of the contract with the span it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its role in the contract.
    pub role: Role,
    /// The formula as lowered, before any simplification (`always` already applied).
    pub formula: FormulaId,
    /// Its span in the specification; `None` if it was not written but added.
    pub span: Option<Span>,
    /// The origin of an added fact or restriction.
    pub constraint: Option<Constraint>,
}

impl Clause {
    /// Whether the specification says that the system must keep it: a guarantee, or a restriction that was written, such
    /// as ASSERT of TLSF with `Strict` semantics. Such clauses can be to blame; restrictions of the language cannot, nor
    /// can the guarantee of `Finite` semantics that words end.
    pub fn is_duty(&self) -> bool {
        match self.role {
            Role::Guarantee => self.constraint.is_none(),
            Role::Restriction => self.span.is_some() && self.constraint.is_none(),
            Role::Fact | Role::Assumption => false,
        }
    }
}

/// The clauses of a TLSF file that depend only on some parts of what the environment must do: PRESET on INITIALLY, and
/// with `Strict` semantics also ASSERT on INITIALLY and on REQUIRE so far.
#[derive(Clone, Debug)]
pub struct Restricted {
    /// The conjunction of INITIALLY.
    pub initially: FormulaId,
    /// The conjunction of REQUIRE, as written: it holds in every step.
    pub required: FormulaId,
    /// The formulas of PRESET as written.
    pub preset: Vec<(ClauseId, FormulaId)>,
    /// The formulas of ASSERT as written: they hold in every step. Empty unless the semantics is `Strict`.
    pub asserted: Vec<(ClauseId, FormulaId)>,
}

impl Restricted {
    /// The formula of a clause of these, given what is written in its place; `None` if it is not one of them.
    pub fn lowered(
        &self,
        formulas: &mut Formulas,
        clause: ClauseId,
        written: FormulaId,
    ) -> Option<FormulaId> {
        let is = |clauses: &[(ClauseId, FormulaId)]| clauses.iter().any(|(id, _)| *id == clause);
        let kept = if is(&self.preset) {
            written
        } else if is(&self.asserted) {
            let broken = formulas.not(self.required);
            formulas.weak_until(written, broken)
        } else {
            return None;
        };
        Some(formulas.implies(self.initially, kept))
    }
}

/// Texts for clauses in the place of those that were written.
#[derive(Clone, Debug, Default)]
pub struct Wordings {
    /// With the parentheses that operators of TLSF imply, where LTL reads the formula differently.
    pub parenthesized: BTreeMap<Span, String>,
    /// Instances of a big conjunction of TLSF, which share a place, by their formulas: `G (r[0] -> g[0])`.
    pub instances: BTreeMap<(Span, FormulaId), String>,
    /// The places of several clauses, made by one definition, that have no texts of their own.
    pub shared: BTreeSet<Span>,
}

impl Wordings {
    /// The text for a clause; `None` if what was written is clear.
    pub fn of(&self, clause: &Clause) -> Option<&str> {
        let span = clause.span?;
        let instance = self.instances.get(&(span, clause.formula));
        instance.or_else(|| self.parenthesized.get(&span)).map(String::as_str)
    }
}

/// A synthesis problem: formulas over an alphabet, clause by clause.
#[derive(Clone, Debug)]
pub struct Problem {
    /// A short name for headers: the file stem.
    pub name: String,
    /// The input language that it came from.
    pub language: Language,
    /// Owns all formulas.
    pub formulas: Formulas,
    /// The atoms.
    pub alphabet: Alphabet,
    /// All clauses in source order.
    pub clauses: IdVec<ClauseId, Clause>,
    /// The symbols and terms of the specification, and the meaning of each atom. For LTL every atom is a
    /// [`super::AtomMeaning::Proposition`].
    pub signature: Signature,
    /// Whether the formulas of clauses differ from the written ones, because the semantics or target of TLSF changes
    /// them: a formula of this problem cannot be pasted into the specification.
    pub rewritten: bool,
    /// Whether the specification is interpreted over finite words.
    pub finite: bool,
    /// The kind of machine to synthesize.
    pub target: Target,
    /// For TLSF, the clauses that depend on some parts of the environment only, if there are any.
    pub restricted: Option<Restricted>,
    /// The places of the clauses that hold in every step because of their section, REQUIRE and ASSERT of TLSF.
    pub invariants: Vec<Span>,
    /// How clauses are shown whose text alone would mislead.
    pub wordings: Wordings,
    /// Whether the system answers before it sees the inputs of the step, by the semantics of the specification. The
    /// clauses describe the equivalent game, in which an input `i` occurs as `X i` only.
    pub answers_first: bool,
}

impl Problem {
    /// Whether an atom belongs to the encoding of a past operator (a register, or an atom of a hidden cell). Such atoms
    /// have no name in the specification and are not shown to users.
    pub fn is_hidden(&self, atom: AtomId) -> bool {
        let terms = &self.signature.terms;
        let hidden = |symbol: SymbolId| self.signature.symbols[symbol].hidden;
        match self.signature.atoms.get(atom) {
            Some(AtomMeaning::Update(symbol, _)) => hidden(*symbol),
            Some(AtomMeaning::Predicate(term)) => match terms.get(*term) {
                Term::Signal(symbol) => hidden(*symbol),
                Term::Literal(_) | Term::Apply(..) => false,
                // The digits of a hidden number.
                Term::Operation(..) => {
                    let signals = self.signature.signals_of(*term);
                    !signals.is_empty() && signals.into_iter().all(hidden)
                }
            },
            Some(AtomMeaning::Proposition) | None => {
                self.signature.registers.iter().any(|register| register.atom == atom)
            }
        }
    }
    /// The atoms that encode the values of a signal, if its values are followed.
    pub fn encoded(&self, symbol: SymbolId) -> Option<&EncodedSignal> {
        let place = self.signature.encoded.iter().position(|&encoded| encoded == symbol)?;
        self.alphabet.encoded().get(place)
    }
    /// The alphabet without the registers of past operators: machines are read and written over it. Atoms and
    /// bits keep their numbers.
    pub fn shown_alphabet(&self) -> Alphabet {
        match self.signature.registers.first() {
            None => self.alphabet.clone(),
            Some(first) => self.alphabet.before(first.atom),
        }
    }
    /// Whether a formula over the atoms can be pasted into a section of the specification: it then means what it means
    /// in this problem, up to [`Restricted`].
    pub fn takes_formulas(&self) -> bool {
        let is_plain = !self.finite && !self.answers_first && self.target == Target::Mealy;
        !self.rewritten || self.language == Language::Tlsf && is_plain
    }
    /// The problem over [`Self::shown_alphabet`] without the clauses that mention registers: for machines that were
    /// synthesized before.
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
    /// Whether a clause is a fact that defines a register.
    pub fn defines_register(&self, clause: &Clause) -> bool {
        clause.role == Role::Fact
            && clause.constraint == Some(Constraint::Interpretation)
            && self.remembers(clause.formula)
    }
    /// Whether a formula mentions registers.
    pub fn remembers(&self, formula: FormulaId) -> bool {
        let registers = &self.signature.registers;
        !registers.is_empty()
            && self.formulas.support(&[formula]).iter().any(|atom| registers[0].atom <= atom)
    }
    /// The atoms that formulas mention, with registers replaced by the atoms on which they depend.
    pub fn support(&self, roots: &[FormulaId]) -> IdSet<AtomId> {
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
