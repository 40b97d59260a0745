//! Checks for contracts that require less than they seem to: a verdict of REALIZABLE means little when the assumptions
//! cannot be kept, or when the controller wins by breaking them.

use super::clause::line_quote;
use super::synthesis_queries::{owned_by_the_system, part};
use super::tuning::MOST_IMPLIED;
use std::cell::{Cell, RefCell};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::logic::Player;
use tsl_synth_core::model::{Counter, Observer, Phase, Role, Silent, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{FailedCertificate, SolverOptions, synthesize};
use tsl_synth_lang::spec::{Clause, ClauseId, Problem};

/// The findings to search for.
#[derive(Clone, Copy, Debug)]
pub enum FindingScope<'a> {
    /// Those with these codes.
    Only(&'a [Code]),
    /// All others.
    Except(&'a [Code]),
}

impl FindingScope<'_> {
    fn has(self, code: Code) -> bool {
        match self {
            Self::Only(codes) => codes.contains(&code),
            Self::Except(codes) => !codes.contains(&code),
        }
    }
    fn has_any(self, codes: &[Code]) -> bool {
        codes.iter().any(|&code| self.has(code))
    }
}

/// The findings about a contract.
#[derive(Clone, Debug, Default)]
pub struct Examined {
    /// The findings of the scope.
    pub diagnostics: Diagnostics,
    /// The codes of the scope for which it is not known whether there is a finding, in the order of [`FINDINGS`].
    pub undecided: Vec<Code>,
}

/// The findings of `examine`, and [`Code::ONLY_BY_FALSIFYING`], which a separate search decides.
pub const FINDINGS: [Code; 6] = [
    Code::UNSATISFIABLE_ASSUMPTIONS,
    Code::ONLY_BY_FALSIFYING,
    Code::FALSIFIABLE_ASSUMPTION,
    Code::REDUNDANT_ASSUMPTION,
    Code::IMPLIED_GUARANTEE,
    Code::IDLE_GUARANTEE,
];

/// Examines a contract. `realizable` is its verdict; some questions make sense only for one of the two. Stops early,
/// with what it has, when the stop flag of `options` is raised.
///
/// # Errors
/// An answer to one of the questions failed its certificate check.
pub fn examine(
    problem: &Problem,
    map: &SourceMap,
    realizable: bool,
    scope: FindingScope<'_>,
    options: &SolverOptions,
    observer: &dyn Observer,
) -> Result<Examined, FailedCertificate> {
    observer.phase(Phase::Vacuity);
    let options = SolverOptions { minimize: false, ..options.clone() };
    let unknown = RefCell::new(Vec::new());
    let ask = Ask { problem, map, options: &options, observer, unknown: &unknown, asked: Cell::new(0) };
    let mut diagnostics = Diagnostics::new();
    ask.questions(realizable, scope, &mut diagnostics)?;
    let unknown = unknown.into_inner();
    let undecided = FINDINGS.into_iter().filter(|code| unknown.contains(code) && scope.has(*code)).collect();
    Ok(Examined { diagnostics, undecided })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ThreeValued {
    Yes,
    No,
    Unknown,
}

struct Ask<'a> {
    problem: &'a Problem,
    map: &'a SourceMap,
    options: &'a SolverOptions,
    observer: &'a dyn Observer,
    /// Findings about which a question was not answered.
    unknown: &'a RefCell<Vec<Code>>,
    asked: Cell<u64>,
}

/// The findings about guarantees that are implied.
const IMPLIED: [Code; 2] = [Code::IMPLIED_GUARANTEE, Code::IDLE_GUARANTEE];

impl Ask<'_> {
    fn questions(
        &self,
        realizable: bool,
        scope: FindingScope<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), FailedCertificate> {
        if !self.assumptions().is_empty() && scope.has_any(&FINDINGS) {
            match self.satisfiable(|_, c| matches!(c.role, Role::Fact | Role::Assumption))? {
                ThreeValued::No => {
                    if scope.has(Code::UNSATISFIABLE_ASSUMPTIONS) {
                        diagnostics.push(self.unsatisfiable_assumptions()?);
                    }
                    return Ok(());
                }
                ThreeValued::Yes => {}
                ThreeValued::Unknown => self.give_up(&[Code::UNSATISFIABLE_ASSUMPTIONS]),
            }
            if realizable && scope.has(Code::FALSIFIABLE_ASSUMPTION) {
                self.falsifiable_assumptions(diagnostics)?;
            }
        }
        if realizable && scope.has(Code::REDUNDANT_ASSUMPTION) {
            self.redundant_assumptions(diagnostics)?;
        }
        if realizable && scope.has_any(&IMPLIED) {
            let mut found = Diagnostics::new();
            self.implied_guarantees(&mut found)?;
            found.iter().filter(|d| scope.has(d.code)).for_each(|d| diagnostics.push(d.clone()));
        }
        Ok(())
    }

    /// Notes that a question about these findings has no answer.
    fn give_up(&self, codes: &[Code]) {
        self.unknown.borrow_mut().extend(codes);
    }

    fn of(&self, role: Role) -> Vec<ClauseId> {
        self.problem.clauses.enumerate().filter(|(_, c)| c.role == role).map(|(id, _)| id).collect()
    }
    /// The clauses of a role, those of one written line together: a line of TLSF may have several instances.
    fn lines(&self, role: Role) -> Vec<Vec<ClauseId>> {
        let mut lines: Vec<Vec<ClauseId>> = Vec::new();
        // That words end, a guarantee of finite words, is no line.
        let is_written = |id: &ClauseId| role != Role::Guarantee || self.problem.clauses[*id].is_duty();
        for clause in self.of(role).into_iter().filter(is_written) {
            let span = self.problem.clauses[clause].span;
            let same =
                |line: &&mut Vec<ClauseId>| span.is_some() && self.problem.clauses[line[0]].span == span;
            match lines.iter_mut().find(same) {
                Some(line) => line.push(clause),
                None => lines.push(vec![clause]),
            }
        }
        lines
    }
    /// Whether each clause of a line follows from the clauses that are kept, without the others of the line.
    fn follows(
        &self,
        line: &[ClauseId],
        keep: impl Fn(ClauseId, &Clause) -> bool,
    ) -> Result<ThreeValued, FailedCertificate> {
        for &clause in line {
            let keep = |id: ClauseId, c: &Clause| id == clause || !line.contains(&id) && keep(id, c);
            match self.fails_with(clause, keep)? {
                ThreeValued::No => {}
                ThreeValued::Yes => return Ok(ThreeValued::No),
                ThreeValued::Unknown => return Ok(ThreeValued::Unknown),
            }
        }
        Ok(ThreeValued::Yes)
    }
    fn assumptions(&self) -> Vec<ClauseId> {
        self.of(Role::Assumption)
    }
    fn decide(&self, mut problem: Problem) -> Result<ThreeValued, FailedCertificate> {
        self.asked.set(self.asked.get() + 1);
        self.observer.count(Counter::Questions, self.asked.get());
        Ok(match synthesize(&mut problem, self.options, &Silent)?.verdict {
            Verdict::Realizable(_) => ThreeValued::Yes,
            Verdict::Unrealizable(..) => ThreeValued::No,
            Verdict::Unknown(_) => ThreeValued::Unknown,
        })
    }

    /// Whether all of some clauses can be true together: the game in which the system owns every atom.
    fn satisfiable(
        &self,
        keep: impl Fn(ClauseId, &Clause) -> bool,
    ) -> Result<ThreeValued, FailedCertificate> {
        let mut problem = part(self.problem, keep);
        problem.alphabet = owned_by_the_system(&self.problem.alphabet);
        for clause in &mut problem.clauses {
            clause.role = Role::Guarantee;
        }
        self.decide(problem)
    }

    fn place(&self, diagnostic: Diagnostic, clause: ClauseId, text: &str) -> Diagnostic {
        match self.problem.clauses[clause].span {
            Some(span) => diagnostic.at(span, text),
            None => diagnostic,
        }
    }

    fn unsatisfiable_assumptions(&self) -> Result<Diagnostic, FailedCertificate> {
        // Deletion as for cores: leave out what is not needed for the contradiction.
        let mut kept = self.assumptions();
        let mut end = kept.len();
        while end > 0 {
            end -= 1;
            let left_out = kept[end];
            let without =
                |id: ClauseId, c: &Clause| c.role == Role::Fact || kept.contains(&id) && id != left_out;
            if self.satisfiable(without)? == ThreeValued::No {
                kept.remove(end);
            }
        }
        let mut diagnostic = Diagnostic::warning(
            Code::UNSATISFIABLE_ASSUMPTIONS,
            "the assumptions are unsatisfiable, so the guarantees constrain no controller",
        )
        .hint("correct the assumptions: as written, the guarantees are vacuous");
        for clause in kept {
            diagnostic =
                self.place(diagnostic, clause, "cannot be kept together with the other places shown");
        }
        Ok(diagnostic)
    }

    fn falsifiable_assumptions(&self, diagnostics: &mut Diagnostics) -> Result<(), FailedCertificate> {
        // One question suffices for most contracts, which have no such assumptions.
        let nothing = |_: ClauseId, c: &Clause| c.role != Role::Guarantee;
        match self.decide(self.with_false(nothing))? {
            ThreeValued::Yes => {}
            ThreeValued::No => return Ok(()),
            ThreeValued::Unknown => {
                self.give_up(&[Code::FALSIFIABLE_ASSUMPTION]);
                return Ok(());
            }
        }
        let all = self.assumptions();
        let mut guilty: Vec<ClauseId> = Vec::new();
        for &assumption in &all {
            let alone = |id: ClauseId, c: &Clause| {
                !matches!(c.role, Role::Guarantee | Role::Assumption) || id == assumption
            };
            if self.decide(self.with_false(alone))? == ThreeValued::Yes {
                guilty.push(assumption);
            }
        }
        if guilty.is_empty() {
            // The assumptions can be falsified only together.
            guilty = all;
        }
        let text = "the system can break this by its own updates";
        let mut diagnostic = Diagnostic::warning(
            Code::FALSIFIABLE_ASSUMPTION,
            "the system can make the assumptions false, whatever the environment does",
        )
        .hint("state as a guarantee what the system decides");
        for clause in guilty {
            diagnostic = self.place(diagnostic, clause, text);
        }
        diagnostics.push(diagnostic);
        Ok(())
    }

    /// The part of the problem with the guarantee ⊥: a controller wins only by breaking the assumptions.
    fn with_false(&self, keep: impl Fn(ClauseId, &Clause) -> bool) -> Problem {
        let mut problem = part(self.problem, keep);
        let formula = problem.formulas.bottom();
        problem.clauses.push(Clause { role: Role::Guarantee, formula, span: None, constraint: None });
        problem
    }

    /// Whether some clauses can be kept while a guarantee fails.
    fn fails_with(
        &self,
        guarantee: ClauseId,
        keep: impl Fn(ClauseId, &Clause) -> bool,
    ) -> Result<ThreeValued, FailedCertificate> {
        let mut problem = self.problem.clone();
        let formula = problem.clauses[guarantee].formula;
        problem.clauses[guarantee].formula = problem.formulas.not(formula);
        let mut problem = part(&problem, keep);
        problem.alphabet = owned_by_the_system(&self.problem.alphabet);
        for clause in &mut problem.clauses {
            clause.role = Role::Guarantee;
        }
        self.decide(problem)
    }

    fn speaks_of_inputs(&self, clause: ClauseId) -> bool {
        let support = self.problem.support(&[self.problem.clauses[clause].formula]);
        support.iter().any(|atom| self.problem.alphabet.player(atom) == Player::Environment)
    }

    /// Reports assumptions that the others imply.
    fn redundant_assumptions(&self, diagnostics: &mut Diagnostics) -> Result<(), FailedCertificate> {
        let assumptions = self.assumptions();
        if assumptions.len() > MOST_IMPLIED {
            self.give_up(&[Code::REDUNDANT_ASSUMPTION]);
            return Ok(());
        }
        let mut dropped: Vec<ClauseId> = Vec::new();
        for line in self.lines(Role::Assumption).iter().rev() {
            if self.options.stop.raised().is_some() {
                self.give_up(&[Code::REDUNDANT_ASSUMPTION]);
                return Ok(());
            }
            let keep = |id: ClauseId, c: &Clause| {
                matches!(c.role, Role::Fact | Role::Assumption) && !dropped.contains(&id)
            };
            let answer = self.follows(line, keep)?;
            if answer == ThreeValued::Unknown {
                self.give_up(&[Code::REDUNDANT_ASSUMPTION]);
            }
            if answer == ThreeValued::Yes {
                dropped.extend(line);
                let assumption = line[0];
                let text = line_quote(self.problem, self.map, assumption);
                let message = format!("the assumption `{text}` follows from the other assumptions");
                let diagnostic = Diagnostic::note(Code::REDUNDANT_ASSUMPTION, message);
                diagnostics.push(self.place(diagnostic, assumption, "says nothing new"));
            }
        }
        Ok(())
    }

    /// Reports guarantees that the others and the assumptions imply.
    fn implied_guarantees(&self, diagnostics: &mut Diagnostics) -> Result<(), FailedCertificate> {
        let guarantees = self.of(Role::Guarantee);
        if guarantees.len() > MOST_IMPLIED {
            self.give_up(&IMPLIED);
            return Ok(());
        }
        if guarantees.len() < 2 && self.assumptions().is_empty() {
            return Ok(());
        }
        let mut dropped: Vec<ClauseId> = Vec::new();
        for line in self.lines(Role::Guarantee).iter().rev() {
            if self.options.stop.raised().is_some() {
                self.give_up(&IMPLIED);
                return Ok(());
            }
            let answer = self.follows(line, |id, _| !dropped.contains(&id))?;
            if answer == ThreeValued::Unknown {
                self.give_up(&IMPLIED);
            }
            if answer == ThreeValued::Yes {
                dropped.extend(line);
                let guarantee = line[0];
                // A valid guarantee such as `[x <- y] || [x <- x]` only lists the options of a cell: do not report it.
                let lists_options = !line.iter().any(|&clause| self.speaks_of_inputs(clause));
                if lists_options && self.follows(line, |_, _| false)? == ThreeValued::Yes {
                    continue;
                }
                let text = line_quote(self.problem, self.map, guarantee);
                let idle = self.follows(line, |_, c| c.role != Role::Guarantee)? == ThreeValued::Yes;
                let (diagnostic, remark) = if idle {
                    let alone =
                        |_: ClauseId, c: &Clause| !matches!(c.role, Role::Guarantee | Role::Assumption);
                    let always =
                        self.assumptions().is_empty() || self.follows(line, alone)? == ThreeValued::Yes;
                    let wherever = if always { "" } else { ", as long as the assumptions hold" };
                    let message = format!("the guarantee `{text}` holds whatever the system does{wherever}");
                    (Diagnostic::note(Code::IDLE_GUARANTEE, message), "never constrains anything")
                } else {
                    let message = format!("the guarantee `{text}` follows from the other clauses");
                    (Diagnostic::note(Code::IMPLIED_GUARANTEE, message), "says nothing new")
                };
                diagnostics.push(self.place(diagnostic, guarantee, remark));
            }
        }
        Ok(())
    }
}
