//! Options and results of the synthesizer.

use super::friendliness::Friendliness;
use super::tuning::FRIENDLY_WORK;
use crate::game::StrategyForm;
use std::fmt;
use tsl_synth_core::base::{Budget, StopFlag};
use tsl_synth_core::logic::Player;
use tsl_synth_core::model::{Engine, Prefer, SolvedBy, Verdict};
use tsl_synth_kernel::CertifyError;
use tsl_synth_lang::spec::Clause;

/// Options of the synthesizer, the same in requests of the library. By default all engines are used, with certificates and
/// a search for friendly controllers.
#[derive(Clone, Debug)]
pub struct SolverOptions {
    /// The engine that decides.
    pub engine: Engine,
    /// The only bound on rejecting visits to try, for both players; `None` tries 0, 1, 2, 4, …
    pub bound: Option<u32>,
    /// The number of threads; with 2 or more, the bounded game of each player has its own thread. Answers, choices and
    /// counted work do not depend on it: under a stop flag that counts work only one thread is used.
    pub threads: usize,
    /// Whether answers are certified. `false` is the only way to an uncertified answer.
    pub certify: bool,
    /// Whether the machine is minimized (for `emit`; `check` needs no small machine).
    pub minimize: bool,
    /// Whether to search for a controller that does not win by making the assumptions false (see [`Friendliness`]).
    pub friendly: bool,
    /// Counted work of the search for such a controller, in addition to the work of the game.
    pub friendly_work: u64,
    /// Which of the controllers is wanted, where machines are minimized.
    pub prefer: Prefer,
    /// The form of the symbolic engine's strategies; those of the other engines are explicit.
    pub form: StrategyForm,
    /// The form of counter-strategies, if it differs from `form`.
    pub counter: Option<StrategyForm>,
    /// Counted work of the first round of the engines for each player. With little work and few rounds, the answer is
    /// more often `Unknown`.
    pub work: u64,
    /// Rounds of the bounded engine, each with eight times the work of the one before; with all engines in use, two of
    /// these rounds become three, each with four times the work of the one before.
    pub rounds: u32,
    /// Rounds of refinement of the TSL abstraction; 0 turns it off.
    pub refinement_rounds: u32,
    /// Ends the synthesis when it is raised, as by the clock or by Ctrl-C.
    pub stop: StopFlag,
    /// Counted bytes that the engines may use together.
    pub memory: u64,
}

impl SolverOptions {
    /// No limit but the stop flag.
    pub fn budget(&self) -> Budget {
        Budget::unlimited().with_flag(self.stop.clone())
    }

    /// The engine that decides, which is the bounded one if there is a bound.
    pub(super) fn engine_in_use(&self) -> Engine {
        if self.bound.is_some() { Engine::Bounded } else { self.engine }
    }
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            engine: Engine::Auto,
            bound: None,
            threads: 2,
            certify: true,
            minimize: true,
            friendly: true,
            friendly_work: FRIENDLY_WORK,
            prefer: Prefer::default(),
            form: StrategyForm::Either,
            counter: None,
            work: 400_000,
            rounds: 7,
            refinement_rounds: 64,
            stop: StopFlag::new(),
            memory: 4 << 30,
        }
    }
}

/// The method by which a strategy was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CheckMethod {
    /// Products of an explicit machine with tableaux.
    Products,
    /// The same, and decision diagrams where the products grew too large.
    ProductsAndDiagrams,
    /// Fair cycles on decision diagrams, for a circuit.
    Diagrams,
    /// The same with deterministic automata for the conjuncts, each of which was checked, in place of tableaux.
    Monitors,
}

impl fmt::Display for CheckMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Products => "model checking: tableau product, clause by clause",
            Self::ProductsAndDiagrams => {
                "model checking: tableau product and decision diagrams, clause by clause"
            }
            Self::Diagrams => {
                "symbolic model checking: tableau and fair cycles on decision diagrams, clause by clause"
            }
            Self::Monitors => {
                "symbolic model checking: monitors of the conjuncts, each checked, and fair cycles on decision diagrams"
            }
        })
    }
}

/// How an answer was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The method.
    pub by: CheckMethod,
    /// States of the products that were searched.
    pub product_states: u64,
    /// The facts that refinement added.
    pub facts: FactCheck,
    /// For a counter-strategy that wins in the sense of TSL: its plays were found consistent by the refinement alone,
    /// which no independent implementation checks.
    pub plays_checked_once: bool,
    /// Whether the claim is about a counter-strategy over numbers, and an invariant for each of its states was checked,
    /// which shows that the environment can choose values for its numeric inputs.
    pub invariants: bool,
    /// For a controller that could make the assumptions false: it was checked that it does not.
    pub friendly: bool,
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.by, self.facts)?;
        if self.invariants {
            f.write_str("; an invariant over numbers for each state")?;
        }
        if self.plays_checked_once {
            f.write_str("; consistency of its plays by one implementation only")?;
        }
        if self.friendly {
            f.write_str("; it never makes the assumptions false")?;
        }
        Ok(())
    }
}

/// The number of facts about terms that the certifier derived independently, and of those that it did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FactCheck {
    /// Facts that the certifier derived from their terms.
    pub derived: usize,
    /// Facts that only the refinement has derived.
    pub open: usize,
    /// Facts about numbers, each with a proof that the certifier checked.
    pub numbers: usize,
}

impl fmt::Display for FactCheck {
    /// The text after the method; empty if there are no facts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |n: usize| if n == 1 { "fact" } else { "facts" };
        if self.derived > 0 {
            write!(f, "; {} {} about terms derived again", self.derived, word(self.derived))?;
        }
        if self.numbers > 0 {
            write!(f, "; {} {} about numbers, each with a proof", self.numbers, word(self.numbers))?;
        }
        if self.open > 0 {
            let verb = if self.open == 1 { "rests" } else { "rest" };
            write!(f, "; {} {} about terms {verb} on the refinement alone", self.open, word(self.open))?;
        }
        Ok(())
    }
}

/// Statistics of the engines, which are never part of a reproducible result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The engine that found the answer; `None` if nothing was decided.
    pub engine: Option<SolvedBy>,
    /// The bound on rejecting visits with which it was found.
    pub bound: Option<u32>,
    /// Rounds of refinement.
    pub rounds: u32,
    /// What was learned on the way to the answer.
    pub progress: Progress,
    /// The attempts in order, for `--stats`.
    pub log: Vec<String>,
}

/// What the engines learned on the way to an answer. None of it is certified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Units of work that attempts without an answer were allowed: how hard the problem was, whatever the clock says.
    pub effort: u64,
    /// The guarantees, by their indices among those of the contract, of the parts over disjoint outputs for which a
    /// controller was found.
    pub parts: Vec<usize>,
    /// The guarantees of the largest set, of those tried from below, for which a controller was found under some of the
    /// assumptions.
    pub decided: Vec<usize>,
    /// The guarantee that was added last to a set that stayed undecided.
    pub hard: Option<usize>,
    /// For each guarantee of the part that is being decided the one of the whole contract that it is, `None` if it is only a
    /// conjunct of it. `None` while the whole is being decided.
    pub(super) origins: Option<Vec<Option<usize>>>,
}

impl Progress {
    fn origin(&self, index: usize) -> Option<usize> {
        self.origins.as_ref().map_or(Some(index), |origins| origins.get(index).copied().flatten())
    }

    /// A controller was found for some guarantees of the present contract.
    pub(super) fn found(&mut self, guarantees: &[usize]) {
        if guarantees.len() > self.decided.len() {
            self.decided = guarantees.iter().filter_map(|&index| self.origin(index)).collect();
            self.decided.sort_unstable();
        }
        self.hard = None;
    }

    /// A query about some guarantees stayed undecided; the last one in the list was added last. If several were added at
    /// once, none of them is known to be hard.
    pub(super) fn failed(&mut self, guarantees: &[usize]) {
        let one_more = guarantees.len() == self.decided.len() + 1;
        self.hard = guarantees.last().filter(|_| one_more).and_then(|&index| self.origin(index));
    }

    /// Removes everything about single guarantees, whose indices are not those of the contract.
    pub(super) fn forget_guarantees(&mut self) {
        *self = Self { effort: self.effort, ..Self::default() };
    }
}

/// The answer of the synthesizer.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// How it was checked; `None` for `Unknown` and without certification.
    pub certificate: Option<Certificate>,
    /// Whether the controller makes the assumptions false, and whether it has to.
    pub friendly: Friendliness,
    /// Facts that refinement added; the verdict holds for the problem together with them.
    pub constraints: Vec<Clause>,
    /// Statistics of the engines.
    pub statistics: Statistics,
}

/// An engine's answer that the certifier refutes: a bug of this program, never a property of the specification.
#[derive(Clone, Debug)]
pub struct FailedCertificate {
    /// The player whose strategy failed.
    pub player: Player,
    /// The error of the certifier.
    pub error: CertifyError,
    /// Statistics of the engines.
    pub statistics: Box<Statistics>,
}

impl fmt::Display for FailedCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.player {
            Player::System => "REALIZABLE",
            Player::Environment => "UNREALIZABLE",
        };
        write!(f, "{verdict} failed its certificate check: {}", self.error)
    }
}

impl std::error::Error for FailedCertificate {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
